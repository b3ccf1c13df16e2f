//! A runtime that has all the threads it needs from start to finish.
//!
//! Tokio starts a blocking thread when there is work for one and ends it when idle; if it has none
//! and the system allows no more, it panics. A server must find that out at its start, not at a
//! request. Threads beyond those it needs start when there is work; if the system allows no more,
//! work waits for the threads that exist. Nothing here knows what the threads are for.

use std::io::{self, ErrorKind};
use std::sync::Arc;
use std::sync::mpsc::channel;
use std::thread;
use std::time::Duration;

use parking_lot::Mutex;
use tokio::runtime::{Builder, Runtime};

/// How long a thread may take to start before it counts as failed.
const BEGIN_MAX: Duration = Duration::from_secs(5);

/// How many threads may block.
#[derive(Clone, Copy, Debug)]
pub struct Blocking {
    /// Started at once, and kept.
    pub made: usize,
    /// The most there may be; once started they are kept.
    pub at_most: usize,
}

/// A runtime with all of its `workers`, which never block, and the blocking threads.
pub fn runtime(name: &str, workers: usize, blocking: Blocking) -> io::Result<Runtime> {
    rehearse(workers + 1)?;
    let runtime = Builder::new_multi_thread()
        // Otherwise Tokio reads the number from an environment variable.
        .worker_threads(workers)
        .max_blocking_threads(blocking.at_most)
        .thread_keep_alive(Duration::MAX)
        .thread_name(name)
        .enable_all()
        .build()?;
    make_blocking(&runtime, blocking.made)?;
    Ok(runtime)
}

/// Starts and ends as many threads as Tokio would panic without.
fn rehearse(threads: usize) -> io::Result<()> {
    let gate = Mutex::new(());
    thread::scope(|scope| {
        let closed = gate.lock();
        let made = (0..threads).try_for_each(|_| {
            let thread = thread::Builder::new();
            let made = thread.spawn_scoped(scope, || drop(gate.lock()));
            made.map(drop)
        });
        drop(closed);
        made
    })
}

/// Starts this many blocking threads, with work that ends for all of them together.
fn make_blocking(runtime: &Runtime, threads: usize) -> io::Result<()> {
    let gate = Arc::new(Mutex::new(()));
    let (begun, has_begun) = channel();
    let closed = gate.lock();
    for _ in 0..threads {
        let (gate, begun) = (Arc::clone(&gate), begun.clone());
        runtime.spawn_blocking(move || {
            // If nothing waits for this any more, the gate is open.
            _ = begun.send(());
            drop(gate.lock());
        });
    }
    let mut all = (0..threads).map(|_| has_begun.recv_timeout(BEGIN_MAX));
    let made = all.all(|begun| begun.is_ok());
    drop(closed);
    if made {
        Ok(())
    } else {
        let fewer = format!("the system allows fewer than {threads} threads more");
        Err(io::Error::new(ErrorKind::WouldBlock, fewer))
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Barrier;

    use super::*;

    #[test]
    fn the_threads_that_are_needed_are_there_and_stay() {
        let of_this_test = || {
            let tasks = std::fs::read_dir("/proc/self/task").unwrap();
            let names = tasks.map(|task| {
                // One that has just ended has no name.
                std::fs::read_to_string(task.unwrap().path().join("comm")).unwrap_or_default()
            });
            names.filter(|name| name == "all-there\n").count()
        };
        let blocking = Blocking {
            made: 9,
            at_most: 9,
        };
        let runtime = runtime("all-there", 2, blocking).unwrap();
        // The workers take their name when they first run.
        while of_this_test() < 11 {
            thread::yield_now();
        }
        let together = Arc::new(Barrier::new(9));
        let work = (0..9).map(|_| {
            let together = Arc::clone(&together);
            runtime.spawn_blocking(move || together.wait().is_leader())
        });
        for work in work.collect::<Vec<_>>() {
            runtime.block_on(work).unwrap();
        }
        assert_eq!(of_this_test(), 11);
    }
}
