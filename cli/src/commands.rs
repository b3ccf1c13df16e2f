//! The commands: one a file, each a function from typed arguments to an exit status.
//!
//! Commands hand back errors with what was attempted on what; only the library's `run` prints
//! them.

pub mod completions;
pub mod demo;
pub mod diff;
pub mod doctor;
pub mod explain;
pub mod explain_code;
pub mod export_args;
pub mod import;
pub mod keys;
pub mod limits;
pub mod manual;
pub mod mapping;
pub mod openapi;
pub mod releases;
pub mod serve;
pub mod settings;
pub mod store;
pub mod subscriptions;
pub mod usage;
pub mod validate;

mod coverage;
pub(crate) mod key_store;
mod listen;
mod size;
mod starting_file;
mod unseen;
mod wait;

use std::error::Error;
use std::str::FromStr;

use clap::builder::{PossibleValuesParser, TypedValueParser};

use crate::args::{Args, Command};
use crate::exit_status::ExitStatus;
use crate::process::context::Context;
use crate::serving::key_store_config::KeyStoreConfig;
use crate::serving::release_location::ReleaseLocation;

/// A parser of one of a few words, which wrong usage and completions then list.
fn one_of<T, const N: usize>(
    all: [T; N],
    word: fn(T) -> &'static str,
) -> impl TypedValueParser<Value = T>
where
    T: FromStr<Err: Error + Send + Sync> + Clone + Send + Sync + 'static,
{
    PossibleValuesParser::new(all.map(word)).try_map(|text| text.parse::<T>())
}

/// Runs the command that was typed.
pub fn run(args: &Args, context: &mut Context) -> anyhow::Result<ExitStatus> {
    let (data, config) = (&args.data, args.config.as_deref());
    let keys = &KeyStoreConfig::new(data, args.store.as_ref());
    let publication = ReleaseLocation {
        data,
        address: args.releases.as_ref(),
    };
    if is_left_clean(&args.command) {
        context.interrupts.watch()?;
    }
    match &args.command {
        Command::Demo(args) => demo::run(args, keys, publication, context),
        Command::Validate(args) => validate::run(args, data, context),
        Command::Import(args) => import::run(args, publication, context),
        Command::Diff(args) => diff::run(args, publication, context),
        Command::Mapping(args) => mapping::run(args, data, context),
        Command::Releases(args) => releases::run(args, publication, context),
        Command::Serve(args) => serve::run(args, keys, publication, context),
        Command::Subscriptions(args) => subscriptions::run(args, keys, context),
        Command::Keys(args) => keys::run(args, keys, context),
        Command::Limits(args) => limits::run(args, context),
        Command::Usage(args) => usage::run(args, keys, context),
        Command::Store(args) => store::run(args, keys, context),
        Command::Openapi => openapi::run(context),
        Command::Doctor(args) => doctor::run(args, keys, publication, context),
        Command::Explain(args) => explain::run(args, publication, context),
        Command::ExplainCode(args) => explain_code::run(args, context),
        Command::Settings(args) => settings::run(args, config, data, context),
        Command::Completions(args) => completions::run(args, context),
        Command::Manual(args) => manual::run(args, data, context),
    }
}

/// Whether an interruption of the command leaves nothing of it behind, and can say what it changed:
/// what is about keys does neither.
const fn is_left_clean(command: &Command) -> bool {
    match command {
        Command::Demo(_)
        | Command::Validate(_)
        | Command::Import(_)
        | Command::Mapping(_)
        | Command::Diff(_)
        | Command::Releases(_) => true,
        Command::Subscriptions(_)
        | Command::Keys(_)
        | Command::Usage(_)
        | Command::Store(_)
        | Command::Serve(_)
        | Command::Limits(_)
        | Command::Doctor(_)
        | Command::Openapi
        | Command::Explain(_)
        | Command::ExplainCode(_)
        | Command::Settings(_)
        | Command::Completions(_)
        | Command::Manual(_) => false,
    }
}
