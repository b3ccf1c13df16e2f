//! `catalogue keys update`: changes the name, the minute limit, the expiry or the scopes of a key
//! that stays in use.
//!
//! Whatever is not typed stays unchanged; no option takes its value from the environment or from
//! settings.

use std::time::Duration;

use clap::{ArgAction, Args, value_parser};
use shared::keys::change::{Expiry, KeyUpdate};
use shared::keys::name::Name;
use shared::keys::scope::Scope;

use crate::commands::keys::KeyArgs;
use crate::commands::keys::issue::{name_help, rate_limit};
use crate::commands::one_of;
use crate::commands::wait::WaitArgs;
use crate::terminal::quantity::{InvalidQuantity, POSITIVE, duration};

/// The word for an expiry that never comes.
const NEVER: &str = "never";

/// Arguments of `keys update`.
#[derive(Debug, Args)]
#[command(
    // The id comes first: after a list of scopes it would be parsed as one of them.
    override_usage = "catalogue keys update <ID> [OPTIONS]",
    after_help = "For example:\n  catalogue keys update boat_live_yKah9z --rate-limit 600 --expires 1d\n\
    What is not named stays as it is. A revoked or expired key is not updated: issue a new one."
)]
pub struct UpdateArgs {
    /// The key to update.
    #[command(flatten)]
    pub key: KeyArgs,
    /// What to change.
    #[command(flatten)]
    pub change: ChangeArgs,
    /// Whether to wait.
    #[command(flatten)]
    pub wait: WaitArgs,
}

/// At least one of them is given.
#[derive(Debug, Args)]
#[group(required = true, multiple = true)]
pub struct ChangeArgs {
    #[arg(long, value_name = "TEXT", value_parser = value_parser!(Name), help = name_help())]
    pub name: Option<Name>,
    /// Requests in any 60 seconds
    #[arg(long, value_name = "N", value_parser = rate_limit())]
    pub rate_limit: Option<u32>,
    /// How long the key works from now on, such as 12h or 90d, or `never` for no end
    #[arg(long, value_name = "DURATION", value_parser = parse_expires)]
    pub expires: Option<Expires>,
    /// All scopes that the key has from now on; one or more
    #[arg(long = "scope", value_name = "SCOPE", value_parser = one_of(Scope::ALL, Scope::as_str))]
    #[arg(num_args = 1.., value_delimiter = ',', action = ArgAction::Append)]
    pub scopes: Option<Vec<Scope>>,
}

/// When the key expires, as typed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Expires {
    /// Never.
    Never,
    /// After this duration from now.
    After(Duration),
}

/// Why a text is not an expiry.
#[derive(Debug, thiserror::Error)]
#[error("{0}, or `{NEVER}`")]
pub(super) struct InvalidExpires(InvalidQuantity);

fn parse_expires(text: &str) -> Result<Expires, InvalidExpires> {
    match text {
        NEVER => Ok(Expires::Never),
        text => {
            let duration = duration(POSITIVE)(text).map_err(InvalidExpires)?;
            Ok(Expires::After(duration))
        }
    }
}

impl ChangeArgs {
    pub(super) fn update(&self, now: i64) -> KeyUpdate {
        let scopes = self.scopes.as_ref();
        KeyUpdate {
            scopes: scopes.map(|scopes| scopes.iter().copied().collect()),
            name: self.name.clone(),
            rate_limit: self.rate_limit,
            expiry: self.expires.map(|expires| match expires {
                Expires::Never => Expiry::Never,
                Expires::After(time) => Expiry::At(now.saturating_add_unsigned(time.as_secs())),
            }),
        }
    }
}
