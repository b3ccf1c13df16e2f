//! `--if-changed`: whether an import would read the same as the last one, so that a timer may run
//! it every minute.
//!
//! The log of releases contains the last import that made a release. Nothing changed if every
//! address has the logged ETag, or every file the logged hash, and the mapping is the same.

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

use super::{Active, ImportArgs};
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

/// The exports, fetched if needed.
pub(super) fn exports(
    args: &ImportArgs,
    mapping: Option<&Mapping>,
    gathering: &Gathering<'_>,
    releases: &dyn Releases,
    context: &mut Context,
) -> anyhow::Result<Current> {
    let sources = &args.export.exports;
    let last = if args.if_changed {
        last_import(releases)?
    } else {
        None
    };
    let Some((release, last)) = last else {
        if args.if_changed {
            refuse_what_has_no_hash(sources)?;
        }
        return Ok(Current::Exports(gathering.exports(sources, context)?));
    };
    refuse_what_has_no_hash(sources)?;
    let is_same = |files: Vec<SourceFile>| {
        let left_out_the_same = last.left_out == 0 || args.skip_invalid;
        left_out_the_same && is_same(&logged(files, mapping), &last)
    };
    if is_same(before_fetching(sources, context)?) {
        return Ok(Current::Unchanged(release));
    }
    let gathered = gathering.gather(sources, context)?;
    if is_same(after_fetching(sources, &gathered)?) {
        return Ok(Current::Unchanged(release));
    }
    let exports = gathered.into_iter().map(|gathered| gathered.export);
    Ok(Current::Exports(exports.collect()))
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

/// The release imported last, and its source.
fn last_import(releases: &dyn Releases) -> anyhow::Result<Option<(ReleaseId, Logged)>> {
    let is_import = |entry: &Entry| {
        let is_command = matches!(entry.attempt.command, Command::Import | Command::Demo);
        is_command && made(&entry.outcome).is_some() && entry.attempt.source.is_some()
    };
    let part = releases.read_log(LogQuery {
        last: 1,
        is_wanted: &is_import,
    })?;
    let last = part.entries.into_iter().next();
    Ok(last.and_then(|logged| {
        let release = made(&logged.entry.outcome)?.clone();
        Some((release, logged.entry.attempt.source?))
    }))
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

/// What is known of the exports after fetching.
fn after_fetching(sources: &[Source], gathered: &[Gathered]) -> anyhow::Result<Vec<SourceFile>> {
    let known = |(source, gathered): (&Source, &Gathered)| match &gathered.sha256 {
        Some(sha256) => Ok(file(source, Some(sha256.clone()), None)),
        None => hashed(source),
    };
    sources.iter().zip(gathered).map(known).collect()
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

/// The source as the log stores it.
fn logged(files: Vec<SourceFile>, mapping: Option<&Mapping>) -> Logged {
    let mut all = SourceFiles::default();
    for file in files {
        all.push(file);
    }
    Logged::new(all, mapping.map(Mapping::file), 0)
}

/// Whether both are known to be the same files. If there are more files than the log lists, they
/// are never considered the same.
fn is_same(now: &Logged, last: &Logged) -> bool {
    let is_known = |a: &Option<String>, b: &Option<String>| a.is_some() && a == b;
    let is_same_file = |(now, last): (&SourceFile, &SourceFile)| {
        let is_same = is_known(&now.etag, &last.etag) || is_known(&now.sha256, &last.sha256);
        now.name == last.name && is_same
    };
    let hash = |logged: &Logged| logged.mapping.as_ref().map(|file| file.sha256.clone());
    let mut files = now.files.first.iter().zip(&last.files.first);
    now.files.count == last.files.count
        && now.files.count == now.files.first.len() as u64
        && files.all(is_same_file)
        && hash(now) == hash(last)
}
