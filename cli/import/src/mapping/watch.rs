//! A watch over the threads that map: an expression that never ends, or takes more memory than any
//! record needs, is reported by name instead of keeping the command waiting or taking all there is.
//!
//! Each thread writes down where it is, in a [`Position`]. The caller that waits for them has the
//! [`Watch`] look at these from time to time. A thread that is stuck cannot be stopped: the error
//! is all there is, and the thread ends with the process. Here nothing knows what a thread does.

use std::any::Any;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use anyhow::anyhow;

use super::bounds::MEMORY_MAX;
use super::definition::Definition;
use super::expression::TooLarge;
use crate::finding::{ExportFile, cut};

/// How long mapping one record may take.
const RECORD_TIME_MAX: Duration = Duration::from_secs(5);
/// How often the watch looks.
pub(super) const TICK: Duration = Duration::from_millis(10);

/// Where a thread is.
#[derive(Default)]
pub(super) struct Position {
    /// Whether it is at a record.
    is_busy: AtomicBool,
    /// How many records were begun.
    begun: AtomicU64,
    /// How many records, and members of them that become records of their own.
    steps: AtomicU64,
    /// The place of the record that was begun last.
    place: Mutex<Option<(Arc<ExportFile>, u64)>>,
    /// The expression that was begun last.
    expression: AtomicUsize,
    /// Whether no record may be begun.
    is_held: Arc<AtomicBool>,
}

impl Position {
    /// From now on another record is mapped.
    pub(super) fn begin(&self, file: &Arc<ExportFile>, line: u64) {
        if self.is_held.load(Ordering::Relaxed) {
            self.rest();
            while self.is_held.load(Ordering::Relaxed) {
                thread::sleep(TICK);
            }
        }
        self.begun.fetch_add(1, Ordering::Relaxed);
        self.step();
        let mut place = self.place.lock().unwrap_or_else(PoisonError::into_inner);
        *place = Some((Arc::clone(file), line));
        self.is_busy.store(true, Ordering::Relaxed);
    }

    /// The record goes on with a part that may take its time.
    pub(super) fn step(&self) {
        self.steps.fetch_add(1, Ordering::Relaxed);
    }

    /// The expression that was begun last.
    pub(super) fn expression(&self) -> usize {
        self.expression.load(Ordering::Relaxed)
    }

    /// From now on this expression is evaluated.
    pub(super) fn evaluate(&self, expression: usize) {
        self.expression.store(expression, Ordering::Relaxed);
    }

    /// No record is mapped until another one is begun.
    pub(super) fn rest(&self) {
        self.is_busy.store(false, Ordering::Relaxed);
    }
}

/// The watch over the threads.
pub(super) struct Watch {
    threads: Vec<Watched>,
    definition: Arc<Definition>,
    resident_bytes: fn() -> Option<usize>,
    /// Whether no record may be begun.
    is_held: Arc<AtomicBool>,
}

/// A thread as the watch sees it.
struct Watched {
    position: Arc<Position>,
    seen: Seen,
}

/// What the watch saw when it looked last.
#[derive(Default)]
struct Seen {
    begun: u64,
    /// The memory of the process when that record was seen first.
    bytes: Option<usize>,
    /// How much it has grown since then.
    grown: usize,
    steps: u64,
    /// So often no step was made.
    ticks: u128,
}

impl Seen {
    /// Looks at a thread, whose process has this much memory.
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
    /// No thread yet. The memory of the process is asked for with `resident_bytes`.
    pub(super) fn new(definition: &Arc<Definition>, resident_bytes: fn() -> Option<usize>) -> Self {
        Self {
            threads: Vec::new(),
            definition: Arc::clone(definition),
            resident_bytes,
            is_held: Arc::default(),
        }
    }

    /// Watches another thread, which is to write down where it is.
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

    /// Looks whether the threads get on, and what they take.
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

    /// The thread whose record takes too much memory. Where several are at one for as long as the
    /// memory grows, no other records are begun, until it is clear which of them takes it.
    fn too_large(&self) -> Option<Arc<Position>> {
        let grown = |thread: &&Watched| thread.seen.grown;
        let large = self.threads.iter().filter(|of| MEMORY_MAX < of.seen.grown);
        let most = large.clone().map(|of| grown(&of)).max();
        self.is_held.store(most.is_some(), Ordering::Relaxed);
        let busy = self.threads.iter().filter(|of| of.seen.bytes.is_some());
        let is_clear = busy.count() == 1 || 2 * MEMORY_MAX < most?;
        // The one that was begun last, if several are left.
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

    /// Why a thread ended a task early, by what it panicked with.
    pub(super) fn panicked(&self, why: &(dyn Any + Send), position: &Position) -> anyhow::Error {
        if why.is::<TooLarge>() {
            return self.takes_too_much(position);
        }
        let (place, code) = self.location(position);
        anyhow!("mapping the record at {place} ended unexpectedly: `{code}` cannot be evaluated")
    }

    /// The record and the expression that a thread began last.
    fn location(&self, position: &Position) -> (String, String) {
        let expression = position.expression.load(Ordering::Relaxed);
        let code = self.definition.expressions.get(expression);
        let code = code.map_or_else(String::new, |expression| cut(expression.code.trim()));
        let place = position.place.lock();
        let place = place.unwrap_or_else(PoisonError::into_inner);
        let place = place.as_ref();
        let place = place.map_or_else(String::new, |(file, line)| format!("{}:{line}", file.name));
        (place, code)
    }
}

/// Bytes of memory that this process takes up, where the system says so.
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
