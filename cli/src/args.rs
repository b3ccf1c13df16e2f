//! The command line: its root and the list of commands.
//!
//! Each command defines its arguments in its own file. This file parses them and applies
//! `catalogue.toml`; `usage_error` shows help and usage errors.

mod usage_error;

use std::ffi::OsString;
use std::path::PathBuf;

use clap::parser::ValueSource;
use clap::{ArgMatches, CommandFactory, FromArgMatches, Parser, Subcommand};
use shared::keys::postgres::PostgresAddress;
use shared::release::S3Address;

use crate::commands::{
    Needs, completions, demo, diff, doctor, explain, explain_code, export, import, keys, manual,
    mapping, one_of, openapi, releases, schema, serve, settings as settings_command, store,
    subscriptions, usage, validate,
};
use crate::exit_status::ExitStatus;
use crate::hints::Hints;
use crate::process::address_space;
use crate::process::context::Context;
use crate::serving::key_store_config::KeyStoreConfig;
use crate::serving::release_location::ReleaseLocation;
use crate::settings::address::{DirectoryParser, address};
use crate::settings::{self, Typed};
use crate::terminal::colour::Colour;

pub(crate) use usage_error::show_usage;

/// Greatest width of help text, in columns; also the width if there is no terminal.
const HELP_WIDTH_MAX: usize = 100;

/// The default data directory.
pub(crate) const DATA: &str = "./catalogue-data";

/// Heading of the options that every command has; they come after the command's own.
const EVERYWHERE: &str = "Options of every command";

/// Import, check and serve a catalogue of boats and their manufacturers
#[derive(Debug, Parser)]
#[command(name = "catalogue", version)]
#[command(after_help = "`catalogue COMMAND --help` explains one command.")]
pub struct Args {
    /// Directory that holds everything: releases, keys, usage
    #[arg(
        long,
        global = true,
        value_name = "DIR",
        env = "CATALOGUE_DATA",
        hide_env_values = true,
        help_heading = EVERYWHERE
    )]
    #[arg(default_value = DATA, value_parser = DirectoryParser)]
    pub data: PathBuf,
    /// PostgreSQL database with keys, subscriptions and usage, which several servers may share:
    /// `postgres://USER@HOST/DATABASE` [default: a file in the data directory]
    #[arg(
        long,
        global = true,
        value_name = "URL",
        env = "CATALOGUE_STORE",
        hide_env_values = true,
        help_heading = EVERYWHERE
    )]
    #[arg(value_parser = address::<PostgresAddress>())]
    pub store: Option<PostgresAddress>,
    /// Where releases are published, for several servers: `s3://BUCKET/PREFIX`, reached with the
    /// AWS_... environment variables [default: the data directory]
    #[arg(
        long,
        global = true,
        value_name = "ADDRESS",
        env = "CATALOGUE_RELEASES",
        hide_env_values = true,
        help_heading = EVERYWHERE
    )]
    #[arg(value_parser = address::<S3Address>())]
    pub releases: Option<S3Address>,
    /// File with settings [default: catalogue.toml, if there is one]
    #[arg(
        long,
        global = true,
        value_name = "FILE",
        env = "CATALOGUE_CONFIG",
        hide_env_values = true,
        help_heading = EVERYWHERE
    )]
    pub config: Option<PathBuf>,
    /// When to show colours; `auto` follows the terminal, and `NO_COLOR`, `FORCE_COLOR` and
    /// `CLICOLOR`
    #[arg(long, global = true, value_name = "WHEN", help_heading = EVERYWHERE)]
    #[arg(default_value_t, value_parser = one_of(Colour::ALL, Colour::as_str))]
    pub color: Colour,
    /// Which of the above that can be set were typed.
    #[arg(skip)]
    typed: Vec<Typed>,
    /// Whether an interruption cleans up after the command.
    #[arg(skip)]
    is_left_clean: bool,
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
}

/// The table of commands, in the order in which a new user meets them: help, completions, manual
/// pages, settings and hints are made from it, and `Args::run` has the function of each.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Try it: import the sample export, issue a key and serve
    #[command(add = Needs::Releases, after_help = "For example: catalogue demo --listen 127.0.0.1:0")]
    Demo(demo::DemoArgs),
    /// Check an export without importing it
    #[command(add = Needs::Exports)]
    Validate(validate::ValidateArgs),
    /// Import an export and activate it
    #[command(add = Needs::Releases)]
    Import(import::ImportArgs),
    /// Start a mapping of a content system's export, and see what it finds
    #[command(add = Needs::Exports)]
    Mapping(mapping::MappingArgs),
    /// Show what native exports and mapping files may hold, for people or as JSON Schema
    #[command(add = Needs::BuiltIn)]
    Schema(schema::SchemaArgs),
    /// Show what changes for consumers from one release to another
    #[command(add = Needs::Releases)]
    Diff(diff::DiffArgs),
    /// Write what a release publishes to files: NDJSON, Parquet or CSV
    #[command(add = Needs::Releases)]
    Export(export::ExportArgs),
    /// List, activate, roll back, verify and prune releases
    #[command(add = Needs::Releases)]
    Releases(releases::ReleasesArgs),
    /// Create, list and change subscriptions: they own keys and share a monthly quota
    #[command(add = Needs::Service)]
    Subscriptions(subscriptions::SubscriptionsArgs),
    /// Issue, list, update, rotate, disable and revoke API keys
    #[command(add = Needs::Service)]
    Keys(keys::KeysArgs),
    /// Show how much of its monthly quota each subscription has used
    #[command(add = Needs::Service)]
    Usage(usage::UsageArgs),
    /// Create, copy and back up the key store: keys, subscriptions and usage
    #[command(add = Needs::Service)]
    Store(store::StoreArgs),
    /// Run the API server until a signal stops it
    #[command(
        add = Needs::Service,
        after_help = "For example: catalogue serve --listen 127.0.0.1:8080 --admin 127.0.0.1:9090"
    )]
    Serve(Box<serve::ServeArgs>),
    /// Check a data directory and suggest fixes
    #[command(add = Needs::Service)]
    Doctor(doctor::DoctorArgs),
    /// Print the OpenAPI document of the API
    #[command(add = Needs::BuiltIn, after_help = "For example: catalogue openapi > openapi.json")]
    Openapi,
    /// Show how a server would answer a URL, and how it finds the answer
    #[command(add = Needs::Service)]
    Explain(explain::ExplainArgs),
    /// Explain the codes of findings
    #[command(add = Needs::BuiltIn)]
    ExplainCode(explain_code::ExplainCodeArgs),
    /// Show the settings, and write a file to edit them in
    #[command(add = Needs::Settings)]
    Settings(settings_command::SettingsArgs),
    /// Print a completion script for a shell
    #[command(add = Needs::BuiltIn)]
    Completions(completions::CompletionsArgs),
    /// Write the manual pages
    #[command(add = Needs::BuiltIn)]
    Manual(manual::ManualArgs),
}

impl Command {
    const fn has_many_threads(&self) -> bool {
        matches!(
            self,
            Self::Demo(_) | Self::Validate(_) | Self::Import(_) | Self::Mapping(_) | Self::Serve(_)
        )
    }
}

impl Args {
    /// Runs the command that was typed.
    pub(crate) fn run(&self, context: &mut Context) -> anyhow::Result<ExitStatus> {
        let (data, config) = (&self.data, self.config.as_deref());
        let keys = &KeyStoreConfig::new(data, self.store.as_ref());
        let location = ReleaseLocation {
            data,
            address: self.releases.as_ref(),
        };
        if self.command.has_many_threads() {
            address_space::require()?;
        }
        if self.is_left_clean {
            context.interrupts.watch()?;
        }
        match &self.command {
            Command::Demo(args) => demo::run(args, keys, location, context),
            Command::Validate(args) => validate::run(args, data, context),
            Command::Import(args) => import::run(args, keys, location, context),
            Command::Diff(args) => diff::run(args, location, context),
            Command::Export(args) => export::run(args, location, context),
            Command::Mapping(args) => mapping::run(args, data, context),
            Command::Schema(args) => schema::run(args, context),
            Command::Releases(args) => releases::run(args, location, context),
            Command::Serve(args) => serve::run(args, keys, location, context),
            Command::Subscriptions(args) => subscriptions::run(args, keys, context),
            Command::Keys(args) => keys::run(args, keys, context),
            Command::Usage(args) => usage::run(args, keys, context),
            Command::Store(args) => store::run(args, keys, context),
            Command::Openapi => openapi::run(context),
            Command::Doctor(args) => doctor::run(args, keys, location, context),
            Command::Explain(args) => explain::run(args, location, context),
            Command::ExplainCode(args) => explain_code::run(args, context),
            Command::Settings(args) => {
                let typed = (config, &*self.typed);
                settings_command::run(args, &Self::command(), typed, data, context)
            }
            Command::Completions(args) => completions::run(args, Self::command(), context),
            Command::Manual(args) => manual::run(args, Self::command(), data, context),
        }
    }
}

/// Why there is nothing to run.
pub(crate) enum NoArgs {
    /// Wrong usage, or a request for help.
    Usage(clap::Error),
    /// The settings cannot be used.
    Settings(settings::NotUsable),
}

/// Parses the command line, and takes other values from the settings.
///
/// Help is shown whatever the settings are, with the defaults of the command. Commands that do not
/// depend on settings run whatever they are.
pub(crate) fn parse(
    args: impl IntoIterator<Item = OsString>,
    context: &mut Context,
) -> Result<Args, NoArgs> {
    let args: Vec<_> = args.into_iter().collect();
    context.terminal = context.terminal.with_colour(typed_colour(&args));
    let config = config(&args).map_err(NoArgs::Usage)?;
    let found = settings::find(config.as_deref(), context.operator.uid, &Args::command());
    let (settings, not_usable) = match found {
        Ok(settings) => (settings, None),
        Err(not_usable) => (settings::SettingsFile::default(), Some(not_usable)),
    };
    let command = settings.apply(Args::command());
    let mut command = if context.terminal.out {
        command.max_term_width(HELP_WIDTH_MAX)
    } else {
        command.term_width(HELP_WIDTH_MAX)
    };
    let matches = command.try_get_matches_from_mut(&args);
    let mut matches = matches.map_err(NoArgs::Usage)?;
    context.hints = hints(&matches, &command);
    let typed = typed(&matches);
    let needs = needs(&command, &matches);
    let read = Args::from_arg_matches_mut(&mut matches);
    let mut read = read.map_err(|error| NoArgs::Usage(error.format(&mut command)))?;
    read.typed = typed;
    read.is_left_clean = needs.is_some_and(Needs::is_left_clean);
    match not_usable {
        Some(not_usable) if needs.is_none_or(Needs::settings) => Err(NoArgs::Settings(not_usable)),
        _ => Ok(read),
    }
}

/// What the typed command needs: the innermost of its names that says so decides.
fn needs(command: &clap::Command, matches: &ArgMatches) -> Option<Needs> {
    let (name, below) = matches.subcommand()?;
    let command = command.find_subcommand(name)?;
    needs(command, below).or_else(|| command.get().copied())
}

/// The global options that can be set in a file and were typed.
fn typed(matches: &ArgMatches) -> Vec<Typed> {
    let data = matches.get_one::<PathBuf>("data");
    let store = matches.get_one::<PostgresAddress>("store");
    let releases = matches.get_one::<S3Address>("releases");
    let options = [
        ("data", data.map(|path| path.display().to_string())),
        ("store", store.map(ToString::to_string)),
        ("releases", releases.map(ToString::to_string)),
    ];
    let typed = options.into_iter().filter_map(|(option, value)| {
        let value = value.filter(|_| is_typed(matches, option))?;
        Some(Typed { option, value })
    });
    typed.collect()
}

fn is_typed(matches: &ArgMatches, option: &str) -> bool {
    matches.value_source(option) == Some(ValueSource::CommandLine)
}

/// What hints add to their own words.
fn hints(matches: &ArgMatches, command: &clap::Command) -> Hints {
    let is_typed = |option: &str| is_typed(matches, option);
    let commands = command.get_subcommands();
    let commands = commands.filter(|command| command.get().copied().is_some_and(Needs::catalogue));
    let mut hints = Hints::of(commands.map(clap::Command::get_name));
    for option in ["data", "config"].into_iter().filter(|id| is_typed(id)) {
        if let Some(path) = matches.get_one::<PathBuf>(option) {
            hints.typed(option, path);
        }
    }
    if is_typed("store") {
        hints.typed_store();
    }
    if let Some(address) = matches.get_one::<S3Address>("releases")
        && is_typed("releases")
    {
        hints.typed("releases", address.to_string().as_ref());
    }
    hints
}

/// The typed `--color`, wherever it is, since help and usage errors use it too.
fn typed_colour(args: &[OsString]) -> Colour {
    let value = |(index, arg): (usize, &OsString)| {
        let word = match arg.to_str()?.strip_prefix("--color")? {
            "" => args.get(index + 1)?.to_str(),
            rest => rest.strip_prefix('='),
        };
        let word = word?;
        Colour::ALL
            .into_iter()
            .find(|colour| colour.as_str() == word)
    };
    let typed = args.iter().enumerate().rev().find_map(value);
    typed.unwrap_or_default()
}

/// The settings file that was named, whatever else was typed. An error is a request for help.
fn config(args: &[OsString]) -> Result<Option<PathBuf>, clap::Error> {
    let command = Args::command().ignore_errors(true);
    let matches = command.try_get_matches_from(args)?;
    Ok(matches.get_one("config").cloned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_command_says_what_it_needs() {
        for command in Args::command().get_subcommands() {
            assert!(command.get::<Needs>().is_some(), "{}", command.get_name());
        }
    }

    /// The words of a line; quotes keep a word together.
    fn words(line: &str) -> Vec<String> {
        let parts = line.split('\'').enumerate();
        let words = parts.flat_map(|(number, part)| {
            if number % 2 == 1 {
                vec![part.to_owned()]
            } else {
                part.split_whitespace().map(str::to_owned).collect()
            }
        });
        words.collect()
    }

    /// The examples of a command, without shell syntax and comments.
    fn examples(after_help: &str) -> Vec<String> {
        let lines = after_help.lines().filter_map(|line| {
            let line = line.strip_prefix("For example:").unwrap_or(line).trim();
            let example = line.strip_prefix("catalogue ")?;
            let example = example.split(" > ").next()?.split(" # ").next()?;
            Some(example.to_owned())
        });
        lines.collect()
    }

    #[test]
    fn help_breaks_no_example_and_no_sentence_at_80_columns() {
        let mut commands = vec![Args::command()];
        while let Some(command) = commands.pop() {
            let after_help = command.get_after_help().map(ToString::to_string);
            let after_help = after_help.unwrap_or_default();
            let lines: Vec<&str> = after_help.lines().collect();
            for (number, line) in lines.iter().enumerate() {
                let is_example = line.starts_with(' ') || line.starts_with("For example: ");
                let goes_on = |next: &&str| next.starts_with(|c: char| c.is_lowercase());
                let is_broken = is_example || lines.get(number + 1).is_some_and(goes_on);
                assert!(!is_broken || line.len() <= 80, "{line}");
            }
            commands.extend(command.get_subcommands().cloned());
        }
    }

    #[test]
    fn every_command_has_an_example_that_can_be_typed() {
        let mut commands = vec![Args::command()];
        let mut seen = 0;
        while let Some(command) = commands.pop() {
            let below: Vec<_> = command.get_subcommands().cloned().collect();
            if below.is_empty() {
                let name = command.get_name();
                let after_help = command.get_after_help().map(ToString::to_string);
                let after_help = after_help.unwrap_or_default();
                assert!(
                    after_help.starts_with("For example:"),
                    "{name}: {after_help:?}"
                );
                let examples = examples(&after_help);
                assert!(!examples.is_empty(), "{name}: {after_help}");
                for example in examples {
                    seen += 1;
                    let typed = std::iter::once("catalogue".to_owned()).chain(words(&example));
                    let parsed = Args::command().try_get_matches_from(typed);
                    assert!(parsed.is_ok(), "{example}: {}", parsed.unwrap_err());
                }
            }
            commands.extend(below);
        }
        assert!(35 < seen, "{seen}");
    }
}
