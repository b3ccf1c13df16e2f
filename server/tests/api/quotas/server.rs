//! The quota part of a running server, with a ledger in memory.

use std::sync::{Arc, Mutex};

use server::limits::{LeaseSize, Quotas};

use super::ledger::{Access, Durable, Units, of};
use crate::wire::in_time;

/// A running server, and the units that it has charged since its start.
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

    /// Waits for a lease that is taken ahead of need, which no request waits for.
    pub(super) async fn be_at_rest(&self) {
        // It has finished once its thread has dropped the ledger.
        let is_at_rest = async {
            while Arc::strong_count(&self.access) != 2 {
                tokio::task::yield_now().await;
            }
        };
        in_time("the end of a lease", is_at_rest).await;
    }

    /// Units of each period that the server took from the ledger and has not charged. It must never
    /// have charged more than it took.
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
