//! The store of keys as the commands open it, and what to do when it refuses.

use std::path::Path;

use anyhow::Context as _;
use shared::data_dir::DataDir;
use shared::keys::change::{KeyUnchangeable, UnchangeableReason};
use shared::keys::name::Name;
use shared::keys::sqlite::SqliteKeyStore;
use shared::keys::store::{KeyStore, KeyStoreError};

use crate::advice::Advised;
use crate::context::Context;
use crate::exit_status::ExitStatus;
use crate::shell::quoted;

/// Least likeness of a name that is worth suggesting, from 0 to 1.
const LIKENESS_MIN: f64 = 0.7;

/// Opens the store, which must exist.
pub(super) fn open(data: &Path, context: &Context) -> anyhow::Result<SqliteKeyStore> {
    SqliteKeyStore::open(
        &DataDir::new(data).keys_database(),
        context.operator.clone(),
    )
    .map_err(|error| explained(error, "could not open the keys", None))
}

/// Opens the store; `None` where there is none yet.
pub(super) fn open_if_any(
    data: &Path,
    context: &Context,
) -> anyhow::Result<Option<SqliteKeyStore>> {
    let operator = context.operator.clone();
    match SqliteKeyStore::open(&DataDir::new(data).keys_database(), operator) {
        Ok(store) => Ok(Some(store)),
        Err(KeyStoreError::Missing { .. }) => Ok(None),
        Err(error) => Err(explained(error, "could not open the keys", None)),
    }
}

/// Opens the store, which is made where there is none.
pub(super) fn open_or_create(data: &Path, context: &Context) -> anyhow::Result<SqliteKeyStore> {
    let directory = DataDir::new(data);
    directory
        .create()
        .with_context(|| format!("could not create the data directory {}", data.display()))?;
    SqliteKeyStore::open_or_create(&directory.keys_database(), context.operator.clone())
        .map_err(|error| explained(error, "could not open the keys", None))
}

/// The error of what was attempted on `store`, with what to do next where that is known.
pub(super) fn refused(
    error: KeyStoreError,
    attempt: &str,
    store: &mut SqliteKeyStore,
) -> anyhow::Error {
    explained(error, attempt, Some(store))
}

fn explained(
    error: KeyStoreError,
    attempt: &str,
    store: Option<&mut SqliteKeyStore>,
) -> anyhow::Error {
    let advice = advice(&error, store);
    let error = match error {
        // Says itself what was attempted, and on which key.
        KeyStoreError::Unchangeable(unchangeable) => anyhow::Error::new(unchangeable),
        error => anyhow::Error::new(error).context(attempt.to_owned()),
    };
    match advice {
        Some((status, advice)) => Advised {
            error,
            excerpt: None,
            advice,
            status,
        }
        .into(),
        None => error,
    }
}

fn advice(
    error: &KeyStoreError,
    store: Option<&mut SqliteKeyStore>,
) -> Option<(ExitStatus, String)> {
    let advice = match error {
        KeyStoreError::Missing { .. } => (
            ExitStatus::Failure,
            "name another directory with --data, or begin here: \
             catalogue subscriptions create NAME"
                .to_owned(),
        ),
        KeyStoreError::Foreign { .. } => (
            ExitStatus::Failure,
            "name another directory with --data".to_owned(),
        ),
        KeyStoreError::ReadOnly { .. } => (
            ExitStatus::Failure,
            "the file and its directory must be writable for whoever runs this".to_owned(),
        ),
        KeyStoreError::NoSubscription { name } => {
            (ExitStatus::WrongUsage, nearest_subscription(name, store))
        }
        KeyStoreError::SubscriptionExists { name } => {
            let name = quoted(name.as_str());
            let change = format!("catalogue subscriptions update {name}");
            (
                ExitStatus::WrongUsage,
                format!("choose another name, or change it: {change}"),
            )
        }
        KeyStoreError::SubscriptionInactive { name } => {
            let name = quoted(name.as_str());
            let activate = format!("catalogue subscriptions update {name} --status active");
            (
                ExitStatus::Refused,
                format!("activate it first: {activate}"),
            )
        }
        KeyStoreError::NoKey { .. } => (
            ExitStatus::WrongUsage,
            "catalogue keys list shows all keys".to_owned(),
        ),
        KeyStoreError::Unchangeable(unchangeable) => {
            (ExitStatus::Refused, after_unchangeable(unchangeable))
        }
        KeyStoreError::Newer { .. }
        | KeyStoreError::Locked { .. }
        | KeyStoreError::Failed { .. }
        | KeyStoreError::NoSubscriptionId { .. } => return None,
    };
    Some(advice)
}

fn nearest_subscription(name: &Name, store: Option<&mut SqliteKeyStore>) -> String {
    let wanted = name.as_str().to_lowercase();
    let known = store
        .and_then(|store| store.subscriptions().ok())
        .unwrap_or_default();
    let nearest = known
        .iter()
        .map(|known| {
            (
                strsim::jaro_winkler(&wanted, &known.name.as_str().to_lowercase()),
                known,
            )
        })
        .filter(|(likeness, _)| LIKENESS_MIN <= *likeness)
        .max_by(|(one, _), (other, _)| one.total_cmp(other));
    match nearest {
        Some((_, nearest)) => format!("did you mean \"{}\"?", nearest.name),
        None if known.is_empty() => {
            format!(
                "create it first: catalogue subscriptions create {}",
                quoted(name.as_str())
            )
        }
        None => "catalogue subscriptions list shows all subscriptions".to_owned(),
    }
}

fn after_unchangeable(unchangeable: &KeyUnchangeable) -> String {
    match &unchangeable.reason {
        UnchangeableReason::Revoked | UnchangeableReason::Expired => {
            "issue a new key: catalogue keys issue --help".to_owned()
        }
        UnchangeableReason::Disabled => {
            format!("catalogue keys enable {}", unchangeable.id)
        }
        UnchangeableReason::Rotated { replaced_by } => {
            format!("rotate its successor: catalogue keys rotate {replaced_by}")
        }
        UnchangeableReason::SubscriptionInactive => {
            "activate it first: catalogue subscriptions update NAME --status active".to_owned()
        }
    }
}
