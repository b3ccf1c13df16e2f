//! The facts about a key, for people and for programs. The key itself is not among them; the
//! commands that issue one add it.

use serde::Serialize;
use shared::base::clock::Moment;
use shared::keys::key::{Key, KeyId, KeyState};
use shared::keys::last_use::LastUse;
use shared::keys::name::Name;
use shared::keys::scope::Scope;
use shared::keys::subscription::Subscription;

use crate::report::facts::Facts;
use crate::terminal::Terminal;
use crate::terminal::relative_time;
use crate::terminal::style::Style;
use crate::terminal::table::Cell;

/// A new key as JSON, the only time that the key itself is shown.
#[derive(Serialize)]
pub(super) struct IssuedDocument<'a> {
    /// The whole key.
    pub(super) key: &'a str,
    /// The rest of it.
    #[serde(flatten)]
    pub(super) document: Facts,
    /// The key that it replaces, after a rotation.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) replaces: Option<Facts>,
}

/// A key, which `owner` owns, at `now`.
pub(super) fn facts(
    key: &Key,
    owner: &Subscription,
    last_use: Option<LastUse>,
    now: Moment,
    terminal: Terminal,
) -> Facts {
    let told = |at: Option<i64>| at.map(relative_time::exact);
    let shown = |at: Option<i64>| match at {
        Some(at) => relative_time::full(at, now.unix_seconds(), terminal),
        None => "never".to_owned(),
    };
    let scopes: Vec<&str> = key.scopes.iter().map(Scope::as_str).collect();
    let (limit, used_at) = (key.minute_limit(), last_use.map(|last| last.at));
    let (quota, name) = (owner.quota, &owner.name);
    let quota = format!("{quota} requests a month, shared by the keys of {name}");
    Facts::new()
        .fact("id", "Id", key.id.as_str())
        .fact("prefix", "Prefix", key.prefix.as_str())
        .fact("name", "Name", key.name.as_ref().map(Name::as_str))
        .fact("subscription", "Subscription", name.as_str())
        .fact("environment", "Environment", key.environment.as_str())
        .told("scopes", scopes)
        .shown("Scopes", key.scopes.join(", "))
        .told("rateLimit", limit)
        .shown("Minute limit", format!("{limit} requests"))
        .shown("Quota", quota)
        .told("state", key.state(owner, now).to_string())
        .shown("State", state(key, owner, last_use, now, terminal))
        .told("createdAt", relative_time::exact(key.created_at))
        .shown("Issued", shown(Some(key.created_at)))
        .told("expiresAt", told(key.expires_at))
        .shown(
            "Expires",
            match key.works_until() {
                Some(until) => relative_time::full(until, now.unix_seconds(), terminal),
                None => "never".to_owned(),
            },
        )
        .told("worksUntil", key.works_until().map(relative_time::exact))
        .told("disabledAt", told(key.disabled_at))
        .told("revokedAt", told(key.revoked_at))
        .shown("Last used", shown(used_at))
        .fact(
            "replacedBy",
            "Replaced by",
            key.replaced_by.as_ref().map(KeyId::as_str),
        )
        .told("lastUsedAt", told(used_at))
        .told(
            "usedAfterRotation",
            last_use.is_some_and(|last| last.is_after_rotation),
        )
}

/// The state of a key with its time, and, for a rotated key, whether its holder still has to switch
/// to the new one.
pub(super) fn state(
    key: &Key,
    owner: &Subscription,
    last_use: Option<LastUse>,
    now: Moment,
    terminal: Terminal,
) -> Cell {
    let is_in_use = last_use.is_some_and(|last| last.is_after_rotation);
    let state = key.state(owner, now);
    let text = match state {
        KeyState::Rotated { until } => {
            let still = if is_in_use { "still used, " } else { "" };
            let until = relative_time::short(until, now.unix_seconds(), terminal);
            let ends = if terminal.out { "stops" } else { "works until" };
            format!("rotated, {still}{ends} {until}")
        }
        state => state.to_string(),
    };
    Cell::new(text, style(state))
}

const fn style(state: KeyState) -> Style {
    match state {
        KeyState::Active => Style::Good,
        KeyState::Rotated { .. } => Style::Notice,
        KeyState::Revoked | KeyState::Expired => Style::Bad,
        KeyState::Disabled | KeyState::SubscriptionInactive => Style::Faint,
    }
}
