//! `catalogue serve`: responds to requests until a signal stops it.

use std::sync::Arc;
use std::time::Duration;

use anyhow::Context as _;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{ArgAction, Args};
use server::catalogue::OpenSettings;
use server::cors::{AllowedOrigin, AllowedOrigins};
use shared::keys::environment::Environment;

use super::listen::ListenArgs;
use super::one_of;
use crate::exit_status::ExitStatus;
use crate::hints::Hinted;
use crate::process::context::Context;
use crate::process::runtime;
use crate::process::stop::DRAIN_MAX;
use crate::serving::admin::{Admin, AdminAddress};
use crate::serving::bodies_memory::BodiesMemory;
use crate::serving::key_store_config::KeyStoreConfig;
use crate::serving::logging::{self, Filter, Format};
use crate::serving::rate_limit_backend::RateLimitBackend;
use crate::serving::release_location::ReleaseLocation;
use crate::serving::{Serving, connection_limits, take_lock};
use crate::settings::address::address;
use crate::terminal::quantity::{count, duration};

/// Arguments of `serve`.
#[derive(Debug, Args)]
pub struct ServeArgs {
    /// Where to listen.
    #[command(flatten)]
    pub listen: ListenArgs,
    /// Address for readiness and metrics, for operators only; or off
    /// [default: 127.0.0.1:9090, or off if that is taken]
    #[arg(
        long = "admin",
        value_name = "ADDRESS:PORT",
        env = "CATALOGUE_ADMIN",
        hide_env_values = true
    )]
    pub admin: Option<AdminAddress>,
    /// Which keys to accept
    #[arg(
        long = "env",
        value_name = "ENV",
        env = "CATALOGUE_ENV",
        hide_env_values = true
    )]
    #[arg(default_value_t = Environment::Live)]
    #[arg(value_parser = one_of(Environment::ALL, Environment::as_str))]
    pub environment: Environment,
    /// Most connections from one address at a time; behind a reverse proxy, all clients share its
    /// address [default: a quarter of all connections]
    #[arg(
        long = "connections-per-address",
        value_name = "N",
        env = "CATALOGUE_CONNECTIONS_PER_ADDRESS",
        hide_env_values = true
    )]
    #[arg(value_parser = count::<usize>(1..=u64::MAX))]
    pub connections_per_address: Option<usize>,
    /// Most memory for the bodies of records: a share of what the server may use, or an amount such
    /// as `4GiB`; half of it for each release, since one follows the other. Bodies that need more
    /// are read from disk, one at a time
    #[arg(
        long = "bodies-memory",
        value_name = "SIZE",
        env = "CATALOGUE_BODIES_MEMORY",
        hide_env_values = true
    )]
    #[arg(default_value_t = BodiesMemory::DEFAULT)]
    pub bodies_memory: BodiesMemory,
    /// How long to keep accepting requests, while reporting not ready, after the signal to stop:
    /// for a load balancer that checks readiness every few seconds; at most 5m
    #[arg(
        long = "drain",
        value_name = "DURATION",
        env = "CATALOGUE_DRAIN",
        hide_env_values = true
    )]
    #[arg(default_value = "0s", value_parser = duration(Duration::ZERO..=DRAIN_MAX))]
    pub drain: Duration,
    /// Where minute limits are counted: in `memory`, or, for several servers, in a Redis, such as
    /// `redis://HOST:6379/0`, or `redis+sentinel://HOST:26379,HOST:26379/MASTER/0` where sentinels
    /// name it [default: memory]
    #[arg(
        long = "limits",
        value_name = "WHERE",
        env = "CATALOGUE_LIMITS",
        hide_env_values = true
    )]
    #[arg(value_parser = address::<RateLimitBackend>())]
    pub limits: Option<RateLimitBackend>,
    /// Origins whose pages may read responses in a browser, such as `https://boats.example`; `*` for
    /// all [default: none]
    #[arg(
        long = "cors",
        value_name = "ORIGIN",
        env = "CATALOGUE_CORS",
        hide_env_values = true
    )]
    #[arg(num_args = 1.., value_delimiter = ',')]
    pub cors: Vec<AllowedOrigin>,
    /// Whether responses also have the headers `RateLimit` and `RateLimit-Policy` of an IETF draft
    #[arg(
        long = "rate-limit-draft",
        value_name = "ON_OR_OFF",
        env = "CATALOGUE_RATE_LIMIT_DRAFT",
        hide_env_values = true
    )]
    #[arg(action = ArgAction::Set, default_value = OFF, value_parser = on_or_off())]
    pub rate_limit_draft: bool,
    /// What to log: error, warn, info, debug or trace; or directives such as `server=debug`
    #[arg(
        long = "log",
        value_name = "LEVEL",
        env = "CATALOGUE_LOG",
        hide_env_values = true
    )]
    #[arg(default_value = "warn,server=info,cli=info", value_parser = logging::parse_filter)]
    pub log: Filter,
    /// How to write the log: text for people, json for programs; auto is text on a terminal
    #[arg(
        long = "log-format",
        value_name = "FORMAT",
        env = "CATALOGUE_LOG_FORMAT",
        hide_env_values = true
    )]
    #[arg(default_value_t, value_parser = one_of(Format::ALL, Format::as_str))]
    pub log_format: Format,
}

const ON: &str = "on";
const OFF: &str = "off";

fn on_or_off() -> impl TypedValueParser<Value = bool> {
    PossibleValuesParser::new([ON, OFF]).map(|word| word == ON)
}

/// Serves.
pub fn run(
    args: &ServeArgs,
    keys: &KeyStoreConfig,
    location: ReleaseLocation<'_>,
    context: &mut Context,
) -> anyhow::Result<ExitStatus> {
    let listening = args.listen.decide(&mut context.service_manager)?;
    let allowed_origins = AllowedOrigins::of(&args.cors)
        .map_err(|why| Hinted::wrong_usage(why.into(), "leave out the other origins, or `*`"))?;
    let minutes = minutes(args.limits.as_ref(), keys)?;
    let settings = OpenSettings {
        bodies_memory_max: args.bodies_memory.of_a_release(context.machine),
        ..OpenSettings::default()
    };
    let runtime = runtime::start(settings)?;
    let releases = location.open(true, context)?;
    let data = keys.data();
    if location.address.is_some() {
        // The catalogue is elsewhere, so the data directory may not exist yet.
        data.create()
            .with_context(|| format!("could not create {}", data.path().display()))?;
    }
    let lock = take_lock(data, args.environment)?;
    let parts = (Arc::from(releases), settings);
    let serving = Serving::prepare(
        runtime,
        lock,
        keys,
        listening,
        parts,
        allowed_origins,
        context,
    )?;
    let serving = if args.rate_limit_draft {
        serving.showing_rate_limit_draft()
    } else {
        serving
    };
    let admin = Admin::take(args.admin)?;
    let dropped = logging::start(args.log.clone(), args.log_format, context)?;
    let limits = connection_limits(args.connections_per_address);
    serving
        .counting_in(minutes)
        .logging(dropped)
        .run(limits, admin, args.drain, context)
}

/// Where minute limits are counted. Servers that share a database of keys do not know each other,
/// so the operator has to say where they count.
fn minutes(
    named: Option<&RateLimitBackend>,
    keys: &KeyStoreConfig,
) -> anyhow::Result<RateLimitBackend> {
    match named {
        Some(named) => Ok(named.clone()),
        None if keys.is_shared() => Err(Hinted::wrong_usage(
            anyhow::anyhow!(
                "servers may share {keys}, so it has to be set where they count minute limits"
            ),
            "--limits redis://HOST, or --limits memory where this is the only server",
        )
        .into()),
        None => Ok(RateLimitBackend::default()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::terminal::quantity::TypedDuration;

    #[test]
    fn the_longest_drain_is_the_one_that_help_shows() {
        assert_eq!(TypedDuration(DRAIN_MAX).to_string(), "5m");
    }
}
