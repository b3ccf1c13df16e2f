//! How long whoever asks waits for the store, by what for.

use std::time::Duration;

/// How long one step on a connection may take: to connect, or to get the answer to one statement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Patience(pub(super) Duration);

impl Patience {
    /// Of a command.
    pub(super) const OF_COMMANDS: Self = Self(Duration::from_secs(5));
    /// Of a copy and of steps from one version to the next, which work on all rows at once.
    pub(super) const OF_ALL_ROWS: Self = Self(Duration::from_mins(10));
    /// Of whoever only looks how the store is.
    pub(super) const OF_LOOKS: Self = Self(Duration::from_secs(2));
    /// Of the ledger: requests wait with it.
    pub(super) const OF_LEASES: Self = Self(Duration::from_millis(250));
    /// Of a server that asks for changes: several fit into the second for which it may trust its
    /// last answer.
    pub(super) const OF_POLLS: Self = Self(Duration::from_millis(250));
    /// Of a server that reads all keys anew. What took longer would confirm nothing any more.
    pub(super) const OF_SNAPSHOTS: Self = Self(Duration::from_secs(1));
    /// Of last uses, for which nobody waits.
    pub(super) const OF_USES: Self = Self(Duration::from_secs(2));

    /// How long the store itself works on a statement before it gives up: a little less, so that
    /// one that waits for a lock ends with a word that nothing was done, and none goes on after
    /// whoever asked is gone.
    pub(super) fn of_statements(self) -> Duration {
        self.0 * 4 / 5
    }

    /// How long each address of `hosts` may take to accept a connection, so that one that swallows
    /// everything leaves time for the next. A name may stand for two addresses.
    pub(super) fn of_each_address(self, hosts: usize) -> Duration {
        self.0 / (2 * u32::try_from(hosts).unwrap_or(u32::MAX / 2).max(1))
    }
}
