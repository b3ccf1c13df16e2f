//! A thread that does something periodically until it is stopped.
//!
//! It is a thread, not an asynchronous task, because what it does may block, and because a busy
//! runtime must not delay it. Nothing here knows what is done.

use std::io;
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::thread::JoinHandle;
use std::time::Duration;

/// A running repetition. Dropping it stops the thread and waits for it.
#[derive(Debug)]
pub struct PeriodicTask {
    name: &'static str,
    /// Dropped to stop the thread.
    running: Option<Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

/// Starts to do `act`, at once and then with a pause of `interval` after each time, on a thread
/// called `name`.
pub(crate) fn repeat(
    name: &'static str,
    interval: Duration,
    mut act: impl FnMut() + Send + 'static,
) -> io::Result<PeriodicTask> {
    let (running, stopped) = channel();
    let repetition = move || {
        loop {
            act();
            if stopped.recv_timeout(interval) == Err(RecvTimeoutError::Disconnected) {
                return;
            }
        }
    };
    let thread = std::thread::Builder::new()
        .name(name.to_owned())
        .spawn(repetition)?;
    Ok(PeriodicTask {
        name,
        running: Some(running),
        thread: Some(thread),
    })
}

impl Drop for PeriodicTask {
    fn drop(&mut self) {
        drop(self.running.take());
        let ended = self.thread.take().map(JoinHandle::join);
        if ended.is_some_and(|ended| ended.is_err()) {
            tracing::error!("the thread {} had panicked", self.name);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_act_is_repeated_until_the_repetition_is_dropped() {
        let (done, counted) = channel();
        let repeating = repeat("test", Duration::from_millis(1), move || {
            done.send(()).unwrap();
        });
        for _ in 0..3 {
            counted.recv().unwrap();
        }
        drop(repeating.unwrap());
        // This ends only because the thread, and with it the sender, is gone.
        for () in counted {}
    }
}
