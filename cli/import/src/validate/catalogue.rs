//! The catalogue record: what the export says about itself.

use std::sync::Arc;

use super::Tally;
use super::checked::Values;
use super::reporter::{LineText, Problem, Reporter};
use crate::finding::{Code, ExportFile, Findings, Kind, Place, Start};
use crate::json;

/// The catalogue record, kept until everything has been read.
pub(crate) struct Catalogue {
    file: Arc<ExportFile>,
    start: Start,
    text: String,
    /// The announced counts; a kind may be left out.
    counts: Vec<(Kind, u64)>,
}

impl Catalogue {
    /// The catalogue record with these values, some of which may have errors.
    pub(super) fn new(line: LineText<'_>, mut values: Values<'_>) -> Self {
        let mut counts = values.part("counts");
        let count = |kind: Kind| Some((kind, counts.count(kind.as_str())?));
        Self {
            file: Arc::clone(line.file),
            start: line.start,
            text: line.text.to_owned(),
            counts: Kind::COUNTED.into_iter().filter_map(count).collect(),
        }
    }

    /// Where the record is.
    pub(crate) fn place(&self) -> Place {
        Place::at(&self.file, self.start)
    }

    /// Reports each kind whose number of records differs from the announced one. The boats are not
    /// in the tally yet, so `boats` gives their number.
    ///
    /// An unreadable line may have been a record of any kind. So if the records missing from all
    /// kinds together are no more than the unreadable lines, they are not reported.
    pub(crate) fn check(&self, tally: &Tally, boats: u64, listed_max: usize) -> Findings {
        let line = LineText {
            file: &self.file,
            start: self.start,
            text: &self.text,
            rule: None,
        };
        let mut reporter = Reporter::new(line, listed_max);
        reporter.set_record(Kind::Catalogue, None);
        // It was parsed before, so parsing it again to find its counts works.
        let record = json::parse(&self.text, json::NATIVE_DEPTH_MAX).ok();
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
            if let Some(record) = &record {
                let keys = ["counts", kind.as_str()];
                reporter.report_field(record, &keys, problem.hint(hint));
            }
        }
        reporter.into_findings()
    }
}

fn came(tally: &Tally, kind: Kind) -> u64 {
    let of_kind = tally.by_kind().into_iter().find(|(of, _)| *of == kind);
    of_kind.map_or(0, |(_, tally)| tally.total())
}
