//! A thread that maps, and a watch over it: an expression that never ends is told by name instead
//! of keeping the command waiting for ever.
//!
//! The thread of an endless expression cannot be stopped; it ends with the process.

use std::path::Path;
use std::sync::atomic::Ordering;
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::sync::{Arc, PoisonError};
use std::thread;
use std::time::Duration;

use anyhow::{anyhow, bail};

use super::check::CheckReport;
use super::definition::Definition;
use super::mapper::{Event, Mapper, Position, Raw, Reading, Unobserved};
use crate::findings::cut;

/// How long mapping one record may take.
const RECORD_TIME_MAX: Duration = Duration::from_secs(5);
/// How often the watch looks.
const TICK: Duration = Duration::from_millis(250);
/// Records that are made before they are handed over.
const BATCH: usize = 256;

/// What the thread is asked.
pub(super) enum Job {
    /// Identify these records of a source.
    Records(usize, Vec<Raw>),
    /// Take the links of these rows.
    Links(Vec<Raw>),
    /// There are no more records and links.
    FinishReading,
    /// Make native records from here on, some at a time.
    Make(usize),
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
}

impl Worker {
    /// Starts the thread, whose records will lie in `temp_dir`.
    pub(super) fn start(definition: Arc<Definition>, temp_dir: &Path) -> anyhow::Result<Self> {
        let (jobs, to_do) = mpsc::channel();
        let (done, answers) = mpsc::channel();
        let position = Arc::new(Position::default());
        let temp_dir = temp_dir.to_owned();
        let worker = Self {
            jobs,
            answers,
            position: Arc::clone(&position),
            definition: Arc::clone(&definition),
        };
        let run = move || run(&definition, &temp_dir, &to_do, &done, position);
        thread::Builder::new()
            .name("mapping".to_owned())
            .spawn(run)?;
        Ok(worker)
    }

    /// Has the thread do a job, and waits for it as long as it gets on.
    pub(super) fn ask(&self, job: Job) -> anyhow::Result<Answer> {
        if self.jobs.send(job).is_err() {
            return self.ended();
        }
        let ticks_max = RECORD_TIME_MAX.as_millis() / TICK.as_millis();
        let (mut last, mut ticks) = (self.position.records.load(Ordering::Relaxed), 0);
        loop {
            match self.answers.recv_timeout(TICK) {
                Ok(answer) => return answer,
                Err(RecvTimeoutError::Disconnected) => return self.ended(),
                Err(RecvTimeoutError::Timeout) => {}
            }
            let records = self.position.records.load(Ordering::Relaxed);
            ticks = if records == last { ticks + 1 } else { 0 };
            last = records;
            if ticks_max <= ticks {
                return Err(self.stuck());
            }
        }
    }

    /// Names the record and the expression that take too long.
    fn stuck(&self) -> anyhow::Error {
        let expression = self.position.expression.load(Ordering::Relaxed);
        let code = self.definition.expressions.get(expression);
        let code = code.map_or_else(String::new, |expression| cut(expression.code.trim()));
        let place = self.position.place.lock();
        let place = place.unwrap_or_else(PoisonError::into_inner);
        let place = place.as_ref();
        let place = place.map_or_else(String::new, |(file, line)| format!("{}:{line}", file.name));
        let seconds = RECORD_TIME_MAX.as_secs();
        anyhow!(
            "mapping the record at {place} took longer than {seconds} s: `{code}` may never end"
        )
    }

    /// The thread ends by itself only with an error, which it leaves behind.
    fn ended(&self) -> anyhow::Result<Answer> {
        match self.answers.try_recv() {
            Ok(answer) => answer,
            Err(_nothing) => bail!("mapping ended unexpectedly"),
        }
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
        Job::Records(source, records) => {
            for record in records {
                answer.events.extend(mapper.record(source, record)?);
            }
        }
        Job::Links(rows) => {
            for row in rows {
                answer.events.extend(mapper.links(row));
            }
        }
        Job::FinishReading => answer.reading = mapper.finish_reading()?,
        Job::Make(from) => {
            let to = mapper.len().min(from + BATCH);
            for place in from..to {
                answer.events.extend(mapper.make(place, &mut Unobserved)?);
            }
            answer.next = (to < mapper.len()).then_some(to);
        }
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
