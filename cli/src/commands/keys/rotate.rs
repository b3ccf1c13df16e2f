//! `catalogue keys rotate`: replaces a key with a new one, without an interruption.

use std::time::Duration;

use clap::Args;
use shared::base::clock::{Moment, UnixMillis};
use shared::keys::key_store::Rotation;
use shared::keys::limits::{DEFAULT_GRACE, GRACE_MAX};

use crate::commands::key_store;
use crate::commands::keys::document::{IssuedDocument, facts};
use crate::commands::keys::issue::{about, seen, show_beside_key, show_key};
use crate::commands::keys::{KeyArgs, last_use, owner, require_output};
use crate::commands::show;
use crate::commands::wait::WaitArgs;
use crate::exit_status::ExitStatus;
use crate::process::context::Context;
use crate::serving::key_store_config::KeyStoreConfig;
use crate::terminal::quantity::{InvalidQuantity, TypedDuration, duration};
use crate::terminal::relative_time;

/// Arguments of `keys rotate`.
#[derive(Debug, Args)]
#[command(
    after_help = "For example: catalogue keys rotate boat_live_3fKz9Q --grace 24h\n\
        The new key has the old one's scopes, environment, subscription, minute \
    limit, expiry and name. The old one never works beyond its own expiry."
)]
pub struct RotateArgs {
    /// The key to replace.
    #[command(flatten)]
    pub key: KeyArgs,
    /// How long the old key goes on working; 0 stops it at once
    #[arg(long, value_name = "DURATION", value_parser = parse_grace)]
    #[arg(default_value_t = TypedDuration(DEFAULT_GRACE))]
    #[arg(env = "CATALOGUE_GRACE", hide_env_values = true)]
    pub grace: TypedDuration,
    /// Whether to wait.
    #[command(flatten)]
    pub wait: WaitArgs,
}

fn parse_grace(text: &str) -> Result<TypedDuration, InvalidQuantity> {
    duration(Duration::ZERO..=GRACE_MAX)(text).map(TypedDuration)
}

/// Rotates a key.
pub(super) fn run(
    args: &RotateArgs,
    as_json: bool,
    config: &KeyStoreConfig,
    context: &mut Context,
) -> anyhow::Result<ExitStatus> {
    let attempt = "could not rotate the key";
    require_output(attempt, context)?;
    let mut store = key_store::open(config, context)?;
    let now = context.clock.now();
    let old = args.key.find(attempt, &mut store)?;
    // Everything shown beside the new key is read before it exists, so that no error can keep it
    // from being shown.
    let owner = owner(&old, &mut store)?;
    let last_use = last_use(&old, &mut store)?;
    let rotation = store.rotate_key(&old.id, args.grace.0, &mut *context.random, now);
    let rotation = rotation.map_err(|error| key_store::refused(error, attempt, &mut store))?;
    let shown = if as_json {
        let terminal = context.terminal;
        let document = IssuedDocument {
            key: rotation.new.secret.expose(),
            document: facts(&rotation.new.key, &owner, None, now, terminal),
            replaces: Some(facts(&rotation.old, &owner, last_use, now, terminal)),
        };
        show::json(&document, context)
    } else {
        show_key(&rotation.new, context)
    };
    let shown = seen(&rotation.new.key, shown, &mut store, context);
    let old = about_old(&rotation, now, context);
    if shown.is_err() {
        // Shown beside the error: the new key is lost, and the old one will still stop working.
        _ = write!(context.err, "{}", old.trim_start());
    } else if !as_json {
        let about = about(&rotation.new, &owner, now, context);
        show_beside_key(&(about + &old), context);
    }
    args.wait.then(shown, config, &mut store, context)?;
    Ok(ExitStatus::Done)
}

fn about_old(rotation: &Rotation, now: Moment, context: &Context) -> String {
    let prefix = &rotation.old.prefix;
    match rotation.old.works_until() {
        Some(until) if UnixMillis::from(now) < until => {
            let until = relative_time::full(until, now.unix_seconds(), context.terminal);
            format!("\nThe old key {prefix} works until {until}.\n")
        }
        _ => format!("\nThe old key {prefix} has stopped working.\n"),
    }
}
