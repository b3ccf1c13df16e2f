//! Reads the text of a file into values of options, or into everything that is wrong with it.

use std::ffi::OsString;
use std::path::Path;

use clap::{Arg, Command};
use import::finding::{Mistake, nearest};
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::{Value, excerpt, option};
use crate::settings::address;

type Key<'t> = Spanned<std::borrow::Cow<'t, str>>;

/// The values for options of `command` in the text; relative paths begin at `folder`.
pub(super) fn values(
    text: &str,
    folder: &Path,
    command: &Command,
) -> Result<Vec<Value>, Vec<Mistake>> {
    let (table, errors) = DeTable::parse_recoverable(text);
    let mut reader = Reader {
        folder,
        values: Vec::new(),
        mistakes: errors.iter().map(|error| syntax(error, text)).collect(),
    };
    // Errors that follow from a syntax error would only hide it.
    if reader.mistakes.is_empty() {
        reader.table(table.get_ref(), &[], command);
    }
    if reader.mistakes.is_empty() {
        Ok(reader.values)
    } else {
        Err(reader.mistakes)
    }
}

/// A syntax error. Text that is not understood is not shown, since it may be a password.
fn syntax(error: &toml::de::Error, text: &str) -> Mistake {
    let at = error.span().unwrap_or_default().start.min(text.len());
    Mistake::new(
        excerpt::key_at(text.floor_char_boundary(at), text),
        error.message(),
    )
}

struct Reader<'a> {
    folder: &'a Path,
    values: Vec<Value>,
    mistakes: Vec<Mistake>,
}

impl Reader<'_> {
    fn table(&mut self, table: &DeTable<'_>, path: &[String], command: &Command) {
        for (key, value) in table {
            let name = key.get_ref().as_ref();
            let of_name = |arg: &&Arg| arg.get_long() == Some(name) && option::is_setting(arg);
            if let Some(option) = command.get_arguments().find(of_name) {
                self.option(key, option, path, value);
            } else if let Some(below) = command
                .get_subcommands()
                .find(|below| below.get_name() == name)
            {
                self.command(key, below, path, value);
            } else {
                self.mistakes.push(unknown(key, path, command));
            }
        }
    }

    fn command(
        &mut self,
        key: &Key<'_>,
        command: &Command,
        path: &[String],
        value: &Spanned<DeValue<'_>>,
    ) {
        let name = command.get_name();
        if let DeValue::Table(table) = value.get_ref() {
            return self.table(table, &[path, &[name.to_owned()]].concat(), command);
        }
        let mistake = Mistake::new(key.span(), "this must be a table of options");
        self.mistakes
            .push(mistake.hint(Some(format!("`{name}` is a command"))));
    }

    fn option(
        &mut self,
        key: &Key<'_>,
        option: &Arg,
        path: &[String],
        value: &Spanned<DeValue<'_>>,
    ) {
        let members: Vec<_> = match value.get_ref() {
            DeValue::Array(members) if option::takes_several(option) => members.iter().collect(),
            _ => vec![value],
        };
        let texts: Vec<_> = members
            .into_iter()
            .filter_map(|member| self.text(key, option, member))
            .collect();
        self.values.push(Value {
            command: path.to_vec(),
            option: option.get_long().unwrap_or_default().to_owned(),
            texts,
        });
    }

    /// The value as it would be typed, if the option takes it.
    fn text(
        &mut self,
        key: &Key<'_>,
        option: &Arg,
        value: &Spanned<DeValue<'_>>,
    ) -> Option<OsString> {
        let typed = typed(value.get_ref());
        // A mistake shows the text that it is about.
        let has_scheme = |text: &String| address::has_scheme(text.as_ref());
        let about = if address::is_address(option)
            || option::is_path(option) && typed.as_ref().is_some_and(has_scheme)
        {
            key.span()
        } else {
            value.span()
        };
        let Some(text) = typed else {
            let expected = if option::takes_several(option) {
                "a text or a list of texts"
            } else {
                "a text or a number"
            };
            self.mistakes
                .push(Mistake::new(about, format!("this must be {expected}")));
            return None;
        };
        let text = if option::is_path(option) && !text.is_empty() {
            self.folder.join(text).into_os_string()
        } else {
            OsString::from(text)
        };
        match option::objection(option, &text) {
            None => Some(text),
            Some(objection) => {
                self.mistakes.push(Mistake::new(about, objection));
                None
            }
        }
    }
}

/// A value as it would be typed.
fn typed(value: &DeValue<'_>) -> Option<String> {
    match value {
        DeValue::String(text) => Some(text.to_string()),
        DeValue::Integer(integer) if integer.radix() == 10 => Some(integer.as_str().to_owned()),
        DeValue::Float(float) => Some(float.as_str().to_owned()),
        _ => None,
    }
}

fn unknown(key: &Key<'_>, path: &[String], command: &Command) -> Mistake {
    let name = key.get_ref();
    let options = command
        .get_arguments()
        .filter(|arg| option::is_setting(arg));
    let options = options.filter_map(Arg::get_long);
    let commands = command.get_subcommands().map(Command::get_name);
    let known: Vec<&str> = options.chain(commands).collect();
    let place = if path.is_empty() {
        String::new()
    } else {
        format!(" of `{}`", path.join("."))
    };
    let is_typed = |arg: &Arg| arg.get_long() == Some(name);
    let hint = if command.get_arguments().any(is_typed) {
        Some("it can only be typed".to_owned())
    } else {
        nearest(name, &known).map(|near| format!("did you mean `{near}`?"))
    };
    Mistake::new(key.span(), format!("`{name}` is not a setting{place}")).hint(hint)
}
