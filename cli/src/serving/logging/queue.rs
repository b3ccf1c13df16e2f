//! Lines on their way to standard error: they wait in a bounded queue, and a separate thread writes
//! them.
//!
//! Standard error may be a full disk, a pipe that is not read, or one whose reader is gone. That is
//! no reason to refuse or delay a request: a line for which there is no room, or that cannot be
//! written, is dropped and counted, and the log later reports how many were. Nothing here fails,
//! panics, or waits for the reader, except a flush, and only briefly.

use std::collections::VecDeque;
use std::io::{self, ErrorKind, IoSlice, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::Duration;

use parking_lot::{Condvar, Mutex, MutexGuard};
use tracing_subscriber::fmt::MakeWriter;

/// Most bytes of waiting lines: some 13,000 lines of requests.
const BYTES_MAX: usize = 4 << 20;
/// Memory that a line takes besides its text.
const LINE_OVERHEAD: usize = 32;
/// How long lines are gathered before they are written together. With a line at a time, the writer
/// and the requests would alternate on the processor, which costs a quarter of the throughput.
const GATHERED_FOR: Duration = Duration::from_millis(5);
/// Most lines that are written together: as many as the system takes in one call.
const TOGETHER: usize = 1024;
/// How long a flush waits for the reader of the log.
const FLUSH_MAX: Duration = Duration::from_secs(1);

/// The queue; clones share it.
#[derive(Clone, Default)]
pub(super) struct Queue(Arc<Shared>);

#[derive(Default)]
struct Shared {
    waiting: Mutex<Waiting>,
    /// Notified when a line waits and none did before, or when a flush waits.
    pushed: Condvar,
    /// Notified when a line is done while a flush waits.
    done: Condvar,
    dropped: Arc<AtomicU64>,
}

#[derive(Default)]
struct Waiting {
    lines: VecDeque<Vec<u8>>,
    bytes: usize,
    /// How many lines were ever accepted, and how many of them have been written or dropped.
    pushed: u64,
    done: u64,
    /// How many flushes wait.
    flushes: usize,
}

impl Waiting {
    fn take(&mut self) -> Option<Vec<u8>> {
        let line = self.lines.pop_front()?;
        self.bytes -= weight(&line);
        Some(line)
    }
}

impl Queue {
    /// Starts writing lines to `out`. `report` makes the line that says how many were dropped.
    pub(super) fn start(
        out: impl Write + Send + 'static,
        report: impl Fn(u64) -> Vec<u8> + Send + 'static,
    ) -> io::Result<Self> {
        let queue = Self::default();
        let writing = queue.clone();
        let mut lines = Lines {
            out,
            is_torn: false,
        };
        let write = move || {
            let mut reported = 0;
            loop {
                writing.write_waiting(&mut lines, &mut reported, &report);
            }
        };
        thread::Builder::new().name("log".to_owned()).spawn(write)?;
        Ok(queue)
    }

    /// The counter of dropped lines.
    pub(super) fn dropped(&self) -> Arc<AtomicU64> {
        Arc::clone(&self.0.dropped)
    }

    /// Adds a line, or drops it if there is no room.
    pub(super) fn push(&self, line: &[u8]) {
        let line = line.to_vec();
        let mut waiting = self.lock();
        let bytes = waiting.bytes + weight(&line);
        if BYTES_MAX < bytes {
            self.drop_one();
            return;
        }
        waiting.bytes = bytes;
        waiting.pushed += 1;
        // The single writer waits only while there are no lines, and notifying it is a system call.
        let was_empty = waiting.lines.is_empty();
        waiting.lines.push_back(line);
        drop(waiting);
        if was_empty {
            self.0.pushed.notify_one();
        }
    }

    /// The oldest line, if there is one.
    pub(super) fn pop(&self) -> Option<Vec<u8>> {
        self.lock().take()
    }

    /// Waits for lines and returns the oldest ones, a little after the first arrives, or at once if
    /// a flush waits.
    fn wait(&self) -> Vec<Vec<u8>> {
        let pushed = &self.0.pushed;
        let mut waiting = self.lock();
        pushed.wait_while(&mut waiting, |waiting| waiting.lines.is_empty());
        let gathers = |waiting: &mut Waiting| waiting.flushes == 0;
        pushed.wait_while_for(&mut waiting, gathers, GATHERED_FOR);
        let count = waiting.lines.len().min(TOGETHER);
        (0..count).map_while(|_| waiting.take()).collect()
    }

    fn write_waiting(
        &self,
        lines: &mut Lines<impl Write>,
        reported: &mut u64,
        report: impl Fn(u64) -> Vec<u8>,
    ) {
        let taken = self.wait();
        let mut rest = &taken[..];
        while !rest.is_empty() {
            let dropped = self.0.dropped.load(Ordering::Relaxed);
            // While lines are dropped for lack of room, a report would take more of it.
            let is_report_due = *reported < dropped && self.lock().bytes < BYTES_MAX / 2;
            // The report follows the next line that can be written.
            let next = if is_report_due { &rest[..1] } else { rest };
            let written = lines.write(next);
            if written < next.len() {
                self.drop_one();
                rest = &rest[written + 1..];
                continue;
            }
            if is_report_due && lines.write(&[report(dropped - *reported)]) == 1 {
                *reported = dropped;
            }
            rest = &rest[written..];
        }
        let mut waiting = self.lock();
        waiting.done += taken.len() as u64;
        if 0 < waiting.flushes {
            self.0.done.notify_all();
        }
    }

    /// Waits until all earlier lines are written or dropped, but at most for `longest`. Returns
    /// whether they are.
    fn flush_within(&self, longest: Duration) -> bool {
        let mut waiting = self.lock();
        let pushed = waiting.pushed;
        waiting.flushes += 1;
        self.0.pushed.notify_one();
        let is_left = |waiting: &mut Waiting| waiting.done < pushed;
        let done = &self.0.done;
        let timeout = done.wait_while_for(&mut waiting, is_left, longest);
        waiting.flushes -= 1;
        !timeout.timed_out()
    }

    fn drop_one(&self) {
        self.0.dropped.fetch_add(1, Ordering::Relaxed);
    }

    fn lock(&self) -> MutexGuard<'_, Waiting> {
        // The waiting lines are consistent at every moment, so the log continues after a panic.
        self.0.waiting.lock()
    }
}

fn weight(line: &[u8]) -> usize {
    line.len() + LINE_OVERHEAD
}

impl Write for &Queue {
    fn write(&mut self, line: &[u8]) -> io::Result<usize> {
        self.push(line);
        Ok(line.len())
    }

    /// Waits for the reader of the log, but only briefly. The caller continues in any case.
    fn flush(&mut self) -> io::Result<()> {
        self.flush_within(FLUSH_MAX);
        Ok(())
    }
}

impl Write for Queue {
    fn write(&mut self, line: &[u8]) -> io::Result<usize> {
        (&*self).write(line)
    }

    fn flush(&mut self) -> io::Result<()> {
        (&*self).flush()
    }
}

impl<'a> MakeWriter<'a> for Queue {
    type Writer = &'a Self;

    fn make_writer(&'a self) -> &'a Self {
        self
    }
}

/// Writes whole lines, and ends a line that was written only in part.
struct Lines<W> {
    out: W,
    /// Whether the last line was written only in part, for example on a full disk.
    is_torn: bool,
}

impl<W: Write> Lines<W> {
    /// Writes lines until one fails, and returns how many were written.
    fn write(&mut self, lines: &[Vec<u8>]) -> usize {
        if self.is_torn && self.write_part(b"\n") < 1 {
            return 0;
        }
        let (mut written, mut of_next) = (0, 0);
        while written < lines.len() {
            let mut slices: Vec<_> = lines[written..]
                .iter()
                .map(|line| IoSlice::new(line))
                .collect();
            slices[0].advance(of_next);
            match self.out.write_vectored(&slices) {
                Ok(0) => break,
                Ok(more) => of_next += more,
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(_) => break,
            }
            while let Some(line) = lines.get(written).filter(|line| line.len() <= of_next) {
                of_next -= line.len();
                written += 1;
            }
        }
        self.is_torn = 0 < of_next;
        written
    }

    /// Writes as many bytes as possible, and returns how many.
    fn write_part(&mut self, bytes: &[u8]) -> usize {
        let mut written = 0;
        while written < bytes.len() {
            match self.out.write(&bytes[written..]) {
                Ok(0) => break,
                Ok(more) => written += more,
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(_) => break,
            }
        }
        written
    }
}

#[cfg(test)]
mod tests;
