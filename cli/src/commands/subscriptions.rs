//! `catalogue subscriptions`: who owns keys, and how many requests they may make in a month.

use std::io::Write;

use clap::{Args, Subcommand, value_parser};
use serde::Serialize;
use shared::base::hint::quoted;
use shared::keys::key_store::{KeyStore, SubscriptionChange};
use shared::keys::limits::{DEFAULT_QUOTA, NAME_MAX, QUOTA_MAX};
use shared::keys::name::Name;
use shared::keys::subscription::{NewSubscription, Subscription, SubscriptionStatus};

use crate::commands::show;
use crate::commands::wait::{Change, WaitArgs};
use crate::commands::{key_store, one_of};
use crate::exit_status::ExitStatus;
use crate::process::context::Context;
use crate::report::Report;
use crate::report::facts::Facts;
use crate::serving::key_store_config::KeyStoreConfig;
use crate::terminal::Terminal;
use crate::terminal::quantity::count;
use crate::terminal::relative_time;
use crate::terminal::style::Style;
use crate::terminal::table::{Cell, Column};

/// What consumers pay for (specification section 5.4). Nothing depends on it, so it is not kept.
const ONLY_PLAN: &str = "pro";

/// Arguments of `subscriptions`.
#[derive(Debug, Args)]
pub struct SubscriptionsArgs {
    /// What to do.
    #[command(subcommand)]
    pub command: SubscriptionsCommand,
    /// Print one JSON document
    #[arg(long, global = true)]
    pub json: bool,
}

/// What can be done with subscriptions.
#[derive(Debug, Subcommand)]
pub enum SubscriptionsCommand {
    /// Create a subscription that starts now; its quota renews on this day of each month
    #[command(after_help = "For example: catalogue subscriptions create acme --quota 100k")]
    Create(CreateArgs),
    /// List all subscriptions
    #[command(after_help = "For example: catalogue subscriptions list")]
    List,
    /// Show one subscription
    #[command(after_help = "For example: catalogue subscriptions show acme")]
    Show(NameArgs),
    /// Change a subscription
    #[command(override_usage = "\
catalogue subscriptions update [OPTIONS] --status <STATUS> <NAME>
       catalogue subscriptions update [OPTIONS] --quota <N> <NAME>")]
    #[command(
        after_help = "For example: catalogue subscriptions update acme --quota 250k\n             catalogue subscriptions update acme --status inactive"
    )]
    Update(UpdateArgs),
    /// Give a subscription another name; its keys, quota and log stay its own
    #[command(after_help = "For example: catalogue subscriptions rename acme acme-boats")]
    Rename(RenameArgs),
    /// Delete a subscription whose keys are revoked or expired; its log stays
    Delete(DeleteArgs),
}

/// Arguments of `subscriptions create`.
#[derive(Debug, Args)]
pub struct CreateArgs {
    /// Its name.
    #[arg(value_parser = value_parser!(Name), help = name_help())]
    pub name: Name,
    /// The only plan; you need not name it
    #[arg(long, value_parser = [ONLY_PLAN])]
    pub plan: Option<String>,
    /// Requests a month, shared by all its keys, such as 100k or 2M
    #[arg(long, value_name = "N", default_value_t = DEFAULT_QUOTA, value_parser = count::<u64>(0..=QUOTA_MAX))]
    #[arg(env = "CATALOGUE_QUOTA", hide_env_values = true)]
    pub quota: u64,
    /// Whether to wait.
    #[command(flatten)]
    pub wait: WaitArgs,
}

/// The subscription that is meant.
#[derive(Debug, Args)]
pub struct NameArgs {
    /// Its name
    #[arg(value_parser = value_parser!(Name))]
    pub name: Name,
}

/// Arguments of `subscriptions update`.
#[derive(Debug, Args)]
pub struct UpdateArgs {
    /// Its name
    #[arg(value_parser = value_parser!(Name))]
    pub name: Name,
    /// What to change.
    #[command(flatten)]
    pub change: ChangeArgs,
    /// Whether to wait.
    #[command(flatten)]
    pub wait: WaitArgs,
}

/// Arguments of `subscriptions rename`.
#[derive(Debug, Args)]
pub struct RenameArgs {
    /// Its name
    #[arg(value_parser = value_parser!(Name))]
    pub name: Name,
    /// Its new name.
    #[arg(value_name = "NEW_NAME", value_parser = value_parser!(Name), help = new_name_help())]
    pub new: Name,
    /// Whether to wait.
    #[command(flatten)]
    pub wait: WaitArgs,
}

/// Arguments of `subscriptions delete`.
#[derive(Debug, Args)]
#[command(after_help = "\
For example: catalogue subscriptions delete acme\n\
Refused while a key works or could work again, or if the current month has charges. You can then \
use the name again; its log stays under the name that is shown, and so do its past \
months in `catalogue usage --month`.")]
pub struct DeleteArgs {
    /// Its name
    #[arg(value_parser = value_parser!(Name))]
    pub name: Name,
    /// Whether to wait.
    #[command(flatten)]
    pub wait: WaitArgs,
}

/// At least one of them is given.
#[derive(Debug, Args)]
#[group(required = true, multiple = true)]
pub struct ChangeArgs {
    /// Whether its keys work
    #[arg(long, value_parser = one_of(SubscriptionStatus::ALL, SubscriptionStatus::as_str))]
    pub status: Option<SubscriptionStatus>,
    /// Requests a month, shared by all its keys, such as 2M; what is used of the month stays used
    #[arg(long, value_name = "N", value_parser = count::<u64>(0..=QUOTA_MAX))]
    pub quota: Option<u64>,
}

fn name_help() -> String {
    format!("Its name, at most {NAME_MAX} characters")
}

fn new_name_help() -> String {
    format!("Its new name, at most {NAME_MAX} characters")
}

/// Does what was typed.
pub fn run(
    args: &SubscriptionsArgs,
    config: &KeyStoreConfig,
    context: &mut Context,
) -> anyhow::Result<ExitStatus> {
    let change = |attempt, wait| Change {
        attempt,
        wait,
        config,
    };
    let show_one = |subscription: &Subscription, _: &mut KeyStore, context: &mut Context| {
        show(subscription, None, args.json, context)
    };
    match &args.command {
        SubscriptionsCommand::Create(args_of) => {
            let change = change("could not create the subscription", args_of.wait);
            create(args_of, &change, args.json, context)
        }
        SubscriptionsCommand::List => list(args.json, config, context),
        SubscriptionsCommand::Show(named) => {
            let mut store = key_store::open(config, context)?;
            let found = store.subscription(&named.name);
            let attempt = "could not show the subscription";
            let found = found.map_err(|error| key_store::refused(error, attempt, &mut store))?;
            show(&found, None, args.json, context)?;
            Ok(ExitStatus::Done)
        }
        SubscriptionsCommand::Update(UpdateArgs {
            name,
            change: typed,
            wait,
        }) => {
            let changes = SubscriptionChange {
                status: typed.status,
                quota: typed.quota,
            };
            change("could not change the subscription", *wait).make(
                key_store::open(config, context)?,
                context,
                |store, now| store.update_subscription(name, changes, now),
                show_one,
            )
        }
        SubscriptionsCommand::Rename(RenameArgs { name, new, wait }) => {
            change("could not rename the subscription", *wait).make(
                key_store::open(config, context)?,
                context,
                |store, now| store.rename_subscription(name, new, now),
                show_one,
            )
        }
        SubscriptionsCommand::Delete(DeleteArgs { name, wait }) => {
            change("could not delete the subscription", *wait).make(
                key_store::open(config, context)?,
                context,
                |store, now| store.delete_subscription(name, now),
                |deleted, _store, context| show_deleted(name, deleted, args.json, context),
            )
        }
    }
}

fn create(
    args: &CreateArgs,
    change: &Change<'_>,
    as_json: bool,
    context: &mut Context,
) -> anyhow::Result<ExitStatus> {
    let new = NewSubscription {
        name: args.name.clone(),
        quota: args.quota,
    };
    change.make(
        key_store::open_or_create(change.config, context)?,
        context,
        |store, now| store.create_subscription(&new, now),
        |created, _store, context| {
            let next = format!(
                "  catalogue keys issue --subscription {} --scope boats.read manufacturers.read",
                quoted(created.name.as_str()),
            );
            show(created, Some(next), as_json, context)
        },
    )
}

fn show_deleted(
    name: &Name,
    deleted: &Subscription,
    as_json: bool,
    context: &mut Context,
) -> anyhow::Result<()> {
    let document = DeletedDocument {
        deleted: name.to_string(),
        logged_as: deleted.name.to_string(),
    };
    let report = || {
        let log = quoted(deleted.name.as_str());
        let mut report = Report::of(format!("Deleted the subscription {name}."));
        report.line(format!(
            "Its log stays: catalogue keys log --subscription {log}"
        ));
        report
    };
    show::result(as_json, &document, report, context)
}

fn list(
    as_json: bool,
    config: &KeyStoreConfig,
    context: &mut Context,
) -> anyhow::Result<ExitStatus> {
    let subscriptions = match key_store::open_if_any(config, context)? {
        Some(mut store) => store.subscriptions()?,
        None => Vec::new(),
    };
    let (now, terminal) = (context.clock.now().unix_seconds(), context.terminal);
    let of_each = subscriptions.iter().map(|one| facts(one, now, terminal));
    let document = ListDocument {
        subscriptions: of_each.collect(),
    };
    let report = || match &subscriptions[..] {
        [] => {
            let mut report = Report::of(format!("No subscriptions in {config}."));
            report.line("Create one: catalogue subscriptions create NAME");
            report
        }
        subscriptions => listed(subscriptions, now, terminal),
    };
    show::result(as_json, &document, report, context)?;
    Ok(ExitStatus::Done)
}

fn listed(subscriptions: &[Subscription], now: i64, terminal: Terminal) -> Report<'static> {
    let rows = subscriptions.iter().map(|subscription| {
        [
            Cell::from(subscription.name.as_str()),
            status(subscription),
            subscription.quota.to_string().into(),
            relative_time::short(subscription.started_at, now, terminal).into(),
        ]
    });
    let columns = [
        Column::wrapped("NAME"),
        "STATUS".into(),
        "QUOTA".into(),
        "STARTED".into(),
    ];
    let mut report = Report::new();
    report.table("", columns, rows);
    report
}

/// Shows a subscription and, to a person, the command for its first key.
fn show(
    subscription: &Subscription,
    first_key: Option<String>,
    as_json: bool,
    context: &mut Context,
) -> anyhow::Result<()> {
    let (now, terminal) = (context.clock.now().unix_seconds(), context.terminal);
    show::facts(as_json, facts(subscription, now, terminal), context)?;
    if let Some(command) = first_key.filter(|_| !as_json) {
        let mut next = Report::of("Issue its first key:");
        next.verbatim(command);
        writeln!(context.out)?;
        show::report(&next, context)?;
    }
    Ok(())
}

fn status(subscription: &Subscription) -> Cell {
    let style = match subscription.status {
        SubscriptionStatus::Active => Style::Good,
        SubscriptionStatus::Inactive => Style::Faint,
    };
    Cell::new(subscription.status.as_str(), style)
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct DeletedDocument {
    deleted: String,
    logged_as: String,
}

#[derive(Serialize)]
struct ListDocument {
    subscriptions: Vec<Facts>,
}

fn facts(subscription: &Subscription, now: i64, terminal: Terminal) -> Facts {
    let shown = |at| relative_time::full(at, now, terminal);
    let (quota, started_at) = (subscription.quota, subscription.started_at);
    Facts::new()
        .fact("name", "Name", subscription.name.as_str())
        .told("status", subscription.status.as_str())
        .shown("Status", status(subscription))
        .told("quota", quota)
        .shown("Quota", format!("{quota} requests a month"))
        .told("startedAt", relative_time::exact(started_at))
        .shown("Started", shown(started_at))
        .shown("Renews", shown(subscription.period(now).end))
}
