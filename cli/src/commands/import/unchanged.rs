//! `--if-changed`: whether an import would read the same as the last one, so that a timer may run
//! it every minute.
//!
//! The log of releases contains the last import that made a release. Nothing changed if every
//! address has the logged ETag, or every file the logged hash, and the mapping is the same. A mapping
//! that asks for the time is always imported: a boat may expire while the export stays the same.

use std::fs::File;
use std::io::Write as _;

use anyhow::Context as _;
use import::mapping::Mapping;
use import::source::{Export, STANDARD_INPUT};
use serde::Serialize;
use shared::base::hash::sha256_hex_of_reader;
use shared::base::source_files::{SourceFile, SourceFiles};
use shared::release::log::{Command, Entry, LogQuery, Outcome, Source as Logged};
use shared::release::{ReleaseId, Releases};

use super::comparison::Active;
use crate::commands::fetch::{Gathered, Gathering, connect, hinted};
use crate::commands::show;
use crate::hints::Hinted;
use crate::process::context::Context;
use crate::remote::Source;
use crate::terminal::wrap::fit;

/// What to import.
pub(super) enum Current {
    /// Nothing: this release was made from the same exports.
    Unchanged(ReleaseId),
    /// These exports.
    Exports(Vec<Export>),
}

#[derive(Serialize)]
struct Document<'a> {
    imported: bool,
    unchanged: bool,
    release: &'a ReleaseId,
    active: Option<&'a ReleaseId>,
}

/// An import that is left out if it would read and do the same as the last one.
pub(super) struct IfChanged<'a> {
    pub(super) sources: &'a [Source],
    pub(super) mapping: Option<&'a Mapping>,
    pub(super) skip_invalid: bool,
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
        let gathered = gathering.gather(self.sources, context)?;
        add_fetched(&mut known, &gathered);
        if self.is_same(&known, &last) {
            return Ok(Current::Unchanged(release));
        }
        let exports = gathered.into_iter().map(|gathered| gathered.export);
        Ok(Current::Exports(exports.collect()))
    }

    /// The release imported last, and its source; `None` also if that was only made, and this
    /// import would activate it.
    fn last_import(&self, releases: &dyn Releases) -> anyhow::Result<Option<(ReleaseId, Logged)>> {
        let is_import = |entry: &Entry| {
            let is_command = matches!(entry.attempt.command, Command::Import | Command::Demo);
            is_command && made(&entry.outcome).is_some() && entry.attempt.source.is_some()
        };
        let part = releases.read_log(LogQuery {
            last: 1,
            is_wanted: &is_import,
        })?;
        let Some(Entry { attempt, outcome }) = part.entries.into_iter().next().map(|it| it.entry)
        else {
            return Ok(None);
        };
        let is_only_made = matches!(outcome, Outcome::Made { .. });
        let last = made(&outcome).cloned().zip(attempt.source);
        let Some((release, _)) = &last else {
            return Ok(None);
        };
        let is_done =
            !is_only_made || !self.activates || Active::read(releases)?.id() == Some(release);
        Ok(last.filter(|_| is_done))
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
    if as_json {
        let document = Document {
            imported: false,
            unchanged: true,
            release,
            active: active.id(),
        };
        return show::json(&document, context);
    }
    let text = format!("Nothing has changed since release {release} was imported.");
    writeln!(context.out, "{}", fit(&text, 2, context.terminal))?;
    Ok(writeln!(context.out, "Active release: {active}.")?)
}

/// The release of a successful import.
const fn made(outcome: &Outcome) -> Option<&ReleaseId> {
    match outcome {
        Outcome::Activated { release, .. }
        | Outcome::Made { release }
        | Outcome::Unchanged { release } => Some(release),
        _ => None,
    }
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
fn add_fetched(known: &mut [SourceFile], gathered: &[Gathered]) {
    for (known, gathered) in known.iter_mut().zip(gathered) {
        if gathered.sha256.is_some() {
            known.sha256.clone_from(&gathered.sha256);
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
    }
}

fn is_same_file(now: &SourceFile, last: &SourceFile) -> bool {
    let is_known = |a: &Option<String>, b: &Option<String>| a.is_some() && a == b;
    let is_same = is_known(&now.etag, &last.etag) || is_known(&now.sha256, &last.sha256);
    now.name == last.name && is_same
}

#[cfg(test)]
mod tests {
    use std::fs;

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
        let gathered = [None, Some("abc".to_owned())].map(|sha256| Gathered {
            export: path.clone().into(),
            sha256,
        });
        add_fetched(&mut known, &gathered);
        let (_bytes, of_here) = sha256_hex_of_reader(&b"{}"[..]).unwrap();
        let hashes = known.map(|file| file.sha256.unwrap());
        assert_eq!(hashes, [of_here, "abc".to_owned()]);
    }
}
