//! The part of the keyring of `server` in which threads meet.

#[rustfmt::skip]
#[path = "../../src/keyring/confirmed.rs"]
mod confirmed;

use std::sync::Arc;
use std::time::Duration;

/// A value that is confirmed now and then.
#[derive(Default)]
pub struct Confirmed<T>(confirmed::Confirmed<T>);

impl<T> Confirmed<T> {
    /// As a refresh does it: first the value, then when it was true.
    pub fn refresh(&self, value: T, time: Duration) {
        self.0.replace(Some(Arc::new(value)));
        if self.0.is_there() {
            self.0.confirm(time);
        }
    }

    /// The time of the last refresh.
    pub fn confirmed_at(&self) -> Option<Duration> {
        self.0.confirmed_at()
    }

    /// What `look` says of a value that is young enough.
    pub fn read<R>(&self, age: Duration, now: Duration, look: impl FnOnce(&T) -> R) -> Option<R> {
        self.0.read(age, now, look)
    }
}
