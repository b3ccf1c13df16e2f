//! Why a request is not counted against its quota.

use std::sync::Arc;
use std::time::Duration;

use shared::base::error_chain::chain;
use shared::keys::store::KeyStoreError;
use shared::keys::subscription::SubscriptionId;

use super::usage::Usage;

/// Why a request may not go on.
#[derive(Debug, thiserror::Error)]
pub enum QuotaError {
    /// The quota of the period is used up.
    #[error("the quota of {} requests is used up", .0.limit)]
    Exceeded(Usage),
    /// It is unknown whether it is.
    #[error("could not count the request against its quota")]
    Unavailable(#[source] LedgerFailure),
}

/// Why the ledger did not answer.
#[derive(Clone, Debug, thiserror::Error)]
pub enum LedgerFailure {
    /// It failed.
    #[error("could not ask the quota ledger")]
    Ledger {
        /// What it says.
        #[source]
        source: Arc<KeyStoreError>,
    },
    /// It is slow. Its reply still counts.
    #[error("the quota ledger has not answered within {} ms", waited.as_millis())]
    TooSlow {
        /// How long it was waited for.
        waited: Duration,
    },
    /// The thread that called it was stopped.
    #[error("the question to the quota ledger was broken off")]
    BrokenOff,
}

/// Units lost as in a crash, which nothing else should cause.
pub(super) fn log_lost(subscription: SubscriptionId, units: u64, error: Option<&KeyStoreError>) {
    let why = error.map_or_else(|| "the ledger was busy".to_owned(), |error| chain(error));
    let subscription = subscription.0;
    tracing::warn!(
        subscription,
        units,
        "unused requests stay counted as used: {why}"
    );
}
