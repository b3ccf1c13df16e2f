//! Ends a command that is interrupted: by Ctrl-C, by a service manager, or because its terminal was
//! closed. Unfinished files are removed, and one line reports the resulting state.
//!
//! The command may be waiting for a pipe or another machine, so it is not asked: a thread waits for
//! the signals and ends the process. Servers stop differently; see `stop`.

use std::fs;
use std::future::poll_fn;
use std::io::{self, Write};
use std::process;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::Poll;
use std::thread;
use std::time::Duration;

use anyhow::Context as _;
use shared::release::interruption::{self, Change};
use tokio::runtime::{self, Runtime};
use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio::time::{sleep, timeout};

use crate::terminal::progress;

/// What a shell adds to the number of a signal for the exit status.
const SIGNALLED: i32 = 128;
/// How long a further signal counts as a duplicate of the first.
const SAME_SIGNAL: Duration = Duration::from_secs(1);

/// The signals that interrupt a command.
pub struct Interrupts {
    are_heard: bool,
    /// Whether another part of the process has taken over.
    are_left: Arc<AtomicBool>,
}

impl Interrupts {
    /// The signals that this process gets.
    pub fn of_process() -> Self {
        Self {
            are_heard: true,
            are_left: Arc::default(),
        }
    }

    /// No signals, for a command that runs in process.
    pub fn none() -> Self {
        Self {
            are_heard: false,
            are_left: Arc::default(),
        }
    }

    /// Starts watching: from now on an interruption leaves nothing unfinished. Another one, a
    /// second or more later, ends the process at once.
    pub fn watch(&self) -> anyhow::Result<()> {
        if !self.are_heard {
            return Ok(());
        }
        let failed = "could not watch for signals";
        let runtime = runtime::Builder::new_current_thread().enable_all().build();
        let runtime = runtime.context(failed)?;
        let signals = signals(&runtime).context(failed)?;
        let are_left = Arc::clone(&self.are_left);
        let wait = move || runtime.block_on(wait(signals, &are_left));
        let thread = thread::Builder::new().name("signals".to_owned());
        thread.spawn(wait).context(failed)?;
        Ok(())
    }

    /// Stops handling signals here: another part of the process takes over.
    pub fn leave(&self) {
        self.are_left.store(true, Ordering::Relaxed);
    }
}

/// The signals to handle. A signal that the caller has set to be ignored, as `nohup` does, stays
/// ignored.
fn signals(runtime: &Runtime) -> io::Result<Vec<(SignalKind, Signal)>> {
    let _entered = runtime.enter();
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    [
        SignalKind::interrupt(),
        SignalKind::terminate(),
        SignalKind::hangup(),
    ]
    .into_iter()
    .filter(|kind| !is_ignored(&status, kind.as_raw_value()))
    .map(|kind| Ok((kind, signal(kind)?)))
    .collect()
}

/// Whether the mask of ignored signals in `/proc/self/status` contains this one.
fn is_ignored(status: &str, signal: i32) -> bool {
    let mask = status
        .lines()
        .find_map(|line| line.strip_prefix("SigIgn:"))
        .and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok());
    mask.is_some_and(|mask| mask >> (signal - 1) & 1 == 1)
}

async fn wait(mut signals: Vec<(SignalKind, Signal)>, are_left: &AtomicBool) {
    let first = next(&mut signals).await;
    if are_left.load(Ordering::Relaxed) {
        return;
    }
    // The command may be in a step that must be completed first.
    let ending = thread::Builder::new().spawn(move || end(first));
    if ending.is_ok() {
        // A shell, `timeout` or `npm` may forward a signal that this process has already got.
        sleep(SAME_SIGNAL).await;
        while timeout(Duration::ZERO, next(&mut signals)).await.is_ok() {}
        next(&mut signals).await;
    }
    exit(first)
}

async fn next(signals: &mut [(SignalKind, Signal)]) -> SignalKind {
    poll_fn(|context| {
        for (kind, signal) in &mut *signals {
            if signal.poll_recv(context).is_ready() {
                return Poll::Ready(*kind);
            }
        }
        Poll::Pending
    })
    .await
}

fn end(signal: SignalKind) {
    let changed = interruption::end();
    progress::without_bar(|| {
        // There is nowhere left to report a failure.
        _ = writeln!(io::stderr(), "interrupted: {}", truth(changed.as_ref()));
        exit(signal)
    });
}

#[expect(
    clippy::exit,
    reason = "the command itself may wait for what never comes"
)]
fn exit(signal: SignalKind) -> ! {
    process::exit(SIGNALLED + signal.as_raw_value())
}

fn truth(changed: Option<&Change>) -> String {
    match changed {
        None => "nothing was changed".to_owned(),
        Some(Change::Sent(place)) => {
            format!("nothing was changed; what was sent to {place} stays until a prune")
        }
        Some(Change::Made(id)) => {
            format!("what is served was not changed; release {id} is made, but not active")
        }
        Some(Change::Activated(id)) => format!("release {id} is active"),
        Some(Change::Pruned) => {
            "releases were removed, but perhaps not all; prune again for the rest".to_owned()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ignored_signals_are_found_in_what_linux_says_of_a_process() {
        let status = "Name:\tcatalogue\nSigBlk:\t0000000000000001\nSigIgn:\t0000000000001001\n";
        assert!(is_ignored(status, SignalKind::hangup().as_raw_value()));
        assert!(is_ignored(status, 13));
        assert!(!is_ignored(status, SignalKind::interrupt().as_raw_value()));
        assert!(!is_ignored("", 1));
    }
}
