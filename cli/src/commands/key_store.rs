//! Opens the key store for commands, and says what to do about its errors.

use anyhow::Context as _;
use import::finding::nearest;
use shared::keys::key_store::KeyStore;
use shared::keys::name::Name;
use shared::keys::store::KeyStoreError;

use crate::exit_status::ExitStatus;
use crate::hints::Hinted;
use crate::process::context::Context;
use crate::serving::key_store_config::KeyStoreConfig;
use shared::base::hint::{Hint, quoted};

/// Opens the store, which must exist.
pub(super) fn open(config: &KeyStoreConfig, context: &Context) -> anyhow::Result<KeyStore> {
    try_open(config, context)?.map_err(not_opened)
}

/// Opens the store; `None` if there is none yet. A database always has one: its tables are created
/// before commands use it.
pub(super) fn open_if_any(
    config: &KeyStoreConfig,
    context: &Context,
) -> anyhow::Result<Option<KeyStore>> {
    match try_open(config, context)? {
        Ok(store) => Ok(Some(store)),
        Err(KeyStoreError::Missing { .. }) if !config.is_shared() => Ok(None),
        Err(error) => Err(not_opened(error)),
    }
}

/// Opens the store, and creates the file if there is none. Tables in a shared database are only
/// created by a command of its own.
pub(super) fn open_or_create(
    config: &KeyStoreConfig,
    context: &Context,
) -> anyhow::Result<KeyStore> {
    if config.is_shared() {
        return open(config, context);
    }
    let directory = config.data();
    let shown = directory.path().display();
    directory
        .create()
        .with_context(|| format!("could not create the data directory {shown}"))?;
    let store = KeyStore::open_or_create(&directory.keys_database(), context.operator.clone());
    store.map_err(not_opened)
}

/// The inner error is the error of the store.
fn try_open(
    config: &KeyStoreConfig,
    context: &Context,
) -> anyhow::Result<Result<KeyStore, KeyStoreError>> {
    let operator = context.operator.clone();
    Ok(match config.client()? {
        None => KeyStore::open(&config.data().keys_database(), operator),
        Some(client) => KeyStore::connect(&client, operator),
    })
}

/// The error of a store that could not be opened.
pub(super) fn not_opened(error: KeyStoreError) -> anyhow::Error {
    explained(error, "could not open the keys", None)
}

/// The error of an attempt on a store as a whole.
pub(super) fn stopped(error: KeyStoreError, attempt: &str) -> anyhow::Error {
    explained(error, attempt, None)
}

/// The error of an attempt on `store`, with what to do next if that is known.
pub(super) fn refused(error: KeyStoreError, attempt: &str, store: &mut KeyStore) -> anyhow::Error {
    explained(error, attempt, Some(store))
}

/// Adds the hint of the error itself, unless the contents of the store lead to a better one.
fn explained(error: KeyStoreError, attempt: &str, store: Option<&mut KeyStore>) -> anyhow::Error {
    let hint = match &error {
        KeyStoreError::NoSubscription { name } => nearest_subscription(name, store),
        error => error.hint(),
    };
    let status = status(&error);
    let error = match error {
        // This error itself says what was attempted, and on which key.
        KeyStoreError::Unchangeable(unchangeable) => anyhow::Error::new(unchangeable),
        error => anyhow::Error::new(error).context(attempt.to_owned()),
    };
    match hint {
        Some(hint) => Hinted::new(error, hint, status).into(),
        None => error,
    }
}

/// The exit status for an error of the store.
fn status(error: &KeyStoreError) -> ExitStatus {
    match error {
        KeyStoreError::NoSubscription { .. }
        | KeyStoreError::SubscriptionExists { .. }
        | KeyStoreError::NoKey { .. } => ExitStatus::WrongUsage,
        KeyStoreError::SubscriptionInactive { .. }
        | KeyStoreError::KeysLeft { .. }
        | KeyStoreError::MonthCharged { .. }
        | KeyStoreError::Unchangeable(_)
        | KeyStoreError::NotEmpty { .. }
        | KeyStoreError::InUse { .. } => ExitStatus::Refused,
        _ => ExitStatus::Failure,
    }
}

fn nearest_subscription(name: &Name, store: Option<&mut KeyStore>) -> Option<Hint> {
    let known = store
        .and_then(|store| store.subscriptions().ok())
        .unwrap_or_default();
    let names: Vec<&str> = known.iter().map(|known| known.name.as_str()).collect();
    match nearest(name.as_str(), &names) {
        Some(nearest) => Some(format!("did you mean \"{nearest}\"?").into()),
        None if known.is_empty() => {
            let create = format!("catalogue subscriptions create {}", quoted(name.as_str()));
            Some(format!("create it first: {create}").into())
        }
        None => {
            let name = name.clone();
            KeyStoreError::NoSubscription { name }.hint()
        }
    }
}
