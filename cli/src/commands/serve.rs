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
use crate::serving::{Serving, take_lock};

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

/// Serves.
pub fn run(args: &ServeArgs, data: &Path, context: &mut Context) -> anyhow::Result<ExitStatus> {
    let data = DataDir::new(data);
    let lock = take_lock(&data, args.environment)?;
    let serving = Serving::prepare(lock, args.listen.address, context)?;
    logging::start(args.log.clone(), context.terminal)?;
    serving.run(context)
}
