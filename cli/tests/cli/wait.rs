//! Waits for what another process or thread brings about.
//!
//! A test looks until it is there, however long that takes under load, and fails with the name of
//! what it waited for. It must not sleep for a time after which something "will have" happened.

use std::thread;
use std::time::Duration;

use shared::base::clock::{Clock as _, SystemClock};

/// How long an effect may take before it counts as missing: far longer than any load explains.
const PATIENCE: Duration = Duration::from_mins(2);
/// Between two looks. So few looks, each with a new connection, leave most ports free.
const PAUSE: Duration = Duration::from_millis(10);

/// The first value that `look` finds. It looks once more after the last moment, in case the machine
/// stalled until then.
#[track_caller]
pub(crate) fn wait_for<T>(what: &str, mut look: impl FnMut() -> Option<T>) -> T {
    let clock = SystemClock::new();
    let until = clock.monotonic() + PATIENCE;
    loop {
        let is_last = until < clock.monotonic();
        if let Some(found) = look() {
            return found;
        }
        assert!(!is_last, "waited two minutes in vain for {what}");
        thread::sleep(PAUSE);
    }
}

/// Returns as soon as a condition holds.
#[track_caller]
pub(crate) fn wait_until(what: &str, mut is_so: impl FnMut() -> bool) {
    wait_for(what, || is_so().then_some(()));
}
