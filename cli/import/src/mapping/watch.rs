//! Watches the mapping threads. An expression that never ends, or takes more memory than any record
//! needs, is reported by name instead of hanging the command or exhausting memory.
//!
//! Each thread records where it is in a [`Position`], and the caller that waits for the threads has
//! the [`Watch`] check these regularly. A stuck thread cannot be stopped: the error is reported,
//! and the thread ends with the process. Nothing here knows what a thread does.

use std::any::Any;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;

use anyhow::anyhow;
use parking_lot::Mutex;

use super::bounds::MEMORY_MAX;
use super::definition::Definition;
use super::expression::TooLarge;
use crate::finding::{ExportFile, cut};

/// The time that mapping one record may take.
const RECORD_TIME_MAX: Duration = Duration::from_secs(5);
/// The interval at which the watch checks the threads.
pub(super) const TICK: Duration = Duration::from_millis(10);

/// What a thread is working on.
#[derive(Default)]
pub(super) struct Position {
    /// Whether it is working on a record.
    is_busy: AtomicBool,
    /// The number of records begun.
    begun: AtomicU64,
    /// The number of records begun, plus members of records that become records of their own.
    steps: AtomicU64,
    /// The place of the last record begun.
    place: Mutex<Option<(Arc<ExportFile>, u64)>>,
    /// The expression that was begun last.
    expression: AtomicUsize,
    /// Whether starting on another record is blocked.
    is_held: Arc<AtomicBool>,
}

impl Position {
    /// Starts on another record.
    pub(super) fn begin(&self, file: &Arc<ExportFile>, line: u64) {
        if self.is_held.load(Ordering::Relaxed) {
            self.rest();
            while self.is_held.load(Ordering::Relaxed) {
                thread::sleep(TICK);
            }
        }
        self.begun.fetch_add(1, Ordering::Relaxed);
        self.step();
        let mut place = self.place.lock();
        *place = Some((Arc::clone(file), line));
        self.is_busy.store(true, Ordering::Relaxed);
    }

    /// Starts on a part of the record that may take the full time limit.
    pub(super) fn step(&self) {
        self.steps.fetch_add(1, Ordering::Relaxed);
    }

    /// The expression that was begun last.
    pub(super) fn expression(&self) -> usize {
        self.expression.load(Ordering::Relaxed)
    }

    /// Notes that this expression is now being evaluated.
    pub(super) fn evaluate(&self, expression: usize) {
        self.expression.store(expression, Ordering::Relaxed);
    }

    /// Notes that the thread is not working on a record.
    pub(super) fn rest(&self) {
        self.is_busy.store(false, Ordering::Relaxed);
    }
}

/// The watch over the threads.
pub(super) struct Watch {
    threads: Vec<Watched>,
    definition: Arc<Definition>,
    resident_bytes: fn() -> Option<usize>,
    /// Whether starting on another record is blocked.
    is_held: Arc<AtomicBool>,
}

/// A thread as the watch sees it.
struct Watched {
    position: Arc<Position>,
    seen: Seen,
}

/// What the watch saw at its last check.
#[derive(Default)]
struct Seen {
    begun: u64,
    /// The memory of the process when that record was first seen.
    bytes: Option<usize>,
    /// How much the process has grown since then.
    grown: usize,
    steps: u64,
    /// The number of checks in a row that saw no new step.
    ticks: u128,
}

impl Seen {
    /// Checks a thread, given the memory of the process.
    fn look(&mut self, position: &Position, bytes: Option<usize>) {
        if !position.is_busy.load(Ordering::Relaxed) {
            *self = Self::default();
            return;
        }
        let begun = position.begun.load(Ordering::Relaxed);
        if begun != self.begun || self.bytes.is_none() {
            (self.begun, self.bytes) = (begun, bytes);
        }
        self.grown = match (self.bytes, bytes) {
            (Some(before), Some(now)) => now.saturating_sub(before),
            _ => 0,
        };
        let steps = position.steps.load(Ordering::Relaxed);
        self.ticks = if steps == self.steps {
            self.ticks + 1
        } else {
            0
        };
        self.steps = steps;
    }
}

impl Watch {
    /// Starts with no thread. `resident_bytes` returns the memory of the process.
    pub(super) fn new(definition: &Arc<Definition>, resident_bytes: fn() -> Option<usize>) -> Self {
        Self {
            threads: Vec::new(),
            definition: Arc::clone(definition),
            resident_bytes,
            is_held: Arc::default(),
        }
    }

    /// Watches another thread, which must record its work in the returned position.
    pub(super) fn add(&mut self) -> Arc<Position> {
        let position = Arc::new(Position {
            is_held: Arc::clone(&self.is_held),
            ..Position::default()
        });
        self.threads.push(Watched {
            position: Arc::clone(&position),
            seen: Seen::default(),
        });
        position
    }

    /// Checks the progress of the threads and the memory they take.
    pub(super) fn look(&mut self) -> anyhow::Result<()> {
        let bytes = (self.resident_bytes)();
        for thread in &mut self.threads {
            thread.seen.look(&thread.position, bytes);
        }
        let is_stuck =
            |thread: &&Watched| RECORD_TIME_MAX.as_millis() <= thread.seen.ticks * TICK.as_millis();
        if let Some(stuck) = self.threads.iter().find(is_stuck) {
            let seconds = RECORD_TIME_MAX.as_secs();
            let (place, code) = self.location(&stuck.position);
            return Err(anyhow!(
                "mapping the record at {place} took longer than {seconds} s: `{code}` may never end"
            ));
        }
        match self.too_large() {
            Some(position) => Err(self.takes_too_much(&position)),
            None => Ok(()),
        }
    }

    /// The thread whose record takes too much memory. If several threads have been working on one
    /// record while memory grew, no other records are begun until it is clear which of them takes
    /// it.
    fn too_large(&self) -> Option<Arc<Position>> {
        let grown = |thread: &&Watched| thread.seen.grown;
        let large = self.threads.iter().filter(|of| MEMORY_MAX < of.seen.grown);
        let most = large.clone().map(|of| grown(&of)).max();
        self.is_held.store(most.is_some(), Ordering::Relaxed);
        let busy = self.threads.iter().filter(|of| of.seen.bytes.is_some());
        let is_clear = busy.count() == 1 || 2 * MEMORY_MAX < most?;
        // If several are left, the one that was begun last.
        let large = large.min_by_key(grown)?;
        is_clear.then(|| Arc::clone(&large.position))
    }

    fn takes_too_much(&self, position: &Position) -> anyhow::Error {
        let mebibytes = MEMORY_MAX >> 20;
        let (place, code) = self.location(position);
        anyhow!(
            "mapping the record at {place} takes more than {mebibytes} MiB of memory: `{code}` \
             makes too much"
        )
    }

    /// The reason why a thread ended a task early, from its panic payload.
    pub(super) fn panicked(&self, why: &(dyn Any + Send), position: &Position) -> anyhow::Error {
        if why.is::<TooLarge>() {
            return self.takes_too_much(position);
        }
        let (place, code) = self.location(position);
        anyhow!("mapping the record at {place} ended unexpectedly: `{code}` cannot be evaluated")
    }

    /// The last record and expression that a thread began.
    fn location(&self, position: &Position) -> (String, String) {
        let expression = position.expression.load(Ordering::Relaxed);
        let code = self.definition.expressions.get(expression);
        let code = code.map_or_else(String::new, |expression| cut(expression.code.trim()));
        let place = position.place.lock();
        let place = place.as_ref();
        let place = place.map_or_else(String::new, |(file, line)| format!("{}:{line}", file.name));
        (place, code)
    }
}

/// The resident memory of this process in bytes, if the system reports it.
pub(super) fn resident_bytes() -> Option<usize> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status
        .lines()
        .find_map(|line| line.strip_prefix("VmRSS:"))?;
    let kibibytes: usize = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kibibytes * 1024)
}

#[cfg(test)]
mod tests;
