//! The second pass: reads the boats that were set aside, now that all references are known.
//!
//! Reading one is a pure function of its line and the references, so a batch is read on all
//! processors; what hangs on the order of records is done after, in that order.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use rayon::iter::{IntoParallelRefIterator, ParallelIterator};
use shared::model::{BoatDetails, BoatSummary, ManufacturerDetails, ManufacturerSummary};
use shared::render::BodyTooLarge;

use super::boat;
use super::collect::Collected;
use super::fields::{object, report_value};
use super::identity::{Clash, Identities, Identity, text_of};
use super::references::References;
use super::rejects::Rejects;
use super::reporter::{LineText, Problem, Reporter};
use super::spool::Batch;
use super::{Kind, Settings, Tally, is_usable, open_line};
use crate::export::Line;
use crate::export::json::Node;
use crate::findings::{Code, Finding, Findings, Place, RecordName, cut};

/// Bytes of boats made ready above which no other boat of a batch is made ready before its turn:
/// a short line can become a long body, and a batch has many lines.
pub(super) const READY_MAX: usize = 64 * 1024 * 1024;

/// Receives the records that are to be served.
pub trait Consumer {
    /// A boat made ready.
    type Boat: Send;
    /// Makes a boat ready; on any thread.
    fn render(
        summary: &BoatSummary<'_>,
        details: &BoatDetails<'_>,
    ) -> Result<Self::Boat, BodyTooLarge>;
    /// How many bytes a boat made ready takes, about.
    fn size(boat: &Self::Boat) -> usize;
    /// Takes the next boat, in the order of the export.
    fn boat(&mut self, boat: Self::Boat) -> anyhow::Result<()>;
    /// Takes the next manufacturer, in the order of the export, after all boats.
    fn manufacturer(
        &mut self,
        summary: &ManufacturerSummary<'_>,
        details: &ManufacturerDetails<'_>,
    ) -> anyhow::Result<()>;
}

/// What reading a line comes to.
struct BoatReading<B> {
    findings: Findings,
    identity: Identity,
    /// A valid, published boat and the place of its manufacturer.
    boat: Option<(B, usize)>,
}

/// Reads the boats and hands what is to be served to `consumer`.
pub(super) fn read_all<C: Consumer>(
    collected: Collected,
    settings: &Settings<'_>,
    rejects: &mut Rejects,
    consumer: &mut C,
) -> anyhow::Result<(Findings, Tally)> {
    let Collected {
        references,
        spool,
        findings,
        tally,
    } = collected;
    settings.progress.boats(spool.lines());
    let mut lines = spool.into_reader()?;
    let boat_counts = vec![0; references.manufacturers.records().len()];
    let identities = Identities::default();
    let mut merge = Merge {
        settings,
        identities,
        findings,
        tally,
        boat_counts,
        rejects,
        consumer,
    };
    let mut batch = Batch::default();
    loop {
        lines.next_batch(&mut batch)?;
        let lines = batch.lines();
        if lines.is_empty() {
            break;
        }
        let read = |line: &Line<'_>| read_boat::<C>(*line, &references, settings.listed_max);
        for (line, reading) in lines.iter().zip(read_ahead::<C>(&lines, read)) {
            merge.boat(*line, reading.unwrap_or_else(|| read(line)))?;
        }
        settings.progress.advance(lines.len() as u64);
    }
    merge.finish(&references)
}

/// Reads lines on all processors: as many as fit into [`READY_MAX`], nothing for the others.
fn read_ahead<C: Consumer>(
    lines: &[Line<'_>],
    read: impl Fn(&Line<'_>) -> BoatReading<C::Boat> + Sync,
) -> Vec<Option<BoatReading<C::Boat>>> {
    let ready = AtomicUsize::new(0);
    let read_if_fits = |line: &Line<'_>| {
        if READY_MAX <= ready.load(Ordering::Relaxed) {
            return None;
        }
        let reading = read(line);
        let size = reading.boat.as_ref().map_or(0, |(boat, _)| C::size(boat));
        ready.fetch_add(size, Ordering::Relaxed);
        Some(reading)
    };
    lines.par_iter().map(read_if_fits).collect()
}

/// Reads a boat: its shapes made ready, and everything that is wrong with it by itself.
fn read_boat<C: Consumer>(
    line: Line<'_>,
    references: &References,
    listed_max: usize,
) -> BoatReading<C::Boat> {
    let (text, node) = match open_line::open(line) {
        Ok(opened) => opened,
        Err(finding) => return unreadable(finding, listed_max),
    };
    let identity = Identity::of(&node);
    let mut reporter = reporter_of(text, &node, listed_max);
    let boat = object(&node, &mut reporter, |record| {
        boat::read(record, &identity, references)
    });
    let boat = boat
        .unwrap_or(None)
        .filter(|_boat| !reporter.has_errors() && identity.is_published);
    let boat = boat.and_then(|boat| match C::render(&boat.summary, &boat.details) {
        Ok(ready) => Some((ready, boat.manufacturer)),
        Err(too_large @ BodyTooLarge) => {
            let problem = Problem::new(Code::RecordTooLarge, too_large.to_string());
            let hint = "its references bring in long names: shorten them, or refer to fewer";
            reporter.place_of(&node.span, problem.hint(hint));
            None
        }
    });
    BoatReading {
        findings: reporter.into_findings(),
        identity,
        boat,
    }
}

fn unreadable<B>(finding: Box<Finding>, listed_max: usize) -> BoatReading<B> {
    let mut findings = Findings::new(listed_max);
    findings.add(*finding);
    let identity = Identity {
        id: None,
        slug: None,
        is_published: true,
    };
    BoatReading {
        findings,
        identity,
        boat: None,
    }
}

fn reporter_of<'n>(text: LineText<'n>, node: &Node<'_>, listed_max: usize) -> Reporter<'n> {
    let mut reporter = Reporter::new(text, listed_max);
    reporter.set_record(RecordName {
        kind: Kind::Boat,
        id: text_of(node, "id").map(cut),
    });
    reporter
}

/// What hangs on the order of records.
struct Merge<'a, C> {
    settings: &'a Settings<'a>,
    identities: Identities,
    findings: Findings,
    tally: Tally,
    /// By place of the manufacturer.
    boat_counts: Vec<u64>,
    rejects: &'a mut Rejects,
    consumer: &'a mut C,
}

impl<C: Consumer> Merge<'_, C> {
    fn boat(&mut self, line: Line<'_>, reading: BoatReading<C::Boat>) -> anyhow::Result<()> {
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

    fn finish(mut self, references: &References) -> anyhow::Result<(Findings, Tally)> {
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
    let Ok((text, node)) = open_line::open(line) else {
        return Findings::new(listed_max);
    };
    let mut reporter = reporter_of(text, &node, listed_max);
    for Clash { key, problem } in clashes {
        report_value(&node, key, problem, &mut reporter);
    }
    reporter.into_findings()
}
