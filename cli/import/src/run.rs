//! Validation: from the lines of an export to records of the wire shapes, and findings.
//!
//! Nothing stops at the first problem. A line is read by pure functions, one file a kind of
//! record, which say of each field what it is; rules across records follow in two passes:
//! `collect` holds everything a boat may refer to and sets the boats' lines aside, `boats`
//! then reads them one by one, so that memory does not grow with their number.

mod boats;
mod collect;
mod nobody;
mod rejects;
mod spill;

use std::io::{self, Read, Write};
use std::num::NonZero;
use std::path::{Path, PathBuf};
use std::thread;

pub use self::boats::Consumer;
pub use self::nobody::Nobody;
pub use crate::validate::{Tally, TallyOfKind};

use self::collect::Collector;
use crate::finding::Findings;
use crate::mapping::{self, CheckReport, Mapped, Mapping};
use crate::source::{self, Incoming, ProgressListener, STANDARD_INPUT, Selection, Surroundings};

/// Most findings about the fields of one mapping.
const MISTAKES_MAX: usize = 10_000;

/// What to validate, and how.
pub struct Settings<'a> {
    /// Files, folders, archives, or `-` for standard input.
    pub exports: &'a [PathBuf],
    /// What makes native records of what is read, unless those are native.
    pub mapping: Option<&'a Mapping>,
    /// Whether to report what the mapping finds.
    pub is_mapping_checked: bool,
    /// A directory with room for the export, uncompressed.
    pub temp_dir: &'a Path,
    /// Most findings to list.
    pub listed_max: usize,
    /// Whether records are handed on although others have errors.
    pub skip_invalid: bool,
    /// Shows how far reading is.
    pub progress: &'a dyn ProgressListener,
}

/// What validating came to.
pub struct Outcome {
    /// Everything that is wrong.
    pub findings: Findings,
    /// How many records there are.
    pub tally: Tally,
    /// Whether what the consumer received may be served.
    pub is_usable: bool,
    /// What the mapping finds, if it was to be checked.
    pub report: Option<CheckReport>,
}

/// Reads an export and hands its valid, published records to `consumer`.
///
/// Unless the outcome is usable, the consumer did not receive all of them.
pub fn run<C: Consumer>(
    settings: &Settings<'_>,
    input: &mut dyn Read,
    rejects: &mut dyn Write,
    consumer: &mut C,
) -> anyhow::Result<Outcome> {
    let Settings {
        exports,
        mapping,
        temp_dir,
        progress,
        ..
    } = *settings;
    let selection = mapping.map_or_else(Selection::line_files, Mapping::selection);
    progress.reading(source::size(exports, &selection));
    let surroundings = Surroundings { temp_dir, progress };
    let is_mapped = mapping.is_some();
    let mut collector = Collector::new(temp_dir, settings.listed_max, is_mapped, &mut *rejects)?;
    let mut take = |incoming: Incoming<'_>| collector.take(incoming);
    let mapped = match mapping {
        None => {
            source::read_lines(exports, input, surroundings, &mut take)?;
            Mapped::default()
        }
        Some(mapping) => {
            let settings = mapping::Settings {
                exports,
                surroundings,
                processors: thread::available_parallelism().unwrap_or(NonZero::<usize>::MIN),
                is_checked: settings.is_mapping_checked,
            };
            mapping::read(mapping, settings, input, &mut take)?
        }
    };
    let collected = collector.finish(mapped.records);
    let (mut findings, tally) = boats::read_all(collected, settings, rejects, consumer)?;
    if let Some(mapping) = mapping {
        findings.say_where_values_come_from(|rule, pointer| mapping.origin(rule, pointer));
    }
    let is_usable = is_usable(&findings, settings.skip_invalid);
    Ok(Outcome {
        findings,
        tally,
        is_usable,
        report: mapped.report,
    })
}

/// Reads a mapping file; one with mistakes is an [`InvalidMapping`](mapping::InvalidMapping).
pub fn read_mapping(path: &Path) -> anyhow::Result<Mapping> {
    check_fields(Mapping::read(path)?)
}

/// Whether the native format knows the fields that a mapping makes, validation itself says.
fn check_fields(mapping: Mapping) -> anyhow::Result<Mapping> {
    let settings = Settings {
        exports: &[PathBuf::from(STANDARD_INPUT)],
        mapping: None,
        is_mapping_checked: false,
        temp_dir: &tempfile::env::temp_dir(),
        listed_max: MISTAKES_MAX,
        skip_invalid: false,
        progress: &(),
    };
    let records = mapping.blank_records();
    let mut input = records.as_bytes();
    let outcome = run(&settings, &mut input, &mut io::sink(), &mut Nobody)?;
    Ok(mapping.checked(&outcome.findings)?)
}

/// Whether something may be served in spite of what was found.
fn is_usable(findings: &Findings, skip_invalid: bool) -> bool {
    findings.blocking_errors() == 0 && (skip_invalid || findings.errors() == 0)
}

#[cfg(test)]
mod tests;
