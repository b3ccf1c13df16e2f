//! Why a store of keys could not do what was asked, whatever it is made of.

use std::sync::Arc;

use crate::keys::change::KeyUnchangeable;
use crate::keys::name::Name;
use crate::keys::store::KeyReference;
use crate::keys::subscription::SubscriptionId;

/// The attempt, in a [`KeyStoreError::Failed`], that may have changed the store.
pub const CHANGE: &str = "change";

/// What a store's own library says of a failure: its text, since those who asked together all hear
/// of it.
#[derive(Clone, Debug, thiserror::Error)]
#[error("{0}")]
pub struct Cause(Arc<str>);

impl<T: Into<Arc<str>>> From<T> for Cause {
    fn from(text: T) -> Self {
        Self(text.into())
    }
}

/// Why a store could not do what was asked.
#[derive(Clone, Debug, thiserror::Error)]
pub enum KeyStoreError {
    /// Nothing is there.
    #[error("there is no key store at {location}")]
    Missing {
        /// Where it was looked for.
        location: String,
    },
    /// Something else is there.
    #[error("{location} is not a key store of this program")]
    Foreign {
        /// Where it lies.
        location: String,
    },
    /// It can be read and not changed, so nothing can be counted in it.
    #[error("the key store {location} cannot be written to")]
    ReadOnly {
        /// Where it lies.
        location: String,
    },
    /// Written by a newer program.
    #[error(
        "the key store {location} has version {found}, newer than {known}: use a newer program"
    )]
    Newer {
        /// Where it lies.
        location: String,
        /// Its version.
        found: i64,
        /// The newest version that this program knows.
        known: i64,
    },
    /// Written by an older program, and this one needs more than it made.
    #[error("the key store {location} has version {found}, older than {needed}")]
    Older {
        /// Where it lies.
        location: String,
        /// Its version.
        found: i64,
        /// The oldest version that this program can work with.
        needed: i64,
    },
    /// It did not answer, or the connection to it broke. Nothing was changed.
    #[error("could not reach the key store {location}")]
    Unreachable {
        /// Where it lies.
        location: String,
        /// How it failed.
        #[source]
        source: Cause,
    },
    /// It has what a copy would have to be put beside.
    #[error("the key store {location} is not empty")]
    NotEmpty {
        /// Where it lies.
        location: String,
    },
    /// What was entered is not what was read. Nothing was changed.
    #[error("the copy would not be what was copied")]
    CopyDiffers,
    /// A server uses it.
    #[error("a server uses the key store {location}")]
    InUse {
        /// Where it lies.
        location: String,
    },
    /// Somebody else held the store for too long. Nothing was changed.
    #[error("could not {attempt} the key store {location}")]
    Locked {
        /// What was attempted, as a verb.
        attempt: &'static str,
        /// Where the store lies.
        location: String,
        /// What the store's own library says.
        #[source]
        source: Cause,
    },
    /// The store itself said no, and undid what had been done: not allowed, no space. Nothing was
    /// changed.
    #[error("could not {attempt} the key store {location}")]
    Refused {
        /// What was attempted, as a verb.
        attempt: &'static str,
        /// Where the store lies.
        location: String,
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
        location: String,
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
    /// No subscription of that number, which a server was told by this very store.
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

impl KeyStoreError {
    /// Whether the store is surely as it was before: only a change that failed at its end may have
    /// been made.
    pub fn left_all_as_it_was(&self) -> bool {
        !matches!(
            self,
            Self::Failed {
                attempt: CHANGE,
                ..
            }
        )
    }
}
