//! What hangs on the order of records: identities, counts, and who receives what.

use std::sync::Arc;

use super::Consumer;
use super::reading::{BoatReading, reporter_of};
use crate::finding::Line;
use crate::finding::{Code, Finding, Findings, Place};
use crate::run::rejects::Rejects;
use crate::run::{Settings, is_usable};
use crate::validate::Tally;
use crate::validate::fields::report_value;
use crate::validate::identity::{Clash, Identities};
use crate::validate::references::References;
use crate::validate::reporter;

/// Takes the boats in their order.
pub(super) struct Merge<'a, C> {
    pub(super) settings: &'a Settings<'a>,
    pub(super) identities: Identities,
    pub(super) findings: Findings,
    pub(super) tally: Tally,
    /// By place of the manufacturer.
    pub(super) boat_counts: Vec<u64>,
    pub(super) rejects: Rejects<'a>,
    pub(super) consumer: &'a mut C,
}

impl<C: Consumer> Merge<'_, C> {
    pub(super) fn boat(
        &mut self,
        line: Line<'_>,
        reading: BoatReading<C::Boat>,
    ) -> anyhow::Result<()> {
        let BoatReading {
            mut findings,
            identity,
            boat,
        } = reading;
        let place = Place {
            file: Arc::clone(line.file),
            line: Some(line.number),
        };
        let is_published = identity.is_published;
        let clashes = self.identities.claim(identity, &place);
        if !clashes.is_empty() {
            findings.append(report_clashes(line, clashes, self.settings.listed_max));
        }
        let is_valid = findings.errors() == 0;
        self.tally.boat.count(is_valid, is_published);
        self.findings.append(findings);
        if !is_valid {
            return self.rejects.line(line.raw);
        }
        let Some((boat, manufacturer)) = boat else {
            return Ok(());
        };
        self.boat_counts[manufacturer] += 1;
        if self.is_wanted() {
            self.consumer.boat(boat)
        } else {
            Ok(())
        }
    }

    pub(super) fn finish(mut self, references: &References) -> anyhow::Result<(Findings, Tally)> {
        if self.tally.boat.published == 0 {
            let message = "the export has no valid published boat";
            self.findings
                .add(Finding::new(Code::NoPublishedBoats, None, message));
        }
        if self.is_wanted() {
            let records = references.manufacturers.records();
            for (manufacturer, boat_count) in records.iter().zip(self.boat_counts) {
                let details = manufacturer.details(boat_count);
                self.consumer
                    .manufacturer(&manufacturer.summary(), &details)?;
            }
        }
        Ok((self.findings, self.tally))
    }

    /// Whether anything may still come of the records.
    fn is_wanted(&self) -> bool {
        is_usable(&self.findings, self.settings.skip_invalid)
    }
}

/// Clashes are rare, so that reading the line once more costs less than keeping it.
fn report_clashes(line: Line<'_>, clashes: Vec<Clash>, listed_max: usize) -> Findings {
    let Ok((text, node)) = reporter::open(line) else {
        return Findings::new(listed_max);
    };
    let mut reporter = reporter_of(text, &node, listed_max);
    for Clash { key, problem } in clashes {
        report_value(&node, key, problem, &mut reporter);
    }
    reporter.into_findings()
}
