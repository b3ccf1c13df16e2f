//! Collects the inputs of the checks.

use super::inputs::Inputs;
use super::{servers, store};
use crate::process::context::Context;
use crate::serving::key_store_config::KeyStoreConfig;
use crate::serving::release_location::ReleaseLocation;

/// Collects the inputs. If one is unavailable, its check reports that.
pub(super) fn inputs<'a>(
    config: &'a KeyStoreConfig,
    location: ReleaseLocation<'_>,
    context: &mut Context,
) -> anyhow::Result<Inputs<'a>> {
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
    Ok(Inputs {
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
