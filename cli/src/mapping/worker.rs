//! A thread that maps, and a watch over it: an expression that never ends, or takes more memory than
//! any record needs, is told by name instead of keeping the command waiting or taking all there is.
//!
//! The thread of such an expression cannot be stopped; it ends with the process.

use std::panic;
use std::path::Path;
use std::sync::atomic::Ordering;
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::sync::{Arc, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use anyhow::anyhow;

use super::MEMORY_MAX;
use super::check::CheckReport;
use super::definition::{Definition, Role};
use super::expression::TooLarge;
use super::image_files::ImageFiles;
use super::mapper::{Event, Mapper, Position, Raw, Reading, Unobserved};
use crate::findings::cut;

/// How long mapping one record may take.
const RECORD_TIME_MAX: Duration = Duration::from_secs(5);
/// How often the watch looks.
const TICK: Duration = Duration::from_millis(10);
/// The stack of the thread. Its memory counts: values that are nested without end take more than a
/// record may before they reach the end of it.
const STACK_BYTES: usize = 2 * MEMORY_MAX;
/// Records that are made before they are handed over, unless they are long.
const BATCH: usize = 256;
/// Bytes of made records above which they are handed over.
const BATCH_BYTES: usize = 4 * 1024 * 1024;

/// What the thread is asked.
pub(super) enum Job {
    /// Read these records for some sections of the mapping.
    Read(Vec<Role>, Vec<Raw>),
    /// There are no more records and links, and these image files.
    FinishReading(ImageFiles),
    /// Make native records from here on, some at a time.
    Make(usize),
    /// All were made: tell what is to be said of many at once.
    FinishMaking,
    /// Tell which records are not published, from here on, some at a time.
    Unpublished(usize),
    /// Tell what the mapping finds.
    Check,
}

/// What it answers.
pub(super) struct Answer {
    pub(super) events: Vec<Event>,
    /// Where to go on making.
    pub(super) next: Option<usize>,
    /// What reading came to, once all were read.
    pub(super) reading: Reading,
    pub(super) report: Option<CheckReport>,
}

/// The thread and the watch over it.
pub(super) struct Worker {
    jobs: Sender<Job>,
    answers: Receiver<anyhow::Result<Answer>>,
    position: Arc<Position>,
    definition: Arc<Definition>,
    resident_bytes: fn() -> Option<usize>,
    thread: Option<JoinHandle<()>>,
}

/// What the watch saw when it looked last.
#[derive(Default)]
struct Seen {
    begun: u64,
    /// The memory of the process when that record was seen first.
    bytes: Option<usize>,
    steps: u64,
    /// So often no step was made.
    ticks: u128,
}

impl Worker {
    /// Starts the thread, whose records will lie in `temp_dir`. The memory of the process is asked
    /// for with `resident_bytes`.
    pub(super) fn start(
        definition: Arc<Definition>,
        temp_dir: &Path,
        resident_bytes: fn() -> Option<usize>,
    ) -> anyhow::Result<Self> {
        let (jobs, to_do) = mpsc::channel();
        let (done, answers) = mpsc::channel();
        let position = Arc::new(Position::default());
        let temp_dir = temp_dir.to_owned();
        let run = {
            let (definition, position) = (Arc::clone(&definition), Arc::clone(&position));
            move || run(&definition, &temp_dir, &to_do, &done, position)
        };
        Ok(Self {
            jobs,
            answers,
            position,
            definition,
            resident_bytes,
            thread: Some(builder().spawn(run)?),
        })
    }

    /// Has the thread do a job, and waits for it as long as it gets on.
    pub(super) fn ask(&mut self, job: Job) -> anyhow::Result<Answer> {
        let mut seen = Seen::default();
        if self.jobs.send(job).is_err() {
            return self.ended();
        }
        loop {
            match self.answers.recv_timeout(TICK) {
                Ok(answer) => return answer,
                Err(RecvTimeoutError::Disconnected) => return self.ended(),
                Err(RecvTimeoutError::Timeout) => self.look(&mut seen)?,
            }
        }
    }

    /// Looks whether the thread gets on, and what it takes.
    fn look(&self, seen: &mut Seen) -> anyhow::Result<()> {
        let begun = self.position.begun.load(Ordering::Relaxed);
        if begun == 0 {
            // Expressions are compiled, which takes no more than the mapping is long.
            return Ok(());
        }
        let bytes = (self.resident_bytes)();
        if begun != seen.begun || seen.bytes.is_none() {
            (seen.begun, seen.bytes) = (begun, bytes);
        }
        if let (Some(before), Some(now)) = (seen.bytes, bytes)
            && MEMORY_MAX < now.saturating_sub(before)
        {
            return Err(self.too_large());
        }
        let steps = self.position.steps.load(Ordering::Relaxed);
        seen.ticks = if steps == seen.steps {
            seen.ticks + 1
        } else {
            0
        };
        seen.steps = steps;
        if RECORD_TIME_MAX.as_millis() <= seen.ticks * TICK.as_millis() {
            let seconds = RECORD_TIME_MAX.as_secs();
            let (place, code) = self.place();
            return Err(anyhow!(
                "mapping the record at {place} took longer than {seconds} s: `{code}` may never end"
            ));
        }
        Ok(())
    }

    fn too_large(&self) -> anyhow::Error {
        let mebibytes = MEMORY_MAX >> 20;
        let (place, code) = self.place();
        anyhow!(
            "mapping the record at {place} takes more than {mebibytes} MiB of memory: `{code}` \
             makes too much"
        )
    }

    /// The record and the expression that were begun last.
    fn place(&self) -> (String, String) {
        let expression = self.position.expression.load(Ordering::Relaxed);
        let code = self.definition.expressions.get(expression);
        let code = code.map_or_else(String::new, |expression| cut(expression.code.trim()));
        let place = self.position.place.lock();
        let place = place.unwrap_or_else(PoisonError::into_inner);
        let place = place.as_ref();
        let place = place.map_or_else(String::new, |(file, line)| format!("{}:{line}", file.name));
        (place, code)
    }

    /// The thread ends by itself only with an error, which it leaves behind, or where an expression
    /// took it down.
    fn ended(&mut self) -> anyhow::Result<Answer> {
        if let Ok(answer) = self.answers.try_recv() {
            return answer;
        }
        if let Some(thread) = self.thread.take()
            && let Err(why) = thread.join()
            && why.is::<TooLarge>()
        {
            return Err(self.too_large());
        }
        let (place, code) = self.place();
        Err(anyhow!(
            "mapping the record at {place} ended unexpectedly: `{code}` cannot be evaluated"
        ))
    }
}

/// Does something that may go as deep as a mapping is long, and waits for it.
pub(super) fn deep<T: Send>(act: impl FnOnce() -> T + Send) -> anyhow::Result<T> {
    thread::scope(|scope| {
        let done = builder().spawn_scoped(scope, act)?.join();
        Ok(done.unwrap_or_else(|panicked| panic::resume_unwind(panicked)))
    })
}

/// A thread with the stack that values need which are nested deep. Where the system does not give
/// that much, it has the usual one.
fn builder() -> thread::Builder {
    let named = || thread::Builder::new().name("mapping".to_owned());
    match named().stack_size(STACK_BYTES).spawn(|| {}) {
        Ok(_given) => named().stack_size(STACK_BYTES),
        Err(_too_much) => named(),
    }
}

fn run(
    definition: &Arc<Definition>,
    temp_dir: &Path,
    jobs: &Receiver<Job>,
    answers: &Sender<anyhow::Result<Answer>>,
    position: Arc<Position>,
) {
    let mut mapper = match Mapper::new(definition, temp_dir, position) {
        Ok(mapper) => mapper,
        Err(error) => {
            // Nobody waits any more if this cannot be told.
            _ = answers.send(Err(error));
            return;
        }
    };
    for job in jobs {
        let answer = work(&mut mapper, job);
        if answers.send(answer).is_err() {
            return;
        }
    }
}

fn work(mapper: &mut Mapper, job: Job) -> anyhow::Result<Answer> {
    let mut answer = Answer {
        events: Vec::new(),
        next: None,
        reading: Reading::default(),
        report: None,
    };
    match job {
        Job::Read(roles, records) => {
            for record in records {
                answer.events.extend(mapper.read(&roles, record)?);
            }
        }
        Job::FinishReading(images) => answer.reading = mapper.finish_reading(images)?,
        Job::Make(from) => {
            let (mut to, mut bytes) = (from, 0);
            while to < mapper.len().min(from + BATCH) && bytes < BATCH_BYTES {
                let events = mapper.make(to, &mut Unobserved)?;
                bytes += events.iter().map(Event::bytes).sum::<usize>();
                answer.events.extend(events);
                to += 1;
            }
            answer.next = (to < mapper.len()).then_some(to);
        }
        Job::FinishMaking => answer.events = mapper.finish_making(),
        Job::Check => answer.report = Some(mapper.check()?),
        Job::Unpublished(from) => {
            let to = mapper.len().min(from + BATCH);
            answer.events = (from..to)
                .flat_map(|place| mapper.unpublished(place))
                .collect();
            answer.next = (to < mapper.len()).then_some(to);
        }
    }
    Ok(answer)
}

#[cfg(test)]
mod tests;
