//! `catalogue keys list` and `show`: what there is, without the keys themselves.

use std::io::Write;
use std::path::Path;

use serde::Serialize;
use shared::keys::key::Key;
use shared::keys::sqlite::SqliteKeyStore;
use shared::keys::store::KeyStore;
use shared::keys::subscription::Subscription;

use crate::commands::key_store;
use crate::commands::keys::document::{self, KeyDocument, state, time};
use crate::commands::keys::{KeyArgs, owner};
use crate::context::Context;
use crate::exit_status::ExitStatus;
use crate::{json, table};

#[derive(Serialize)]
struct ListDocument {
    keys: Vec<KeyDocument>,
}

/// Lists all keys.
pub(super) fn run(as_json: bool, data: &Path, context: &mut Context) -> anyhow::Result<ExitStatus> {
    let mut store = key_store::open_if_any(data)?;
    let Listing {
        keys,
        subscriptions,
    } = listing(store.as_mut())?;
    let now = context.clock.now().unix_seconds();
    if as_json {
        let keys = keys
            .iter()
            .map(|(key, owner)| KeyDocument::of(key, owner, now))
            .collect();
        json::print(&ListDocument { keys }, context)?;
        return Ok(ExitStatus::Done);
    }
    if keys.is_empty() {
        writeln!(context.out, "No keys in {}.", data.display())?;
        let next = match subscriptions {
            0 => "Create a subscription first: catalogue subscriptions create NAME",
            _ => "Issue one: catalogue keys issue --subscription NAME --scope boats.read",
        };
        writeln!(context.out, "{next}")?;
        return Ok(ExitStatus::Done);
    }
    let heading = [
        "PREFIX",
        "ID",
        "NAME",
        "SUBSCRIPTION",
        "ENV",
        "SCOPES",
        "STATE",
        "EXPIRES",
    ];
    let rows = keys.iter().map(|(key, owner)| {
        [
            key.prefix.to_string(),
            key.id.to_string(),
            key.name
                .as_ref()
                .map_or_else(|| "-".to_owned(), ToString::to_string),
            owner.name.to_string(),
            key.environment.to_string(),
            key.scopes.join(","),
            state(key, owner, now),
            key.expires_at.map_or_else(|| "never".to_owned(), time),
        ]
    });
    context
        .out
        .write_all(table::list(heading, rows).as_bytes())?;
    Ok(ExitStatus::Done)
}

/// Shows one key.
pub(super) fn show(
    args: &KeyArgs,
    as_json: bool,
    data: &Path,
    context: &mut Context,
) -> anyhow::Result<ExitStatus> {
    let mut store = key_store::open(data)?;
    let key = args.find("could not show the key", &mut store)?;
    let owner = owner(&key, &mut store)?;
    print(&key, &owner, as_json, context)?;
    Ok(ExitStatus::Done)
}

/// Prints one key without its secret.
pub(super) fn print(
    key: &Key,
    owner: &Subscription,
    as_json: bool,
    context: &mut Context,
) -> anyhow::Result<()> {
    let now = context.clock.now().unix_seconds();
    if as_json {
        return json::print(&KeyDocument::of(key, owner, now), context);
    }
    context
        .out
        .write_all(document::details(key, owner, now).as_bytes())?;
    Ok(())
}

struct Listing {
    keys: Vec<(Key, Subscription)>,
    subscriptions: usize,
}

/// Each key with its owner. Keys are read first, so that the owner of each is known after.
fn listing(store: Option<&mut SqliteKeyStore>) -> anyhow::Result<Listing> {
    let (keys, owners) = match store {
        Some(store) => (store.keys()?, store.subscriptions()?),
        None => (Vec::new(), Vec::new()),
    };
    let owner_of = |key: &Key| owners.iter().find(|owner| owner.id == key.subscription);
    let owned = |key: Key| owner_of(&key).cloned().map(|owner| (key, owner));
    let keys = keys.into_iter().filter_map(owned).collect();
    Ok(Listing {
        keys,
        subscriptions: owners.len(),
    })
}
