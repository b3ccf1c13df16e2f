//! `catalogue keys list` and `show`: shows keys, without the secrets.

use std::collections::HashMap;
use std::time::Duration;

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::{ArgAction, Args, value_parser};
use serde::Serialize;
use shared::base::clock::{Moment, UnixMillis};
use shared::keys::environment::Environment;
use shared::keys::key::{Key, KeyId, KeyState};
use shared::keys::key_store::KeyStore;
use shared::keys::last_use::LastUse;
use shared::keys::name::Name;
use shared::keys::subscription::Subscription;

use crate::commands::keys::document::{facts, state};
use crate::commands::keys::{KeyArgs, last_use, owner, without_owner};
use crate::commands::show;
use crate::commands::{key_store, one_of};
use crate::exit_status::ExitStatus;
use crate::process::context::Context;
use crate::report::Report;
use crate::report::facts::Facts;
use crate::serving::key_store_config::KeyStoreConfig;
use crate::terminal::Terminal;
use crate::terminal::counted;
use crate::terminal::quantity::{POSITIVE, duration};
use crate::terminal::relative_time;
use crate::terminal::table::{Cell, Column};

#[derive(Serialize)]
struct ListDocument {
    keys: Vec<Facts>,
}

/// Arguments of `keys list`: a key is listed that meets all of them.
#[derive(Debug, Args)]
#[command(
    after_help = "For example: catalogue keys list --state active,rotated --unused\n\
    A key that was never used counts as unused since it was issued."
)]
pub struct ListArgs {
    /// Only keys of this subscription
    #[arg(long, value_name = "NAME", value_parser = value_parser!(Name))]
    pub subscription: Option<Name>,
    /// Only keys in this state; or in one of several
    #[arg(long = "state", value_name = "STATE", value_parser = state_word())]
    #[arg(value_delimiter = ',', action = ArgAction::Append)]
    pub states: Vec<String>,
    /// Only keys for these servers
    #[arg(long = "env", value_name = "ENV", value_parser = one_of(Environment::ALL, Environment::as_str))]
    pub environment: Option<Environment>,
    /// Only keys that nobody used for this long, such as 12h; 90d without a value
    #[arg(long, value_name = "DURATION", value_parser = duration(POSITIVE))]
    #[arg(num_args = 0..=1, default_missing_value = "90d")]
    pub unused: Option<Duration>,
}

/// A state, as one word that needs no quotes in a shell.
fn state_word() -> impl TypedValueParser<Value = String> {
    let words = KeyState::WORDS.map(|word| match word {
        "subscription inactive" => PossibleValue::new("subscription-inactive").alias(word),
        word => PossibleValue::new(word),
    });
    PossibleValuesParser::new(words).map(|word| word.replace('-', " "))
}

impl ListArgs {
    /// Whether only some keys are requested.
    fn is_filter(&self) -> bool {
        let Self {
            subscription,
            states,
            environment,
            unused,
        } = self;
        subscription.is_some() || !states.is_empty() || environment.is_some() || unused.is_some()
    }

    /// Whether `key`, which `owner` owns, matches the filters at `now`.
    fn matches(
        &self,
        key: &Key,
        owner: &Subscription,
        last_use: Option<LastUse>,
        now: Moment,
    ) -> bool {
        let state = key.state(owner, now);
        let used_at = last_use.map_or(key.created_at, |last| last.at);
        let is_unused_for =
            |time: Duration| used_at.saturating_add_unsigned(time.as_secs()) <= now.unix_seconds();
        self.subscription
            .as_ref()
            .is_none_or(|name| *name == owner.name)
            && (self.states.is_empty() || self.states.iter().any(|word| word == state.as_str()))
            && self
                .environment
                .is_none_or(|environment| environment == key.environment)
            && self.unused.is_none_or(is_unused_for)
    }
}

/// Lists the requested keys.
pub(super) fn run(
    args: &ListArgs,
    as_json: bool,
    config: &KeyStoreConfig,
    context: &mut Context,
) -> anyhow::Result<ExitStatus> {
    let mut store = key_store::open_if_any(config, context)?;
    if let (Some(name), Some(store)) = (&args.subscription, &mut store) {
        let found = store.subscription(name);
        found.map_err(|error| key_store::refused(error, "could not list the keys", store))?;
    }
    let Listing {
        mut keys,
        subscriptions,
        last_uses,
    } = listing(store)?;
    let last_use = |key: &Key| last_uses.get(&key.id).copied();
    let now = context.clock.now();
    let all = keys.len();
    keys.retain(|(key, owner)| args.matches(key, owner, last_use(key), now));
    let terminal = context.terminal;
    let facts = keys
        .iter()
        .map(|(key, owner)| facts(key, owner, last_use(key), now, terminal));
    let document = ListDocument {
        keys: facts.collect(),
    };
    let report = || match keys.len() {
        0 if args.is_filter() && all != 0 => {
            let of_all = counted(all as u64, "key");
            Report::of(format!("No key matches, of {of_all} in {config}."))
        }
        0 => none(subscriptions, config),
        _ => listed(&keys, &last_uses, now, terminal),
    };
    show::result(as_json, &document, report, context)?;
    Ok(ExitStatus::Done)
}

fn listed(
    keys: &[(Key, Subscription)],
    last_uses: &HashMap<KeyId, LastUse>,
    now: Moment,
    terminal: Terminal,
) -> Report<'static> {
    let columns = [
        "PREFIX".into(),
        Column::spare(1, "ID"),
        Column::wrapped("NAME"),
        Column::wrapped("SUBSCRIPTION"),
        // The prefix contains it too.
        Column::spare(0, "ENV"),
        Column::spare(2, "SCOPES"),
        Column::wrapped("STATE"),
        Column::spare(5, "EXPIRES"),
        Column::spare(3, "LAST USED"),
    ];
    let time_or_never = |at: Option<UnixMillis>| match at {
        Some(at) => relative_time::short(at, now.unix_seconds(), terminal),
        None => "never".to_owned(),
    };
    let rows = keys.iter().map(|(key, owner)| {
        let last_use = last_uses.get(&key.id).copied();
        [
            Cell::from(key.prefix.as_str()),
            key.id.as_str().into(),
            key.name.as_ref().map_or("-", Name::as_str).into(),
            owner.name.as_str().into(),
            key.environment.as_str().into(),
            key.scopes.join(",").into(),
            state(key, owner, last_use, now, terminal),
            time_or_never(key.works_until()).into(),
            time_or_never(last_use.map(|last| last.at.into())).into(),
        ]
    });
    let mut report = Report::new();
    report.table("", columns, rows);
    report
}

/// That there are no keys, and how to create the first.
fn none(subscriptions: usize, config: &KeyStoreConfig) -> Report<'static> {
    let is_missing = !config.is_shared() && !config.data().path().exists();
    let mut report = Report::of(if is_missing {
        format!("No keys: there is no directory {config}.")
    } else {
        format!("No keys in {config}.")
    });
    report.line(match subscriptions {
        0 if is_missing => {
            "Name another one with --data, or begin: catalogue subscriptions create NAME"
        }
        0 => "Create a subscription first: catalogue subscriptions create NAME",
        _ => "Issue one: catalogue keys issue --subscription NAME --scope boats.read",
    });
    report
}

/// Shows one key.
pub(super) fn show(
    args: &KeyArgs,
    as_json: bool,
    config: &KeyStoreConfig,
    context: &mut Context,
) -> anyhow::Result<ExitStatus> {
    let mut store = key_store::open(config, context)?;
    let key = args.find("could not show the key", &mut store)?;
    let owner = owner(&key, &mut store)?;
    let last_use = last_use(&key, &mut store)?;
    print(&key, &owner, last_use, as_json, context)?;
    Ok(ExitStatus::Done)
}

/// Prints one key without its secret.
pub(super) fn print(
    key: &Key,
    owner: &Subscription,
    last_use: Option<LastUse>,
    as_json: bool,
    context: &mut Context,
) -> anyhow::Result<()> {
    let (now, terminal) = (context.clock.now(), context.terminal);
    let facts = facts(key, owner, last_use, now, terminal);
    show::facts(as_json, facts, context)
}

struct Listing {
    keys: Vec<(Key, Subscription)>,
    subscriptions: usize,
    last_uses: HashMap<KeyId, LastUse>,
}

/// Each key with its owner. Keys are read before subscriptions, so that every owner is found.
fn listing(store: Option<KeyStore>) -> anyhow::Result<Listing> {
    let (keys, owners, last_uses) = match store {
        Some(mut store) => {
            let keys = store.keys()?;
            (keys, store.subscriptions_ever()?, store.last_uses()?)
        }
        None => Default::default(),
    };
    let owned = |key: Key| {
        let owner = owners.iter().find(|owner| owner.id == key.subscription);
        let owner = owner.cloned().ok_or_else(|| without_owner(&key))?;
        Ok((key, owner))
    };
    let keys = keys.into_iter().map(owned);
    Ok(Listing {
        keys: keys.collect::<anyhow::Result<_>>()?,
        subscriptions: owners.iter().filter(|owner| !owner.is_deleted()).count(),
        last_uses,
    })
}
