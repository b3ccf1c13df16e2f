//! `catalogue keys disable`, `enable`, `revoke` and `update`: changes of a key that stays the same.

use std::io::Write;

use clap::Args;
use shared::keys::key::{Key, KeyId, KeyState};
use shared::keys::key_store::KeyStore;
use shared::keys::store::KeyStoreError;
use shared::keys::subscription::Subscription;

use crate::commands::key_store;
use crate::commands::keys::{KeyArgs, last_use, list, owner};
use crate::commands::wait::{Change, WaitArgs};
use crate::exit_status::ExitStatus;
use crate::process::context::Context;
use crate::terminal::relative_time;

/// Arguments of the first three.
#[derive(Debug, Args)]
pub struct ChangeArgs {
    /// The key to change.
    #[command(flatten)]
    pub key: KeyArgs,
    /// Whether to wait.
    #[command(flatten)]
    pub wait: WaitArgs,
}

/// Changes a key and shows it.
pub(super) fn run(
    key: &KeyArgs,
    change: &Change<'_>,
    as_json: bool,
    context: &mut Context,
    make: impl FnOnce(&mut KeyStore, &KeyId, i64) -> Result<Key, KeyStoreError>,
) -> anyhow::Result<ExitStatus> {
    let mut store = key_store::open(change.config, context)?;
    let key = key.find(change.attempt, &mut store)?;
    change.make(
        store,
        context,
        |store, now| make(store, &key.id, now),
        |changed, store, context| show(changed, as_json, store, context),
    )
}

fn show(
    key: &Key,
    as_json: bool,
    store: &mut KeyStore,
    context: &mut Context,
) -> anyhow::Result<()> {
    let owner = owner(key, store)?;
    if key.revoked_at.is_some() {
        warn_of_rotated(key, &owner, store, context)?;
    }
    let last_use = last_use(key, store)?;
    list::print(key, &owner, last_use, as_json, context)
}

/// Warns that the rotated key before this one still works, since its grace period continues.
fn warn_of_rotated(
    key: &Key,
    owner: &Subscription,
    store: &mut KeyStore,
    context: &mut Context,
) -> anyhow::Result<()> {
    let now = context.clock.now();
    for other in store
        .keys()?
        .iter()
        .filter(|other| other.family == key.family)
    {
        let KeyState::Rotated { until } = other.state(owner, now) else {
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
