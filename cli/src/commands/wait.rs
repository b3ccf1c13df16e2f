//! Returning only when a change of keys or subscriptions holds on every running server.
//!
//! Each server of a data directory says which revision of the store it acts on; this asks until all
//! have come far enough. A server that cannot read the store says nothing, and accepts no key
//! either. Servers that share a database are not listed anywhere, and need not be: each of them
//! stops accepting keys that it has not confirmed for a while, so this waits a little longer than
//! that.

use std::time::Duration;

use clap::Args;
use shared::base::data_dir::DataDir;
use shared::keys::environment::Environment;
use shared::keys::key_store::KeyStore;
use shared::keys::limits::CHANGES_HOLD_WITHIN;
use shared::servers::{ServerStatus, server_status};

use crate::commands::show::made;
use crate::exit_status::ExitStatus;
use crate::hints::Hinted;
use crate::process::context::Context;
use crate::serving::key_store_config::KeyStoreConfig;

/// Longest wait for a server, ten times as long as it may act on what it does not know.
const WAIT_MAX: Duration = Duration::from_secs(10);
/// How long a server that shares a database may act on what was so before a change: it accepts a
/// key only if it has asked for changes within [`CHANGES_HOLD_WITHIN`], by a clock that never
/// jumps, counted from before the question; and a question that is asked after the change was
/// committed is answered with it. The rest is for clocks that do not tick alike.
pub(super) const SHARED_WAIT: Duration =
    CHANGES_HOLD_WITHIN.saturating_add(Duration::from_millis(100));
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
    /// `store`, which belongs to `config`. It waits also where what was to be `shown` could not be,
    /// which is then the error: a change that is made has to hold, seen or not.
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
    while let Some(environment) = unaware(data, store)? {
        if WAIT_MAX <= waited {
            return Err(unconfirmed(environment));
        }
        (context.pause)(PAUSE);
        waited += PAUSE;
    }
    Ok(())
}

/// A running server that does not act on the store as it is now. One that acted on a later state
/// of this store, before it was restored, looks like one that lags behind, and is waited
/// for too.
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
