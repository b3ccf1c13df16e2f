//! Validation: from the lines of an export to records of the wire shapes, and findings.
//!
//! Nothing stops at the first problem. A line is read by pure functions, one file a kind of
//! record, which say of each field what it is; rules across records follow in two passes:
//! `collect` holds everything a boat may refer to and sets the boats' lines aside, `boats`
//! then reads them one by one, so that memory does not grow with their number.

mod announced;
mod boat;
mod boat_parts;
mod boats;
mod catalogue;
mod collect;
mod decimal;
mod designer;
mod fields;
mod first_look;
mod identity;
mod keys;
mod kind;
mod manufacturer;
mod mapped;
mod nobody;
mod numbers;
mod open_line;
mod references;
mod rejects;
mod reporter;
mod shapes;
mod spool;
mod tally;
mod term;
mod text;
mod values;

use std::io::Read;
use std::num::NonZero;
use std::path::{Path, PathBuf};
use std::thread;

pub use self::boats::Consumer;
pub use self::keys::nearest;
pub use self::kind::Kind;
pub use self::nobody::Nobody;
pub use self::numbers::is_exact;
pub use self::open_line::parse as parse_line;
pub use self::rejects::Rejects;
pub use self::tally::{Tally, TallyOfKind};

use self::collect::Collector;
use crate::export::{self, LineFiles, Select, Surroundings};
use crate::findings::Findings;
use crate::mapping::{self, CheckReport, Mapping};
use crate::terminal::progress::Progress;

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
    pub progress: &'a Progress,
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
    rejects: &mut Rejects,
    consumer: &mut C,
) -> anyhow::Result<Outcome> {
    let selection = settings
        .mapping
        .map_or(&LineFiles as &dyn Select, |mapping| mapping);
    settings
        .progress
        .reading(export::size(settings.exports, selection));
    let on_bytes = |bytes| settings.progress.advance(bytes);
    let surroundings = Surroundings {
        temp_dir: settings.temp_dir,
        on_bytes: &on_bytes,
    };
    let mut collector = Collector::new(settings.temp_dir, settings.listed_max, rejects)?;
    let report = match settings.mapping {
        None => {
            export::read(settings.exports, input, surroundings, &mut collector)?;
            None
        }
        Some(mapping) => {
            collector.collected_mut().references.are_of_keys = true;
            let run = mapping::Run {
                mapping,
                exports: settings.exports,
                surroundings,
                progress: settings.progress,
                processors: thread::available_parallelism().unwrap_or(NonZero::<usize>::MIN),
                is_checked: settings.is_mapping_checked,
            };
            mapping::read(&run, input, &mut collector)?
        }
    };
    let collected = collector.finish();
    let (mut findings, tally) = boats::read_all(collected, settings, rejects, consumer)?;
    if let Some(mapping) = settings.mapping {
        findings.say_where_values_come_from(|rule, pointer| mapping.origin(rule, pointer));
    }
    let is_usable = is_usable(&findings, settings.skip_invalid);
    Ok(Outcome {
        findings,
        tally,
        is_usable,
        report,
    })
}

/// Whether something may be served in spite of what was found.
fn is_usable(findings: &Findings, skip_invalid: bool) -> bool {
    findings.blocking_errors() == 0 && (skip_invalid || findings.errors() == 0)
}

#[cfg(test)]
mod tests;
