//! `catalogue keys disable`, `enable` and `revoke`: whether a key is accepted.

use std::io::Write;

use clap::Args;
use shared::keys::key::{Key, KeyId, KeyState};
use shared::keys::key_store::KeyStore;
use shared::keys::store::KeyStoreError;

use crate::commands::key_store;
use crate::commands::keys::{KeyArgs, last_use, list, owner};
use crate::commands::wait::WaitArgs;
use crate::exit_status::ExitStatus;
use crate::process::context::Context;
use crate::serving::key_store_config::KeyStoreConfig;
use crate::terminal::relative_time;

/// Arguments of the three.
#[derive(Debug, Args)]
pub struct ChangeArgs {
    /// The key to change.
    #[command(flatten)]
    pub key: KeyArgs,
    /// Whether to wait.
    #[command(flatten)]
    pub wait: WaitArgs,
}

/// Refuses a key until it is enabled again.
pub(super) fn disable(
    args: &ChangeArgs,
    as_json: bool,
    config: &KeyStoreConfig,
    context: &mut Context,
) -> anyhow::Result<ExitStatus> {
    let now = context.clock.now().unix_seconds();
    let mut store = key_store::open(config, context)?;
    let disable = |store: &mut KeyStore, id: &KeyId| store.disable_key(id, now);
    let key = change(args, "could not disable the key", disable, &mut store)?;
    let shown = show(&key, as_json, &mut store, context);
    args.wait.then(shown, config, &mut store, context)?;
    Ok(ExitStatus::Done)
}

/// Accepts a disabled key again.
pub(super) fn enable(
    args: &ChangeArgs,
    as_json: bool,
    config: &KeyStoreConfig,
    context: &mut Context,
) -> anyhow::Result<ExitStatus> {
    let now = context.clock.now().unix_seconds();
    let mut store = key_store::open(config, context)?;
    let enable = |store: &mut KeyStore, id: &KeyId| store.enable_key(id, now);
    let key = change(args, "could not enable the key", enable, &mut store)?;
    let shown = show(&key, as_json, &mut store, context);
    args.wait.then(shown, config, &mut store, context)?;
    Ok(ExitStatus::Done)
}

/// Refuses a key for good.
pub(super) fn revoke(
    args: &ChangeArgs,
    as_json: bool,
    config: &KeyStoreConfig,
    context: &mut Context,
) -> anyhow::Result<ExitStatus> {
    let now = context.clock.now().unix_seconds();
    let mut store = key_store::open(config, context)?;
    let revoke = |store: &mut KeyStore, id: &KeyId| store.revoke_key(id, now);
    let key = change(args, "could not revoke the key", revoke, &mut store)?;
    let warned = warn_of_rotated(&key, &mut store, context);
    let shown = warned.and_then(|()| show(&key, as_json, &mut store, context));
    args.wait.then(shown, config, &mut store, context)?;
    Ok(ExitStatus::Done)
}

fn change(
    args: &ChangeArgs,
    attempt: &str,
    change: impl FnOnce(&mut KeyStore, &KeyId) -> Result<Key, KeyStoreError>,
    store: &mut KeyStore,
) -> anyhow::Result<Key> {
    let key = args.key.find(attempt, store)?;
    change(store, &key.id).map_err(|error| key_store::refused(error, attempt, store))
}

pub(super) fn show(
    key: &Key,
    as_json: bool,
    store: &mut KeyStore,
    context: &mut Context,
) -> anyhow::Result<()> {
    let owner = owner(key, store)?;
    let last_use = last_use(key, store)?;
    list::print(key, &owner, last_use, as_json, context)
}

/// Warns that the rotated key before this one still works, since its grace period continues.
fn warn_of_rotated(key: &Key, store: &mut KeyStore, context: &mut Context) -> anyhow::Result<()> {
    let owner = owner(key, store)?;
    let now = context.clock.now();
    for other in store
        .keys()?
        .iter()
        .filter(|other| other.family == key.family)
    {
        let KeyState::Rotated { until } = other.state(&owner, now) else {
            continue;
        };
        let (prefix, until) = (&other.prefix, relative_time::exact(until));
        writeln!(
            context.err,
            "warning: the rotated key {prefix} still works until {until}"
        )?;
        let hint = format!("hint: catalogue keys revoke {}", other.id);
        writeln!(context.err, "{}", context.hints.paste(&hint))?;
    }
    Ok(())
}
