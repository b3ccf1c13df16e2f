//! How a key may be changed: the rules, apart from any store.
//!
//! Revoking is final. Disabling is reversible. Repeating a change has no effect, so that a script
//! may do so. Scopes change only when asked to.

use std::time::Duration;

use crate::base::clock::UnixMillis;
use crate::base::hint::{Hint, quoted};
use crate::keys::key::{Key, KeyId, KeyState};
use crate::keys::name::Name;
use crate::keys::scope::Scopes;
use crate::keys::subscription::Subscription;

/// What to change of a key; `None` leaves it as it is.
#[derive(Clone, Debug, Default)]
pub struct KeyUpdate {
    /// Its new scopes; not empty.
    pub scopes: Option<Scopes>,
    /// What its owner calls it.
    pub name: Option<Name>,
    /// Its own minute limit.
    pub rate_limit: Option<u32>,
    /// When it expires.
    pub expiry: Option<Expiry>,
}

/// When a key expires.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Expiry {
    /// It does not.
    Never,
    /// At this time, in Unix seconds.
    At(i64),
}

/// Why a key cannot be changed as asked.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the key {id} cannot be {change}: {reason}")]
pub struct KeyUnchangeable {
    /// The key.
    pub id: KeyId,
    /// What was asked, as a past participle.
    pub change: &'static str,
    /// Why not.
    pub reason: UnchangeableReason,
}

/// Why a key cannot be changed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum UnchangeableReason {
    /// Revoked for good.
    #[error("it is revoked, which is final")]
    Revoked,
    /// Expired, also after the grace of a rotation.
    #[error("it has expired")]
    Expired,
    /// Disabled: its successor would work although it does not.
    #[error("it is disabled")]
    Disabled,
    /// Rotated before: a chain of rotations has no branches.
    #[error("it was rotated already and replaced by {replaced_by}")]
    Rotated {
        /// The key that replaced it.
        replaced_by: KeyId,
    },
    /// No key is issued on an inactive subscription.
    #[error("its subscription is inactive")]
    SubscriptionInactive {
        /// The name of the subscription.
        name: Name,
    },
}

impl KeyUnchangeable {
    /// What to do about it.
    pub fn hint(&self) -> Hint {
        match &self.reason {
            UnchangeableReason::Revoked | UnchangeableReason::Expired => {
                "issue a new key: catalogue keys issue --help".into()
            }
            UnchangeableReason::Disabled => format!("catalogue keys enable {}", self.id).into(),
            UnchangeableReason::Rotated { replaced_by } => {
                format!("rotate its successor: catalogue keys rotate {replaced_by}").into()
            }
            UnchangeableReason::SubscriptionInactive { name } => {
                let name = quoted(name.as_str());
                format!("activate it first: catalogue subscriptions update {name} --status active")
                    .into()
            }
        }
    }
}

impl Key {
    /// Changes its scopes, name, limit or expiry. An expired key stays expired: it must not start
    /// to work again.
    pub fn update(&mut self, update: KeyUpdate, now: i64) -> Result<(), KeyUnchangeable> {
        self.refuse_revoked("updated")?;
        if self.works_until().is_some_and(|until| until <= now.into()) {
            return Err(self.unchangeable("updated", UnchangeableReason::Expired));
        }
        if let Some(scopes) = update.scopes {
            self.scopes = scopes;
        }
        if update.name.is_some() {
            self.name = update.name;
        }
        // Typing the default changes nothing for a key that has it.
        if update
            .rate_limit
            .is_some_and(|limit| limit != self.minute_limit())
        {
            self.rate_limit = update.rate_limit;
        }
        match update.expiry {
            None => {}
            Some(Expiry::Never) => self.expires_at = None,
            Some(Expiry::At(at)) => self.expires_at = Some(at),
        }
        Ok(())
    }

    /// Refuses it until it is enabled again.
    pub fn disable(&mut self, now: i64) -> Result<(), KeyUnchangeable> {
        self.refuse_revoked("disabled")?;
        self.disabled_at.get_or_insert(now);
        Ok(())
    }

    /// Accepts it again.
    pub fn enable(&mut self) -> Result<(), KeyUnchangeable> {
        self.refuse_revoked("enabled")?;
        self.disabled_at = None;
        Ok(())
    }

    /// Refuses it for good.
    pub fn revoke(&mut self, now: i64) {
        self.revoked_at.get_or_insert(now);
    }

    /// Replaces it with `replaced_by`: it works for `grace` from `now` on, never beyond its own
    /// expiry. Only a working key can be rotated. To the millisecond, or a grace of a second might be
    /// over at once.
    pub fn rotate(
        &mut self,
        subscription: &Subscription,
        replaced_by: KeyId,
        grace: Duration,
        now: UnixMillis,
    ) -> Result<(), KeyUnchangeable> {
        if let Some(reason) = self.reason_against_rotation(subscription, now) {
            return Err(self.unchangeable("rotated", reason));
        }
        self.replaced_by = Some(replaced_by);
        self.grace_ends_at = Some(now.plus(grace));
        Ok(())
    }

    fn reason_against_rotation(
        &self,
        subscription: &Subscription,
        now: UnixMillis,
    ) -> Option<UnchangeableReason> {
        match (self.state(subscription, now), &self.replaced_by) {
            (KeyState::Revoked, _) => Some(UnchangeableReason::Revoked),
            (_, Some(replaced_by)) => Some(UnchangeableReason::Rotated {
                replaced_by: replaced_by.clone(),
            }),
            (KeyState::Expired, None) => Some(UnchangeableReason::Expired),
            (KeyState::Disabled, None) => Some(UnchangeableReason::Disabled),
            (KeyState::SubscriptionInactive, None) => {
                let name = subscription.name.clone();
                Some(UnchangeableReason::SubscriptionInactive { name })
            }
            (KeyState::Active | KeyState::Rotated { .. }, None) => None,
        }
    }

    fn refuse_revoked(&self, change: &'static str) -> Result<(), KeyUnchangeable> {
        match self.revoked_at {
            Some(_) => Err(self.unchangeable(change, UnchangeableReason::Revoked)),
            None => Ok(()),
        }
    }

    fn unchangeable(&self, change: &'static str, reason: UnchangeableReason) -> KeyUnchangeable {
        KeyUnchangeable {
            id: self.id.clone(),
            change,
            reason,
        }
    }
}
