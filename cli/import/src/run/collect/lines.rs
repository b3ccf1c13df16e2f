//! The lines of an export as they come, and what is wrong with its files.

use super::Collector;
use crate::finding::Kind;
use crate::finding::Line;
use crate::finding::{Code, Finding, Findings, Place, Severity};
use crate::source::{Fault, Visit};
use crate::validate::first_look::{begins_like_a_boat, read_kind};
use crate::validate::reporter;
use crate::validate::reporter::Reporter;

impl Visit for Collector<'_> {
    fn line(&mut self, line: Line<'_>) -> anyhow::Result<()> {
        self.is_empty = false;
        if begins_like_a_boat(line.contents()) {
            return self.collected.spool.push(line);
        }
        let (text, node) = match reporter::open(line) {
            Ok(opened) => opened,
            Err(finding) => {
                let mut findings = Findings::new(self.listed_max);
                findings.add(*finding);
                return self.unreadable(findings, line.raw);
            }
        };
        let mut reporter = Reporter::new(text, self.listed_max);
        match read_kind(&node, &mut reporter) {
            Some(Kind::Boat) => self.collected.spool.push(line),
            Some(kind) => self.record(kind, line.raw, text, &node, reporter),
            None => self.unreadable(reporter.into_findings(), line.raw),
        }
    }

    fn oversized(&mut self, piece: &[u8]) -> anyhow::Result<()> {
        self.rejects.piece(piece)
    }

    fn fault(&mut self, fault: Fault) -> anyhow::Result<()> {
        self.is_empty &= fault.code.severity() == Severity::Warning;
        let place = Place {
            file: fault.file,
            line: fault.line,
        };
        self.collected
            .findings
            .add(Finding::new(fault.code, Some(place), fault.message));
        if fault.code == Code::LineTooLong {
            self.collected.tally.unreadable += 1;
            self.rejects.end_of_line()?;
        }
        Ok(())
    }
}
