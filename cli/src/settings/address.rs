//! Options that are addresses of engines, which may contain a password.
//!
//! A valid address becomes a type that shows only a host, a port and a database. An invalid one is
//! refused without being repeated: the error names only the option.

use std::any::TypeId;
use std::error::Error;
use std::ffi::OsStr;
use std::fmt::Display;
use std::marker::PhantomData;
use std::path::PathBuf;
use std::str::FromStr;

use clap::builder::{PathBufValueParser, TypedValueParser};
use clap::error::{ContextKind, ContextValue};
use clap::{Arg, ArgMatches, Command};
use server::limits::RedisAddress;
use shared::keys::postgres::PostgresAddress;
use shared::release::S3Address;

use crate::remote::Source;
use crate::serving::rate_limit_backend::RateLimitBackend;

/// Stands for a value that is not repeated.
pub(crate) const HIDDEN: &str = "…";

/// The parser for such an option.
#[derive(Clone, Copy)]
pub(crate) struct AddressParser<T>(PhantomData<fn() -> T>);

/// The parser for an option of the type `T`.
pub(crate) const fn address<T>() -> AddressParser<T> {
    AddressParser(PhantomData)
}

impl<T> TypedValueParser for AddressParser<T>
where
    T: FromStr<Err: Into<Box<dyn Error + Send + Sync>>> + Clone + Send + Sync + 'static,
{
    type Value = T;

    fn parse_ref(
        &self,
        command: &Command,
        option: Option<&Arg>,
        text: &OsStr,
    ) -> Result<T, clap::Error> {
        let parsed = T::from_str.parse_ref(command, option, text);
        parsed.map_err(hidden)
    }
}

/// The parser for a directory. It refuses an address, which was meant for another option.
#[derive(Clone, Copy)]
pub(crate) struct DirectoryParser;

/// The value is the address of an engine.
#[derive(Debug, thiserror::Error)]
#[error(
    "must be a directory, not an address; a database is named with --store, a place in S3 with \
     --releases"
)]
struct NotADirectory;

impl TypedValueParser for DirectoryParser {
    type Value = PathBuf;

    fn parse_ref(
        &self,
        command: &Command,
        option: Option<&Arg>,
        text: &OsStr,
    ) -> Result<PathBuf, clap::Error> {
        if !has_scheme(text) {
            return PathBufValueParser::new().parse_ref(command, option, text);
        }
        let refuse = |_text: &str| Err(NotADirectory);
        let refused = refuse.parse_ref(command, option, text);
        refused.map_err(hidden)
    }
}

/// The parser for an export: a path, or an address.
#[derive(Clone, Copy)]
pub(crate) struct SourceParser;

impl TypedValueParser for SourceParser {
    type Value = Source;

    fn parse_ref(
        &self,
        command: &Command,
        option: Option<&Arg>,
        text: &OsStr,
    ) -> Result<Source, clap::Error> {
        // An empty path has its own error.
        let path = PathBufValueParser::new().parse_ref(command, option, text)?;
        if !has_scheme(text) {
            return Ok(Source::Path(path));
        }
        let parse = |text: &str| Source::parse(text.as_ref());
        let parsed = parse.parse_ref(command, option, text);
        parsed.map_err(hidden)
    }
}

/// Whether it looks like an address, valid or not, which may contain a password.
pub(crate) fn has_scheme(text: &OsStr) -> bool {
    text.to_string_lossy().contains("://")
}

/// The error without the value.
fn hidden(mut error: clap::Error) -> clap::Error {
    error.insert(
        ContextKind::InvalidValue,
        ContextValue::String(HIDDEN.to_owned()),
    );
    error
}

/// Whether an option is an address.
pub(crate) fn is_address(option: &Arg) -> bool {
    type_of(option).is_some()
}

/// The address that an option has, as its type shows it.
pub(crate) fn shown(option: &Arg, matches: &ArgMatches) -> Option<String> {
    type_of(option)?.1(matches, option.get_id().as_str())
}

type Show = fn(&ArgMatches, &str) -> Option<String>;

/// The type of an option that is an address, and how it is shown.
fn type_of(option: &Arg) -> Option<(TypeId, Show)> {
    let types: [(TypeId, Show); 4] = [
        (TypeId::of::<PostgresAddress>(), show::<PostgresAddress>),
        (TypeId::of::<RateLimitBackend>(), show::<RateLimitBackend>),
        (TypeId::of::<RedisAddress>(), show::<RedisAddress>),
        (TypeId::of::<S3Address>(), show::<S3Address>),
    ];
    let of_option = option.get_value_parser().type_id();
    types.into_iter().find(|(id, _)| of_option == *id)
}

fn show<T: Display + Clone + Send + Sync + 'static>(
    matches: &ArgMatches,
    id: &str,
) -> Option<String> {
    matches.get_one::<T>(id).map(ToString::to_string)
}
