//! `catalogue serve`: answer requests until told to stop.

use std::net::SocketAddr;
use std::path::Path;

use clap::Args;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use shared::data_dir::DataDir;
use shared::keys::environment::Environment;

use crate::context::Context;
use crate::exit_status::ExitStatus;
use crate::logging;
use crate::serving::Serving;

/// Arguments of `serve`.
#[derive(Debug, Args)]
pub struct ServeArgs {
    /// Address to listen on; port 0 picks a free one
    #[arg(
        long,
        value_name = "ADDRESS:PORT",
        env = "CATALOGUE_LISTEN",
        hide_env_values = true
    )]
    #[arg(default_value = "127.0.0.1:8080")]
    pub listen: SocketAddr,
    /// Which keys to accept
    #[arg(
        long = "env",
        value_name = "ENV",
        env = "CATALOGUE_ENV",
        hide_env_values = true
    )]
    #[arg(default_value = "live", value_parser = environment())]
    pub environment: Environment,
    /// What to log: error, warn, info, debug or trace; or directives such as `server=debug`
    #[arg(
        long = "log",
        value_name = "LEVEL",
        env = "CATALOGUE_LOG",
        hide_env_values = true
    )]
    #[arg(default_value = "warn,server=info,cli=info")]
    pub log: String,
}

fn environment() -> impl TypedValueParser<Value = Environment> {
    PossibleValuesParser::new(Environment::ALL.map(Environment::as_str))
        .try_map(|text| text.parse::<Environment>())
}

/// Serves.
pub fn run(args: &ServeArgs, data: &Path, context: &mut Context) -> anyhow::Result<ExitStatus> {
    let data = DataDir::new(data);
    let serving = Serving::prepare(&data, args.listen, args.environment, context)?;
    logging::start(&args.log, context.terminal.err_colour)?;
    serving.run(context)
}
