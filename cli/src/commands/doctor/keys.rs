//! What is in the key store: which keys and subscriptions want looking after.

use std::time::Duration;

use shared::keys::key::{Key, KeyState};
use shared::keys::store::Revision;
use shared::keys::subscription::{Subscription, SubscriptionStatus};

use super::check::Check;
use super::store::{self, Found};
use crate::commands::export_args::counted;
use crate::serving::key_store_config::KeyStoreConfig;
use crate::terminal::relative_time;
use shared::base::hint::quoted;

/// How long before a key expires that is told.
const EXPIRING: Duration = Duration::from_hours(14 * 24);
/// Most of one kind that are named.
const NAMED_MAX: usize = 3;

const SUBSCRIPTIONS: &str = "subscriptions";
const KEYS: &str = "keys";

/// The store of keys, or why it could not be looked into.
pub(super) struct Examined(Result<Found, Check>);

/// Looks into the store.
pub(super) fn examined(place: &KeyStoreConfig) -> Examined {
    Examined(store::look(place))
}

impl Examined {
    /// The state that it is in, where that is known.
    pub(super) fn revision(&self) -> Option<&Revision> {
        self.0.as_ref().ok()?.revision.as_ref()
    }

    /// When something was last done that it knows of.
    pub(super) fn latest(&self) -> Option<i64> {
        let found = self.0.as_ref().ok()?;
        let issued = found.contents.keys.iter().map(|key| key.created_at);
        let started = found.contents.subscriptions.iter();
        let started = started.map(|subscription| subscription.started_at);
        let used = found.last_uses.values().map(|last| last.at);
        let all = issued.chain(started).chain(used);
        all.chain(found.last_change).max()
    }

    /// When the latest period began of which anything is charged.
    pub(super) fn latest_charged(&self) -> Option<i64> {
        self.0.as_ref().ok()?.latest_charged
    }
}

/// Looks at the store and at what is in it.
pub(super) fn check(examined: &Examined, now: i64) -> Vec<Check> {
    let found = match &examined.0 {
        Ok(found) => found,
        Err(unusable) => return vec![unusable.clone()],
    };
    let mut checks = vec![found.check.clone()];
    let owned = Owned { found, now };
    checks.extend(owned.subscriptions());
    checks.extend(owned.keys());
    checks
}

/// Keys with their subscriptions.
struct Owned<'a> {
    found: &'a Found,
    now: i64,
}

impl Owned<'_> {
    fn subscriptions(&self) -> Vec<Check> {
        let all = &self.found.contents.subscriptions;
        let mut checks = Vec::new();
        let (mut keyless, mut inactive) = (Vec::new(), Vec::new());
        for subscription in all {
            let works = |key: &&Key| self.would_work(key, subscription);
            let working = self.found.contents.keys.iter().filter(works).count();
            match (subscription.status, working) {
                (SubscriptionStatus::Active, 0) => keyless.push(subscription),
                (SubscriptionStatus::Inactive, 1..) => inactive.push(subscription),
                _ => {}
            }
        }
        if let Some(first) = keyless.first() {
            let said = format!("without a key that works: {}", names(&keyless));
            let name = quoted(first.name.as_str());
            let scopes = "boats.read manufacturers.read";
            let issue = format!("catalogue keys issue --subscription {name} --scope {scopes}");
            checks.push(Check::warning(SUBSCRIPTIONS, said).run(issue));
        }
        if let Some(first) = inactive.first() {
            let said = format!(
                "inactive, so that their keys are refused: {}",
                names(&inactive)
            );
            let name = quoted(first.name.as_str());
            let update = format!("catalogue subscriptions update {name} --status active");
            checks.push(Check::warning(SUBSCRIPTIONS, said).run(update));
        }
        if checks.is_empty() {
            let count = counted(all.len() as u64, "subscription");
            checks.push(Check::ok(
                SUBSCRIPTIONS,
                format!("{count}, each as it should be"),
            ));
        }
        checks
    }

    fn keys(&self) -> Vec<Check> {
        let mut checks = Vec::new();
        let all = &self.found.contents.keys;
        let soon = self.now.saturating_add_unsigned(EXPIRING.as_secs());
        let ends = |key: &&Key| {
            let is_active = matches!(self.state(key), Some(KeyState::Active));
            is_active && key.expires_at.is_some_and(|at| at <= soon)
        };
        let expiring: Vec<&Key> = all.iter().filter(ends).collect();
        if let Some(first) = expiring.iter().min_by_key(|key| key.expires_at) {
            let at = first.expires_at.unwrap_or(self.now);
            let (count, at) = (
                counted(expiring.len() as u64, "key"),
                relative_time::relative(at, self.now),
            );
            let prefix = &first.prefix;
            let said = format!("{count} will expire within 14 days, {prefix} {at}");
            let show = format!("catalogue keys show {prefix}");
            checks.push(Check::warning(KEYS, said).run(show));
        }
        let is_still_used = |key: &&Key| {
            let last = self.found.last_uses.get(&key.id);
            let is_rotated = matches!(self.state(key), Some(KeyState::Rotated { .. }));
            is_rotated && last.is_some_and(|last| last.is_after_rotation)
        };
        let used: Vec<&Key> = all.iter().filter(is_still_used).collect();
        if let Some(first) = used.first() {
            let count = counted(used.len() as u64, "rotated key");
            let prefix = &first.prefix;
            let said =
                format!("{count} still used, whose holders have yet to change over: {prefix}");
            checks.push(Check::warning(KEYS, said).run(format!("catalogue keys show {prefix}")));
        }
        if checks.is_empty() {
            let count = counted(all.len() as u64, "key");
            let said = format!("{count}, none that will expire within 14 days");
            checks.push(Check::ok(KEYS, said));
        }
        checks
    }

    fn state(&self, key: &Key) -> Option<KeyState> {
        let owners = &self.found.contents.subscriptions;
        let owner = owners.iter().find(|owner| owner.id == key.subscription)?;
        Some(key.state(owner, self.now))
    }

    /// Whether it works as long as its subscription is active.
    fn would_work(&self, key: &Key, subscription: &Subscription) -> bool {
        let state = key.state(subscription, self.now);
        key.subscription == subscription.id
            && matches!(
                state,
                KeyState::Active | KeyState::Rotated { .. } | KeyState::SubscriptionInactive
            )
    }
}

fn names(subscriptions: &[&Subscription]) -> String {
    let named = subscriptions.iter().take(NAMED_MAX);
    let named: Vec<&str> = named
        .map(|subscription| subscription.name.as_str())
        .collect();
    match subscriptions.len().saturating_sub(NAMED_MAX) {
        0 => named.join(", "),
        more => format!("{} and {more} more", named.join(", ")),
    }
}
