//! `catalogue serve`: answer requests until told to stop.

use std::path::Path;

use clap::Args;
use shared::data_dir::DataDir;
use shared::keys::environment::Environment;

use super::listen::ListenArgs;
use super::one_of;
use crate::context::Context;
use crate::exit_status::ExitStatus;
use crate::logging::{self, Filter};
use crate::serving::{Serving, connection_limits, take_lock};

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
    let lock = take_lock(&data, args.environment)?;
    let serving = Serving::prepare(lock, args.listen.address, context)?;
    logging::start(args.log.clone(), context.terminal)?;
    let limits = connection_limits(args.connections_per_address);
    serving.run(limits, context)
}
