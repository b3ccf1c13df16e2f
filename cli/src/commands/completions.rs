//! `catalogue completions`: the script that lets a shell complete the command.

use std::io::Write;

use clap::Command;
use clap_complete::Shell;

use crate::exit_status::ExitStatus;
use crate::process::context::Context;

/// Arguments of `completions`.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "For example: catalogue completions bash > ~/.local/share/bash-completion/completions/catalogue"
)]
pub struct CompletionsArgs {
    /// The shell to print completions for
    pub shell: Shell,
}

/// Prints the script of `command`, the root of the command line.
pub fn run(
    args: &CompletionsArgs,
    mut command: Command,
    context: &mut Context,
) -> anyhow::Result<ExitStatus> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut command, "catalogue", &mut script);
    context.out.write_all(&script)?;
    Ok(ExitStatus::Done)
}
