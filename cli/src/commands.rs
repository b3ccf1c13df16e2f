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
mod fetch;
pub(crate) mod key_store;
mod listen;
mod release_log;
mod show;
mod starting_file;
mod wait;

use std::error::Error;
use std::str::FromStr;

use clap::builder::{PossibleValuesParser, TypedValueParser};

/// A parser for one of a few words, which usage errors and completions list.
pub(crate) fn one_of<T, const N: usize>(
    all: [T; N],
    word: fn(T) -> &'static str,
) -> impl TypedValueParser<Value = T>
where
    T: FromStr<Err: Error + Send + Sync> + Clone + Send + Sync + 'static,
{
    PossibleValuesParser::new(all.map(word)).try_map(|text| text.parse::<T>())
}
