//! The audit log: who changed which key or subscription, when, and how.
//!
//! An entry is written in the transaction of its change, so neither exists without the other, and
//! is never altered. It names keys by id and prefix, and never holds the key itself or its hash.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::base::operator::Operator;
use crate::base::timestamp::Timestamp;
use crate::keys::key::{Key, KeyId};
use crate::keys::name::Name;
use crate::keys::named::named;
use crate::keys::secret::KeyPrefix;
use crate::keys::subscription::{Subscription, SubscriptionId};

named! {
    /// What happened to a key or a subscription.
    pub enum Event {
        /// A subscription began.
        SubscriptionCreated = "subscription created",
        /// The status or the quota of a subscription changed.
        SubscriptionUpdated = "subscription updated",
        /// A subscription got another name.
        SubscriptionRenamed = "subscription renamed",
        /// A subscription was deleted.
        SubscriptionDeleted = "subscription deleted",
        /// A key was issued, also by a rotation.
        KeyIssued = "key issued",
        /// The scopes, the name, the minute limit or the expiry of a key changed.
        KeyUpdated = "key updated",
        /// A key was replaced by another.
        KeyRotated = "key rotated",
        /// A key was disabled.
        KeyDisabled = "key disabled",
        /// A disabled key was enabled.
        KeyEnabled = "key enabled",
        /// A key was revoked.
        KeyRevoked = "key revoked",
    }

    /// A text that names no event.
    pub struct UnknownEvent = "must be what happens to a key or a subscription";
}

/// One value before and after; `None` if there was or is none. Fields are named as in the JSON of
/// keys and subscriptions.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Change {
    /// Whose value it is.
    pub field: String,
    /// The value before.
    pub from: Option<String>,
    /// The value after.
    pub to: Option<String>,
}

/// One entry of the log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// When, in Unix seconds.
    pub at: i64,
    /// Who.
    pub operator: Operator,
    /// What.
    pub event: Event,
    /// The subscription that was changed, or owns the key that was.
    pub subscription: Name,
    /// The key, where it was one that was changed.
    pub key: Option<(KeyId, KeyPrefix)>,
    /// Old and new values.
    pub changes: Vec<Change>,
}

/// An entry for the audit log, without who made the change and when.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewEntry {
    /// What happened.
    pub event: Event,
    /// The subscription that was changed, or owns the key that was.
    pub subscription: SubscriptionId,
    /// The key, where it was one that was changed.
    pub key: Option<KeyId>,
    /// Old and new values.
    pub changes: Vec<Change>,
}

/// Which entries to return: the latest that meet all conditions.
#[derive(Clone, Debug)]
pub struct EntryQuery {
    /// Entries of this key only.
    pub key: Option<KeyId>,
    /// Entries of this subscription and its keys only.
    pub subscription: Option<SubscriptionId>,
    /// Most entries to return.
    pub limit: u32,
}

impl NewEntry {
    /// What changed of a key; a new one has no `before`.
    pub(super) fn of_key(event: Event, before: Option<&Key>, after: &Key) -> Self {
        Self {
            event,
            subscription: after.subscription,
            key: Some(after.id.clone()),
            changes: Change::of_key(before, after),
        }
    }

    /// What changed of a subscription; a new one has no `before`.
    pub(super) fn of_subscription(
        event: Event,
        before: Option<&Subscription>,
        after: &Subscription,
    ) -> Self {
        Self {
            event,
            subscription: after.id,
            key: None,
            changes: Change::of_subscription(before, after),
        }
    }
}

/// The values of something that are logged when they change.
type Values<const N: usize> = [(&'static str, Option<String>); N];

impl Change {
    /// A new value.
    pub fn new(field: &str, to: String) -> Self {
        Self {
            field: field.to_owned(),
            from: None,
            to: Some(to),
        }
    }

    /// The differences between two states of a key; a new one has no `before`. When it was disabled
    /// or revoked is the time of the entry.
    pub fn of_key(before: Option<&Key>, after: &Key) -> Vec<Self> {
        Self::between(before.map(key_values), key_values(after))
    }

    /// The differences between two states of a subscription; a new one has no `before`.
    pub fn of_subscription(before: Option<&Subscription>, after: &Subscription) -> Vec<Self> {
        Self::between(before.map(subscription_values), subscription_values(after))
    }

    fn between<const N: usize>(before: Option<Values<N>>, after: Values<N>) -> Vec<Self> {
        let before = before.unwrap_or([const { ("", None) }; N]);
        let pairs = before.into_iter().zip(after);
        let changed = pairs.filter(|((_, from), (_, to))| from != to);
        let change = |((_, from), (field, to)): (_, (&str, _))| Self {
            field: field.to_owned(),
            from,
            to,
        };
        changed.map(change).collect()
    }
}

fn key_values(key: &Key) -> Values<7> {
    let time = |time: Option<i64>| time.map(|time| Timestamp::from_unix_seconds(time).to_string());
    [
        ("environment", Some(key.environment.to_string())),
        ("scopes", Some(key.scopes.join(","))),
        ("name", key.name.as_ref().map(ToString::to_string)),
        ("rateLimit", Some(key.minute_limit().to_string())),
        ("expiresAt", time(key.expires_at)),
        (
            "replacedBy",
            key.replaced_by.as_ref().map(ToString::to_string),
        ),
        (
            "graceEndsAt",
            key.grace_ends_at
                .map(|at| Timestamp::from_unix_millis(at).to_string()),
        ),
    ]
}

fn subscription_values(subscription: &Subscription) -> Values<2> {
    [
        ("status", Some(subscription.status.to_string())),
        ("quota", Some(subscription.quota.to_string())),
    ]
}

impl fmt::Display for Change {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let to = self.to.as_deref().unwrap_or("none");
        match &self.from {
            None => write!(f, "{}: {to}", self.field),
            Some(from) => write!(f, "{}: {from} -> {to}", self.field),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_event_is_read_as_it_is_written() {
        for event in Event::ALL {
            assert_eq!(event.as_str().parse(), Ok(event));
        }
        assert_eq!("key stolen".parse::<Event>(), Err(UnknownEvent));
    }

    #[test]
    fn a_change_is_shown_with_its_old_value() {
        let change = |from: Option<&str>, to: Option<&str>| Change {
            field: "quota".to_owned(),
            from: from.map(ToOwned::to_owned),
            to: to.map(ToOwned::to_owned),
        };
        assert_eq!(change(None, Some("7")).to_string(), "quota: 7");
        assert_eq!(change(Some("5"), Some("7")).to_string(), "quota: 5 -> 7");
        assert_eq!(change(Some("5"), None).to_string(), "quota: 5 -> none");
    }
}
