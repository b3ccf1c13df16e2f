//! How long to wait for the lock of another connection, and how.
//!
//! SQLite's own waiting sleeps up to a tenth of a second between two attempts, and so misses the
//! short gaps that busy writers leave. This one tries again every millisecond.

use std::thread;
use std::time::Duration;

use rusqlite::Connection;

const PAUSE: Duration = Duration::from_millis(1);

/// How long a connection waits for a lock.
#[derive(Clone, Copy, Debug)]
pub(super) struct Patience(fn(attempts: i32) -> bool);

impl Patience {
    /// Of a command, which waits for others to finish what they read or change: five seconds.
    pub(super) const OF_COMMANDS: Self = Self(wait::<5_000>);
    /// Of whoever only looks how the store is: one second.
    pub(super) const OF_LOOKS: Self = Self(wait::<1_000>);
    /// Of the ledger. Requests wait with it, not quite as long: so what is leased at the last
    /// moment is there for the next.
    pub(super) const OF_LEASES: Self = Self(wait::<450>);
    /// Of a server that asks for changes: several such waits fit into the second for which it may
    /// trust its last answer, and those who write for somebody are more patient. Of last uses too,
    /// for which nobody waits.
    pub(super) const OF_POLLS: Self = Self(wait::<250>);

    /// Makes `connection` wait so long.
    pub(super) fn give(self, connection: &mut Connection) -> rusqlite::Result<()> {
        connection.busy_handler(Some(self.0))
    }
}

fn wait<const ATTEMPTS_MAX: i32>(attempts: i32) -> bool {
    let tries_again = attempts < ATTEMPTS_MAX;
    if tries_again {
        thread::sleep(PAUSE);
    }
    tries_again
}
