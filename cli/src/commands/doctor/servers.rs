//! Checks running servers, and whether they act on the current keys.

use std::time::Duration;

use shared::keys::environment::Environment;
use shared::keys::store::Revision;
use shared::servers::{ServerStatus, server_status};

use super::inputs::{Inputs, Servers};
use super::observation::Observation;
use super::store;
use crate::serving::key_store_config::KeyStoreConfig;

/// Longest wait for a server to confirm: twice as long as it may act on outdated keys.
const WAIT_MAX: Duration = Duration::from_secs(2);
/// Pause between two checks.
const PAUSE: Duration = Duration::from_millis(50);

/// The server of the environment `live`.
pub(super) fn live(inputs: &Inputs<'_>) -> anyhow::Result<Vec<Observation>> {
    let [live, _] = &inputs.servers;
    Ok(vec![live.clone()])
}

/// The server of the environment `test`.
pub(super) fn test(inputs: &Inputs<'_>) -> anyhow::Result<Vec<Observation>> {
    let [_, test] = &inputs.servers;
    Ok(vec![test.clone()])
}

/// Polls the server of each environment. `known` is the revision of the keys when their contents
/// were read.
pub(super) fn observe(
    config: &KeyStoreConfig,
    known: Option<&Revision>,
    pause: &mut dyn FnMut(Duration),
) -> Servers {
    Environment::ALL.map(|environment| {
        let observed = observe_one(config, environment, known, pause);
        observed.unwrap_or_else(|error| Observation::failed(&*error))
    })
}

fn observe_one(
    config: &KeyStoreConfig,
    environment: Environment,
    known: Option<&Revision>,
    pause: &mut dyn FnMut(Duration),
) -> anyhow::Result<Observation> {
    let mut waited = Duration::ZERO;
    let mut known = known.cloned();
    loop {
        let confirmed = match server_status(config.data(), environment)? {
            ServerStatus::Stopped => return Ok(Observation::ok("none runs")),
            ServerStatus::At(confirmed) => Some(confirmed),
            ServerStatus::Silent => None,
        };
        if known.is_none() {
            let message = "it runs; whether it acts on the keys as they are cannot be seen";
            return Ok(Observation::warning(message));
        }
        if confirmed == known {
            return Ok(Observation::ok("it runs and acts on the keys as they are"));
        }
        if WAIT_MAX <= waited {
            let message = "it runs but has not confirmed the last change of the keys within 2 s; \
                           its log says why";
            return Ok(Observation::problem(message));
        }
        pause(PAUSE);
        waited += PAUSE;
        // The keys may have changed since.
        known = store::revision(config).or(known);
    }
}
