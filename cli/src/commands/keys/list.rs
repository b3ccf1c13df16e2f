//! `catalogue keys list` and `show`: shows keys, without the secrets.

use std::collections::HashMap;
use std::io::Write;
use std::time::Duration;

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::{ArgAction, Args, value_parser};
use serde::Serialize;
use shared::keys::environment::Environment;
use shared::keys::key::{Key, KeyId, KeyState};
use shared::keys::key_store::KeyStore;
use shared::keys::last_use::LastUse;
use shared::keys::name::Name;
use shared::keys::subscription::Subscription;

use crate::commands::keys::document::{self, KeyDocument, state};
use crate::commands::keys::{KeyArgs, last_use, owner, without_owner};
use crate::commands::show;
use crate::commands::{key_store, one_of};
use crate::exit_status::ExitStatus;
use crate::process::context::Context;
use crate::serving::key_store_config::KeyStoreConfig;
use crate::terminal::counted;
use crate::terminal::quantity::{POSITIVE, duration};
use crate::terminal::relative_time;
use crate::terminal::table::{self, Cell, Column};

#[derive(Serialize)]
struct ListDocument {
    keys: Vec<KeyDocument>,
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
    /// Only keys that were not used for so long, such as 12h; 90d where none is given
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
        now: i64,
    ) -> bool {
        let state = key.state(owner, now);
        let used_at = last_use.map_or(key.created_at, |last| last.at);
        let is_unused_for = |time: Duration| used_at.saturating_add_unsigned(time.as_secs()) <= now;
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
    let now = context.clock.now().unix_seconds();
    let all = keys.len();
    keys.retain(|(key, owner)| args.matches(key, owner, last_use(key), now));
    if as_json {
        let keys = keys
            .iter()
            .map(|(key, owner)| KeyDocument::of(key, owner, last_use(key), now))
            .collect();
        show::json(&ListDocument { keys }, context)?;
        return Ok(ExitStatus::Done);
    }
    if keys.is_empty() && args.is_filter() && 0 < all {
        let of_all = counted(u64::try_from(all)?, "key");
        writeln!(context.out, "No key matches, of {of_all} in {config}.")?;
        return Ok(ExitStatus::Done);
    }
    if keys.is_empty() {
        show_none(subscriptions, config, context)?;
        return Ok(ExitStatus::Done);
    }
    let heading = [
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
    let terminal = context.terminal;
    let time_or_never = |at: Option<i64>| match at {
        Some(at) => relative_time::short(at, now, terminal),
        None => "never".to_owned(),
    };
    let rows = keys.iter().map(|(key, owner)| {
        let name = key.name.as_ref();
        let name = name.map_or_else(|| "-".to_owned(), ToString::to_string);
        [
            key.prefix.to_string().into(),
            key.id.to_string().into(),
            name.into(),
            owner.name.to_string().into(),
            key.environment.to_string().into(),
            key.scopes.join(",").into(),
            state(key, owner, last_use(key), now, terminal),
            time_or_never(key.expires_at).into(),
            Cell::from(time_or_never(last_use(key).map(|last| last.at))),
        ]
    });
    let text = table::list(heading, rows, terminal);
    context.out.write_all(text.as_bytes())?;
    Ok(ExitStatus::Done)
}

/// Says that there are no keys, and how to create the first.
fn show_none(
    subscriptions: usize,
    config: &KeyStoreConfig,
    context: &mut Context,
) -> anyhow::Result<()> {
    let is_missing = !config.is_shared() && !config.data().path().exists();
    if is_missing {
        writeln!(context.out, "No keys: there is no directory {config}.")?;
    } else {
        writeln!(context.out, "No keys in {config}.")?;
    }
    let next = match subscriptions {
        0 if is_missing => {
            "Name another one with --data, or begin: catalogue subscriptions create NAME"
        }
        0 => "Create a subscription first: catalogue subscriptions create NAME",
        _ => "Issue one: catalogue keys issue --subscription NAME --scope boats.read",
    };
    Ok(writeln!(context.out, "{}", context.hints.paste(next))?)
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
    let now = context.clock.now().unix_seconds();
    if as_json {
        return show::json(&KeyDocument::of(key, owner, last_use, now), context);
    }
    let text = document::details(key, owner, last_use, now, context.terminal);
    context.out.write_all(text.as_bytes())?;
    Ok(())
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
