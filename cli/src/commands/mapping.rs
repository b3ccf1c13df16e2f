//! `catalogue mapping`: starting a mapping file, and seeing what one finds in an export.

mod check;

use std::fs::OpenOptions;
use std::io::{ErrorKind, Write};
use std::path::PathBuf;

use anyhow::{Context as _, anyhow};
use clap::{Args, Subcommand};

use self::check::CheckArgs;
use super::one_of;
use crate::advice::Advised;
use crate::context::Context;
use crate::exit_status::ExitStatus;
use crate::export::STANDARD_INPUT;
use crate::mapping::Shipped;

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
pub fn run(args: &MappingArgs, context: &mut Context) -> anyhow::Result<ExitStatus> {
    match &args.command {
        MappingCommand::Init(args) => init(args, context),
        MappingCommand::Check(args) => check::run(args, context),
    }
}

fn init(args: &InitArgs, context: &mut Context) -> anyhow::Result<ExitStatus> {
    let text = args.system.text();
    let default = || PathBuf::from(format!("{}.toml", args.system.name()));
    let path = args.file.clone().unwrap_or_else(default);
    if path.as_os_str() == STANDARD_INPUT {
        context.out.write_all(text.as_bytes())?;
        return Ok(ExitStatus::Done);
    }
    let shown = path.display();
    let created = OpenOptions::new().write(true).create_new(true).open(&path);
    let mut file = match created {
        Err(error) if error.kind() == ErrorKind::AlreadyExists => {
            let error = anyhow!("{shown} exists already");
            return Err(
                Advised::wrong_usage(error, "name another file, or remove this one").into(),
            );
        }
        created => created.with_context(|| format!("could not create {shown}"))?,
    };
    let written = file.write_all(text.as_bytes());
    written.with_context(|| format!("could not write {shown}"))?;
    writeln!(
        context.out,
        "Wrote {shown}. What to change in it stands at its beginning."
    )?;
    writeln!(context.out, "Next: catalogue mapping check {shown} EXPORT")?;
    Ok(ExitStatus::Done)
}
