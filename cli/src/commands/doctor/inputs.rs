//! Collects the inputs of the checks that several of them need, or that come from the context of
//! the command. Input of a single check is read by that check.

use shared::base::data_dir::DataDir;
use shared::release::prune::Pruned;
use shared::release::{ReleaseError, ReleaseId, Releases};

use super::observation::Observation;
use super::servers;
use super::store::{self, StoreContents};
use crate::process::context::Context;
use crate::process::machine::Machine;
use crate::serving::key_store_config::KeyStoreConfig;
use crate::serving::rate_limit_backend::RateLimitBackend;
use crate::serving::release_location::ReleaseLocation;

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
    pub(super) servers: servers::Observed,
}

impl<'a> Inputs<'a> {
    /// Collects the inputs. If one is unavailable, its check reports that.
    pub(super) fn collect(
        config: &'a KeyStoreConfig,
        location: ReleaseLocation<'_>,
        context: &mut Context,
    ) -> anyhow::Result<Self> {
        let releases = location.open(false, context)?;
        let now = context.clock.now().unix_seconds();
        let is_busy = releases.is_busy();
        let is_quiet = matches!(is_busy, Ok(false));
        let unneeded = is_quiet.then(|| releases.prune_dry_run(now));
        let keys = store::contents(config);
        let revision = keys.as_ref().ok().map(|keys| &keys.overview.revision);
        let servers = servers::observe(config, revision, &mut context.pause);
        let active = releases.current();
        let active_bytes = match &active {
            Ok(Some(active)) => releases.size(active).unwrap_or(0),
            _ => 0,
        };
        Ok(Self {
            now,
            user: context.operator.uid,
            machine: context.machine,
            data: config.data(),
            listed: releases.list(),
            active,
            active_bytes,
            releases,
            is_busy,
            unneeded,
            keys,
            limits: None,
            servers,
        })
    }

    /// All releases, the newest first; empty if they could not be listed.
    pub(super) fn ids(&self) -> &[ReleaseId] {
        self.listed.as_deref().unwrap_or_default()
    }
}
