//! `catalogue usage`: what is used of each monthly quota.

use std::io::Write;
use std::path::Path;

use clap::{Args, value_parser};
use serde::Serialize;
use shared::keys::name::Name;
use shared::keys::sqlite::SqliteKeyStore;
use shared::keys::store::KeyStore;
use shared::keys::subscription::Subscription;
use shared::timestamp::Timestamp;

use crate::commands::key_store;
use crate::context::Context;
use crate::exit_status::ExitStatus;
use crate::{json, table};

/// Arguments of `usage`.
#[derive(Debug, Args)]
#[command(
    after_help = "A running server reserves requests a few at a time, so a figure may run \
    ahead by what is reserved and not yet used."
)]
pub struct UsageArgs {
    /// Only this subscription
    #[arg(long, value_name = "NAME", value_parser = value_parser!(Name))]
    pub subscription: Option<Name>,
    /// Print one JSON document
    #[arg(long)]
    pub json: bool,
}

/// Shows the usage of the current period of each subscription.
pub fn run(args: &UsageArgs, data: &Path, context: &mut Context) -> anyhow::Result<ExitStatus> {
    let now = context.clock.now().unix_seconds();
    let usage = match &args.subscription {
        Some(name) => {
            let mut store = key_store::open(data, context)?;
            let found = store.subscription(name);
            let attempt = "could not show the usage";
            let found = found.map_err(|error| key_store::refused(error, attempt, &mut store))?;
            vec![usage_of(&found, &mut store, now)?]
        }
        None => usage_of_all(data, now, context)?,
    };
    if args.json {
        json::print(&Document { usage }, context)?;
        return Ok(ExitStatus::Done);
    }
    if usage.is_empty() {
        writeln!(
            context.out,
            "No subscriptions in {}, so nothing is used.",
            data.display()
        )?;
        writeln!(
            context.out,
            "Create one: catalogue subscriptions create NAME"
        )?;
        return Ok(ExitStatus::Done);
    }
    let rows = usage.iter().map(|usage| {
        [
            usage.subscription.clone(),
            usage.used.to_string(),
            usage.quota.to_string(),
            usage.remaining.to_string(),
            usage.renews_at.to_string(),
        ]
    });
    let text = table::list(
        ["SUBSCRIPTION", "USED", "QUOTA", "REMAINING", "RENEWS"],
        rows,
    );
    context.out.write_all(text.as_bytes())?;
    Ok(ExitStatus::Done)
}

#[derive(Serialize)]
struct Document {
    usage: Vec<Usage>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Usage {
    subscription: String,
    used: u64,
    quota: u64,
    remaining: u64,
    period_start: Timestamp,
    renews_at: Timestamp,
}

fn usage_of_all(data: &Path, now: i64, context: &Context) -> anyhow::Result<Vec<Usage>> {
    let Some(mut store) = key_store::open_if_any(data, context)? else {
        return Ok(Vec::new());
    };
    let subscriptions = store.subscriptions()?;
    subscriptions
        .iter()
        .map(|subscription| usage_of(subscription, &mut store, now))
        .collect()
}

fn usage_of(
    subscription: &Subscription,
    store: &mut SqliteKeyStore,
    now: i64,
) -> anyhow::Result<Usage> {
    let period = subscription.period(now);
    let used = store.usage(subscription.id, period)?;
    Ok(Usage {
        subscription: subscription.name.to_string(),
        used,
        quota: subscription.quota,
        remaining: subscription.quota.saturating_sub(used),
        period_start: Timestamp::from_unix_seconds(period.start),
        renews_at: Timestamp::from_unix_seconds(period.end),
    })
}
