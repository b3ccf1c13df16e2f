//! `catalogue mapping`: starting a mapping file, and seeing what one finds in an export.

mod check;

use std::io::Write;
use std::path::{Path, PathBuf};

use clap::{Args, Subcommand};

use import::mapping::Shipped;

use self::check::CheckArgs;
use super::one_of;
use super::starting_file::{self, Written};
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
    /// Write a mapping for a content system, to be edited
    Init(InitArgs),
    /// Show what a mapping finds in an export, and what it leaves unread
    Check(CheckArgs),
}

/// Arguments of `mapping init`.
#[derive(Debug, Args)]
#[command(after_help = "\
For example: catalogue mapping init sanity
Then edit sanity.toml, and see what it finds: catalogue mapping check sanity.toml EXPORT")]
pub struct InitArgs {
    /// The content system
    #[arg(value_parser = one_of(Shipped::ALL, Shipped::name))]
    pub system: Shipped,
    /// Where to write it [default: the name of the system and .toml]; `-` is standard output
    #[arg(value_name = "FILE")]
    pub file: Option<PathBuf>,
}

/// Does what was typed.
pub fn run(args: &MappingArgs, data: &Path, context: &mut Context) -> anyhow::Result<ExitStatus> {
    match &args.command {
        MappingCommand::Init(args) => init(args, data, context),
        MappingCommand::Check(args) => check::run(args, context),
    }
}

fn init(args: &InitArgs, data: &Path, context: &mut Context) -> anyhow::Result<ExitStatus> {
    let text = args.system.text();
    let default = || PathBuf::from(format!("{}.toml", args.system.name()));
    let path = args.file.clone().unwrap_or_else(default);
    let shown = path.display();
    match starting_file::write(text, &path, data, context)? {
        Written::Shown => return Ok(ExitStatus::Done),
        Written::InFile => {}
    }
    writeln!(
        context.out,
        "Wrote {shown}. What to change in it stands at its beginning."
    )?;
    writeln!(context.out, "Next: catalogue mapping check {shown} EXPORT")?;
    Ok(ExitStatus::Done)
}
