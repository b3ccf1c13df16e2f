//! `catalogue serve`: answer requests until told to stop.

use std::path::Path;

use clap::Args;
use server::catalogue::OpenSettings;
use server::http::{AllowedOrigin, AllowedOrigins};
use shared::data_dir::DataDir;
use shared::keys::environment::Environment;

use super::listen::ListenArgs;
use super::one_of;
use crate::advice::Advised;
use crate::context::Context;
use crate::exit_status::ExitStatus;
use crate::logging::{self, Filter};
use crate::serving::{Serving, connection_limits, take_lock};
use crate::size;

/// What the bodies of a kind may take unless told otherwise.
const BODIES_MEMORY: &str = "512MiB";

/// Arguments of `serve`.
#[derive(Debug, Args)]
pub struct ServeArgs {
    /// Where to listen.
    #[command(flatten)]
    pub listen: ListenArgs,
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
    /// Most connections of one address at a time; behind a reverse proxy, all clients have its own
    /// [default: a quarter of all connections]
    #[arg(
        long = "connections-per-address",
        value_name = "N",
        env = "CATALOGUE_CONNECTIONS_PER_ADDRESS",
        hide_env_values = true
    )]
    #[arg(value_parser = parse_connections)]
    pub connections_per_address: Option<usize>,
    /// Most memory for the bodies of boats, and for those of manufacturers; where they take more,
    /// they are read from disk, one at a time
    #[arg(
        long = "bodies-memory",
        value_name = "SIZE",
        env = "CATALOGUE_BODIES_MEMORY",
        hide_env_values = true
    )]
    #[arg(default_value = BODIES_MEMORY, value_parser = size::parse)]
    pub bodies_memory: u64,
    /// Origins whose pages browsers may let read answers, such as `https://boats.example`; `*` for
    /// all [default: none]
    #[arg(
        long = "cors",
        value_name = "ORIGIN",
        env = "CATALOGUE_CORS",
        hide_env_values = true
    )]
    #[arg(num_args = 1.., value_delimiter = ',')]
    pub cors: Vec<AllowedOrigin>,
    /// What to log: error, warn, info, debug or trace; or directives such as `server=debug`
    #[arg(
        long = "log",
        value_name = "LEVEL",
        env = "CATALOGUE_LOG",
        hide_env_values = true
    )]
    #[arg(default_value = "warn,server=info,cli=info", value_parser = logging::parse_filter)]
    pub log: Filter,
}

fn parse_connections(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(0) | Err(_) => Err("not a whole number above 0".to_owned()),
        Ok(connections) => Ok(connections),
    }
}

/// Serves.
pub fn run(args: &ServeArgs, data: &Path, context: &mut Context) -> anyhow::Result<ExitStatus> {
    let data = DataDir::new(data);
    let allowed_origins = AllowedOrigins::of(&args.cors)
        .map_err(|why| Advised::wrong_usage(why.into(), "leave out the other origins, or `*`"))?;
    let lock = take_lock(&data, args.environment)?;
    let settings = OpenSettings {
        bodies_memory_max: args.bodies_memory,
        ..OpenSettings::default()
    };
    let serving = Serving::prepare(
        lock,
        args.listen.address,
        settings,
        allowed_origins,
        context,
    )?;
    logging::start(args.log.clone(), context.terminal)?;
    let limits = connection_limits(args.connections_per_address);
    serving.run(limits, context)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_memory_for_bodies_that_help_tells_is_what_a_server_takes_unless_told() {
        let usual = OpenSettings::default().bodies_memory_max;
        assert_eq!(size::parse(BODIES_MEMORY), Ok(usual));
    }
}
