//! Waits until a change of keys or subscriptions takes effect on every running server.
//!
//! Each server of a data directory reports which revision of the store it acts on; this polls until
//! all have reached the change. A server that cannot read the store reports nothing, and accepts no
//! key either. Servers that share a database are not listed anywhere, and need not be: each of them
//! stops accepting keys that it has not confirmed for a while, so this waits a little longer than
//! that.

use std::time::Duration;

use anyhow::Context as _;
use clap::Args;
use shared::base::data_dir::DataDir;
use shared::keys::environment::Environment;
use shared::keys::key_store::KeyStore;
use shared::keys::limits::CHANGES_HOLD_WITHIN;
use shared::keys::store::KeyStoreError;
use shared::servers::{ServerStatus, server_status};

use crate::commands::key_store;
use crate::commands::show::made;
use crate::exit_status::ExitStatus;
use crate::hints::Hinted;
use crate::process::context::Context;
use crate::serving::key_store_config::KeyStoreConfig;

/// Longest wait for a server, ten times as long as it may act on outdated keys.
const WAIT_MAX: Duration = Duration::from_secs(10);
/// How long a server that shares a database may act on the state before a change. It accepts a key
/// only if its last query for changes began within [`CHANGES_HOLD_WITHIN`], by a monotonic clock,
/// and a query that begins after the commit returns the change. The rest allows for clocks that run
/// at different rates.
pub(super) const SHARED_WAIT: Duration =
    CHANGES_HOLD_WITHIN.saturating_add(Duration::from_millis(100));
/// What is said where the servers cannot be looked at.
const UNKNOWN: &str = "the change is made, but whether every server acts on it is not known";
/// Pause between two checks.
const PAUSE: Duration = Duration::from_millis(20);

/// Whether to wait.
#[derive(Clone, Copy, Debug, Args)]
pub struct WaitArgs {
    /// Return at once instead of waiting until every running server acts on the change
    #[arg(long)]
    pub no_wait: bool,
    /// Return only when every running server acts on the change, as without this
    #[arg(long, hide = true, conflicts_with = "no_wait")]
    pub wait: bool,
}

impl WaitArgs {
    /// Waits, unless `no_wait` is typed, until every running server acts on the last change of
    /// `store`, which belongs to `config`. It also waits if `shown` is an error, which it then
    /// returns: the change must take effect even if it could not be shown.
    pub(super) fn then(
        self,
        shown: anyhow::Result<()>,
        config: &KeyStoreConfig,
        store: &mut KeyStore,
        context: &mut Context,
    ) -> anyhow::Result<()> {
        if !self.no_wait {
            wait(config, store, context)?;
        }
        made(shown)
    }
}

/// A change of keys or subscriptions, as it was typed.
pub(super) struct Change<'a> {
    /// What is attempted, in errors.
    pub(super) attempt: &'static str,
    pub(super) wait: WaitArgs,
    pub(super) config: &'a KeyStoreConfig,
}

impl Change<'_> {
    /// Makes the change at the present second, shows what came of it, and waits.
    pub(super) fn make<T>(
        &self,
        mut store: KeyStore,
        context: &mut Context,
        make: impl FnOnce(&mut KeyStore, i64) -> Result<T, KeyStoreError>,
        show: impl FnOnce(&T, &mut KeyStore, &mut Context) -> anyhow::Result<()>,
    ) -> anyhow::Result<ExitStatus> {
        let changed = make(&mut store, context.clock.now().unix_seconds());
        let changed =
            changed.map_err(|error| key_store::refused(error, self.attempt, &mut store))?;
        let shown = show(&changed, &mut store, context);
        self.wait.then(shown, self.config, &mut store, context)?;
        Ok(ExitStatus::Done)
    }
}

fn wait(
    config: &KeyStoreConfig,
    store: &mut KeyStore,
    context: &mut Context,
) -> anyhow::Result<()> {
    if config.is_shared() {
        (context.pause)(SHARED_WAIT);
        return Ok(());
    }
    let data = config.data();
    let mut waited = Duration::ZERO;
    while let Some(environment) = unaware(data, store).context(UNKNOWN)? {
        if WAIT_MAX <= waited {
            return Err(unconfirmed(environment));
        }
        (context.pause)(PAUSE);
        waited += PAUSE;
    }
    Ok(())
}

/// A running server that does not act on the current state of the store. If the store was restored
/// from a backup, a server that acted on a later state looks like one that lags behind, and is
/// waited for too.
fn unaware(data: &DataDir, store: &mut KeyStore) -> anyhow::Result<Option<Environment>> {
    for environment in Environment::ALL {
        let is_aware = match server_status(data, environment)? {
            ServerStatus::Stopped => true,
            ServerStatus::Silent => false,
            ServerStatus::At(revision) => revision == store.revision()?,
        };
        if !is_aware {
            return Ok(Some(environment));
        }
    }
    Ok(None)
}

fn unconfirmed(environment: Environment) -> anyhow::Error {
    let error = anyhow::anyhow!(
        "the change is made, but the server for {environment} keys has not confirmed it within {} s",
        WAIT_MAX.as_secs()
    );
    let hint = "a server that cannot read the key store refuses every key; its log says why";
    Hinted::new(error, hint, ExitStatus::Failure).into()
}
