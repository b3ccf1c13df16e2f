//! The second pass, which reads the boats from the spill file, now that all records they may refer
//! to are known.
//!
//! ```text
//! spill file ─► batches of lines ─► read by a pool of threads ─► added, in order ─► consumer
//! ```
//!
//! Reading a boat is a pure function of its line and the references, so later batches are read
//! while the boats of the first are added.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use anyhow::Context as _;

use super::boats::{self, BoatOutcome, BoatReading, Boats};
use super::collector::Collected;
use super::consumer::Consumer;
use super::policy::Policy;
use super::references::References;
use super::rejects::Rejects;
use super::spill::{LineBatch, SpillFile};
use super::tally::Tally;
use crate::finding::{Finding, Findings, Line};
use crate::pool::{Pending, Pieces, Pool, processors};

/// Bytes of finished boats and findings beyond which no boat is read ahead of its turn: a short
/// line can become a long body or have very many findings, and a batch has many lines.
pub(crate) const READY_MAX: usize = 64 * 1024 * 1024;

/// The lines of a batch with the results of reading them; `None` for a line that must wait for its
/// turn.
type BatchReading<B> = (LineBatch, Vec<Option<BoatReading<B>>>);

/// The second pass over an export.
pub(crate) struct SecondPass<'a> {
    pub(super) policy: Policy<'a>,
    pub(super) collected: Collected,
    /// The lines of the boats.
    pub(super) boats: SpillFile,
    pub(super) rejects: Rejects<'a>,
}

impl SecondPass<'_> {
    /// Whether the export has no record.
    pub(crate) fn is_empty(&self) -> bool {
        self.collected.is_empty
    }

    /// Adds a finding about the export as a whole.
    pub(crate) fn report(&mut self, finding: Finding) {
        self.collected.findings.add(finding);
    }

    /// Reads the boats and hands the records to be served to `consumer`.
    pub(crate) fn run<C: Consumer>(self, consumer: &mut C) -> anyhow::Result<(Findings, Tally)> {
        let Collected {
            references,
            findings,
            tally,
            ..
        } = self.collected;
        let policy = self.policy;
        policy.progress.boats(self.boats.lines());
        let ahead = Arc::new(ReadAhead {
            references,
            listed_max: policy.listed_max,
            ready: AtomicUsize::new(0),
        });
        let mut in_order = InOrder {
            policy,
            boats: Boats::new(&ahead.references, (findings, tally), policy.listed_max),
            rejects: self.rejects,
            consumer,
        };
        let mut lines = self.boats.into_reader()?;
        let mut pool = Pool::of(processors(), "reading").context("could not start a thread")?;
        let (mut pending, left) = (Pending::new(), pool.pending_max());
        let mut hand_over = |read| ahead.hand_over(read, &mut in_order);
        loop {
            let batch = lines.next_batch()?;
            if batch.is_empty() {
                break;
            }
            let ahead = Arc::clone(&ahead);
            let read =
                move |(): &mut (), pieces: &Pieces<_>| pieces.send(ahead.read_batch::<C>(batch));
            pending.push_back(pool.begin(read));
            pool.take(&mut pending, left, &mut hand_over)?;
        }
        pool.take(&mut pending, 0, &mut hand_over)?;
        in_order.finish()
    }
}

/// Reads boats ahead of their turn.
struct ReadAhead {
    references: References,
    listed_max: usize,
    /// Bytes that were read but not yet added.
    ready: AtomicUsize,
}

impl ReadAhead {
    fn read_batch<C: Consumer>(&self, batch: LineBatch) -> BatchReading<C::Boat> {
        let lines = batch.lines().into_iter();
        let readings = lines.map(|line| self.read_if_fits::<C>(line)).collect();
        (batch, readings)
    }

    /// Reads a line, unless earlier boats already fill the memory for reading ahead.
    fn read_if_fits<C: Consumer>(&self, line: Line<'_>) -> Option<BoatReading<C::Boat>> {
        if READY_MAX <= self.ready.load(Ordering::Relaxed) {
            return None;
        }
        let reading = self.read::<C>(line);
        self.ready.fetch_add(size::<C>(&reading), Ordering::Relaxed);
        Some(reading)
    }

    /// Adds the boats of a batch in order, reading those that had to wait for their turn.
    fn hand_over<C: Consumer>(
        &self,
        (batch, readings): BatchReading<C::Boat>,
        in_order: &mut InOrder<'_, '_, C>,
    ) -> anyhow::Result<()> {
        let lines = batch.lines();
        for (line, reading) in lines.iter().zip(readings) {
            match reading {
                Some(reading) => {
                    let size = size::<C>(&reading);
                    in_order.boat(*line, reading)?;
                    self.ready.fetch_sub(size, Ordering::Relaxed);
                }
                None => in_order.boat(*line, self.read::<C>(*line))?,
            }
        }
        in_order.policy.progress.advance(lines.len() as u64);
        Ok(())
    }

    fn read<C: Consumer>(&self, line: Line<'_>) -> BoatReading<C::Boat> {
        boats::validate(line, &self.references, self.listed_max, |boat| {
            C::render(&boat.summary, &boat.details)
        })
    }
}

fn size<C: Consumer>(reading: &BoatReading<C::Boat>) -> usize {
    let boat = reading.boat.as_ref().map_or(0, |(boat, _)| C::size(boat));
    boat + reading.findings.size()
}

/// Takes the boats in order.
struct InOrder<'a, 'r, C> {
    policy: Policy<'a>,
    boats: Boats<'r>,
    rejects: Rejects<'a>,
    consumer: &'r mut C,
}

impl<C: Consumer> InOrder<'_, '_, C> {
    fn boat(&mut self, line: Line<'_>, reading: BoatReading<C::Boat>) -> anyhow::Result<()> {
        match self.boats.add(line, reading) {
            BoatOutcome::Rejected => self.rejects.record(line),
            BoatOutcome::Published(boat) if self.is_wanted() => self.consumer.boat(boat),
            BoatOutcome::Published(_) | BoatOutcome::Unpublished => Ok(()),
        }
    }

    fn finish(mut self) -> anyhow::Result<(Findings, Tally)> {
        self.boats.end();
        if self.is_wanted() {
            for (manufacturer, boat_count) in self.boats.manufacturers() {
                let details = manufacturer.details(boat_count);
                self.consumer
                    .manufacturer(&manufacturer.summary(), &details)?;
            }
        }
        Ok(self.boats.into_parts())
    }

    /// Whether records may still be served.
    fn is_wanted(&self) -> bool {
        self.policy.is_usable(self.boats.findings())
    }
}

#[cfg(test)]
mod tests;
