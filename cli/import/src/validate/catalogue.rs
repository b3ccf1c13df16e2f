//! The catalogue record: what the export says about itself.

use std::fmt;
use std::sync::Arc;

use shared::base::field_path::Step;

use super::Tally;
use super::fields::{Fields, ReadResult, Unusable};
use super::numbers::count;
use super::reporter::{LineText, Problem, Reporter};
use super::shape::Shape;
use super::text::text;
use super::values::timestamp;
use crate::finding::{Code, ExportFile, Findings, Kind, RecordName};
use crate::json;
use crate::json::Node;

/// The only supported format.
pub(crate) const FORMAT: &str = "boat-catalogue/1";

/// The announced counts; a kind may be left out.
pub(crate) type AnnouncedCounts = Vec<(Kind, u64)>;

/// Reads a catalogue record.
pub(crate) fn read(record: &mut Fields<'_, '_>) -> AnnouncedCounts {
    record.required("format", format);
    record.optional("generatedAt", timestamp);
    let counts = record.object("counts", |counts| {
        let read = |kind: Kind| Some((kind, counts.optional(kind.as_str(), count)?));
        Kind::COUNTED.into_iter().filter_map(read).collect()
    });
    counts.unwrap_or_default()
}

fn format<'n>(node: &'n Node<'n>, reporter: &mut Reporter<'n>) -> ReadResult<()> {
    reporter.takes(|| Shape::Word(vec![FORMAT]))?;
    let Some(format) = text(node, reporter)? else {
        return Ok(None);
    };
    if format == FORMAT {
        return Ok(Some(()));
    }
    let message = format!("only exports of the format `{FORMAT}` can be read");
    reporter.report_value(node, Problem::new(Code::UnsupportedFormat, message));
    Err(Unusable)
}

/// The catalogue record, kept until everything has been read.
pub(crate) struct Catalogue {
    file: Arc<ExportFile>,
    number: u64,
    text: String,
    counts: AnnouncedCounts,
}

impl Catalogue {
    /// A catalogue record that announces `counts`.
    pub(crate) fn new(line: LineText<'_>, counts: AnnouncedCounts) -> Self {
        let (file, number) = (Arc::clone(line.file), line.number);
        Self {
            file,
            number,
            text: line.text.to_owned(),
            counts,
        }
    }

    /// The place of the record, as messages show it.
    pub(crate) fn place(&self) -> impl fmt::Display {
        format!("{}:{}", self.file.name, self.number)
    }

    /// Reports each kind whose number of records differs from the announced one. The boats are not
    /// in the tally yet, so `boats` gives their number.
    ///
    /// An unreadable line may have been a record of any kind. So if the records missing from all
    /// kinds together are no more than the unreadable lines, they are not reported.
    pub(crate) fn check(&self, tally: &Tally, boats: u64, listed_max: usize) -> Findings {
        let line = LineText {
            file: &self.file,
            number: self.number,
            text: &self.text,
            rule: None,
        };
        let mut reporter = Reporter::new(line, listed_max);
        reporter.set_record(RecordName {
            kind: Kind::Catalogue,
            id: None,
        });
        let counts = self.counts.iter().map(|(kind, announced)| match kind {
            Kind::Boat => (kind, *announced, boats),
            kind => (kind, *announced, came(tally, *kind)),
        });
        let missing = counts
            .clone()
            .map(|(_, announced, came)| announced.saturating_sub(came));
        let is_explained = missing.fold(0, u64::saturating_add) <= tally.unreadable;
        for (kind, announced, came) in counts {
            if came == announced || (came < announced && is_explained) {
                continue;
            }
            let message = format!(
                "the catalogue record announces {announced} records of kind {}, the export has {came}",
                kind.as_str(),
            );
            let problem = Problem::new(Code::CountMismatch, message);
            let hint = "the export is incomplete, or was changed after it was made";
            report_count(&self.text, *kind, problem.hint(hint), &mut reporter);
        }
        reporter.into_findings()
    }
}

fn came(tally: &Tally, kind: Kind) -> u64 {
    let of_kind = tally.by_kind().into_iter().find(|(of, _)| *of == kind);
    of_kind.map_or(0, |(_, tally)| tally.total())
}

fn report_count(text: &str, kind: Kind, problem: Problem, reporter: &mut Reporter<'_>) {
    // The record was already read successfully, so parsing it again to find the span works.
    let Ok(node) = json::parse(text, json::NATIVE_DEPTH_MAX) else {
        return;
    };
    let count = node
        .member("counts")
        .and_then(|counts| counts.member(kind.as_str()));
    reporter.within(Step::key("counts"), |to| {
        to.within(Step::key(kind.as_str()), |to| match count {
            Some(count) => to.report_value(count, problem),
            None => to.report_span(&node.span, problem),
        });
    });
}
