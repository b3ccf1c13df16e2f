//! A key as the store knows it: its owner, its scopes, and whether it works.
//!
//! Nothing here holds the key itself; [`crate::keys::secret`] does.

use std::fmt;

use rand::RngCore;

use crate::base::clock::UnixMillis;
use crate::keys::base62;
use crate::keys::environment::Environment;
use crate::keys::limits::DEFAULT_RATE_LIMIT;
use crate::keys::name::Name;
use crate::keys::scope::Scopes;
use crate::keys::secret::{KeyHash, KeyPrefix};
use crate::keys::subscription::{Subscription, SubscriptionId, SubscriptionStatus};

/// Public id of a key: `key_` and 16 characters of base 62.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct KeyId(Box<str>);

/// A text that is not the id of a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("must be key_ and 16 letters or digits")]
pub struct InvalidKeyId;

impl KeyId {
    /// Characters after `key_`.
    pub const RANDOM_LENGTH: usize = 16;

    /// A new id.
    pub fn generate(random: &mut dyn RngCore) -> Self {
        let text = base62::random(Self::RANDOM_LENGTH, random);
        Self(format!("key_{text}").into())
    }

    /// Reads an id.
    pub fn parse(text: &str) -> Result<Self, InvalidKeyId> {
        let random = text.strip_prefix("key_").ok_or(InvalidKeyId)?;
        if random.len() != Self::RANDOM_LENGTH || !base62::is_base62(random) {
            return Err(InvalidKeyId);
        }
        Ok(Self(text.into()))
    }

    /// The id as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for KeyId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.0)
    }
}

/// What names a key to a command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum KeyReference {
    /// Its public id.
    Id(KeyId),
    /// Its prefix.
    Prefix(KeyPrefix),
}

impl fmt::Display for KeyReference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Id(id) => write!(f, "id {id}"),
            Self::Prefix(prefix) => write!(f, "prefix {prefix}"),
        }
    }
}

/// One key. Times are Unix seconds, unless their type says otherwise.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Key {
    /// Its public id.
    pub id: KeyId,
    /// Id of the first key of its chain of rotations: they share one minute window.
    pub family: KeyId,
    /// What is shown of it.
    pub prefix: KeyPrefix,
    /// What a presented key is compared with.
    pub hash: KeyHash,
    /// Who owns it.
    pub subscription: SubscriptionId,
    /// Which servers accept it.
    pub environment: Environment,
    /// What it may read.
    pub scopes: Scopes,
    /// What its owner calls it.
    pub name: Option<Name>,
    /// Its own minute limit, in requests.
    pub rate_limit: Option<u32>,
    /// When it was issued.
    pub created_at: i64,
    /// When it expires.
    pub expires_at: Option<i64>,
    /// When it was revoked, for good.
    pub revoked_at: Option<i64>,
    /// When it was disabled, if it is.
    pub disabled_at: Option<i64>,
    /// The key that a rotation put in its place.
    pub replaced_by: Option<KeyId>,
    /// When its grace after a rotation ends.
    pub grace_ends_at: Option<UnixMillis>,
}

/// Whether a key works, and if not, why.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KeyState {
    /// It works.
    Active,
    /// It has been replaced, and works until `until`.
    Rotated {
        /// When it stops working: the end of its grace, or its expiry if that is earlier.
        until: UnixMillis,
    },
    /// Revoked, for good.
    Revoked,
    /// Past its expiry, or past its grace after a rotation.
    Expired,
    /// Disabled until it is enabled again.
    Disabled,
    /// Its subscription is not active.
    SubscriptionInactive,
}

/// Why a known key is refused. If several reasons hold, the first in this order counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum KeyRefusal {
    /// Issued for the other environment.
    WrongEnvironment,
    /// Revoked.
    Revoked,
    /// Expired, also after the grace of a rotation.
    Expired,
    /// Disabled, or its subscription is not active.
    Disabled,
}

impl Key {
    /// Requests that it may make in any 60 seconds.
    pub fn minute_limit(&self) -> u32 {
        self.rate_limit.unwrap_or(DEFAULT_RATE_LIMIT)
    }

    /// When it stops working by itself: its expiry or the end of its grace, whichever comes first.
    pub fn works_until(&self) -> Option<UnixMillis> {
        [self.expires_at.map(UnixMillis::from), self.grace_ends_at]
            .into_iter()
            .flatten()
            .min()
    }

    /// Whether it works at `now`; `subscription` is its own.
    pub fn state(&self, subscription: &Subscription, now: impl Into<UnixMillis>) -> KeyState {
        let (until, now) = (self.works_until(), now.into());
        if self.revoked_at.is_some() {
            return KeyState::Revoked;
        }
        if until.is_some_and(|until| until <= now) {
            return KeyState::Expired;
        }
        if self.disabled_at.is_some() {
            return KeyState::Disabled;
        }
        if subscription.status == SubscriptionStatus::Inactive {
            return KeyState::SubscriptionInactive;
        }
        match (self.grace_ends_at, until) {
            (Some(_), Some(until)) => KeyState::Rotated { until },
            _ => KeyState::Active,
        }
    }

    /// Why a server of `environment` refuses it at `now`; `None` when it does not.
    pub fn refusal(
        &self,
        subscription: &Subscription,
        environment: Environment,
        now: impl Into<UnixMillis>,
    ) -> Option<KeyRefusal> {
        if self.environment != environment {
            return Some(KeyRefusal::WrongEnvironment);
        }
        match self.state(subscription, now) {
            KeyState::Active | KeyState::Rotated { .. } => None,
            KeyState::Revoked => Some(KeyRefusal::Revoked),
            KeyState::Expired => Some(KeyRefusal::Expired),
            KeyState::Disabled | KeyState::SubscriptionInactive => Some(KeyRefusal::Disabled),
        }
    }
}

impl KeyState {
    /// The words for all states.
    pub const WORDS: [&'static str; 6] = [
        "active",
        "rotated",
        "disabled",
        "subscription inactive",
        "expired",
        "revoked",
    ];

    /// The word for it.
    pub const fn as_str(self) -> &'static str {
        let [active, rotated, disabled, inactive, expired, revoked] = Self::WORDS;
        match self {
            Self::Active => active,
            Self::Rotated { .. } => rotated,
            Self::Disabled => disabled,
            Self::SubscriptionInactive => inactive,
            Self::Expired => expired,
            Self::Revoked => revoked,
        }
    }
}

impl fmt::Display for KeyState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

#[cfg(test)]
mod tests;
