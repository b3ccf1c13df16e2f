//! Hints: errors that say what to do next, and commands in hints that work when they are pasted.
//!
//! A hint is written without global options. Before it is shown, its commands get the global
//! options that were typed; those set in the environment or a file apply to the pasted command
//! anyway. An address may contain a password, so it is replaced by `URL`.

use std::borrow::Cow;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::path::Path;

use import::source::UnpackedTooMuch;
use import::spool::SpoolError;
use server::limits::RedisFailure;
use shared::base::hint::{Hint, quoted};
use shared::keys::store::KeyStoreError;
use shared::release::ReleaseError;

use crate::exit_status::ExitStatus;

/// The name of the program, before a command.
pub(crate) const PROGRAM: &str = "catalogue ";

/// What to do if temporary files have no place.
pub(crate) const TEMP_DIR: &str =
    "name a directory that has room and can be written, with --temp-dir";

/// Where a server listens unless set otherwise.
pub const LISTEN: SocketAddr = SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), 8080);

/// What is added to the commands in hints.
#[derive(Clone, Debug, Default)]
pub struct Hints {
    /// The names of the commands that the options are added to.
    commands: Vec<String>,
    /// Global options that were typed, each with a space before it.
    options: String,
}

impl Hints {
    /// Nothing was typed yet that these commands would need.
    pub(crate) fn of<'n>(commands: impl Iterator<Item = &'n str>) -> Self {
        Self {
            commands: commands.map(str::to_owned).collect(),
            ..Self::default()
        }
    }

    /// Adds an option that was typed, with its value.
    pub(crate) fn typed(&mut self, option: &str, value: &Path) {
        let value = quoted(&value.display().to_string());
        self.options = format!("{} --{option} {value}", self.options);
    }

    /// Records that the address of a database was typed.
    pub(crate) fn typed_store(&mut self) {
        self.options.push_str(" --store URL");
    }

    /// Completes every command in a text so that it can be pasted.
    pub fn paste<'t>(&self, text: &'t str) -> Cow<'t, str> {
        if self.options.is_empty() || !text.contains(PROGRAM) {
            return Cow::Borrowed(text);
        }
        let mut parts = text.split(PROGRAM);
        let mut pasted = parts.next().unwrap_or_default().to_owned();
        for part in parts {
            let is_of_name = |c: char| c.is_alphanumeric() || c == '-';
            let end = part.find(|c| !is_of_name(c)).unwrap_or(part.len());
            let is_named = self.commands.iter().any(|name| *name == part[..end]);
            let is_command = is_named && begins_command(&pasted);
            pasted.push_str(PROGRAM.trim_end());
            if is_command {
                pasted.push_str(&self.options);
            }
            pasted.push(' ');
            pasted.push_str(part);
        }
        Cow::Owned(pasted)
    }
}

/// An error with a hint that only the command knows, or with another exit status than failure.
#[derive(Debug, thiserror::Error)]
#[error("{error:#}")]
pub struct Hinted {
    error: anyhow::Error,
    excerpt: Option<String>,
    hint: Hint,
    status: ExitStatus,
}

impl Hinted {
    /// An error with its hint and the exit status.
    pub fn new(error: anyhow::Error, hint: impl Into<Hint>, status: ExitStatus) -> Self {
        Self {
            error,
            excerpt: None,
            hint: hint.into(),
            status,
        }
    }

    /// Wrong usage that the argument parser cannot see.
    pub fn wrong_usage(error: anyhow::Error, hint: impl Into<Hint>) -> Self {
        Self::new(error, hint, ExitStatus::WrongUsage)
    }

    /// Adds an excerpt of a file, already escaped, to show between the error and the hint.
    #[must_use]
    pub fn with_excerpt(self, excerpt: String) -> Self {
        Self {
            excerpt: Some(excerpt),
            ..self
        }
    }

    /// The excerpt of the file, if there is one.
    pub fn excerpt(&self) -> Option<&str> {
        self.excerpt.as_deref()
    }
}

/// What to do about an error: the hint of the first of its causes that has one.
pub fn hint(error: &anyhow::Error) -> Option<Hint> {
    error.chain().find_map(|cause| {
        if let Some(hinted) = cause.downcast_ref::<Hinted>() {
            return Some(hinted.hint.clone());
        }
        if let Some(error) = cause.downcast_ref::<KeyStoreError>() {
            return error.hint();
        }
        if let Some(error) = cause.downcast_ref::<ReleaseError>() {
            return error.hint();
        }
        if cause.is::<SpoolError>() {
            return Some(TEMP_DIR.into());
        }
        if let Some(too_much) = cause.downcast_ref::<UnpackedTooMuch>() {
            return Some(more_unpacked(*too_much));
        }
        cause.downcast_ref::<RedisFailure>()?.hint()
    })
}

/// What to do about a file that unpacks to more than it may.
fn more_unpacked(too_much: UnpackedTooMuch) -> Hint {
    match too_much {
        UnpackedTooMuch::Bytes(_) => "if it is meant, allow more with --max-unpacked-bytes".into(),
        UnpackedTooMuch::Ratio => "if it is meant, unpack it, and import that".into(),
    }
}

/// The exit status of a command that failed with an error.
pub fn status(error: &anyhow::Error) -> ExitStatus {
    let hinted = error.downcast_ref::<Hinted>();
    hinted.map_or(ExitStatus::Failure, |hinted| hinted.status)
}

/// Whether a command may follow this text, rather than a word of a sentence or of a path.
fn begins_command(before: &str) -> bool {
    let ends = ["`", ": ", "; ", "\n", "  ", "("];
    before.is_empty() || ends.iter().any(|end| before.ends_with(end))
}

#[cfg(test)]
mod tests {
    use shared::keys::store::Location;

    use super::*;

    #[test]
    fn commands_get_what_was_typed_and_other_texts_stay() {
        let mut hints = Hints::of(std::iter::once("keys"));
        let text = "run: catalogue keys list, or `catalogue explain-code`; the catalogue record";
        assert_eq!(hints.paste(text), text);
        hints.typed("data", Path::new("my boats"));
        hints.typed_store();
        assert_eq!(
            hints.paste(text),
            "run: catalogue --data 'my boats' --store URL keys list, \
             or `catalogue explain-code`; the catalogue record"
        );
        let path = "could not read /srv/boat catalogue store/keys.sqlite";
        assert_eq!(hints.paste(path), path);
    }

    #[test]
    fn the_first_cause_that_knows_says_what_to_do() {
        let missing = |location| {
            let error = anyhow::Error::new(KeyStoreError::Missing { location });
            error.context("could not open the keys")
        };
        let database = missing(Location::Database("postgres://db/boats".to_owned()));
        let file = missing(Location::File("keys.sqlite".to_owned()));
        let expected = "make its tables first: catalogue store init";
        assert_eq!(hint(&database).as_deref(), Some(expected));
        assert!(hint(&file).unwrap().contains("--data"));
        assert_eq!(status(&file), ExitStatus::Failure);
        let hinted = anyhow::Error::from(Hinted::wrong_usage(file, "look again"));
        assert_eq!(hint(&hinted).as_deref(), Some("look again"));
        assert_eq!(status(&hinted), ExitStatus::WrongUsage);
        assert_eq!(hint(&anyhow::anyhow!("nothing is known of it")), None);
    }
}
