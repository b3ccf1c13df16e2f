//! The second pass: reads the boats that were set aside, now that all references are known.
//!
//! ```text
//! spool ─► batch of lines ─► read on all processors ─► merge, in order ─► consumer
//!          └─ a thread of its own ───────────────┘     └─ the caller's thread ──┘
//! ```
//!
//! Reading a boat is a pure function of its line and the references, so that while one batch is
//! merged the next one is read. What hangs on the order of records is done by the merge alone.

mod merge;
mod reading;

use std::io::Write;
use std::panic;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{SyncSender, sync_channel};
use std::thread;

use anyhow::Context as _;
use rayon::iter::{IntoParallelRefIterator, ParallelIterator};
use shared::base::model::{BoatDetails, BoatSummary, ManufacturerDetails, ManufacturerSummary};
use shared::base::render::BodyTooLarge;

use self::merge::Merge;
use self::reading::{BoatReading, read_boat};
use super::collect::Collected;
use super::rejects::Rejects;
use super::spill::{Batch, SpoolReader};
use super::{Settings, Tally};
use crate::finding::Findings;
use crate::finding::Line;
use crate::validate::identity::Identities;
use crate::validate::references::References;

/// Bytes of boats made ready, and of findings, above which no other boat is read before its turn:
/// a short line can become a long body or have very many findings, and a batch has many lines.
pub(super) const READY_MAX: usize = 64 * 1024 * 1024;
/// Batches that wait, beside the one that is read and the one that is merged: reading takes
/// longer, so that none would do anything but fill memory.
const WAITING_MAX: usize = 0;

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
        spool,
        findings,
        tally,
    } = collected;
    settings.progress.boats(spool.lines());
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
    let lines = spool.into_reader()?;
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
    /// Reads batch after batch, as long as somebody takes them.
    fn read_all<C: Consumer>(
        &self,
        mut lines: SpoolReader,
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

#[cfg(test)]
mod tests;
