//! `--wait`: return only when a change of keys or subscriptions holds on every running server.
//!
//! Each server says which revision of the store it acts on; this asks until all have come far
//! enough. A server that cannot read the store says nothing, and accepts no key either.

use std::path::Path;
use std::time::Duration;

use clap::Args;
use shared::data_dir::DataDir;
use shared::keys::environment::Environment;
use shared::keys::sqlite::SqliteKeyStore;
use shared::keys::store::KeyStore;
use shared::servers::{Standing, standing};

use crate::advice::Advised;
use crate::context::Context;
use crate::exit_status::ExitStatus;

/// Longest wait for a server, ten times as long as it may act on what it does not know.
const WAIT_MAX: Duration = Duration::from_secs(10);
/// Pause between two looks.
const PAUSE: Duration = Duration::from_millis(20);

/// Whether to wait.
#[derive(Clone, Copy, Debug, Args)]
pub struct WaitArgs {
    /// Return only when every running server acts on the change
    #[arg(long)]
    pub wait: bool,
}

impl WaitArgs {
    /// Waits, if asked to, until every running server acts on the last change of `store`, which
    /// belongs to `data`. It waits also where what was to be `shown` could not be, which is then
    /// the error: a change that is made has to hold, whoever watches.
    pub(super) fn then(
        self,
        shown: anyhow::Result<()>,
        data: &Path,
        store: &mut SqliteKeyStore,
        context: &mut Context,
    ) -> anyhow::Result<()> {
        if self.wait {
            wait(&DataDir::new(data), store, context)?;
        }
        shown
    }
}

fn wait(data: &DataDir, store: &mut SqliteKeyStore, context: &mut Context) -> anyhow::Result<()> {
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
/// of this store, before it was restored, is not told apart from one that lags behind, and need
/// not be.
fn unaware(data: &DataDir, store: &mut SqliteKeyStore) -> anyhow::Result<Option<Environment>> {
    for environment in Environment::ALL {
        let is_aware = match standing(data, environment)? {
            Standing::Stopped => true,
            Standing::Silent => false,
            Standing::At(revision) => revision == store.revision()?,
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
    Advised {
        error,
        excerpt: None,
        advice: "a server that cannot read the key store refuses every key; its log says why"
            .to_owned(),
        status: ExitStatus::Failure,
    }
    .into()
}
