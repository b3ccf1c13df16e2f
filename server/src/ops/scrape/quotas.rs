//! The monthly quota of each subscription that has a key: all of it, what is used, what is left.
//!
//! Asking takes no unit. The ledger is asked for one after the other of those not known from within
//! the last second; where it does not answer in time, only the quota itself is shown.

use std::time::Duration;

use shared::base::clock::Moment;

use crate::app::App;
use crate::metrics::Families;

/// Most subscriptions that are shown, the first by name: each is four time series.
const SUBSCRIPTIONS_MAX: usize = 200;

/// How long the ledger may take for all of them.
const ASKED_MAX: Duration = Duration::from_secs(2);

pub(super) async fn collect(app: &App, now: Moment, families: &mut Families) {
    let mut subscriptions = app.keyring.subscriptions();
    families.gauge(
        "catalogue_subscriptions",
        &format!("Subscriptions that have a key; quotas are shown of the first {SUBSCRIPTIONS_MAX} by name."),
        subscriptions.len(),
    );
    subscriptions.sort_by(|one, other| one.name.cmp(&other.name));
    subscriptions.truncate(SUBSCRIPTIONS_MAX);
    let used = app.quotas.usages(&subscriptions, now, ASKED_MAX).await;
    let labels = subscriptions
        .iter()
        .map(|one| [("subscription", one.name.as_str())]);
    let rows = || labels.clone().zip(&subscriptions);
    let known = || {
        labels
            .clone()
            .zip(&used)
            .filter_map(|(label, usage)| Some((label, usage.as_ref()?)))
    };
    families.gauges(
        "catalogue_quota_limit",
        "Requests of a month that the subscription may be charged for.",
        rows().map(|(label, one)| (label, one.quota)),
    );
    families.gauges(
        "catalogue_quota_used",
        "Requests of this month that the subscription was charged for, or that another server \
         may charge it for.",
        known().map(|(label, usage)| (label, usage.limit.saturating_sub(usage.remaining))),
    );
    families.gauges(
        "catalogue_quota_left",
        "Requests of this month that the subscription has left.",
        known().map(|(label, usage)| (label, usage.remaining)),
    );
    families.gauges(
        "catalogue_quota_renewal_timestamp_seconds",
        "When the quota of the subscription renews, Unix time.",
        known().map(|(label, usage)| (label, usage.reset_unix_seconds)),
    );
}
