//! The first pass, which every native record goes through. Boats wait in a spill file, because they
//! may come before the records they refer to; those records are collected from the other lines.

use std::io::Write;

use super::collector::{Collector, LineOutcome};
use super::policy::Policy;
use super::rejects::Rejects;
use super::second_pass::SecondPass;
use super::spill::SpillFile;
use crate::finding::Code;
use crate::source::{FailedRecord, Incoming, Record};

/// The first pass over an export.
pub(crate) struct FirstPass<'a> {
    policy: Policy<'a>,
    collector: Collector,
    boats: SpillFile,
    rejects: Rejects<'a>,
}

impl<'a> FirstPass<'a> {
    /// Starts before anything was read. Lines with errors are written to `rejects` in this pass and
    /// the second.
    pub(crate) fn begin(policy: Policy<'a>, rejects: &'a mut dyn Write) -> Self {
        Self {
            collector: Collector::new(policy),
            boats: SpillFile::new(policy.temp_dir),
            rejects: Rejects::new(rejects),
            policy,
        }
    }

    /// Starts the second pass, after everything was read.
    pub(crate) fn finish(self) -> SecondPass<'a> {
        SecondPass {
            policy: self.policy,
            collected: self.collector.finish(),
            boats: self.boats,
            rejects: self.rejects,
        }
    }

    /// Takes the next item of the export.
    pub(crate) fn take(&mut self, incoming: Incoming<'_>) -> anyhow::Result<()> {
        match incoming {
            Incoming::Record(Record { line, .. }) | Incoming::Mapped(line) => {
                match self.collector.line(line) {
                    LineOutcome::Valid => Ok(()),
                    LineOutcome::Rejected => self.rejects.record(line),
                    LineOutcome::Boat => self.boats.push(line),
                }
            }
            Incoming::Header(file, header) => {
                self.rejects.headers.insert(file.ordinal, header);
                Ok(())
            }
            Incoming::Originals(originals) => {
                self.rejects.originals = Some(originals);
                Ok(())
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
                let FailedRecord {
                    kind,
                    findings,
                    original,
                } = failed;
                let place = findings.first().and_then(|first| first.place.as_ref());
                self.rejects.failed(place, original)?;
                self.collector.failed(kind, findings);
                Ok(())
            }
            Incoming::Unpublished { kind, id, name } => {
                self.collector.unpublished(kind, id, name);
                Ok(())
            }
        }
    }
}
