//! A thread that does something periodically until it is stopped, and at once when it is woken.
//!
//! It is a thread, not an asynchronous task, because what it does may block, and because a busy
//! runtime must not delay it. Nothing here knows what is done.

use std::io;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread::JoinHandle;
use std::time::Duration;

/// A running repetition. Dropping it stops the thread and waits for it.
#[derive(Debug)]
pub struct PeriodicTask {
    name: &'static str,
    messages: Sender<Message>,
    thread: Option<JoinHandle<()>>,
}

/// A message to a repetition.
#[derive(Debug, PartialEq, Eq)]
enum Message {
    /// Do it now.
    Wake,
    /// Stop.
    Stop,
}

/// Wakes a repetition, also one that has not started yet.
#[derive(Clone, Debug)]
pub(crate) struct Waker(Sender<Message>);

/// A repetition that can be woken before it begins.
#[derive(Debug)]
pub(crate) struct Wakeable {
    messages: Sender<Message>,
    received: Receiver<Message>,
}

/// Starts to do `act`, at once and then with a pause of `interval` after each time, on a thread
/// called `name`.
pub(crate) fn repeat(
    name: &'static str,
    interval: Duration,
    act: impl FnMut() + Send + 'static,
) -> io::Result<PeriodicTask> {
    Wakeable::new().repeat(name, interval, act)
}

impl Waker {
    /// Ends the current pause. Several wakes during one run cause one more.
    pub(crate) fn wake(&self) {
        // One that has ended cannot be woken.
        _ = self.0.send(Message::Wake);
    }
}

impl Wakeable {
    /// A repetition that has not started.
    pub(crate) fn new() -> Self {
        let (messages, received) = channel();
        Self { messages, received }
    }

    /// What wakes it.
    pub(crate) fn waker(&self) -> Waker {
        Waker(self.messages.clone())
    }

    /// Starts to do `act`, as [`repeat`] does.
    pub(crate) fn repeat(
        self,
        name: &'static str,
        interval: Duration,
        mut act: impl FnMut() + Send + 'static,
    ) -> io::Result<PeriodicTask> {
        let Self { messages, received } = self;
        let repetition = move || {
            loop {
                act();
                let first = received.recv_timeout(interval);
                let is_stopped = first == Err(RecvTimeoutError::Disconnected);
                if is_stopped
                    || first
                        .into_iter()
                        .chain(received.try_iter())
                        .any(|message| message == Message::Stop)
                {
                    return;
                }
            }
        };
        let thread = std::thread::Builder::new()
            .name(name.to_owned())
            .spawn(repetition)?;
        Ok(PeriodicTask {
            name,
            messages,
            thread: Some(thread),
        })
    }
}

impl Drop for PeriodicTask {
    fn drop(&mut self) {
        // A thread that has ended receives nothing, and need not.
        _ = self.messages.send(Message::Stop);
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

    #[test]
    fn a_repetition_that_is_woken_does_not_wait_for_its_time() {
        let (done, counted) = channel();
        let wakeable = Wakeable::new();
        let waker = wakeable.waker();
        // Longer than any test runs.
        let repeating = wakeable.repeat("test", Duration::from_hours(24), move || {
            done.send(()).unwrap();
        });
        for _ in 0..3 {
            counted.recv().unwrap();
            waker.wake();
        }
        drop(repeating.unwrap());
        waker.wake();
        for () in counted {}
    }
}
