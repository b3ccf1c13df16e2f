//! A server's knowledge of one subscription's quota: a pure state machine, driven by requests and
//! leases.
//!
//! A unit is one request that may be charged. Units are leased from the ledger, which counts them
//! as spent at once, and charged from the lease. So a crash can lose units but never hand one out
//! twice. A check leases nothing: it uses the ledger's last reply. An account belongs to one
//! period; the caller chooses the account of a request.

use std::time::Duration;

use shared::base::clock::Moment;
use shared::keys::ledger::Lease;
use shared::keys::quota::Period;

use super::usage::{NANOS_PER_SECOND, Usage};

/// How long the ledger's last reply is trusted.
const BELIEVED_FOR: Duration = Duration::from_secs(1);
/// How long leased units may stay unused before they are given back.
const IDLE_MAX: Duration = Duration::from_secs(1);

/// Pause between two leases ahead, so that a failing ledger is not asked at every request.
const AHEAD_PAUSE: Duration = Duration::from_millis(100);

/// How many units a lease asks for: few enough that a crash loses little and the last unit is
/// exact, many enough that the ledger is rarely asked.
#[derive(Clone, Copy, Debug)]
pub struct LeaseSize {
    /// A lease takes at most one in `share` of the units left; above 0.
    pub share: u64,
    /// Most units of a lease; above 0. Half a lease is charged before the next one is asked for
    /// ahead; the other half bridges a disk that is busy for a tenth of a second at 80,000 requests
    /// a second, or for seconds at the rates of one subscription.
    pub max: u64,
    /// Smallest lease requested ahead: if units are few, they are for requests that need one now.
    pub ahead_min: u64,
}

impl Default for LeaseSize {
    fn default() -> Self {
        Self {
            share: 256,
            max: 16_384,
            ahead_min: 64,
        }
    }
}

impl LeaseSize {
    fn of(self, left: u64) -> u64 {
        (left / self.share.max(1)).min(self.max).max(1)
    }
}

/// What a request wants of a unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Demand {
    /// To know that there is one.
    Check,
    /// To take one.
    Charge,
}

/// The account's decision on a request.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Verdict {
    /// There is a unit; it is taken if the request wants it.
    Granted(Usage),
    /// The quota of the period is used up.
    Exceeded(Usage),
    /// First lease this many units.
    Lease(u64),
    /// First ask the ledger how many units are charged.
    Ask,
}

/// One period of one subscription.
#[derive(Debug)]
pub(super) struct Account {
    pub(super) period: Period,
    /// The ledger's last reply, if any.
    reply: Option<LedgerReply>,
    /// Units leased here and not yet charged.
    unused: u64,
    /// Since when no unit was leased or charged, as first noticed by `take_idle`.
    idle_since: Option<Duration>,
    /// When the ledger last had nothing left, and for which quota.
    exhausted: Option<Exhausted>,
    /// When a lease was last requested ahead.
    ahead_at: Option<Duration>,
}

#[derive(Clone, Copy, Debug)]
struct LedgerReply {
    /// Units of the period leased by all servers, including this one.
    charged: u64,
    at: Duration,
}

#[derive(Clone, Copy, Debug)]
struct Exhausted {
    at: Duration,
    quota: u64,
}

impl Account {
    /// An empty account.
    pub(super) fn new(period: Period) -> Self {
        Self {
            period,
            reply: None,
            unused: 0,
            idle_since: None,
            exhausted: None,
            ahead_at: None,
        }
    }

    /// Answers one request.
    pub(super) fn decide(
        &mut self,
        demand: Demand,
        quota: u64,
        size: LeaseSize,
        now: Moment,
    ) -> Verdict {
        let is_within_quota = self.spent() < quota;
        if 0 < self.unused && is_within_quota {
            if demand == Demand::Charge {
                self.unused -= 1;
                self.idle_since = None;
            }
            return Verdict::Granted(self.usage(quota, now));
        }
        // Units that a lowered quota no longer covers stay here; leasing more would not help.
        if 0 < self.unused || self.is_exhausted(quota, now) {
            let usage = self.usage(quota, now);
            return Verdict::Exceeded(Usage {
                remaining: 0,
                ..usage
            });
        }
        match demand {
            Demand::Charge => Verdict::Lease(self.wanted(quota, size)),
            Demand::Check => match self.believed(now) {
                None => Verdict::Ask,
                Some(charged) if charged < quota => Verdict::Granted(self.usage(quota, now)),
                Some(_) => Verdict::Exceeded(self.usage(quota, now)),
            },
        }
    }

    /// How many units to lease ahead after a charge, so that requests need not wait for the ledger,
    /// which commits to a disk that may be busy.
    pub(super) fn ahead(&mut self, quota: u64, size: LeaseSize, now: Moment) -> Option<u64> {
        let wanted = self.wanted(quota, size);
        if wanted < size.ahead_min || wanted / 2 <= self.unused {
            return None;
        }
        let now = now.monotonic;
        let is_due = |at| AHEAD_PAUSE <= now.saturating_sub(at);
        if !self.ahead_at.is_none_or(is_due) {
            return None;
        }
        self.ahead_at = Some(now);
        Some(wanted)
    }

    /// Records what the ledger granted, asked at `now`.
    pub(super) fn receive(&mut self, lease: Lease, quota: u64, now: Moment) {
        self.learn(lease.charged, now);
        self.unused += lease.granted;
        self.idle_since = None;
        let is_empty = lease.granted == 0;
        self.exhausted = is_empty.then_some(Exhausted {
            at: now.monotonic,
            quota,
        });
    }

    /// Records what the ledger replied, asked at `now`.
    pub(super) fn learn(&mut self, charged: u64, now: Moment) {
        let at = now.monotonic;
        self.reply = Some(LedgerReply { charged, at });
    }

    /// Takes out the unused units, to give them back.
    pub(super) fn take_unused(&mut self) -> Option<u64> {
        let unused = std::mem::take(&mut self.unused);
        self.idle_since = None;
        if let Some(reply) = &mut self.reply {
            reply.charged = reply.charged.saturating_sub(unused);
        }
        (unused != 0).then_some(unused)
    }

    /// Takes out units that were idle for a while. The time starts when this is first called after
    /// a charge, since a request may carry a moment long past.
    pub(super) fn take_idle(&mut self, now: Moment) -> Option<u64> {
        if self.unused == 0 {
            return None;
        }
        let since = *self.idle_since.get_or_insert(now.monotonic);
        let is_idle = IDLE_MAX <= now.monotonic.saturating_sub(since);
        is_idle.then(|| self.take_unused()).flatten()
    }

    /// Puts back units that could not be given back.
    pub(super) fn put_back(&mut self, units: u64) {
        self.unused += units;
        if let Some(reply) = &mut self.reply {
            reply.charged += units;
        }
    }

    fn wanted(&self, quota: u64, size: LeaseSize) -> u64 {
        let left = |reply: LedgerReply| quota.saturating_sub(reply.charged);
        self.reply.map_or(1, |reply| size.of(left(reply)))
    }

    fn believed(&self, now: Moment) -> Option<u64> {
        let reply = self.reply?;
        let age = now.monotonic.saturating_sub(reply.at);
        (age < BELIEVED_FOR).then_some(reply.charged)
    }

    /// Units leased here and not yet charged.
    pub(super) const fn unused(&self) -> u64 {
        self.unused
    }

    /// Units charged by this server or leased by others.
    fn spent(&self) -> u64 {
        self.reply
            .map_or(0, |reply| reply.charged.saturating_sub(self.unused))
    }

    fn is_exhausted(&self, quota: u64, now: Moment) -> bool {
        self.exhausted.is_some_and(|exhausted| {
            let age = now.monotonic.saturating_sub(exhausted.at);
            exhausted.quota == quota && age < BELIEVED_FOR
        })
    }

    /// What remains is what the ledger had left, plus the units here. It grows only when other
    /// servers give back units or the quota is raised.
    fn usage(&self, quota: u64, now: Moment) -> Usage {
        Usage::new(
            quota,
            quota.saturating_sub(self.spent()),
            self.period.end.saturating_mul(NANOS_PER_SECOND),
            now,
        )
    }
}

#[cfg(test)]
mod tests;
