//! The commands, one per file, each a function from typed arguments to an exit status.
//!
//! Commands return errors that say what was attempted on what; only the library's `run` prints
//! them.

pub mod completions;
pub mod demo;
pub mod diff;
pub mod doctor;
pub mod explain;
pub mod explain_code;
pub mod export;
pub mod export_args;
mod foreign;
pub mod import;
pub mod keys;
pub mod manual;
pub mod mapping;
pub mod openapi;
pub mod release_name;
pub mod releases;
pub mod schema;
pub mod serve;
pub mod settings;
pub mod store;
pub mod subscriptions;
pub mod usage;
pub mod validate;

mod beginning;
mod coverage;
mod draft_file;
mod fetch;
mod image_args;
pub(crate) mod key_store;
mod listen;
mod record_columns;
mod release_log;
mod show;
mod wait;

use clap::builder::{CommandExt, PossibleValuesParser, TypedValueParser};

/// What a command works with. It stands beside the command, as `#[command(add = Needs::Exports)]`,
/// and holds for the commands below it that have none of their own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Needs {
    /// What is built in: it runs wherever a shell starts, and whatever the settings are, so that it
    /// helps to fix them.
    BuiltIn,
    /// The settings.
    Settings,
    /// Exports and mappings.
    Exports,
    /// The releases.
    Releases,
    /// Keys, or all that a server needs.
    Service,
}

impl CommandExt for Needs {}

impl Needs {
    /// Whether settings affect the command.
    pub(crate) const fn settings(self) -> bool {
        !matches!(self, Self::BuiltIn)
    }

    /// Whether it works on the catalogue that the options of every command name, so that a hint
    /// repeats them.
    pub(crate) const fn catalogue(self) -> bool {
        matches!(self, Self::Releases | Self::Service)
    }

    /// Whether an interruption cleans up after it and can report what it changed. Commands that
    /// change keys support neither.
    pub(crate) const fn is_left_clean(self) -> bool {
        matches!(self, Self::Exports | Self::Releases)
    }
}

/// A word that no value has.
#[derive(Debug, thiserror::Error)]
#[error("is none of these words")]
struct NoneOfThem;

/// A parser for one of a few values by their words, which usage errors and completions list.
pub(crate) fn one_of<T, const N: usize>(
    all: [T; N],
    word: fn(T) -> &'static str,
) -> impl TypedValueParser<Value = T>
where
    T: Copy + Send + Sync + 'static,
{
    PossibleValuesParser::new(all.map(word)).try_map(move |typed| {
        let mut all = all.into_iter();
        all.find(|one| word(*one) == typed).ok_or(NoneOfThem)
    })
}
