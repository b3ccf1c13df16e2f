//! The second pass: reads the boats of the spill file, now that all references are known.
//!
//! ```text
//! spill file ─► batch of lines ─► read on all processors ─► merge, in order ─► consumer
//!          └─ a thread of its own ───────────────┘     └─ the caller's thread ──┘
//! ```
//!
//! Reading a boat is a pure function of its line and the references, so that while one batch is
//! merged the next one is read. What depends on the order of records is done by the merge alone.

use std::io::Write;
use std::panic;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{SyncSender, sync_channel};
use std::thread;

use anyhow::Context as _;
use rayon::iter::{IntoParallelRefIterator, ParallelIterator};
use shared::base::render::BodyTooLarge;

use super::consumer::Consumer;
use super::first_pass::Collected;
use super::rejects::Rejects;
use super::spill::{Batch, SpillReader};
use super::{Settings, is_usable};
use crate::finding::{Code, Finding, Findings, Kind, Line, Place, RecordName, cut};
use crate::json::Node;
use crate::validate::fields::{object, report_value};
use crate::validate::identity::{Clash, Identities, Identity, text_of};
use crate::validate::references::References;
use crate::validate::reporter::{self, LineText, Problem, Reporter};
use crate::validate::{Tally, boat};

/// Bytes of boats made ready, and of findings, above which no other boat is read before its turn:
/// a short line can become a long body or have very many findings, and a batch has many lines.
pub(super) const READY_MAX: usize = 64 * 1024 * 1024;
/// Batches that wait, beside the one that is read and the one that is merged: reading takes
/// longer, so that none would do anything but fill memory.
const WAITING_MAX: usize = 0;

/// The lines of a batch, and what reading them came to: nothing where it has to wait for its turn.
type BatchReading<B> = (Batch, Vec<Option<BoatReading<B>>>);

/// Reads the boats and hands what is to be served to `consumer`.
pub(super) fn read_all<C: Consumer>(
    collected: Collected,
    settings: &Settings<'_>,
    rejects: &mut dyn Write,
    consumer: &mut C,
) -> anyhow::Result<(Findings, Tally)> {
    let Collected {
        references,
        spill_file,
        findings,
        tally,
    } = collected;
    settings.progress.boats(spill_file.lines());
    let ahead = Ahead {
        references: &references,
        listed_max: settings.listed_max,
        ready: AtomicUsize::new(0),
    };
    let mut merge = Merge {
        settings,
        identities: Identities::default(),
        findings,
        tally,
        boat_counts: vec![0; references.manufacturers.records().len()],
        rejects: Rejects(rejects),
        consumer,
    };
    let lines = spill_file.into_reader()?;
    thread::scope(|scope| {
        let (sender, batches) = sync_channel(WAITING_MAX);
        let ahead = &ahead;
        // The sender goes with the thread, so that the batches end when it does.
        let read = move || ahead.read_all::<C>(lines, &sender);
        let reading = thread::Builder::new().name("reading".to_owned());
        let reading = reading
            .spawn_scoped(scope, read)
            .context("could not start a thread")?;
        for (batch, readings) in batches {
            ahead.merge(&batch, readings, &mut merge)?;
        }
        reading
            .join()
            .unwrap_or_else(|panicked| panic::resume_unwind(panicked))
    })?;
    merge.finish(&references)
}

/// Reads boats ahead of their turn.
struct Ahead<'a> {
    references: &'a References,
    listed_max: usize,
    /// Bytes of what was read and not merged yet.
    ready: AtomicUsize,
}

impl Ahead<'_> {
    /// Reads batch after batch, as long as they are taken.
    fn read_all<C: Consumer>(
        &self,
        mut lines: SpillReader,
        batches: &SyncSender<BatchReading<C::Boat>>,
    ) -> anyhow::Result<()> {
        loop {
            let batch = lines.next_batch()?;
            if batch.is_empty() {
                return Ok(());
            }
            let read = |line: &Line<'_>| self.read_if_fits::<C>(*line);
            let readings = batch.lines().par_iter().map(read).collect();
            if batches.send((batch, readings)).is_err() {
                return Ok(());
            }
        }
    }

    /// Reads a line, unless what was read before fills the memory there is for it.
    fn read_if_fits<C: Consumer>(&self, line: Line<'_>) -> Option<BoatReading<C::Boat>> {
        if READY_MAX <= self.ready.load(Ordering::Relaxed) {
            return None;
        }
        let reading = self.read::<C>(line);
        self.ready.fetch_add(size::<C>(&reading), Ordering::Relaxed);
        Some(reading)
    }

    /// Hands a batch to the merge, and reads what has waited for its turn.
    fn merge<C: Consumer>(
        &self,
        batch: &Batch,
        readings: Vec<Option<BoatReading<C::Boat>>>,
        merge: &mut Merge<'_, C>,
    ) -> anyhow::Result<()> {
        let lines = batch.lines();
        for (line, reading) in lines.iter().zip(readings) {
            match reading {
                Some(reading) => {
                    let size = size::<C>(&reading);
                    merge.boat(*line, reading)?;
                    self.ready.fetch_sub(size, Ordering::Relaxed);
                }
                None => merge.boat(*line, self.read::<C>(*line))?,
            }
        }
        merge.settings.progress.advance(lines.len() as u64);
        Ok(())
    }

    fn read<C: Consumer>(&self, line: Line<'_>) -> BoatReading<C::Boat> {
        read_boat::<C>(line, self.references, self.listed_max)
    }
}

fn size<C: Consumer>(reading: &BoatReading<C::Boat>) -> usize {
    let boat = reading.boat.as_ref().map_or(0, |(boat, _)| C::size(boat));
    boat + reading.findings.size()
}

/// What reading a line comes to.
struct BoatReading<B> {
    findings: Findings,
    identity: Identity,
    /// A valid, published boat and the place of its manufacturer.
    boat: Option<(B, usize)>,
}

/// Reads a boat: its shapes made ready, and everything that is wrong with it by itself.
fn read_boat<C: Consumer>(
    line: Line<'_>,
    references: &References,
    listed_max: usize,
) -> BoatReading<C::Boat> {
    let (text, node) = match reporter::open(line) {
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

/// Takes the boats in their order.
struct Merge<'a, C> {
    settings: &'a Settings<'a>,
    identities: Identities,
    findings: Findings,
    tally: Tally,
    /// By place of the manufacturer.
    boat_counts: Vec<u64>,
    rejects: Rejects<'a>,
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
    let Ok((text, node)) = reporter::open(line) else {
        return Findings::new(listed_max);
    };
    let mut reporter = reporter_of(text, &node, listed_max);
    for Clash { key, problem } in clashes {
        report_value(&node, key, problem, &mut reporter);
    }
    reporter.into_findings()
}

#[cfg(test)]
mod tests;
