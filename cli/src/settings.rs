//! `catalogue.toml`: values for options that are not typed.
//!
//! A setting is an option that has an environment variable. Tables of the file are commands, and
//! keys are the long names of their options, so nothing can be set that cannot be typed. A value in
//! the file replaces an option's default; a typed option and the variable take precedence over it.
//! Before any value is used, the whole file is checked by the parsers of the options themselves,
//! whichever command was typed.

pub(crate) mod address;
mod excerpt;
mod option;
mod read;
mod source;
mod template;

use std::ffi::OsString;

use clap::builder::OsStr;
use clap::{Arg, Command};

pub(crate) use option::is_path;
pub use source::FILE;
pub(crate) use source::{NotUsable, find};
pub(crate) use template::template;

/// The contents of the settings file.
#[derive(Default)]
pub(crate) struct SettingsFile {
    /// The name of the file, for messages; `None` if there is none.
    pub(crate) file: Option<String>,
    values: Vec<Value>,
}

/// The value of one option in a file, which may contain a password.
struct Value {
    /// The command, from the one below `catalogue` to the innermost.
    command: Vec<String>,
    /// The option's long name.
    option: String,
    /// One value, or several if the option takes several.
    texts: Vec<OsString>,
}

/// An option that can be set, with its current value.
pub(crate) struct Shown {
    /// Dotted, as in the file: `serve.listen`.
    pub(crate) name: String,
    /// `None` if it has no default either; if the value is refused, the reason.
    pub(crate) value: Option<String>,
    /// What applies if there is no value, in words.
    pub(crate) otherwise: Option<String>,
    pub(crate) source: Source,
    pub(crate) variable: String,
}

/// A global option that was typed.
#[derive(Debug)]
pub(crate) struct Typed {
    /// Its long name.
    pub(crate) option: &'static str,
    /// Its value, without a password.
    pub(crate) value: String,
}

/// Where the value of a setting comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Source {
    /// The command line.
    Typed,
    Variable,
    /// A variable, with a value that the option does not accept.
    RefusedVariable,
    File,
    Default,
}

impl SettingsFile {
    /// `command` with the values in the file as its defaults.
    pub(super) fn apply(self, command: Command) -> Command {
        self.values.into_iter().fold(command, |command, value| {
            let Value {
                command: path,
                option,
                texts,
            } = value;
            change(command, &path, |arg| {
                if arg.get_long() == Some(&*option) {
                    // Help shows defaults.
                    let is_hidden = address::is_address(&arg);
                    let arg = arg.default_values(texts.iter().cloned().map(OsStr::from));
                    arg.hide_default_value(is_hidden)
                } else {
                    arg
                }
            })
        })
    }

    /// Every setting of `command`, and its value if nothing but `typed` is typed.
    pub(crate) fn shown(&self, command: &Command, typed: &[Typed]) -> Vec<Shown> {
        let mut shown = Vec::new();
        each(command, &mut Vec::new(), &mut |path, option| {
            let long = option.get_long().unwrap_or_default();
            let set = |value: &&Value| value.option == long && value.command == path;
            let set = self.values.iter().find(set);
            let mut setting = option::shown(path, option, set.map(|value| &*value.texts));
            if let Some(typed) = typed.iter().find(|typed| typed.option == setting.name) {
                setting.value = Some(typed.value.clone());
                setting.source = Source::Typed;
            }
            shown.push(setting);
        });
        shown
    }
}

/// Changes the options of the command at `path` below `command`.
fn change(command: Command, path: &[String], to: impl Fn(Arg) -> Arg) -> Command {
    match path {
        [] => command.mut_args(to),
        [next, rest @ ..] => command.mut_subcommand(next, |command| change(command, rest, to)),
    }
}

/// Calls `see` for every setting of `command` and of the commands below it, in the order of help.
fn each<'c>(
    command: &'c Command,
    path: &mut Vec<String>,
    see: &mut impl FnMut(&[String], &'c Arg),
) {
    for option in command
        .get_arguments()
        .filter(|arg| option::is_setting(arg))
    {
        see(path, option);
    }
    for below in command.get_subcommands() {
        path.push(below.get_name().to_owned());
        each(below, path, see);
        path.pop();
    }
}

#[cfg(test)]
mod tests;
