//! Watches the mapping threads. An expression that never ends is reported by name instead of hanging
//! the command.
//!
//! Each thread records where it is in a [`Position`], and whoever waits for the threads has the
//! [`Watch`] check these at each tick of their pool. What counts is the processor time of a thread:
//! on a busy machine, one that makes progress may not run for seconds. A stuck thread cannot be
//! stopped: the error is reported, and the thread ends with the process. Nothing here knows what a
//! thread does.

use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use anyhow::anyhow;
use nix::time::ClockId;
use parking_lot::Mutex;

use super::definition::Definition;
use crate::finding::{ExportFile, cut};

/// The processor time that mapping one record may take.
const RECORD_TIME_MAX: Duration = Duration::from_secs(5);

/// What a thread is working on.
#[derive(Default)]
pub(super) struct Position {
    /// Whether it is working on a record.
    is_busy: AtomicBool,
    /// The number of records begun, plus members of records that become records of their own.
    steps: AtomicU64,
    /// The place of the last record begun.
    place: Mutex<Option<(Arc<ExportFile>, u64)>>,
    /// The expression that was begun last.
    expression: AtomicUsize,
    /// The clock of the thread, once it has begun a record.
    clock: OnceLock<ClockId>,
}

impl Position {
    /// Starts on another record.
    pub(super) fn begin(&self, file: &Arc<ExportFile>, line: u64) {
        self.clock.get_or_init(own_clock);
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

    /// The processor time that the thread has used.
    fn used(&self) -> Duration {
        let now = self.clock.get().and_then(|clock| clock.now().ok());
        now.map_or(Duration::ZERO, Duration::from)
    }
}

/// The clock of the processor time of the calling thread, as `pthread_getcpuclockid` makes it.
#[cfg(target_os = "linux")]
fn own_clock() -> ClockId {
    const OF_THREAD_AS_SCHEDULED: i32 = 0b110;
    let thread = nix::unistd::gettid().as_raw();
    ClockId::from_raw((!thread << 3) | OF_THREAD_AS_SCHEDULED)
}

/// Elsewhere no clock of another thread can be read, so waiting counts too.
#[cfg(not(target_os = "linux"))]
fn own_clock() -> ClockId {
    ClockId::CLOCK_MONOTONIC
}

/// The watch over the threads.
pub(super) struct Watch {
    threads: Vec<Watched>,
    definition: Arc<Definition>,
}

/// A thread as the watch saw it at its last check.
#[derive(Default)]
struct Watched {
    position: Arc<Position>,
    steps: u64,
    /// The processor time that it had used when it last had a new step, or no record.
    used: Duration,
}

impl Watched {
    /// Whether it has been at one step for too long, if it has used that much processor time.
    fn is_stuck(&mut self, used: Duration) -> bool {
        let steps = self.position.steps.load(Ordering::Relaxed);
        let is_busy = self.position.is_busy.load(Ordering::Relaxed);
        if !is_busy || steps != self.steps {
            (self.steps, self.used) = (steps, used);
        }
        RECORD_TIME_MAX <= used.saturating_sub(self.used)
    }
}

impl Watch {
    /// Starts with no thread.
    pub(super) fn new(definition: &Arc<Definition>) -> Self {
        Self {
            threads: Vec::new(),
            definition: Arc::clone(definition),
        }
    }

    /// Watches another thread, which must record its work in the returned position.
    pub(super) fn add(&mut self) -> Arc<Position> {
        let thread = Watched::default();
        let position = Arc::clone(&thread.position);
        self.threads.push(thread);
        position
    }

    /// Checks the progress of the threads.
    pub(super) fn look(&mut self) -> anyhow::Result<()> {
        self.look_with(Position::used)
    }

    /// Checks the progress of threads that have `used` so much processor time.
    fn look_with(&mut self, used: impl Fn(&Position) -> Duration) -> anyhow::Result<()> {
        let mut threads = self.threads.iter_mut();
        let Some(stuck) = threads.find_map(|thread| {
            let used = used(&thread.position);
            thread.is_stuck(used).then_some(&thread.position)
        }) else {
            return Ok(());
        };
        let seconds = RECORD_TIME_MAX.as_secs();
        let (place, code) = location(&self.definition, stuck);
        Err(anyhow!(
            "mapping the record at {place} took longer than {seconds} s: `{code}` may never end"
        ))
    }
}

/// Why a task ended early whose thread was at this position.
pub(super) fn panicked(definition: &Definition, position: &Position) -> anyhow::Error {
    let (place, code) = location(definition, position);
    anyhow!("mapping the record at {place} ended unexpectedly: `{code}` cannot be evaluated")
}

/// The last record and expression that a thread began.
fn location(definition: &Definition, position: &Position) -> (String, String) {
    let code = definition.expressions.get(position.expression());
    let code = code.map_or_else(String::new, |expression| cut(expression.code.trim()));
    let place = position.place.lock();
    let place = place.as_ref();
    let place = place.map_or_else(String::new, |(file, line)| format!("{}:{line}", file.name));
    (place, code)
}

#[cfg(test)]
mod tests {
    use std::ptr;

    use super::*;
    use crate::mapping::{Mapping, Shipped};

    #[test]
    fn a_thread_is_stuck_if_it_begins_nothing_while_it_runs_for_five_seconds() {
        let text = Shipped::Sanity.text().to_owned();
        let mapping = Mapping::parse("a.toml".to_owned(), text).unwrap();
        let mut watch = Watch::new(&mapping.definition);
        let [resting, going, waiting, stuck] = std::array::from_fn(|_| watch.add());
        let file = Arc::new(ExportFile {
            ordinal: 0,
            name: "a.json".to_owned(),
            path: String::new(),
        });
        for position in [&resting, &going, &waiting, &stuck] {
            position.begin(&file, 1);
        }
        resting.rest();
        // Other programs have the processor that one of the threads waits for.
        let mut after = |seconds| {
            going.step();
            watch.look_with(|position| {
                let runs = !ptr::eq(position, &raw const *waiting);
                Duration::from_secs(if runs { seconds } else { 0 })
            })
        };
        stuck.evaluate(1);
        for seconds in 0..5 {
            after(seconds).unwrap();
        }
        let message = after(5).unwrap_err().to_string();
        let expected =
            "mapping the record at a.json:1 took longer than 5 s: `._id | own_id` may never end";
        assert_eq!(message, expected);
    }

    #[test]
    fn an_expression_may_be_as_long_as_a_mapping_can_be() {
        for (link, last) in [
            ("1 + ", "1"),
            (". | ", "."),
            ("- ", "1"),
            ("1 as $x | ", "1"),
        ] {
            let chain = format!("'{}{last}'", link.repeat(10_000));
            let text = Shipped::Sanity.text().replace("\".loa\"", &chain);
            Mapping::parse("a.toml".to_owned(), text).unwrap();
        }
    }
}
