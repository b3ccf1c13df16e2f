//! What a server knows of one subscription's quota: a pure state, changed by requests and leases.
//!
//! A unit is one request that may be charged. Units are leased from the ledger, which counts them
//! as spent at once, and charged from the lease; so a crash can lose units but never hand one out
//! twice. The account moves to later periods only: a wall clock that jumps back reopens nothing.

use std::time::Duration;

use shared::clock::Moment;
use shared::keys::ledger::Lease;
use shared::keys::quota::Period;
use shared::keys::subscription::Subscription;

use super::{NANOS_PER_SECOND, Usage};

/// How long an exhausted quota is believed before the ledger is asked again.
const EXHAUSTED_FOR: Duration = Duration::from_secs(1);

/// How many units a lease asks for: few enough that a crash loses little and the last unit is
/// exact, many enough that the ledger is seldom asked.
#[derive(Clone, Copy, Debug)]
pub struct LeaseSize {
    /// A lease takes at most one in so many of the units left; above 0.
    pub share: u64,
    /// Most units of a lease; above 0.
    pub max: u64,
}

impl Default for LeaseSize {
    fn default() -> Self {
        Self {
            share: 256,
            max: 4096,
        }
    }
}

impl LeaseSize {
    fn of(self, left: u64) -> u64 {
        (left / self.share.max(1)).min(self.max).max(1)
    }
}

/// What a request does with a unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Demand {
    /// Wants to know that there is one.
    Check,
    /// Takes one.
    Charge,
}

/// What the account says to a request.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Verdict {
    /// There is a unit; where one was demanded it is taken.
    Granted(Usage),
    /// The quota of the period is used up.
    Exceeded(Usage),
    /// The ledger has to be asked for this many units first.
    Lease(Period, u64),
}

/// One period of one subscription.
#[derive(Debug)]
pub(super) struct Account {
    period: Period,
    /// Units of the period that are leased by anybody, by the ledger's last word; unknown before.
    charged: Option<u64>,
    /// Units leased here and not yet charged.
    unused: u64,
    /// The most that was ever shown as spent, so that what remains never seems to grow.
    shown_spent: u64,
    /// When the ledger last had nothing left, and for which quota.
    exhausted: Option<Exhausted>,
}

#[derive(Clone, Copy, Debug)]
struct Exhausted {
    at: Duration,
    quota: u64,
}

impl Account {
    /// An account that knows nothing yet.
    pub(super) fn new(period: Period) -> Self {
        Self {
            period,
            charged: None,
            unused: 0,
            shown_spent: 0,
            exhausted: None,
        }
    }

    /// Answers one request.
    pub(super) fn decide(
        &mut self,
        demand: Demand,
        subscription: &Subscription,
        size: LeaseSize,
        now: Moment,
    ) -> Verdict {
        self.renew(subscription, now);
        let quota = subscription.quota;
        let is_within_quota = self.spent() < quota;
        if 0 < self.unused && is_within_quota {
            if demand == Demand::Charge {
                self.unused -= 1;
            }
            return Verdict::Granted(self.usage(quota, now));
        }
        // Units that a lowered quota no longer covers stay here; more of them would not help.
        if 0 < self.unused || self.is_exhausted(quota, now) {
            let usage = self.usage(quota, now);
            return Verdict::Exceeded(Usage {
                remaining: 0,
                ..usage
            });
        }
        let wanted = self
            .charged
            .map_or(1, |charged| size.of(quota.saturating_sub(charged)));
        Verdict::Lease(self.period, wanted)
    }

    /// Takes in what the ledger granted for `period` at the request of `now`. Units of an earlier
    /// period are worth nothing any more.
    pub(super) fn receive(&mut self, period: Period, lease: Lease, quota: u64, now: Moment) {
        if period != self.period {
            return;
        }
        self.charged = Some(lease.charged);
        self.unused += lease.granted;
        let is_empty = lease.granted == 0;
        self.exhausted = is_empty.then_some(Exhausted {
            at: now.monotonic,
            quota,
        });
    }

    /// Takes out the units that were not charged, to be given back.
    pub(super) fn take_unused(&mut self) -> Option<(Period, u64)> {
        let unused = std::mem::take(&mut self.unused);
        self.charged = self.charged.map(|charged| charged.saturating_sub(unused));
        (unused != 0).then_some((self.period, unused))
    }

    fn renew(&mut self, subscription: &Subscription, now: Moment) {
        if now.unix_seconds() < self.period.end {
            return;
        }
        *self = Self::new(subscription.period(now.unix_seconds()));
    }

    /// Units charged by this server or leased by others.
    fn spent(&self) -> u64 {
        self.charged.unwrap_or(0).saturating_sub(self.unused)
    }

    fn is_exhausted(&self, quota: u64, now: Moment) -> bool {
        self.exhausted.is_some_and(|exhausted| {
            let age = now.monotonic.saturating_sub(exhausted.at);
            exhausted.quota == quota && age < EXHAUSTED_FOR
        })
    }

    fn usage(&mut self, quota: u64, now: Moment) -> Usage {
        self.shown_spent = self.shown_spent.max(self.spent());
        let remaining = quota.saturating_sub(self.shown_spent);
        Usage::new(
            quota,
            remaining,
            self.period.end.saturating_mul(NANOS_PER_SECOND),
            now,
        )
    }
}

#[cfg(test)]
mod tests;
