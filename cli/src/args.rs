//! What may be typed: the root of the command line and its list of commands.
//!
//! The arguments of one command stand in the command's own file. Here they are read, and help and
//! wrong usage are shown; nothing is done.

use std::ffi::OsString;
use std::io::Write;
use std::path::PathBuf;

use clap::{CommandFactory, FromArgMatches, Parser, Subcommand};

use crate::commands::{
    completions, demo, diff, explain_code, import, keys, mapping, releases, serve, subscriptions,
    usage, validate,
};
use crate::concealed::concealed;
use crate::context::Context;
use crate::exit_status::ExitStatus;

/// Widest help text, in columns; also its width where there is no terminal to measure.
const HELP_WIDTH_MAX: usize = 100;

/// Import, check and serve a catalogue of boats and their manufacturers
#[derive(Debug, Parser)]
#[command(name = "catalogue", version)]
#[command(after_help = "`catalogue COMMAND --help` tells more about one command.")]
pub struct Args {
    /// Directory that holds everything: releases, keys, usage
    #[arg(
        long,
        global = true,
        value_name = "DIR",
        env = "CATALOGUE_DATA",
        hide_env_values = true
    )]
    #[arg(default_value = "./catalogue-data")]
    pub data: PathBuf,
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
}

/// One variant per command, in the order in which a new user meets them.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Try it: import the sample export, issue a key and serve
    Demo(demo::DemoArgs),
    /// Check an export without importing it
    Validate(validate::ValidateArgs),
    /// Make an export into a release, and serve it
    Import(import::ImportArgs),
    /// Start a mapping of a content system's export, and see what it finds
    Mapping(mapping::MappingArgs),
    /// Show what changes for consumers from one release to another
    Diff(diff::DiffArgs),
    /// List, activate, roll back, verify and prune releases
    Releases(releases::ReleasesArgs),
    /// Create, list and change subscriptions: they own keys and share a monthly quota
    Subscriptions(subscriptions::SubscriptionsArgs),
    /// Issue, list, rotate, disable and revoke API keys
    Keys(keys::KeysArgs),
    /// Show how much of its monthly quota each subscription has used
    Usage(usage::UsageArgs),
    /// Answer API requests until told to stop
    Serve(Box<serve::ServeArgs>),
    /// Print the OpenAPI document of the API
    Openapi,
    /// Explain the codes of findings
    ExplainCode(explain_code::ExplainCodeArgs),
    /// Print the completions of a shell
    Completions(completions::CompletionsArgs),
}

/// Reads what was typed; the error is wrong usage, or a question for help.
pub(crate) fn parse(
    args: impl IntoIterator<Item = OsString>,
    context: &Context,
) -> Result<Args, clap::Error> {
    let command = Args::command();
    let mut command = if context.terminal.out {
        command.max_term_width(HELP_WIDTH_MAX)
    } else {
        command.term_width(HELP_WIDTH_MAX)
    };
    let mut matches = command.try_get_matches_from_mut(args)?;
    Args::from_arg_matches_mut(&mut matches).map_err(|error| error.format(&mut command))
}

/// Help and version are answers and go to standard output; everything else is wrong usage.
pub(crate) fn show_usage(usage: &clap::Error, context: &mut Context) -> ExitStatus {
    let rendered = usage.render();
    let is_answer = !usage.use_stderr();
    let (stream, colour, status): (&mut dyn Write, _, _) = if is_answer {
        (
            &mut context.out,
            context.terminal.out_colour,
            ExitStatus::Done,
        )
    } else {
        (
            &mut context.err,
            context.terminal.err_colour,
            ExitStatus::WrongUsage,
        )
    };
    let text = if colour {
        rendered.ansi().to_string()
    } else {
        rendered.to_string()
    };
    // A closed stream changes nothing about what was asked.
    _ = stream.write_all(concealed(&text).as_bytes());
    status
}
