//! `--if-changed`: whether an import would read the same as the last one, so that a timer may run
//! it every minute.
//!
//! The log of releases contains the last import that made a release. Nothing changed if every
//! address has the logged ETag, or every file the logged hash, and the mapping is the same. A mapping
//! that asks for the time is always imported: a boat may expire while the export stays the same.
//! That there was nothing to import is logged too, so that it is known that imports run.

use std::fs::File;

use anyhow::Context as _;
use import::mapping::Mapping;
use import::source::{Export, STANDARD_INPUT};
use shared::base::hash::sha256_hex_of_reader;
use shared::base::source_files::{SourceFile, SourceFiles};
use shared::release::log::{Attempt, Entry, Outcome, Source as Logged};
use shared::release::{ReleaseError, ReleaseId, Releases};

use super::comparison::Active;
use crate::commands::fetch::{Gathering, connect, hinted};
use crate::commands::show;
use crate::hints::Hinted;
use crate::process::context::Context;
use crate::remote::Source;
use crate::report::Report;
use crate::report::facts::Facts;

/// How many seconds lie between two entries of imports that found nothing new.
const LOGGED_SECONDS_MIN: u64 = 12 * 3600;

/// What to import.
pub(super) enum Current {
    /// Nothing: this release was made from the same exports.
    Unchanged(ReleaseId),
    /// These exports.
    Exports(Vec<Export>),
}

/// An import that is left out if it would read and do the same as the last one.
pub(super) struct IfChanged<'a> {
    pub(super) sources: &'a [Source],
    pub(super) mapping: Option<&'a Mapping>,
    pub(super) skip_invalid: bool,
    /// Whether it measures images, some of which the last one may have left out.
    pub(super) measures: bool,
    /// Whether it activates what it makes.
    pub(super) activates: bool,
}

impl IfChanged<'_> {
    /// The exports, fetched if needed.
    pub(super) fn exports(
        &self,
        gathering: &Gathering<'_>,
        releases: &dyn Releases,
        context: &mut Context,
    ) -> anyhow::Result<Current> {
        refuse_what_has_no_hash(self.sources)?;
        let asks_time = self.mapping.is_some_and(Mapping::asks_time);
        let last = self.last_import(releases)?.filter(|_| !asks_time);
        let Some((release, last)) = last else {
            let exports = gathering.exports(self.sources, context)?;
            return Ok(Current::Exports(exports));
        };
        let mut known = before_fetching(self.sources, context)?;
        if self.is_same(&known, &last) {
            return Ok(Current::Unchanged(release));
        }
        let exports = gathering.exports(self.sources, context)?;
        add_fetched(&mut known, &exports);
        if self.is_same(&known, &last) {
            return Ok(Current::Unchanged(release));
        }
        Ok(Current::Exports(exports))
    }

    /// The release imported last, and its source; `None` also if that was only made, and this
    /// import would activate it.
    fn last_import(&self, releases: &dyn Releases) -> anyhow::Result<Option<(ReleaseId, Logged)>> {
        let last = releases.latest_entry(&mut |entry| {
            entry.imported().is_some() && entry.attempt.source.is_some()
        })?;
        let is_only_made = |entry: &Entry| matches!(entry.outcome, Outcome::Made { .. });
        let must_be_active = self.activates && last.as_ref().is_some_and(is_only_made);
        let release = last.as_ref().and_then(Entry::imported).cloned();
        let source = last.and_then(|entry| entry.attempt.source);
        let last = release.zip(source);
        if must_be_active {
            let active = Active::read(releases)?;
            return Ok(last.filter(|(release, _)| active.id() == Some(release)));
        }
        Ok(last)
    }

    /// Whether both are known to be the same files, read in the same way. If there are more files
    /// than the log lists, they are never considered the same.
    fn is_same(&self, files: &[SourceFile], last: &Logged) -> bool {
        let mut all = SourceFiles::default();
        for file in files {
            all.push(file.clone());
        }
        let now = Logged::new(all, self.mapping.map(Mapping::file), 0);
        let hash = |logged: &Logged| logged.mapping.as_ref().map(|file| file.sha256.clone());
        let mut pairs = now.files.first.iter().zip(&last.files.first);
        (last.left_out == 0 || self.skip_invalid)
            && (last.unmeasured == 0 || !self.measures)
            && now.files.count == last.files.count
            && now.files.count == now.files.first.len() as u64
            && pairs.all(|(now, last)| is_same_file(now, last))
            && hash(&now) == hash(last)
    }
}

/// Says that nothing is imported.
pub(super) fn show(
    release: &ReleaseId,
    active: &Active,
    as_json: bool,
    context: &mut Context,
) -> anyhow::Result<()> {
    let document = Facts::new()
        .told("imported", false)
        .told("unchanged", true)
        .told("release", release.as_str())
        .told("active", active.id().map(ReleaseId::as_str));
    let report = || {
        let unchanged = format!("Nothing has changed since release {release} was imported.");
        let mut report = Report::of(unchanged);
        report.line(format!("Active release: {active}."));
        report
    };
    show::result(as_json, &document, report, context)
}

/// Logs that there was nothing to import, unless an import succeeded within the last twelve hours: a timer
/// may run every minute. While another command changes releases, that one is logged.
pub(super) fn log(
    release: &ReleaseId,
    attempt: &Attempt,
    releases: &dyn Releases,
) -> anyhow::Result<()> {
    let last = releases.latest_entry(&mut Entry::is_import)?;
    let is_young = |last: &Entry| last.attempt.at.abs_diff(attempt.at) < LOGGED_SECONDS_MIN;
    if last.is_some_and(|last| last.imported().is_some() && is_young(&last)) {
        return Ok(());
    }
    let lock = match releases.lock() {
        Err(ReleaseError::Busy { .. }) => return Ok(()),
        lock => lock?,
    };
    let release = release.clone();
    let logged = releases.log(&attempt.entry(Outcome::Unchanged { release }), &lock);
    logged.context("nothing has changed, and that could not be logged")
}

/// Refuses folders and streams, which have no hash of their own.
fn refuse_what_has_no_hash(sources: &[Source]) -> anyhow::Result<()> {
    let has_none = |source: &&Source| {
        let path = source.path();
        path.is_some_and(|path| path.is_dir() || path.as_os_str() == STANDARD_INPUT)
    };
    let Some(source) = sources.iter().find(has_none) else {
        return Ok(());
    };
    let error = anyhow::anyhow!("--if-changed needs addresses or files, and {source} is neither");
    Err(Hinted::wrong_usage(error, "import an archive, or leave --if-changed out").into())
}

/// What is known of the exports before fetching.
fn before_fetching(sources: &[Source], context: &Context) -> anyhow::Result<Vec<SourceFile>> {
    let known = |source: &Source| match source {
        Source::Path(_) => hashed(source),
        Source::Address(address) => {
            let etag = connect(&context.remote)?.etag(address).map_err(hinted)?;
            Ok(file(source, None, etag))
        }
    };
    sources.iter().map(known).collect()
}

/// Adds what fetching showed. Files that lie here were hashed before.
fn add_fetched(known: &mut [SourceFile], exports: &[Export]) {
    for (known, export) in known.iter_mut().zip(exports) {
        if let Some(origin) = export.origin() {
            known.sha256 = Some(origin.sha256.clone());
        }
    }
}

fn hashed(source: &Source) -> anyhow::Result<SourceFile> {
    let path = source.path().unwrap_or(STANDARD_INPUT.as_ref());
    let hash = File::open(path).and_then(sha256_hex_of_reader);
    let hash = hash.with_context(|| format!("could not read the export {source}"))?;
    Ok(file(source, Some(hash.1), None))
}

fn file(source: &Source, sha256: Option<String>, etag: Option<String>) -> SourceFile {
    SourceFile {
        name: source.to_string(),
        bytes: 0,
        sha256,
        etag,
        address_sha256: match source {
            Source::Path(_) => None,
            Source::Address(address) => address.hidden_sha256(),
        },
    }
}

fn is_same_file(now: &SourceFile, last: &SourceFile) -> bool {
    let is_known = |a: &Option<String>, b: &Option<String>| a.is_some() && a == b;
    // Another address may have another file with the same ETag, though what is shown of both is
    // the same. The same contents are the same, wherever they are.
    let is_in_place = now.address_sha256 == last.address_sha256;
    let is_same_state = is_in_place && is_known(&now.etag, &last.etag);
    now.name == last.name && (is_same_state || is_known(&now.sha256, &last.sha256))
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::io::Write;

    use import::source::Origin;
    use import::spool::Spool;

    use super::*;

    #[test]
    fn a_file_is_hashed_once_and_a_fetched_one_by_the_fetch() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("boats.ndjson");
        let mut written = File::create(&path).unwrap();
        written.write_all(b"{}").unwrap();
        let here = Source::Path(path.clone());
        let far = Source::parse("https://cms.example/boats.ndjson".as_ref()).unwrap();
        let mut known = [hashed(&here).unwrap(), file(&far, None, None)];
        fs::remove_file(&path).unwrap();
        let origin = Origin {
            name: far.to_string(),
            file_name: "boats.ndjson".to_owned(),
            sha256: "abc".to_owned(),
            etag: None,
            address_sha256: None,
        };
        let spool = Spool::new(directory.path());
        let exports = [path.into(), Export::fetched(spool, origin)];
        add_fetched(&mut known, &exports);
        let (_bytes, of_here) = sha256_hex_of_reader(&b"{}"[..]).unwrap();
        let hashes = known.map(|file| file.sha256.unwrap());
        assert_eq!(hashes, [of_here, "abc".to_owned()]);
    }
}
