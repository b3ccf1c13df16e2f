//! Subscriptions: they own keys and the monthly quota that their keys share.

use std::fmt;
use std::str::FromStr;

use crate::keys::limits::NAME_MAX;
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
    /// When it was created.
    pub created_at: i64,
}

/// A subscription to create.
#[derive(Clone, Debug)]
pub struct NewSubscription {
    /// Its name, not yet taken.
    pub name: Name,
    /// What it pays for.
    pub plan: Plan,
    /// Requests a month.
    pub quota: u64,
}

/// Whether a name has the form reserved for deleted subscriptions.
pub fn is_name_of_deleted(name: &Name) -> bool {
    let number = name
        .as_str()
        .strip_suffix(')')
        .and_then(|name| name.rsplit_once(" (deleted "));
    number.is_some_and(|(_name, number)| {
        !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit())
    })
}

impl Subscription {
    /// The same as it is kept after deletion: inactive, under a unique name, so that its own is
    /// free again and its log still has a name. Programs that know nothing of deletion read it like
    /// any other.
    #[must_use]
    pub fn deleted(&self) -> Self {
        let mark = self.mark();
        let room = NAME_MAX - mark.chars().count();
        let beginning: String = self.name.as_str().chars().take(room).collect();
        let name = format!("{}{mark}", beginning.trim_end());
        Self {
            name: Name::parse(&name)
                .unwrap_or_else(|error| unreachable!("{name:?} {error}, unlike its beginning")),
            status: SubscriptionStatus::Inactive,
            ..self.clone()
        }
    }

    /// Whether it is deleted.
    pub fn is_deleted(&self) -> bool {
        self.status == SubscriptionStatus::Inactive && self.name.as_str().ends_with(&self.mark())
    }

    /// How its name ends once it is deleted.
    fn mark(&self) -> String {
        format!(" (deleted {})", self.id.0)
    }

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
    /// They are refused like disabled ones, and no key is issued.
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

#[cfg(test)]
mod tests {
    use super::*;

    fn subscription(name: &str, id: i64) -> Subscription {
        Subscription {
            id: SubscriptionId(id),
            name: Name::parse(name).unwrap(),
            plan: Plan::Pro,
            status: SubscriptionStatus::Active,
            quota: 5,
            started_at: 1,
            created_at: 1,
        }
    }

    #[test]
    fn a_deleted_subscription_has_a_name_of_its_own_however_long_the_former() {
        let longest = "é".repeat(NAME_MAX);
        let blank_at_the_cut = format!("{} {}", "a".repeat(67), "b".repeat(12));
        for (name, id) in [
            ("Acme", 7),
            (&*longest, 1),
            (&*blank_at_the_cut, 7),
            (&*longest, i64::MAX),
        ] {
            let one = subscription(name, id);
            let deleted = one.deleted();
            assert!(!one.is_deleted() && deleted.is_deleted());
            assert!(is_name_of_deleted(&deleted.name), "{}", deleted.name);
            assert_ne!(deleted.name, subscription(name, id - 1).deleted().name);
        }
        let deleted = subscription("Acme", 7).deleted();
        assert_eq!(deleted.name.as_str(), "Acme (deleted 7)");
    }

    #[test]
    fn no_other_name_looks_like_one_of_a_deleted_subscription() {
        for name in [
            "Acme",
            "deleted 7",
            "(deleted 7)",
            "Acme (deleted )",
            "Acme (deleted x)",
        ] {
            assert!(!is_name_of_deleted(&Name::parse(name).unwrap()), "{name}");
        }
        let of_another = subscription("Acme (deleted 8)", 7);
        assert!(!of_another.is_deleted());
    }
}
