//! What a mapping thread is working on: set by the thread, read by the watch over it.

use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use crate::finding::ExportFile;

/// How often the watch looks.
pub(super) const TICK: Duration = Duration::from_millis(10);

/// Where a thread is.
#[derive(Default)]
pub(super) struct Position {
    /// Whether it is at a record.
    pub(super) is_busy: AtomicBool,
    /// How many records were begun.
    pub(super) begun: AtomicU64,
    /// How many records, and members of them that become records of their own.
    pub(super) steps: AtomicU64,
    /// The place of the record that was begun last.
    pub(super) place: Mutex<Option<(Arc<ExportFile>, u64)>>,
    /// The expression that was begun last.
    pub(super) expression: AtomicUsize,
    /// Whether no record may be begun.
    pub(super) is_held: Arc<AtomicBool>,
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
