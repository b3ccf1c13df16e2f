//! Checks the contents of the key store: which keys and subscriptions need attention.

use std::time::Duration;

use anyhow::Result;
use shared::base::hint::quoted;
use shared::keys::key::{Key, KeyState};
use shared::keys::subscription::{Subscription, SubscriptionStatus};

use super::inputs::{Inputs, StoreContents};
use super::observation::Observation;
use crate::terminal::relative_time;
use crate::terminal::{counted, names};

/// How long before its expiry a key is reported.
const EXPIRING: Duration = Duration::from_hours(14 * 24);

/// Subscriptions whose keys do not work, though they look as if they should.
pub(super) fn subscriptions(inputs: &Inputs<'_>) -> Result<Vec<Observation>> {
    let Ok(StoreContents { overview, .. }) = &inputs.keys else {
        return Ok(Vec::new());
    };
    let contents = &overview.snapshot;
    if contents.subscriptions.is_empty() {
        let message = "none was ever made in this key store, so every request is refused";
        let create = "catalogue subscriptions create NAME, or, if there were keys, restore a \
                      backup of the key store";
        return Ok(vec![Observation::warning(message).run(create)]);
    }
    let (mut keyless, mut inactive) = (Vec::new(), Vec::new());
    for subscription in &contents.subscriptions {
        let works = |key: &Key| would_work(key, subscription, inputs.now);
        let has_working = contents.keys.iter().any(works);
        match (subscription.status, has_working) {
            (SubscriptionStatus::Active, false) => keyless.push(subscription),
            (SubscriptionStatus::Inactive, true) => inactive.push(subscription),
            _ => {}
        }
    }
    let mut observations = Vec::new();
    if let Some(first) = keyless.first() {
        let (names, name) = (named(&keyless), quoted(first.name.as_str()));
        let scopes = "boats.read manufacturers.read";
        let issue = format!("catalogue keys issue --subscription {name} --scope {scopes}");
        let message = format!("without a key that works: {names}");
        observations.push(Observation::warning(message).run(issue));
    }
    if let Some(first) = inactive.first() {
        let (names, name) = (named(&inactive), quoted(first.name.as_str()));
        let activate = format!("catalogue subscriptions update {name} --status active");
        let message = format!("inactive, so that their keys are refused: {names}");
        observations.push(Observation::warning(message).run(activate));
    }
    if observations.is_empty() {
        let living = contents
            .subscriptions
            .iter()
            .filter(|one| !one.is_deleted());
        let count = counted(living.count() as u64, "subscription");
        observations.push(Observation::ok(format!("{count}, each as it should be")));
    }
    Ok(observations)
}

/// Keys that will soon stop working, or that were replaced but are still used.
pub(super) fn keys(inputs: &Inputs<'_>) -> Result<Vec<Observation>> {
    let Ok(store) = &inputs.keys else {
        return Ok(Vec::new());
    };
    let (now, all) = (inputs.now, &store.overview.snapshot.keys);
    let mut observations = Vec::new();
    let soon = now.saturating_add_unsigned(EXPIRING.as_secs());
    let expiry = |key: &Key| match state(key, store, now) {
        Some(KeyState::Active) => key.expires_at.filter(|at| *at <= soon),
        _ => None,
    };
    let expiring = || all.iter().filter_map(|key| Some((expiry(key)?, key)));
    if let Some((at, first)) = expiring().min_by_key(|(at, _)| *at) {
        let count = counted(expiring().count() as u64, "key");
        let (prefix, at) = (&first.prefix, relative_time::relative(at, now));
        let message = format!("{count} will expire within 14 days, {prefix} {at}");
        observations.push(Observation::warning(message).run(show(first)));
    }
    let is_used_after_rotation = |key: &&Key| {
        let last = store.overview.last_uses.get(&key.id);
        let is_rotated = matches!(state(key, store, now), Some(KeyState::Rotated { .. }));
        is_rotated && last.is_some_and(|last| last.is_after_rotation)
    };
    let used: Vec<&Key> = all.iter().filter(is_used_after_rotation).collect();
    if let Some(first) = used.first() {
        let (count, prefix) = (counted(used.len() as u64, "rotated key"), &first.prefix);
        let message =
            format!("{count} still used, whose holders have yet to change over: {prefix}");
        observations.push(Observation::warning(message).run(show(first)));
    }
    if observations.is_empty() {
        let count = counted(all.len() as u64, "key");
        let message = format!("{count}, none that will expire within 14 days");
        observations.push(Observation::ok(message));
    }
    Ok(observations)
}

fn show(key: &Key) -> String {
    format!("catalogue keys show {}", key.prefix)
}

fn state(key: &Key, store: &StoreContents, now: i64) -> Option<KeyState> {
    let mut owners = store.overview.snapshot.subscriptions.iter();
    let owner = owners.find(|owner| owner.id == key.subscription)?;
    Some(key.state(owner, now))
}

/// Whether it is a key of the subscription that works if the subscription is active.
fn would_work(key: &Key, subscription: &Subscription, now: i64) -> bool {
    let state = key.state(subscription, now);
    key.subscription == subscription.id
        && matches!(
            state,
            KeyState::Active | KeyState::Rotated { .. } | KeyState::SubscriptionInactive
        )
}

fn named(subscriptions: &[&Subscription]) -> String {
    let names_of = subscriptions.iter().map(|one| one.name.as_str());
    names(names_of, subscriptions.len() as u64)
}
