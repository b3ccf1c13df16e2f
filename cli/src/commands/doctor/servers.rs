//! Running servers, and whether they act on the keys as they are.

use std::time::Duration;

use shared::keys::environment::Environment;
use shared::keys::store::Revision;
use shared::servers::{ServerStatus, server_status};

use super::check::Check;
use super::store;
use crate::process::context::Context;
use crate::serving::key_store_config::KeyStoreConfig;

/// Longest wait for a server to confirm: twice as long as it may act on what it does not know.
const WAIT_MAX: Duration = Duration::from_secs(2);
/// Pause between two looks.
const PAUSE: Duration = Duration::from_millis(50);

/// Looks at the server of each environment. `known` is the state that the keys were in when they
/// were looked into.
pub(super) fn check(
    place: &KeyStoreConfig,
    known: Option<&Revision>,
    context: &mut Context,
) -> [Check; Environment::ALL.len()] {
    Environment::ALL.map(|environment| one(place, environment, known, context))
}

const fn about(environment: Environment) -> &'static str {
    match environment {
        Environment::Live => "server, live",
        Environment::Test => "server, test",
    }
}

fn one(
    place: &KeyStoreConfig,
    environment: Environment,
    known: Option<&Revision>,
    context: &mut Context,
) -> Check {
    let about = about(environment);
    let mut waited = Duration::ZERO;
    let mut known = known.cloned();
    loop {
        match server_status(place.data(), environment) {
            Ok(ServerStatus::Stopped) => return Check::ok(about, "none runs"),
            Ok(ServerStatus::At(seen)) if known.as_ref() == Some(&seen) => {
                return Check::ok(about, "it runs and acts on the keys as they are");
            }
            Ok(ServerStatus::At(_) | ServerStatus::Silent) if known.is_none() => {
                let said = "it runs; whether it acts on the keys as they are cannot be seen";
                return Check::warning(about, said);
            }
            Ok(ServerStatus::At(_) | ServerStatus::Silent) if waited < WAIT_MAX => {}
            Ok(ServerStatus::At(_) | ServerStatus::Silent) => {
                let said = "it runs but has not confirmed the last change of the keys within 2 s; \
                            its log says why";
                return Check::problem(about, said);
            }
            Err(error) => return Check::failed(about, error),
        }
        (context.pause)(PAUSE);
        waited += PAUSE;
        // They may have changed since.
        known = store::revision(place).or(known);
    }
}
