//! The first pass: collects what boats may refer to, from records as files have them or as a mapping
//! makes them, while the boats themselves wait in a spill file.

use std::io::{Read, Write};
use std::num::NonZero;
use std::thread;

use super::rejects::Rejects;
use super::spill::SpillFile;
use crate::finding::Code;
use crate::mapping::{Mapped, Mapping, Pipeline};
use crate::run::Settings;
use crate::source::{self, Incoming, Plan, Record, Surroundings, Take};
use crate::validate::collector::{Collected, Collector, LineOutcome};

/// What the first pass came to.
pub(crate) struct FirstPass {
    /// What boats may refer to, and what is wrong so far.
    pub(crate) collected: Collected,
    /// The lines of the boats.
    pub(crate) boats: SpillFile,
    /// What became of the records of a mapping.
    pub(crate) mapped: Mapped,
}

/// Reads the export once.
pub(crate) fn read(
    settings: &Settings<'_>,
    input: &mut dyn Read,
    rejects: &mut dyn Write,
) -> anyhow::Result<FirstPass> {
    let mut sorting = Sorting {
        collector: Collector::new(settings.listed_max, settings.mapping.is_some()),
        boats: SpillFile::create(settings.temp_dir)?,
        rejects: Rejects(rejects),
    };
    let mapped = read_native(settings, input, &mut |incoming| sorting.take(incoming))?;
    Ok(FirstPass {
        collected: sorting.collector.finish(),
        boats: sorting.boats,
        mapped,
    })
}

/// Hands native records to `take`: those of the export, or what the mapping makes of them.
fn read_native(
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

/// Sorts records: boats wait, of the others is collected what boats may refer to.
struct Sorting<'a> {
    collector: Collector,
    boats: SpillFile,
    rejects: Rejects<'a>,
}

impl Sorting<'_> {
    /// Takes what comes next of the export.
    fn take(&mut self, incoming: Incoming<'_>) -> anyhow::Result<()> {
        match incoming {
            Incoming::Record(Record { line, .. }) | Incoming::Mapped(line) => {
                match self.collector.line(line) {
                    LineOutcome::Valid => Ok(()),
                    LineOutcome::Rejected => self.rejects.line(line.raw),
                    LineOutcome::Boat => self.boats.push(line),
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

/// JSON has line breaks between its parts only, so that a record stays the same without them.
fn on_one_line(mut raw: Vec<u8>) -> Vec<u8> {
    for byte in &mut raw {
        if matches!(byte, b'\n' | b'\r') {
            *byte = b' ';
        }
    }
    raw
}
