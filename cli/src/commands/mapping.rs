//! `catalogue mapping`: starts a mapping file, and shows what one finds in an export.

mod check;
mod init;

use std::path::Path;

use clap::{Args, Subcommand};

use self::check::CheckArgs;
use self::init::InitArgs;
use crate::exit_status::ExitStatus;
use crate::process::context::Context;

/// Arguments of `mapping`.
#[derive(Debug, Args)]
pub struct MappingArgs {
    /// What to do.
    #[command(subcommand)]
    pub command: MappingCommand,
}

/// What can be done with mappings.
#[derive(Debug, Subcommand)]
pub enum MappingCommand {
    /// Write a mapping to edit: of a content system, or drafted for an export
    Init(InitArgs),
    /// Show what a mapping finds in an export, and what it leaves unread
    Check(CheckArgs),
}

/// Does what was typed.
pub fn run(args: &MappingArgs, data: &Path, context: &mut Context) -> anyhow::Result<ExitStatus> {
    match &args.command {
        MappingCommand::Init(args) => init::run(args, data, context),
        MappingCommand::Check(args) => check::run(args, data, context),
    }
}
