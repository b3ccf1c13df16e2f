//! How much of a quota each key used.

use serde::Serialize;
use shared::base::timestamp::Timestamp;
use shared::keys::key::{Key, KeyState};
use shared::keys::name::Name;
use shared::keys::quota::Period;
use shared::keys::subscription::Subscription;

use crate::report::Report;
use crate::terminal::Terminal;
use crate::terminal::relative_time;
use crate::terminal::table::{Cell, Column};

/// What one key used of a month.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct KeyUsage {
    subscription: String,
    id: String,
    prefix: String,
    name: Option<String>,
    used: u64,
    period_start: Timestamp,
    renews_at: Timestamp,
}

/// The usage of the keys of a subscription, the most used first. Those that cannot work any more are
/// left out unless they were used.
pub(super) fn usage(
    subscription: &Subscription,
    period: Period,
    keys: Vec<(Key, u64)>,
    now: i64,
) -> impl Iterator<Item = KeyUsage> {
    let mut keys = keys;
    keys.retain(|(key, used)| {
        let state = key.state(subscription, now);
        *used != 0 || !matches!(state, KeyState::Revoked | KeyState::Expired)
    });
    keys.sort_by_key(|(_, used)| std::cmp::Reverse(*used));
    keys.into_iter().map(move |(key, used)| KeyUsage {
        subscription: subscription.name.to_string(),
        id: key.id.to_string(),
        prefix: key.prefix.to_string(),
        name: key.name.as_ref().map(Name::to_string),
        used,
        period_start: Timestamp::from_unix_seconds(period.start),
        renews_at: Timestamp::from_unix_seconds(period.end),
    })
}

/// The usage as a table.
pub(super) fn table(usage: &[KeyUsage], now: i64, terminal: Terminal) -> Report<'static> {
    let columns = [
        Column::wrapped("SUBSCRIPTION"),
        "PREFIX".into(),
        Column::wrapped("NAME"),
        "USED".into(),
        Column::spare(1, "RENEWS"),
    ];
    let rows = usage.iter().map(|usage| {
        let renews_at = usage.renews_at.unix_seconds();
        [
            Cell::from(usage.subscription.clone()),
            usage.prefix.clone().into(),
            usage.name.clone().unwrap_or_else(|| "-".to_owned()).into(),
            usage.used.to_string().into(),
            relative_time::short(renews_at, now, terminal).into(),
        ]
    });
    let mut report = Report::new();
    report.table("", columns, rows);
    report
}
