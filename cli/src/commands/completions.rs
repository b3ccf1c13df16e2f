//! `catalogue completions`: the script with which a shell completes the command.
//!
//! It is made once, from the definition of the command line, and runs without this program. It knows
//! commands, options, words that an option takes, and where a path stands. It does not know what is
//! in a data directory: for that it would have to open the catalogue at each press of a key.

use std::io::Write;

use clap::{Command, ValueHint};
use clap_complete::Shell;

use crate::exit_status::ExitStatus;
use crate::process::context::Context;
use crate::settings::is_path;

/// Arguments of `completions`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
For example:
  catalogue completions bash > /etc/bash_completion.d/catalogue
  catalogue completions zsh > ~/.zfunc/_catalogue
  catalogue completions fish > ~/.config/fish/completions/catalogue.fish
Write the script again after an upgrade.")]
pub struct CompletionsArgs {
    /// The shell to print completions for
    pub shell: Shell,
}

/// Prints the script for a shell; `command` is the root of the command line.
pub fn run(
    args: &CompletionsArgs,
    command: Command,
    context: &mut Context,
) -> anyhow::Result<ExitStatus> {
    let name = command.get_name().to_owned();
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut hinted(command), name, &mut script);
    context.out.write_all(&script)?;
    Ok(ExitStatus::Done)
}

/// `command` so that only paths are completed as paths.
fn hinted(command: Command) -> Command {
    let command = command.mut_args(|arg| {
        let is_unknown = arg.get_value_hint() == ValueHint::Unknown;
        if is_unknown && !is_path(&arg) && arg.get_action().takes_values() {
            arg.value_hint(ValueHint::Other)
        } else {
            arg
        }
    });
    command.mut_subcommands(hinted)
}
