//! `catalogue usage`: how much of each monthly quota is used.

mod by_key;

use clap::{Args, value_parser};
use serde::Serialize;
use shared::base::timestamp::Timestamp;
use shared::keys::key_store::KeyStore;
use shared::keys::name::Name;
use shared::keys::quota::{Month, Period};
use shared::keys::subscription::Subscription;

use crate::commands::key_store;
use crate::commands::show;
use crate::commands::usage::by_key::KeyUsage;
use crate::exit_status::ExitStatus;
use crate::hints::Hinted;
use crate::process::context::Context;
use crate::report::Report;
use crate::serving::key_store_config::KeyStoreConfig;
use crate::terminal::Terminal;
use crate::terminal::relative_time;
use crate::terminal::style::Style;
use crate::terminal::table::{Cell, Column};

/// The part of a month that must have passed before its total is estimated: a tenth.
const FORESEEN_AFTER: i64 = 10;

/// The part of a quota, a quarter, at which the operator may want to act once no more is left.
const LITTLE_LEFT: u64 = 4;

/// What usage can be told by.
const BY_KEY: &str = "key";

/// Arguments of `usage`.
#[derive(Debug, Args)]
#[command(
    after_help = "For example: catalogue usage --month 2026-10 --json > october.json\n\
    A running server reserves requests a few at a time, so a figure may run \
    ahead by what is reserved and not yet used. EXPECTED is the month's total if usage goes on at \
    the same rate; it is not estimated in the first tenth of the month. \
    Past months show today's quota.\n\
    Servers store the requests of each key every 5 seconds; a crash loses those of the last \
    seconds, which are still charged to the subscription."
)]
pub struct UsageArgs {
    /// Only this subscription
    #[arg(long, value_name = "NAME", value_parser = value_parser!(Name))]
    pub subscription: Option<Name>,
    /// Show the requests of each key that got a 200
    #[arg(long, value_name = "WHAT", value_parser = [BY_KEY])]
    pub by: Option<String>,
    /// The quota months that began in this month, such as 2026-10 [default: the current ones]
    #[arg(long, value_name = "MONTH", value_parser = value_parser!(Month))]
    pub month: Option<Month>,
    /// Print one JSON document
    #[arg(long)]
    pub json: bool,
}

/// Shows the usage of one period of each subscription.
pub fn run(
    args: &UsageArgs,
    config: &KeyStoreConfig,
    context: &mut Context,
) -> anyhow::Result<ExitStatus> {
    let now = context.clock.now().unix_seconds();
    if let Some(month) = args.month
        && Month::containing(now) < month
    {
        let error = anyhow::anyhow!("could not show the usage: {month} has not begun");
        let hint = "without --month, usage shows the current month of each quota";
        return Err(Hinted::wrong_usage(error, hint).into());
    }
    let months = months(args, config, now, context)?;
    let terminal = context.terminal;
    if args.by.is_some() {
        let usage = months.map_or(Ok(Vec::new()), |months| months.by_key(now))?;
        let report = || match &usage[..] {
            [] => Report::of(match args.month {
                Some(month) => format!("No key was used in {month}."),
                None => "No key was used, and none works.".to_owned(),
            }),
            usage => by_key::table(usage, now, terminal),
        };
        show::result(args.json, &Document { usage: &usage }, report, context)?;
        return Ok(ExitStatus::Done);
    }
    let usage = months.map_or(Ok(Vec::new()), |months| months.usage(now))?;
    let report = || match (&usage[..], args.month) {
        ([], Some(month)) => Report::of(format!("No quota month began in {month}.")),
        ([], None) => none(config),
        (usage, _) => table(usage, now, terminal),
    };
    show::result(args.json, &Document { usage: &usage }, report, context)?;
    Ok(ExitStatus::Done)
}

fn none(config: &KeyStoreConfig) -> Report<'static> {
    let mut report = Report::of(format!("No subscriptions in {config}, so nothing is used."));
    report.line("Create one: catalogue subscriptions create NAME");
    report
}

fn table(usage: &[Usage], now: i64, terminal: Terminal) -> Report<'static> {
    let columns = [
        Column::wrapped("SUBSCRIPTION"),
        "USED".into(),
        "QUOTA".into(),
        "REMAINING".into(),
        Column::spare(1, "EXPECTED"),
        Column::spare(2, "RENEWS"),
    ];
    let rows = usage.iter().map(|usage| {
        let style = |used| match usage.quota.saturating_sub(used) {
            0 if 0 < used => Style::Bad,
            left if left <= usage.quota / LITTLE_LEFT => Style::Notice,
            _ => Style::Good,
        };
        let expected = usage.expected.map(|expected| expected.to_string());
        [
            usage.subscription.clone().into(),
            Cell::new(usage.used.to_string(), style(usage.used)),
            usage.quota.to_string().into(),
            usage.remaining.to_string().into(),
            Cell::new(
                expected.unwrap_or_else(|| "-".to_owned()),
                style(usage.expected.unwrap_or(0)),
            ),
            relative_time::short(usage.renews_at.unix_seconds(), now, terminal).into(),
        ]
    });
    let mut report = Report::new();
    report.table("", columns, rows);
    report
}

#[derive(Serialize)]
struct Document<'a, T> {
    usage: &'a [T],
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Usage {
    subscription: String,
    used: u64,
    quota: u64,
    remaining: u64,
    /// The expected total of the period; null if it is too early to say.
    expected: Option<u64>,
    period_start: Timestamp,
    renews_at: Timestamp,
}

/// Months of quotas, in the order in which their subscriptions were created, and where they are.
struct Months {
    store: KeyStore,
    all: Vec<(Subscription, Period)>,
}

/// The requested months; `None` if there is no store.
fn months(
    args: &UsageArgs,
    config: &KeyStoreConfig,
    now: i64,
    context: &Context,
) -> anyhow::Result<Option<Months>> {
    let store = match &args.subscription {
        Some(_) => Some(key_store::open(config, context)?),
        None => key_store::open_if_any(config, context)?,
    };
    let Some(mut store) = store else {
        return Ok(None);
    };
    let subscriptions = match &args.subscription {
        Some(name) => {
            let found = store.subscription(name);
            let attempt = "could not show the usage";
            vec![found.map_err(|error| key_store::refused(error, attempt, &mut store))?]
        }
        None => store.subscriptions_ever()?,
    };
    let requested = |subscription: Subscription| {
        let period = match args.month {
            None => Some(subscription.period(now)),
            Some(month) => begun(&subscription, month, now),
        };
        Some((subscription, period?))
    };
    let all = subscriptions.into_iter().filter_map(requested).collect();
    Ok(Some(Months { store, all }))
}

impl Months {
    /// The usage of each subscription.
    fn usage(mut self, now: i64) -> anyhow::Result<Vec<Usage>> {
        let mut usage = Vec::new();
        for (subscription, period) in &self.all {
            let used = usage_of(subscription, *period, &mut self.store, now)?;
            // A deleted subscription is still billed for a month that it used.
            if !subscription.is_deleted() || used.used != 0 {
                usage.push(used);
            }
        }
        Ok(usage)
    }

    /// The usage of each key.
    fn by_key(mut self, now: i64) -> anyhow::Result<Vec<KeyUsage>> {
        let mut usage = Vec::new();
        for (subscription, period) in &self.all {
            let keys = self.store.usage_by_key(subscription.id, *period)?;
            usage.extend(by_key::usage(subscription, *period, keys, now));
        }
        Ok(usage)
    }
}

/// The period of a quota that began in `month`, if the subscription existed and the period has
/// begun.
fn begun(subscription: &Subscription, month: Month, now: i64) -> Option<Period> {
    let started_at = subscription.started_at;
    let first = subscription.period(started_at);
    let period = Period::beginning_in(started_at, month);
    (first.start <= period.start && period.start <= now).then_some(period)
}

fn usage_of(
    subscription: &Subscription,
    period: Period,
    store: &mut KeyStore,
    now: i64,
) -> anyhow::Result<Usage> {
    let used = store.usage(subscription.id, period)?;
    // The first period of a subscription begins before the subscription does.
    let began = period.start.max(subscription.started_at);
    Ok(Usage {
        subscription: subscription.name.to_string(),
        used,
        quota: subscription.quota,
        remaining: subscription.quota.saturating_sub(used),
        expected: expected(used, began, now.min(period.end), period.end),
        period_start: Timestamp::from_unix_seconds(period.start),
        renews_at: Timestamp::from_unix_seconds(period.end),
    })
}

/// The expected use by `end`, at the rate since `began`.
fn expected(used: u64, began: i64, now: i64, end: i64) -> Option<u64> {
    let (passed, all) = (now - began, end - began);
    if passed <= 0 || passed < all / FORESEEN_AFTER {
        return None;
    }
    let expected = u128::from(used) * u128::from(all.unsigned_abs());
    u64::try_from(expected / u128::from(passed.unsigned_abs())).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_month_is_foreseen_from_its_part_that_has_passed_once_that_says_something() {
        let table = [
            (0, 0, None),
            (500, 99, None),
            (500, 100, Some(5000)),
            (500, 250, Some(2000)),
            (500, 1000, Some(500)),
            (0, 500, Some(0)),
            (u64::MAX, 100, None),
        ];
        for (used, now, foreseen) in table {
            assert_eq!(expected(used, 0, now, 1000), foreseen, "{used} by {now}");
        }
        assert_eq!(expected(5, 500, 400, 1000), None, "the clock was put back");
    }
}
