//! Where minute windows are: in the memory of this server, or in a Redis that servers share.
//!
//! Counting never fails: a server counts alone while Redis does not answer.

use std::time::Duration;

use shared::base::clock::Moment;
use shared::keys::key::KeyId;

use super::minute::RateLimits;
use super::redis::{ROUND_TRIPS, RedisLimits};
use super::usage::Usage;
use super::wait_budget::WaitBudget;
use crate::metrics::{Durations, Families};

/// Minute windows of all key families.
pub enum MinuteStore {
    /// In memory: only of this server, and empty when it starts.
    Memory(RateLimits),
    /// In a Redis.
    Redis(RedisLimits),
}

impl MinuteStore {
    /// Counts a request of `family`, unless `limit` of them are counted in the last 60 seconds.
    pub(crate) async fn count(
        &self,
        family: &KeyId,
        limit: u32,
        now: Moment,
        wait_budget: &mut WaitBudget<'_>,
    ) -> Result<Usage, Usage> {
        match self {
            Self::Memory(limits) => limits.count(family, limit, now),
            Self::Redis(limits) => {
                let count = |left: Duration| limits.count(family, limit, now, left);
                // Boxed, so that requests counted in memory are not larger for it.
                Box::pin(wait_budget.spend(count)).await
            }
        }
    }

    /// Whether this server counts alone because the store that it shares does not answer.
    pub(crate) fn is_alone(&self) -> bool {
        match self {
            Self::Memory(_) => false,
            Self::Redis(limits) => limits.is_alone(),
        }
    }

    /// Adds to a scrape how long counting takes where servers share a store, and whether it is used.
    pub(crate) fn collect(&self, families: &mut Families) {
        let round_trips = match self {
            Self::Memory(_) => None,
            Self::Redis(limits) => Some(limits.round_trips()),
        };
        families.histograms(
            "catalogue_minute_limit_duration_seconds",
            "How long requests waited to be counted in minute windows that servers share, in vain or \
             not; none where windows are in memory.",
            [([], Durations::sum(&ROUND_TRIPS, round_trips))],
        );
        families.gauge(
            "catalogue_minute_limits_alone",
            "1 if this server counts minute limits alone, because the Redis that servers share does \
             not answer, else 0.",
            u8::from(self.is_alone()),
        );
    }
}
