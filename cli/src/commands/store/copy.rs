//! `catalogue store copy`: copies everything from one store into an empty one.
//!
//! No server may use the store meanwhile, since its charges would be missing in the copy. The store
//! itself is not changed.

use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::time::Duration;

use anyhow::Context as _;
use clap::Args;
use serde::Serialize;
use shared::keys::contents::Contents;
use shared::keys::environment::Environment;
use shared::keys::key_store::KeyStore;
use shared::keys::limits::CHANGES_HOLD_WITHIN;
use shared::keys::postgres::{AddressError, PgClient, PostgresAddress, WithoutServers};
use shared::keys::store::KeyStoreError;
use shared::servers::{ServerLock, ServerLockError};

use crate::commands::key_store;
use crate::commands::show;
use crate::commands::show::made;
use crate::exit_status::ExitStatus;
use crate::hints::Hinted;
use crate::process::context::Context;
use crate::process::output_file::Permit;
use crate::report::Report;
use crate::serving::key_store_config::KeyStoreConfig;
use crate::settings::address::address;

/// How long a server that has just lost its connection may still charge: it may accept a request at
/// the last moment at which it trusts its keys, and the request then waits for a lease.
const LAST_CHARGE_WAIT: Duration = CHANGES_HOLD_WITHIN.saturating_add(Duration::from_millis(500));

/// How many checks are made meanwhile whether a server waits: one that runs continues before it
/// refuses anything.
const CHECKS: u32 = 10;

/// Arguments of `store copy`.
#[derive(Debug, Args)]
#[command(after_help = "\
For example: catalogue store copy --to postgres://catalogue@db.example/catalogue\n\
Copies the store that --store names, or else the one in the data directory, with usage and the \
audit log; the original stays as it is. Stop its servers first, then start them on the copy.")]
pub struct CopyArgs {
    /// Target: the address of a database that `store init` has prepared, or a file
    #[arg(long, value_name = "URL|FILE", value_parser = address::<Target>())]
    pub to: Target,
    /// Print one JSON document
    #[arg(long)]
    pub json: bool,
}

/// Where to write the copy.
#[derive(Clone, Debug)]
pub enum Target {
    /// In a database.
    Database(PostgresAddress),
    /// In a file.
    File(PathBuf),
}

/// Keeps servers from using a store, until it is dropped.
struct Held {
    _directory: Vec<ServerLock>,
    _database: Option<WithoutServers>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Document {
    from: String,
    to: String,
    subscriptions: usize,
    keys: usize,
    quota_periods: usize,
    last_uses: usize,
    log_entries: usize,
}

/// Anything that looks like an address is parsed as one, so that an invalid address does not become
/// a file name, and is not shown.
impl FromStr for Target {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let is_path = text.starts_with(['.', '/']);
        if !is_path && (text.contains("://") || text.contains(['@', '='])) {
            let address = text.parse().map(Self::Database);
            return address.map_err(|error: AddressError| {
                format!("{error}; or a file, such as ./copy.sqlite")
            });
        }
        match text {
            "" => Err("must not be empty".to_owned()),
            _ => Ok(Self::File(text.into())),
        }
    }
}

/// Copies.
pub(super) fn run(
    args: &CopyArgs,
    config: &KeyStoreConfig,
    client: Option<PgClient>,
    context: &mut Context,
) -> anyhow::Result<()> {
    if let Target::File(file) = &args.to {
        refuse_target(file, config)?;
    }
    let stopped = |error| key_store::stopped(error, "could not copy the store");
    let (from, _held, contents) = match client {
        None => {
            let file = config.data().keys_database();
            let held = Held {
                _directory: without_servers(config)?,
                _database: None,
            };
            let store = KeyStore::open(&file, context.operator.clone());
            (
                file.display().to_string(),
                held,
                read(store).map_err(stopped)?,
            )
        }
        Some(client) => {
            let without_servers = WithoutServers::hold(&client).map_err(stopped)?;
            for _check in 0..CHECKS {
                (context.pause)(LAST_CHARGE_WAIT / CHECKS);
                without_servers.confirm().map_err(stopped)?;
            }
            let store = KeyStore::connect_to_copy(&client, context.operator.clone());
            let contents = read(store).map_err(stopped)?;
            without_servers.confirm().map_err(stopped)?;
            let held = Held {
                _directory: Vec::new(),
                _database: Some(without_servers),
            };
            (client.address().to_string(), held, contents)
        }
    };
    let (to, mut target) = open_target(&args.to, context)?;
    target.fill(&contents).map_err(stopped)?;
    made(show(from, to, &contents, args.json, context))
}

fn read(store: Result<KeyStore, KeyStoreError>) -> Result<Contents, KeyStoreError> {
    store?.contents()
}

/// Keeps servers of a data directory from starting, if none is running.
fn without_servers(config: &KeyStoreConfig) -> anyhow::Result<Vec<ServerLock>> {
    let take = |environment| ServerLock::take(config.data(), environment);
    let locks = Environment::ALL.into_iter().map(take);
    let locks: Result<Vec<_>, ServerLockError> = locks.collect();
    locks.map_err(|error| match error {
        ServerLockError::Running { .. } => {
            let error = anyhow::Error::new(error).context("could not copy the store");
            let hint = "stop it first: what it charges meanwhile would be missing in the copy";
            Hinted::new(error, hint, ExitStatus::Refused).into()
        }
        ServerLockError::Failed { .. } => error.into(),
    })
}

/// Refuses a target in the data directory other than its own file of keys, since the copy replaces
/// the target. A file with several names is refused too, since one of them may be in the directory.
fn refuse_target(file: &Path, config: &KeyStoreConfig) -> anyhow::Result<()> {
    let real = |path: &Path| path.canonicalize().ok();
    let keys = config.data().keys_database();
    if file == keys || (real(file).is_some() && real(file) == real(&keys)) {
        return Ok(());
    }
    Permit::outside(config.data().path()).check(file)?;
    let names = file.metadata().map_or(1, |found| found.nlink());
    if 1 < names {
        let error = anyhow::anyhow!("{} has another name", file.display());
        return Err(Hinted::wrong_usage(error, "name a new file").into());
    }
    Ok(())
}

fn open_target(target: &Target, context: &Context) -> anyhow::Result<(String, KeyStore)> {
    let operator = context.operator.clone();
    match target {
        Target::File(file) => {
            let shown = file.display().to_string();
            let store = KeyStore::open_or_create(file, operator);
            let store = store.map_err(key_store::not_opened)?;
            Ok((shown, store))
        }
        Target::Database(address) => {
            let client = PgClient::new(address.clone());
            let client = client.context("could not get ready to reach the key store")?;
            let store = KeyStore::connect_to_copy(&client, operator);
            let store = store.map_err(key_store::not_opened)?;
            Ok((address.to_string(), store))
        }
    }
}

fn show(
    from: String,
    to: String,
    contents: &Contents,
    as_json: bool,
    context: &mut Context,
) -> anyhow::Result<()> {
    let document = Document {
        from,
        to,
        subscriptions: contents.subscriptions.len(),
        keys: contents.keys.len(),
        quota_periods: contents.usage.len(),
        last_uses: contents.last_uses.len(),
        log_entries: contents.entries.len(),
    };
    let report = || {
        let Document { from, to, .. } = &document;
        let mut report = Report::of(format!("Copied {from} to {to}, and found all of it there:"));
        let counts = [
            ("Subscriptions", document.subscriptions),
            ("Keys", document.keys),
            ("Quota periods", document.quota_periods),
            ("Last uses", document.last_uses),
            ("Log entries", document.log_entries),
        ];
        report.facts(counts.map(|(what, count)| (what, count.to_string())));
        report
    };
    show::result(as_json, &document, report, context)
}
