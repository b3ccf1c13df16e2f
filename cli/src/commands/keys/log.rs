//! `catalogue keys log`: who changed which key or subscription, when, and how.

use clap::{Args, value_parser};
use serde::Serialize;
use shared::base::timestamp::Timestamp;
use shared::keys::audit::{Change, Entry, EntryQuery};
use shared::keys::key_store::KeyStore;
use shared::keys::name::Name;

use crate::commands::key_store;
use crate::commands::keys::KeyArgs;
use crate::commands::show;
use crate::exit_status::ExitStatus;
use crate::process::context::Context;
use crate::report::Report;
use crate::serving::key_store_config::KeyStoreConfig;
use crate::terminal::Terminal;
use crate::terminal::quantity::count;
use crate::terminal::relative_time;
use crate::terminal::table::{Cell, Column};

/// How many entries are shown by default.
const LIMIT_DEFAULT: u32 = 50;
/// Most entries that are shown at once.
const LIMIT_MAX: u32 = 1_000_000;

/// Arguments of `keys log`.
#[derive(Debug, Args)]
#[command(after_help = "For example: catalogue keys log --subscription acme\n\
        Every change is logged with the user who made it, in the same transaction; \
    entries cannot be altered or removed. No entry contains a key or its hash.")]
pub struct LogArgs {
    /// Only changes of this key: its id or prefix, a beginning of it, or its name
    #[arg(long, value_name = "ID", value_parser = |id: &str| Ok::<_, String>(KeyArgs::typed(id)))]
    pub key: Option<KeyArgs>,
    /// Only changes of this subscription and its keys
    #[arg(long, value_name = "NAME", value_parser = value_parser!(Name))]
    pub subscription: Option<Name>,
    /// How many of the latest changes to show
    #[arg(long, value_name = "N", default_value_t = LIMIT_DEFAULT)]
    #[arg(value_parser = count::<u32>(1..=u64::from(LIMIT_MAX)))]
    pub limit: u32,
}

/// Shows the latest changes, the last one first.
pub(super) fn run(
    args: &LogArgs,
    as_json: bool,
    config: &KeyStoreConfig,
    context: &mut Context,
) -> anyhow::Result<ExitStatus> {
    let mut store = key_store::open(config, context)?;
    let query = query(args, &mut store)?;
    let mut entries = store.audit_log(&query)?;
    // One more was read, to know whether there are more.
    let shown = usize::try_from(args.limit)?;
    let has_more = shown < entries.len();
    entries.truncate(shown);
    let document = Document {
        entries: entries.iter().map(EntryDocument::of).collect(),
        has_more,
    };
    let (now, terminal) = (context.clock.now().unix_seconds(), context.terminal);
    let report = || report(&entries, has_more, now, terminal);
    show::result(as_json, &document, report, context)?;
    Ok(ExitStatus::Done)
}

fn report(entries: &[Entry], has_more: bool, now: i64, terminal: Terminal) -> Report<'static> {
    if entries.is_empty() {
        return Report::of("No changes are logged.");
    }
    let rows = entries.iter().map(|entry| row(entry, now, terminal));
    let columns = [
        "WHEN".into(),
        "WHO".into(),
        Column::wrapped("WHAT"),
        Column::wrapped("CHANGES"),
    ];
    let mut report = Report::new();
    report.table("", columns, rows);
    if has_more {
        report.note("There are earlier changes; --limit N shows more.");
    }
    report
}

fn query(args: &LogArgs, store: &mut KeyStore) -> anyhow::Result<EntryQuery> {
    let attempt = "could not show the log";
    let key = match &args.key {
        Some(key) => Some(key.find(attempt, store)?.id),
        None => None,
    };
    let subscription = match &args.subscription {
        Some(name) => {
            let found = store.subscription(name);
            let found = found.map_err(|error| key_store::refused(error, attempt, store))?;
            Some(found.id)
        }
        None => None,
    };
    Ok(EntryQuery {
        key,
        subscription,
        limit: args.limit + 1,
    })
}

/// The changed values are below the event, each on a line of its own, so that the table stays
/// narrow.
fn row(entry: &Entry, now: i64, terminal: Terminal) -> [Cell; 4] {
    let subject = match &entry.key {
        Some((_id, prefix)) => prefix.to_string(),
        None => entry.subscription.to_string(),
    };
    [
        relative_time::short(entry.at, now, terminal).into(),
        entry.operator.to_string().into(),
        Cell::lines([entry.event.as_str(), &subject]),
        Cell::lines(entry.changes.iter().map(ToString::to_string)),
    ]
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Document<'a> {
    entries: Vec<EntryDocument<'a>>,
    has_more: bool,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct EntryDocument<'a> {
    at: Timestamp,
    user: Option<&'a str>,
    uid: u32,
    sudo_user: Option<&'a str>,
    event: &'static str,
    subscription: &'a str,
    key: Option<KeyNames<'a>>,
    changes: &'a [Change],
}

#[derive(Serialize)]
struct KeyNames<'a> {
    id: &'a str,
    prefix: &'a str,
}

impl<'a> EntryDocument<'a> {
    fn of(entry: &'a Entry) -> Self {
        let operator = &entry.operator;
        Self {
            at: Timestamp::from_unix_seconds(entry.at),
            user: operator.user.as_ref().map(Name::as_str),
            uid: operator.uid,
            sudo_user: operator.sudo_user.as_ref().map(Name::as_str),
            event: entry.event.as_str(),
            subscription: entry.subscription.as_str(),
            key: entry.key.as_ref().map(|(id, prefix)| KeyNames {
                id: id.as_str(),
                prefix: prefix.as_str(),
            }),
            changes: &entry.changes,
        }
    }
}
