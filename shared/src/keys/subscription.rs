//! Subscriptions: they own keys and the monthly quota that their keys share.

use std::fmt;
use std::str::FromStr;

use crate::keys::name::Name;
use crate::keys::quota::Period;

/// Number of a subscription in its store.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct SubscriptionId(pub i64);

/// One subscription.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Subscription {
    /// Its number.
    pub id: SubscriptionId,
    /// Its name, unique in a store.
    pub name: Name,
    /// What it pays for.
    pub plan: Plan,
    /// Whether its keys work.
    pub status: SubscriptionStatus,
    /// Requests a month, shared by all its keys.
    pub quota: u64,
    /// When it started: its day of the month is the day of renewal.
    pub started_at: i64,
    /// When it was entered.
    pub created_at: i64,
}

/// What a new subscription is to be.
#[derive(Clone, Debug)]
pub struct NewSubscription {
    /// Its name, not yet taken.
    pub name: Name,
    /// What it pays for.
    pub plan: Plan,
    /// Requests a month.
    pub quota: u64,
}

impl Subscription {
    /// The period of its quota that contains `now`.
    pub fn period(&self, now: i64) -> Period {
        Period::containing(self.started_at, now)
    }
}

/// What a subscription pays for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Plan {
    /// The only plan (specification section 5.4).
    Pro,
}

/// Whether the keys of a subscription work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SubscriptionStatus {
    /// They do.
    Active,
    /// They are refused as disabled ones are, and no key is issued.
    Inactive,
}

/// A text that names no plan.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("must be pro")]
pub struct UnknownPlan;

/// A text that names no status.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("must be active or inactive")]
pub struct UnknownStatus;

impl Plan {
    /// All of them.
    pub const ALL: [Self; 1] = [Self::Pro];

    /// The name.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Pro => "pro",
        }
    }
}

impl SubscriptionStatus {
    /// All of them.
    pub const ALL: [Self; 2] = [Self::Active, Self::Inactive];

    /// The name.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Active => "active",
            Self::Inactive => "inactive",
        }
    }
}

impl fmt::Display for Plan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

impl fmt::Display for SubscriptionStatus {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

impl FromStr for Plan {
    type Err = UnknownPlan;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Self::ALL
            .into_iter()
            .find(|plan| plan.as_str() == text)
            .ok_or(UnknownPlan)
    }
}

impl FromStr for SubscriptionStatus {
    type Err = UnknownStatus;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Self::ALL
            .into_iter()
            .find(|status| status.as_str() == text)
            .ok_or(UnknownStatus)
    }
}
