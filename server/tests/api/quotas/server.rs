//! A running server, as far as quotas go, over a ledger in memory.

use std::sync::{Arc, Mutex};

use server::limits::{LeaseSize, Quotas};

use super::ledger::{Access, Durable, Units, of};

/// A running server, and what it answered since it started.
pub(super) struct Server {
    pub(super) access: Arc<Access>,
    pub(super) quotas: Quotas,
    pub(super) answered: Units,
    /// Leases and returns that failed.
    pub(super) faults: u64,
}

impl Server {
    pub(super) fn new(durable: &Arc<Mutex<Durable>>, size: LeaseSize) -> Self {
        let access = Access::new(durable);
        Self {
            quotas: access.quotas(size),
            access,
            answered: Units::new(),
            faults: 0,
        }
    }

    /// Waits for a lease ahead, which nobody else waits for.
    pub(super) async fn be_at_rest(&self) {
        // It is over when its thread has let go of the ledger.
        while Arc::strong_count(&self.access) != 2 {
            tokio::task::yield_now().await;
        }
    }

    /// Units of each period that the server took from the ledger and did not answer with. That
    /// there are more answers than units is what must never be.
    pub(super) fn held(&self) -> Units {
        let taken = &self.access.seen().taken;
        for (end, answered) in &self.answered {
            assert!(
                *answered <= of(taken, *end),
                "the ledger is below the answers"
            );
        }
        let held = taken
            .iter()
            .map(|(&end, taken)| (end, taken - of(&self.answered, end)));
        held.collect()
    }
}
