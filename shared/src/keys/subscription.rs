//! Subscriptions: they own keys and the monthly quota that their keys share.

use crate::keys::limits::NAME_MAX;
use crate::keys::name::Name;
use crate::keys::named::named;
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
    /// Whether its keys work.
    pub status: SubscriptionStatus,
    /// Requests a month, shared by all its keys.
    pub quota: u64,
    /// When it started: its day of the month is the day of renewal.
    pub started_at: i64,
    /// When it was created.
    pub created_at: i64,
    /// When it was deleted, if it is.
    pub deleted_at: Option<i64>,
}

/// A subscription to create.
#[derive(Clone, Debug)]
pub struct NewSubscription {
    /// Its name, not yet taken.
    pub name: Name,
    /// Requests a month.
    pub quota: u64,
}

impl Subscription {
    /// The same as it is kept after deletion: inactive, and under another name, so that its own is
    /// free again and its log still has one.
    #[must_use]
    pub fn deleted(&self, now: i64) -> Self {
        let mark = format!(" (deleted {})", self.id.0);
        let room = NAME_MAX - mark.chars().count();
        let beginning: String = self.name.as_str().chars().take(room).collect();
        let name = format!("{}{mark}", beginning.trim_end());
        Self {
            name: Name::parse(&name)
                .unwrap_or_else(|error| unreachable!("{name:?} {error}, unlike its beginning")),
            status: SubscriptionStatus::Inactive,
            deleted_at: Some(now),
            ..self.clone()
        }
    }

    /// Whether it is deleted.
    pub fn is_deleted(&self) -> bool {
        self.deleted_at.is_some()
    }

    /// The period of its quota that contains `now`.
    pub fn period(&self, now: i64) -> Period {
        Period::containing(self.started_at, now)
    }
}

named! {
    /// Whether the keys of a subscription work.
    pub enum SubscriptionStatus {
        /// They do.
        Active = "active",
        /// They are refused like disabled ones, and no key is issued.
        Inactive = "inactive",
    }

    /// A text that names no status.
    pub struct UnknownStatus = "must be active or inactive";
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_name_of_a_deleted_subscription_is_short_enough_however_long_the_former() {
        let longest = "é".repeat(NAME_MAX);
        let blank_at_the_cut = format!("{} {}", "a".repeat(67), "b".repeat(12));
        for (name, id, expected) in [
            ("Acme", 7, "Acme (deleted 7)".to_owned()),
            (&*longest, 1, format!("{} (deleted 1)", "é".repeat(68))),
            (
                &*blank_at_the_cut,
                7,
                format!("{} (deleted 7)", "a".repeat(67)),
            ),
        ] {
            let one = Subscription {
                id: SubscriptionId(id),
                name: Name::parse(name).unwrap(),
                status: SubscriptionStatus::Active,
                quota: 5,
                started_at: 1,
                created_at: 1,
                deleted_at: None,
            };
            let deleted = one.deleted(9);
            assert!(!one.is_deleted() && deleted.is_deleted());
            assert_eq!(deleted.name.as_str(), expected);
        }
    }
}
