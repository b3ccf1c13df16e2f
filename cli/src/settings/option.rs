//! One command-line option as a setting: which values it accepts.
//!
//! The option's own parser decides, on a command line with only this option.

use std::any::TypeId;
use std::error::Error as _;
use std::ffi::{OsStr, OsString};
use std::path::PathBuf;

use clap::error::{ContextKind, ContextValue};
use clap::parser::ValueSource;
use clap::{Arg, ArgAction, ArgMatches, Command, Error};

use super::{Shown, Source};
use crate::settings::address;
use crate::terminal::redact::redact;

/// The option that names the file itself.
const CONFIG: &str = "config";

/// Whether the option can be set in a file.
pub(super) fn is_setting(option: &Arg) -> bool {
    option.get_env().is_some() && option.get_long().is_some_and(|long| long != CONFIG)
}

/// Whether it takes several values.
pub(super) fn takes_several(option: &Arg) -> bool {
    matches!(option.get_action(), ArgAction::Append)
}

/// Whether its values are paths; in a file they are relative to its directory.
pub(crate) fn is_path(option: &Arg) -> bool {
    option.get_value_parser().type_id() == TypeId::of::<PathBuf>()
}

/// The reason why the option refuses a value, if it does.
pub(super) fn objection(option: &Arg, text: &OsStr) -> Option<String> {
    let typed = typed(option, text);
    alone(option, [typed]).err().map(|error| reason(&error))
}

fn typed(option: &Arg, text: &OsStr) -> OsString {
    let mut typed = OsString::from(format!("--{}=", option.get_long().unwrap_or_default()));
    typed.push(text);
    typed
}

/// The value of the option if it is not typed, and the file says `set`.
pub(super) fn shown(path: &[String], option: &Arg, set: Option<&[OsString]>) -> Shown {
    let long = option.get_long().unwrap_or_default();
    let (source, value) = match alone(option, []) {
        Err(error) => (Source::RefusedVariable, Some(reason(&error))),
        Ok(matches) => {
            let source = matches.value_source(option.get_id().as_str());
            match (source, set) {
                (Some(ValueSource::EnvVariable), _) => (Source::Variable, value(option, &matches)),
                (_, Some(set)) => {
                    let set = alone(option, set.iter().map(|text| typed(option, text)));
                    (Source::File, set.ok().and_then(|set| value(option, &set)))
                }
                (_, None) => (Source::Default, value(option, &matches)),
            }
        }
    };
    let variable = option.get_env().unwrap_or_default();
    // An API key in the wrong place is not repeated.
    let value = value.map(|value| redact(&value).into_owned());
    Shown {
        name: [path, &[long.to_owned()]].concat().join("."),
        value,
        otherwise: words_of_default(option),
        source,
        variable: variable.to_string_lossy().into_owned(),
    }
}

/// The value of the option, as typed unless it may contain a password.
fn value(option: &Arg, matches: &ArgMatches) -> Option<String> {
    if address::is_address(option) {
        return address::shown(option, matches);
    }
    matches.get_raw(option.get_id().as_str()).map(joined)
}

fn joined<'a>(texts: impl Iterator<Item = &'a OsStr>) -> String {
    let texts: Vec<_> = texts.map(OsStr::to_string_lossy).collect();
    texts.join(", ")
}

/// Parses `typed` with a command line that has only this option.
fn alone(option: &Arg, typed: impl IntoIterator<Item = OsString>) -> Result<ArgMatches, Error> {
    let option = option.clone().global(false).required(false);
    let command = Command::new(CONFIG).no_binary_name(true).arg(option);
    command.try_get_matches_from(typed)
}

/// The default in an option's help text, if it is described in words.
fn words_of_default(option: &Arg) -> Option<String> {
    let help = option.get_help()?.to_string();
    let (_, words) = help.rsplit_once("[default: ")?;
    words.strip_suffix(']').map(str::to_owned)
}

/// Why a value is refused, without the option's name, since this is shown beside it.
fn reason(error: &Error) -> String {
    match (error.source(), error.get(ContextKind::ValidValue)) {
        (Some(source), _) => source.to_string(),
        (None, Some(ContextValue::Strings(valid))) if valid.is_empty() => {
            "must not be empty".to_owned()
        }
        (None, Some(ContextValue::Strings(valid))) => format!("must be {}", valid.join(" or ")),
        (None, _) => "is not a value of this option".to_owned(),
    }
}
