//! The store of keys as the commands open it, and what to do when it refuses.

use anyhow::Context as _;
use shared::keys::change::{KeyUnchangeable, UnchangeableReason};
use shared::keys::key_store::KeyStore;
use shared::keys::name::Name;
use shared::keys::store::{CHANGE, KeyStoreError, Location};

use crate::exit_status::ExitStatus;
use crate::hints::Hinted;
use crate::process::context::Context;
use crate::serving::key_store_config::KeyStoreConfig;
use crate::terminal::shell::quoted;

/// Least likeness of a name that is worth suggesting, from 0 to 1.
const LIKENESS_MIN: f64 = 0.7;

/// Opens the store, which must exist.
pub(super) fn open(place: &KeyStoreConfig, context: &Context) -> anyhow::Result<KeyStore> {
    try_open(place, context)?.map_err(not_opened)
}

/// Opens the store; `None` where there is none yet. A database is never without one: whoever names
/// it has made it.
pub(super) fn open_if_any(
    place: &KeyStoreConfig,
    context: &Context,
) -> anyhow::Result<Option<KeyStore>> {
    match try_open(place, context)? {
        Ok(store) => Ok(Some(store)),
        Err(KeyStoreError::Missing { .. }) if !place.is_shared() => Ok(None),
        Err(error) => Err(not_opened(error)),
    }
}

/// Opens the store, which is made where there is none. Tables in a database that others use are
/// made by a command of their own.
pub(super) fn open_or_create(
    place: &KeyStoreConfig,
    context: &Context,
) -> anyhow::Result<KeyStore> {
    if place.is_shared() {
        return open(place, context);
    }
    let directory = place.data();
    let shown = directory.path().display();
    directory
        .create()
        .with_context(|| format!("could not create the data directory {shown}"))?;
    let store = KeyStore::open_or_create(&directory.keys_database(), context.operator.clone());
    store.map_err(not_opened)
}

/// The inner error is the store's own.
fn try_open(
    place: &KeyStoreConfig,
    context: &Context,
) -> anyhow::Result<Result<KeyStore, KeyStoreError>> {
    let operator = context.operator.clone();
    Ok(match place.client()? {
        None => KeyStore::open(&place.data().keys_database(), operator),
        Some(client) => KeyStore::connect(&client, operator),
    })
}

/// The error of a store that could not be opened.
pub(super) fn not_opened(error: KeyStoreError) -> anyhow::Error {
    explained(error, "could not open the keys", None)
}

/// The error of what was attempted on a store as a whole.
pub(super) fn stopped(error: KeyStoreError, attempt: &str) -> anyhow::Error {
    explained(error, attempt, None)
}

/// The error of what was attempted on `store`, with what to do next where that is known.
pub(super) fn refused(error: KeyStoreError, attempt: &str, store: &mut KeyStore) -> anyhow::Error {
    explained(error, attempt, Some(store))
}

fn explained(error: KeyStoreError, attempt: &str, store: Option<&mut KeyStore>) -> anyhow::Error {
    let hint = hint(&error, store);
    let error = match error {
        // Says itself what was attempted, and on which key.
        KeyStoreError::Unchangeable(unchangeable) => anyhow::Error::new(unchangeable),
        error => anyhow::Error::new(error).context(attempt.to_owned()),
    };
    match hint {
        Some((status, hint)) => Hinted {
            error,
            excerpt: None,
            hint,
            status,
        }
        .into(),
        None => error,
    }
}

fn hint(error: &KeyStoreError, store: Option<&mut KeyStore>) -> Option<(ExitStatus, String)> {
    let hint = match error {
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
        error => return about_store(error).map(|(status, hint)| (status, hint.to_owned())),
    };
    Some(hint)
}

/// What to do where the store cannot be followed, if that is known.
pub(crate) fn remedy(error: &KeyStoreError) -> Option<&'static str> {
    about_store(error).map(|(_status, hint)| hint)
}

/// What to do about a store that is not what it should be, or not to be had.
fn about_store(error: &KeyStoreError) -> Option<(ExitStatus, &'static str)> {
    let hint = match error {
        KeyStoreError::Missing { location } if is_database(location) => {
            "make its tables first: catalogue store init"
        }
        KeyStoreError::Foreign { location } if is_database(location) => {
            "its schema `catalogue` is somebody else's: name another database"
        }
        KeyStoreError::ReadOnly { location } if is_database(location) => {
            "name the server that is written to, not one that follows it"
        }
        KeyStoreError::Failed {
            attempt: CHANGE,
            location,
            ..
        } if is_database(location) => {
            "whether it was changed is not known: look before you try again"
        }
        KeyStoreError::Missing { .. } => {
            "name another directory with --data, or begin here: \
             catalogue subscriptions create NAME"
        }
        KeyStoreError::Foreign { .. } => "name another directory with --data",
        KeyStoreError::ReadOnly { .. } => {
            "the file and its directory must be writable for whoever runs this"
        }
        KeyStoreError::Older { .. } => {
            "bring it up to date, then replace the servers one by one: catalogue store migrate"
        }
        KeyStoreError::Unreachable { .. } => {
            "nothing was changed; is the address right, and the database running?"
        }
        KeyStoreError::Refused { .. } => {
            "nothing was changed: what the database says is for whoever looks after it"
        }
        KeyStoreError::NotEmpty { .. } => {
            let hint = "name an empty one: a copy is never mixed with what is there";
            return Some((ExitStatus::Refused, hint));
        }
        KeyStoreError::InUse { .. } => {
            let hint = "stop the servers first: what they charge meanwhile would be lost";
            return Some((ExitStatus::Refused, hint));
        }
        _ => return None,
    };
    Some((ExitStatus::Failure, hint))
}

/// Whether that is where a database is, and not a file.
fn is_database(location: &Location) -> bool {
    matches!(location, Location::Database(_))
}

fn nearest_subscription(name: &Name, store: Option<&mut KeyStore>) -> String {
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
