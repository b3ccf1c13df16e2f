//! `catalogue limits`: the Redis in which several servers count minute limits.
//!
//! Servers start counting in it by themselves. They cannot know whether an empty Redis is new or
//! has lost its counts, so they assume the latter.

use std::io::Write;

use anyhow::Context as _;
use clap::{Args, Subcommand};
use server::limits::{Init, RedisAddress, RedisLimits};
use tokio::runtime::Builder;

use crate::commands::show::made;
use crate::exit_status::ExitStatus;
use crate::process::context::Context;
use crate::settings::address::address;

/// Arguments of `limits`.
#[derive(Debug, Args)]
pub struct LimitsArgs {
    /// What to do.
    #[command(subcommand)]
    pub command: LimitsCommand,
}

/// What can be done with minute limits.
#[derive(Debug, Subcommand)]
pub enum LimitsCommand {
    /// Declare a Redis new, so that its servers need not refuse every request for a minute
    Init(InitArgs),
}

/// Arguments of `limits init`.
#[derive(Debug, Args)]
#[command(after_help = "\
For example: catalogue limits init redis://limits.example:6379/0\n\
Servers refuse every request for a minute if counts may be lost, and a new Redis looks to them \
like one that was emptied. Where servers have already counted, nothing is changed.")]
pub struct InitArgs {
    /// Where it is, such as `redis://HOST:6379/0`, or `rediss://` for TLS, or where its sentinels are:
    /// `redis+sentinel://HOST:26379,HOST:26379/MASTER/0`
    #[arg(
        value_name = "ADDRESS",
        env = "CATALOGUE_LIMITS",
        hide_env_values = true
    )]
    #[arg(value_parser = address::<RedisAddress>())]
    pub address: RedisAddress,
}

/// Does what was typed.
pub fn run(args: &LimitsArgs, context: &mut Context) -> anyhow::Result<ExitStatus> {
    let LimitsCommand::Init(InitArgs { address }) = &args.command;
    let runtime = Builder::new_current_thread().enable_all().build();
    let runtime = runtime.context("could not start to ask")?;
    let init = runtime.block_on(RedisLimits::init(address.clone()));
    let init = init.context("could not prepare it for minute limits")?;
    match init {
        Init::Made => made(writeln!(
            context.out,
            "Servers may count minute limits in {address} at once.\n\
             Next: catalogue serve, with --limits or CATALOGUE_LIMITS as this address"
        ))?,
        Init::There(closed_for) if closed_for.is_zero() => writeln!(
            context.out,
            "Servers count minute limits in {address} already; nothing was changed."
        )?,
        Init::There(closed_for) => writeln!(
            context.out,
            "Servers have counted minute limits in {address}, and take every window for full for \
             {} more seconds; nothing was changed.",
            closed_for.as_secs() + 1
        )?,
    }
    Ok(ExitStatus::Done)
}
