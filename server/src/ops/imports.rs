//! Watching imports: the log of releases says when one was last tried, and what became of it.
//!
//! It is read back to the last import that is known, since in a bucket each entry takes a request.
//! Nothing here changes what is served.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use shared::base::error_chain::chain;
use shared::release::{ReleaseError, Releases};

use crate::app::App;
use crate::base::periodic_task::{PeriodicTask, repeat};

/// Pause between two looks.
const INTERVAL: Duration = Duration::from_mins(1);

/// Adds to the metrics what was logged of imports since the last look.
pub fn look(app: &App, releases: &dyn Releases) -> Result<(), ReleaseError> {
    let imports = &app.metrics.imports;
    let known = imports.tried();
    let (mut is_settled, mut is_refused) = (false, false);
    releases.latest_entry(&mut |entry| {
        is_settled |= entry.settles_refusals();
        if !entry.is_import() {
            return false;
        }
        is_refused |= !is_settled;
        let (tried, has_succeeded) = (entry.attempt.at, entry.imported().is_some());
        imports.see(tried, has_succeeded);
        has_succeeded || tried <= known
    })?;
    imports.refuse(is_refused);
    Ok(())
}

/// Starts to look, at once and then every minute.
pub fn watch_imports(app: Arc<App>, releases: Arc<dyn Releases>) -> io::Result<PeriodicTask> {
    let mut is_blind = false;
    repeat("imports", INTERVAL, move || match look(&app, &*releases) {
        Ok(()) => is_blind = false,
        // Logged once, until it can be read again.
        Err(error) if !std::mem::replace(&mut is_blind, true) => {
            tracing::warn!("metrics of imports are out of date: {}", chain(&error));
        }
        Err(_known) => {}
    })
}
