//! An import as a list of steps: the only room that knows both mapping and validation, shows how far
//! reading is, and keeps what is left out.
//!
//! Rules across records need two passes. The first holds everything that boats may refer to, and puts
//! the boats' lines into a spill file; the second reads these one by one, so that memory does not grow
//! with their number. Nothing stops at the first problem.

use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

pub use crate::validate::{Consumer, Discard, Tally, TallyOfKind};

use crate::finding::{Code, Finding, Findings};
use crate::mapping::{CheckReport, Mapping};
use crate::source::{ProgressListener, STANDARD_INPUT};
use crate::validate::first_pass::{self, FirstPass};
use crate::validate::second_pass;

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
    let FirstPass {
        mut collected,
        boats,
        mapped,
    } = first_pass::read(settings, input, rejects)?;
    if collected.is_empty {
        collected.findings.add(nothing(mapped.records));
    }
    let (mut findings, tally) = second_pass::read(collected, boats, settings, rejects, consumer)?;
    if let Some(mapping) = settings.mapping {
        findings.set_origins(|rule, pointer| mapping.origin(rule, pointer));
    }
    let is_usable = is_usable(&findings, settings.skip_invalid);
    Ok(Outcome {
        findings,
        tally,
        is_usable,
        report: mapped.report,
    })
}

/// Reads a mapping file; one with mistakes is an [`InvalidMapping`](crate::mapping::InvalidMapping).
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
    let outcome = run(&settings, &mut input, &mut io::sink(), &mut Discard)?;
    Ok(mapping.checked(&outcome.findings)?)
}

/// Whether something may be served in spite of what was found.
pub(crate) fn is_usable(findings: &Findings, skip_invalid: bool) -> bool {
    findings.blocking_errors() == 0 && (skip_invalid || findings.errors() == 0)
}

/// There is no record.
fn nothing(read_by_mapping: u64) -> Finding {
    let (message, hint) = match read_by_mapping {
        0 => (
            "the export has no record at all".to_owned(),
            "whatever made the export may have failed",
        ),
        read => (
            format!("the mapping makes nothing of the {read} records of the export"),
            "`catalogue mapping check` shows their types, and what it looks for",
        ),
    };
    Finding {
        hint: Some(hint.to_owned()),
        ..Finding::new(Code::NoRecords, None, message)
    }
}

#[cfg(test)]
mod tests;
