//! The inputs of the checks that several of them need, or that come from the context of the command.
//! Input of a single check is read by that check.

use shared::base::data_dir::DataDir;
use shared::keys::contents::Overview;
use shared::keys::environment::Environment;
use shared::release::prune::Pruned;
use shared::release::{ReleaseError, ReleaseId, Releases};

use super::observation::Observation;
use crate::process::machine::Machine;
use crate::serving::rate_limit_backend::RateLimitBackend;

/// The state of the server of each environment, in the order of [`Environment::ALL`].
pub(super) type Servers = [Observation; Environment::ALL.len()];

/// The shared inputs of the checks.
pub(super) struct Inputs<'a> {
    /// Unix seconds.
    pub(super) now: i64,
    /// The user id of whoever runs the command.
    pub(super) user: u32,
    pub(super) machine: Machine,
    pub(super) data: &'a DataDir,
    pub(super) releases: Box<dyn Releases>,
    /// The releases, the newest first.
    pub(super) listed: Result<Vec<ReleaseId>, ReleaseError>,
    pub(super) active: Result<Option<ReleaseId>, ReleaseError>,
    /// Size of the active release in bytes; 0 if there is none.
    pub(super) active_bytes: u64,
    /// Whether a command was changing releases when this was collected.
    pub(super) is_busy: Result<bool, ReleaseError>,
    /// What a prune would remove; `None` while releases are changed, or if that is not known.
    pub(super) unneeded: Option<Result<Pruned, ReleaseError>>,
    /// The contents of the key store, or why they could not be read.
    pub(super) keys: Result<StoreContents, Observation>,
    /// Where servers count minute limits, if given.
    pub(super) limits: Option<RateLimitBackend>,
    /// The state of the server of each environment, after it had time to act on the keys.
    pub(super) servers: Servers,
}

impl Inputs<'_> {
    /// All releases, the newest first; empty if they could not be listed.
    pub(super) fn ids(&self) -> &[ReleaseId] {
        self.listed.as_deref().unwrap_or_default()
    }
}

/// A store that could be read, and its contents.
pub(super) struct StoreContents {
    /// The state of the store itself.
    pub(super) store: Observation,
    /// What it holds.
    pub(super) overview: Overview,
}

impl StoreContents {
    /// Time of the latest event in the store, in Unix seconds.
    pub(super) fn latest(&self) -> Option<i64> {
        let Overview {
            snapshot,
            last_uses,
            last_change,
            ..
        } = &self.overview;
        let issued = snapshot.keys.iter().map(|key| key.created_at);
        let started = snapshot.subscriptions.iter();
        let started = started.map(|subscription| subscription.started_at);
        let used = last_uses.values().map(|last| last.at);
        let all = issued.chain(started).chain(used);
        all.chain(*last_change).max()
    }
}
