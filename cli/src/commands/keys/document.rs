//! What is told of a key: to a person as details, to a program as JSON. The key itself is not part
//! of it; who issues a key adds it.

use serde::Serialize;
use shared::keys::key::{Key, KeyState};
use shared::keys::last_use::LastUse;
use shared::keys::subscription::Subscription;
use shared::timestamp::Timestamp;

use crate::table;

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
    /// What is told of `key`, which `owner` owns, at `now`.
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

/// A key as JSON at the one moment when it is shown.
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

/// A key as aligned lines.
pub(super) fn details(
    key: &Key,
    owner: &Subscription,
    last_use: Option<LastUse>,
    now: i64,
) -> String {
    let mut lines = vec![
        ("Id", key.id.to_string()),
        ("Prefix", key.prefix.to_string()),
    ];
    lines.extend(key.name.as_ref().map(|name| ("Name", name.to_string())));
    lines.extend([
        ("Subscription", owner.name.to_string()),
        ("Environment", key.environment.to_string()),
        ("Scopes", key.scopes.join(", ")),
        ("Minute limit", format!("{} requests", key.minute_limit())),
        (
            "Quota",
            format!(
                "{} requests a month, shared by the keys of {}",
                owner.quota, owner.name
            ),
        ),
        ("State", state(key, owner, last_use, now)),
        ("Issued", time(key.created_at)),
        (
            "Expires",
            key.expires_at.map_or_else(|| "never".to_owned(), time),
        ),
        (
            "Last used",
            last_use.map_or_else(
                || "never".to_owned(),
                |last| format!("{}, {}", time(last.at), ago(now - last.at)),
            ),
        ),
    ]);
    lines.extend(
        key.replaced_by
            .as_ref()
            .map(|id| ("Replaced by", id.to_string())),
    );
    table::details(lines)
}

/// The state of a key with the time that belongs to it, and of a rotated one whether anybody has
/// yet to change over.
pub(super) fn state(
    key: &Key,
    owner: &Subscription,
    last_use: Option<LastUse>,
    now: i64,
) -> String {
    let is_in_use = last_use.is_some_and(|last| last.is_after_rotation);
    match key.state(owner, now) {
        KeyState::Rotated { until } if is_in_use => {
            format!("rotated, still used, works until {}", time(until))
        }
        KeyState::Rotated { until } => format!("rotated, works until {}", time(until)),
        state => state.to_string(),
    }
}

/// How long ago something was, in the longest unit of which it was at least two. A server's clock
/// may be ahead of this one.
fn ago(seconds: i64) -> String {
    const UNITS: [(i64, char); 3] = [(86_400, 'd'), (3600, 'h'), (60, 'm')];
    let seconds = seconds.max(0);
    let fits = |(unit, _): &(i64, char)| 2 <= seconds / unit;
    let (unit, letter) = UNITS.into_iter().find(fits).unwrap_or((1, 's'));
    format!("{}{letter} ago", seconds / unit)
}

/// An instant as everywhere: RFC 3339 in UTC.
pub(super) fn time(unix_seconds: i64) -> String {
    Timestamp::from_unix_seconds(unix_seconds).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_past_are_told_in_the_longest_unit_of_which_there_are_two() {
        let table = [
            (-5, "0s ago"),
            (0, "0s ago"),
            (119, "119s ago"),
            (120, "2m ago"),
            (7199, "119m ago"),
            (7200, "2h ago"),
            (172_799, "47h ago"),
            (172_800, "2d ago"),
        ];
        for (seconds, told) in table {
            assert_eq!(ago(seconds), told, "{seconds}");
        }
    }
}
