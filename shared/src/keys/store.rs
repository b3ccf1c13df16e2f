//! What users of a key store see, whichever database it is in: its keys, its revision, and its
//! errors.
//!
//! Servers follow a store through a [`KeySource`]; commands work on it through
//! [`crate::keys::key_store`].

use std::fmt;
use std::sync::Arc;

use crate::base::hint::{Hint, quoted};
use crate::base::timestamp::Timestamp;
use crate::keys::change::KeyUnchangeable;
use crate::keys::key::{Key, KeyReference};
use crate::keys::name::Name;
use crate::keys::secret::KeyPrefix;
use crate::keys::subscription::{Subscription, SubscriptionId};

/// Names one state of a store's keys and subscriptions. Every change makes a new one, which no
/// other store has, not even a restored or replaced one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Revision(pub String);

/// All keys and subscriptions at one moment.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct KeySnapshot {
    /// Keys in the order of their issue, revoked and expired ones included.
    pub keys: Vec<Key>,
    /// Subscriptions in the order of their creation.
    pub subscriptions: Vec<Subscription>,
}

/// Follows the keys of a store, for a server.
pub trait KeySource: Send {
    /// `Some` the first time and whenever anything may have changed; `None` confirms that nothing
    /// did. An error confirms nothing: a server that waits too long for a confirmation must refuse.
    fn poll(&mut self) -> Result<Option<KeySnapshot>, KeyStoreError>;

    /// The revision that the last poll confirmed, if it did.
    fn revision(&self) -> Option<Revision>;
}

/// Where a store is, for people.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Location {
    /// In the file of that path.
    File(String),
    /// In the database of that address, which has no password here.
    Database(String),
}

/// Most keys that an error lists.
const KEYS_NAMED_MAX: usize = 3;

/// The `attempt` of a [`KeyStoreError::Failed`] that may have changed the store.
pub const CHANGE: &str = "change";

/// The text of a failure from the store's own library. A text can be cloned: requests that were
/// made together share one failure.
#[derive(Clone, Debug, thiserror::Error)]
#[error("{0}")]
pub struct Cause(Arc<str>);

impl<T: Into<Arc<str>>> From<T> for Cause {
    fn from(text: T) -> Self {
        Self(text.into())
    }
}

/// Why an operation on a store failed.
#[derive(Clone, Debug, thiserror::Error)]
pub enum KeyStoreError {
    /// It does not exist.
    #[error("there is no key store at {location}")]
    Missing {
        /// Where it was looked for.
        location: Location,
    },
    /// Its file is gone while its journal is still there, so it existed.
    #[error("the key store {location} is gone: only its journal is left")]
    Gone {
        /// Where it was.
        location: Location,
    },
    /// It is not a key store.
    #[error("{location} is not a key store of this program")]
    Foreign {
        /// Where it lies.
        location: Location,
    },
    /// It is read-only, so nothing can be counted in it.
    #[error("the key store {location} cannot be written to")]
    ReadOnly {
        /// Where it lies.
        location: Location,
    },
    /// Written by a newer program.
    #[error(
        "the key store {location} has version {found}, newer than {known}: use a newer program"
    )]
    Newer {
        /// Where it lies.
        location: Location,
        /// Its version.
        found: i64,
        /// The newest version that this program knows.
        known: i64,
    },
    /// Its tables are those of a program before the first release.
    #[error("the key store {location} was made before the first release of this program")]
    Former {
        /// Where it lies.
        location: Location,
    },
    /// It did not answer, or the connection to it broke. Nothing was changed.
    #[error("could not reach the key store {location}")]
    Unreachable {
        /// Where it lies.
        location: Location,
        /// How it failed.
        #[source]
        source: Cause,
    },
    /// It already has rows.
    #[error("the key store {location} is not empty")]
    NotEmpty {
        /// Where it lies.
        location: Location,
    },
    /// The copy differs from the original. Nothing was changed.
    #[error("the copy would not be what was copied")]
    CopyDiffers,
    /// A server uses it.
    #[error("a server uses the key store {location}")]
    InUse {
        /// Where it lies.
        location: Location,
    },
    /// Another process held the store for too long. Nothing was changed.
    #[error("could not {attempt} the key store {location}")]
    Locked {
        /// What was attempted, as a verb.
        attempt: &'static str,
        /// Where the store lies.
        location: Location,
        /// What the store's own library says.
        #[source]
        source: Cause,
    },
    /// The store itself refused and rolled back: not allowed, no space. Nothing was changed.
    #[error("could not {attempt} the key store {location}")]
    Refused {
        /// What was attempted, as a verb.
        attempt: &'static str,
        /// Where the store lies.
        location: Location,
        /// What the store says.
        #[source]
        source: Cause,
    },
    /// The store itself failed: damaged, out of reach.
    #[error("could not {attempt} the key store {location}")]
    Failed {
        /// What was attempted, as a verb.
        attempt: &'static str,
        /// Where the store lies.
        location: Location,
        /// What the store's own library says.
        #[source]
        source: Cause,
    },
    /// No such subscription.
    #[error("there is no subscription named \"{name}\"")]
    NoSubscription {
        /// The name that was asked for.
        name: Name,
    },
    /// No subscription of that number, although a server read it from this very store.
    #[error("there is no subscription with the number {}", id.0)]
    NoSubscriptionId {
        /// The number that was asked for.
        id: SubscriptionId,
    },
    /// The name is taken.
    #[error("there is a subscription named \"{name}\" already")]
    SubscriptionExists {
        /// The name that was wanted.
        name: Name,
    },
    /// Only a subscription without keys is deleted.
    #[error(
        "the subscription \"{name}\" has {} not revoked: {}",
        if keys.len() == 1 { "a key that is" } else { "keys that are" },
        named(keys)
    )]
    KeysLeft {
        /// Its name.
        name: Name,
        /// Its keys that work, or may work again; at least one.
        keys: Vec<KeyPrefix>,
    },
    /// Only a subscription without charges in the current month is deleted.
    #[error(
        "the subscription \"{name}\" is charged for up to {charged} {} of the month that ends at {}",
        if *charged == 1 { "request" } else { "requests" },
        Timestamp::from_unix_seconds(*until)
    )]
    MonthCharged {
        /// Its name.
        name: Name,
        /// Requests of the month, including those reserved by running servers.
        charged: u64,
        /// When the month ends, in Unix seconds.
        until: i64,
    },
    /// Keys are issued on active subscriptions only.
    #[error("the subscription \"{name}\" is inactive")]
    SubscriptionInactive {
        /// Its name.
        name: Name,
    },
    /// No such key.
    #[error("there is no key with the {reference}")]
    NoKey {
        /// What was asked for.
        reference: KeyReference,
    },
    /// The state of the key does not allow the change.
    #[error(transparent)]
    Unchangeable(#[from] KeyUnchangeable),
}

/// The first few of some keys.
fn named(keys: &[KeyPrefix]) -> String {
    let first = keys.iter().take(KEYS_NAMED_MAX).map(ToString::to_string);
    let first = first.collect::<Vec<_>>().join(", ");
    match keys.len().saturating_sub(KEYS_NAMED_MAX) {
        0 => first,
        others => format!("{first} and {others} more"),
    }
}

fn update(subscription: &Name) -> String {
    let name = quoted(subscription.as_str());
    format!("catalogue subscriptions update {name}")
}

fn revoke_first(keys: &[KeyPrefix]) -> Option<Hint> {
    let each = if keys.len() == 1 { "it" } else { "each" };
    let first = keys.first()?;
    Some(format!("revoke {each} first: catalogue keys revoke {first}").into())
}

impl fmt::Display for Location {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::File(place) | Self::Database(place) => f.write_str(place),
        }
    }
}

impl KeyStoreError {
    /// Whether the store is certainly unchanged: only a change that failed at its commit may have
    /// been made.
    pub fn is_known_unchanged(&self) -> bool {
        !matches!(
            self,
            Self::Failed {
                attempt: CHANGE,
                ..
            }
        )
    }

    /// Whether what lies there is no store of this version of the program: waiting does not help.
    pub fn is_of_another_program(&self) -> bool {
        matches!(
            self,
            Self::Foreign { .. } | Self::Newer { .. } | Self::Former { .. }
        )
    }

    /// What to do about it, if known.
    pub fn hint(&self) -> Option<Hint> {
        Some(match self {
            Self::Missing { location } => match location {
                Location::Database(_) => "make its tables first: catalogue store init".into(),
                Location::File(_) => "name another directory with --data, or begin here: \
                                      catalogue subscriptions create NAME"
                    .into(),
            },
            Self::Gone { location } => put_back(location),
            Self::Foreign { location } => match location {
                Location::Database(_) => {
                    "its schema `catalogue` is of another program: name another database".into()
                }
                Location::File(_) => "name another directory with --data".into(),
            },
            Self::ReadOnly { location } => match location {
                Location::Database(_) => {
                    "name the server that is written to, not one that follows it".into()
                }
                Location::File(_) => {
                    "the file and its directory must be writable for the user who runs this".into()
                }
            },
            Self::Former { location } => begin_anew(location),
            Self::Unreachable { .. } => "is the address right, and the database running?".into(),
            Self::NotEmpty { .. } => {
                "name an empty one: a copy is never mixed with what is there".into()
            }
            Self::InUse { .. } => {
                "stop the servers first: what they charge meanwhile would be lost".into()
            }
            Self::Refused { .. } => "what the database says is for its administrator".into(),
            Self::Failed {
                attempt: CHANGE,
                location: Location::Database(_),
                ..
            } => "whether it was changed is not known: look before you try again".into(),
            Self::NoSubscription { .. } => {
                "catalogue subscriptions list shows all subscriptions".into()
            }
            Self::SubscriptionExists { name } => {
                format!("choose another name, or change it: {}", update(name)).into()
            }
            Self::SubscriptionInactive { name } => {
                format!("activate it first: {} --status active", update(name)).into()
            }
            Self::KeysLeft { keys, .. } => revoke_first(keys)?,
            Self::MonthCharged { .. } => {
                "delete it when the month is over; until then its bill is not final".into()
            }
            Self::NoKey { .. } => "catalogue keys list shows all keys".into(),
            Self::Unchangeable(unchangeable) => unchangeable.hint(),
            Self::Newer { .. }
            | Self::CopyDiffers
            | Self::Locked { .. }
            | Self::Failed { .. }
            | Self::NoSubscriptionId { .. } => return None,
        })
    }
}

/// What to do about a store of before the first release.
fn begin_anew(location: &Location) -> Hint {
    match location {
        Location::Database(_) => {
            "nothing in it was changed; begin anew: name another database, or drop its schema \
             `catalogue`"
        }
        Location::File(_) => {
            "nothing in it was changed; begin anew: name another directory with --data"
        }
    }
    .into()
}

/// What to do about a file that is gone while its journal is there.
fn put_back(location: &Location) -> Hint {
    let journal = quoted(&format!("{location}-journal"));
    format!(
        "put the file back; if it is lost, first rm {journal}, then restore a backup; a new store \
         would know none of the keys"
    )
    .into()
}
