//! An import as a list of steps: the only room that knows both mapping and validation, shows how far
//! reading is, and keeps what is left out.
//!
//! Rules across records need two passes. The first holds everything that boats may refer to, and puts
//! the boats' lines into a spill file; the second reads these one by one, so that memory does not grow
//! with their number. Nothing stops at the first problem.

mod consumer;
mod rejects;
mod second_pass;
mod spill;

use std::io::{self, Read, Write};
use std::num::NonZero;
use std::path::{Path, PathBuf};
use std::thread;

pub use self::consumer::{Consumer, Discard};
pub use crate::validate::{Tally, TallyOfKind};

use self::rejects::Rejects;
use self::spill::SpillFile;
use crate::finding::{Code, Finding, Findings};
use crate::mapping::{CheckReport, Mapped, Mapping, Pipeline};
use crate::source::{
    self, Incoming, Plan, ProgressListener, Record, STANDARD_INPUT, Surroundings, Take,
};
use crate::validate::collector::{Collector, LineOutcome};

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
    let mut first_pass = FirstPass {
        collector: Collector::new(settings.listed_max, settings.mapping.is_some()),
        spill_file: SpillFile::create(settings.temp_dir)?,
        rejects: Rejects(&mut *rejects),
    };
    let mapped = read_all(settings, input, &mut |incoming| first_pass.take(incoming))?;
    let FirstPass {
        collector,
        spill_file,
        ..
    } = first_pass;
    let mut collected = collector.finish();
    if collected.is_empty {
        collected.findings.add(nothing(mapped.records));
    }
    let (mut findings, tally) =
        second_pass::read_all(collected, spill_file, settings, rejects, consumer)?;
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

/// Reads all files, by the mapping if there is one, and hands what comes of them to `take`.
fn read_all(
    settings: &Settings<'_>,
    input: &mut dyn Read,
    take: &mut Take<'_>,
) -> anyhow::Result<Mapped> {
    let Settings {
        exports,
        mapping,
        temp_dir,
        progress,
        ..
    } = *settings;
    let plan = mapping.map_or_else(Plan::native, Mapping::plan);
    progress.reading(source::size(exports, &plan.selection));
    let surroundings = Surroundings { temp_dir, progress };
    let Some(mapping) = mapping else {
        source::read(exports, input, surroundings, &plan, take)?;
        return Ok(Mapped::default());
    };
    let processors = thread::available_parallelism().unwrap_or(NonZero::<usize>::MIN);
    let may_wait = exports.iter().any(|path| !path.is_file() && !path.is_dir());
    let mut pipeline = Pipeline::start(mapping, processors, surroundings, may_wait, take)?;
    let files = source::read(exports, input, surroundings, &plan, &mut |incoming| {
        pipeline.take(incoming)
    })?;
    pipeline.finish(&files, settings.is_mapping_checked)
}

/// The first pass: what boats may refer to is collected, and the boats themselves wait in a file.
struct FirstPass<'a> {
    collector: Collector,
    spill_file: SpillFile,
    rejects: Rejects<'a>,
}

impl FirstPass<'_> {
    /// Takes what comes next of the export.
    fn take(&mut self, incoming: Incoming<'_>) -> anyhow::Result<()> {
        match incoming {
            Incoming::Record(Record { line, .. }) | Incoming::Mapped(line) => {
                match self.collector.line(line) {
                    LineOutcome::Valid => Ok(()),
                    LineOutcome::Rejected => self.rejects.line(line.raw),
                    LineOutcome::Boat => self.spill_file.push(line),
                }
            }
            Incoming::Head(..) => Ok(()),
            Incoming::Oversized(piece) => self.rejects.piece(piece),
            Incoming::Finding(finding) => {
                let ends_line = finding.code == Code::LineTooLong;
                self.collector.finding(finding);
                if ends_line {
                    self.rejects.end_of_line()?;
                }
                Ok(())
            }
            Incoming::Failed(failed) => {
                let id = failed.id.as_deref();
                self.collector.failed(failed.kind, id, failed.findings);
                self.rejects.line(&on_one_line(failed.raw))
            }
            Incoming::Unpublished { kind, id } => {
                self.collector.unpublished(kind, id);
                Ok(())
            }
        }
    }
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
fn is_usable(findings: &Findings, skip_invalid: bool) -> bool {
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

/// JSON has line breaks between its parts only, so that a record stays the same without them.
fn on_one_line(mut raw: Vec<u8>) -> Vec<u8> {
    for byte in &mut raw {
        if matches!(byte, b'\n' | b'\r') {
            *byte = b' ';
        }
    }
    raw
}

#[cfg(test)]
mod tests;
