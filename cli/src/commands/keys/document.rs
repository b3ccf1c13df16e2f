//! How a key is shown: to people as details, to programs as JSON. The key itself is not included;
//! the commands that issue one add it.

use serde::Serialize;
use shared::base::timestamp::Timestamp;
use shared::keys::key::{Key, KeyState};
use shared::keys::last_use::LastUse;
use shared::keys::subscription::Subscription;

use crate::terminal::Terminal;
use crate::terminal::relative_time;
use crate::terminal::style::Style;
use crate::terminal::table::Cell;

/// A key as JSON.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct KeyDocument {
    id: String,
    prefix: String,
    name: Option<String>,
    subscription: String,
    environment: &'static str,
    scopes: Vec<&'static str>,
    rate_limit: u32,
    state: String,
    created_at: Timestamp,
    expires_at: Option<Timestamp>,
    works_until: Option<Timestamp>,
    disabled_at: Option<Timestamp>,
    revoked_at: Option<Timestamp>,
    replaced_by: Option<String>,
    last_used_at: Option<Timestamp>,
    used_after_rotation: bool,
}

impl KeyDocument {
    /// The document of `key`, which `owner` owns, at `now`.
    pub(super) fn of(key: &Key, owner: &Subscription, last_use: Option<LastUse>, now: i64) -> Self {
        let time = |time: Option<i64>| time.map(Timestamp::from_unix_seconds);
        Self {
            id: key.id.to_string(),
            prefix: key.prefix.to_string(),
            name: key.name.as_ref().map(ToString::to_string),
            subscription: owner.name.to_string(),
            environment: key.environment.as_str(),
            scopes: key
                .scopes
                .iter()
                .map(shared::keys::scope::Scope::as_str)
                .collect(),
            rate_limit: key.minute_limit(),
            state: key.state(owner, now).to_string(),
            created_at: Timestamp::from_unix_seconds(key.created_at),
            expires_at: time(key.expires_at),
            works_until: time(key.works_until()),
            disabled_at: time(key.disabled_at),
            revoked_at: time(key.revoked_at),
            replaced_by: key.replaced_by.as_ref().map(ToString::to_string),
            last_used_at: time(last_use.map(|last| last.at)),
            used_after_rotation: last_use.is_some_and(|last| last.is_after_rotation),
        }
    }
}

/// A new key as JSON, the only time that the key itself is shown.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct IssuedDocument<'a> {
    /// The whole key.
    pub(super) key: &'a str,
    /// The rest of it.
    #[serde(flatten)]
    pub(super) document: KeyDocument,
    /// The key that it replaces, after a rotation.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) replaces: Option<KeyDocument>,
}

/// A key for people.
pub(super) fn facts(
    key: &Key,
    owner: &Subscription,
    last_use: Option<LastUse>,
    now: i64,
    terminal: Terminal,
) -> Vec<(&'static str, Cell)> {
    let time = |at: Option<i64>| match at {
        Some(at) => relative_time::full(at, now, terminal),
        None => "never".to_owned(),
    };
    let quota = format!(
        "{} requests a month, shared by the keys of {}",
        owner.quota, owner.name
    );
    let mut facts = vec![
        ("Id", Cell::from(key.id.as_str())),
        ("Prefix", key.prefix.as_str().into()),
    ];
    facts.extend(key.name.as_ref().map(|name| ("Name", name.as_str().into())));
    facts.extend([
        ("Subscription", owner.name.as_str().into()),
        ("Environment", key.environment.as_str().into()),
        ("Scopes", key.scopes.join(", ").into()),
        (
            "Minute limit",
            format!("{} requests", key.minute_limit()).into(),
        ),
        ("Quota", quota.into()),
        ("State", state(key, owner, last_use, now, terminal)),
        ("Issued", time(Some(key.created_at)).into()),
        ("Expires", time(key.expires_at).into()),
        ("Last used", time(last_use.map(|last| last.at)).into()),
    ]);
    let successor = key.replaced_by.as_ref();
    facts.extend(successor.map(|id| ("Replaced by", id.as_str().into())));
    facts
}

/// The state of a key with its time, and, for a rotated key, whether its holder still has to switch
/// to the new one.
pub(super) fn state(
    key: &Key,
    owner: &Subscription,
    last_use: Option<LastUse>,
    now: i64,
    terminal: Terminal,
) -> Cell {
    let is_in_use = last_use.is_some_and(|last| last.is_after_rotation);
    let state = key.state(owner, now);
    let text = match state {
        KeyState::Rotated { until } => {
            let still = if is_in_use { "still used, " } else { "" };
            let until = relative_time::short(until, now, terminal);
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
