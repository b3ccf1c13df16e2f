//! The log of a running server: one line an event, on standard error.
//!
//! Commands that end by themselves do not log; they print. A panic is logged like any other event,
//! but without text that may come from a request.

mod line;

use std::fmt;
use std::str::FromStr;

use tracing_subscriber::filter::{EnvFilter, ParseError};

use self::line::ForPeople;
use crate::context::Terminal;

/// Which events are logged.
pub type Filter = EnvFilter;

/// Reads a level, or directives such as `server=debug`.
pub fn parse_filter(text: &str) -> Result<Filter, ParseError> {
    EnvFilter::try_new(text)
}

/// How events are written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Format {
    /// For people on a terminal, for programs elsewhere.
    #[default]
    Auto,
    /// For people.
    Text,
    /// For programs.
    Json,
}

/// Not the word of a format.
#[derive(Clone, Copy, Debug, thiserror::Error)]
#[error("not a format of the log")]
pub struct UnknownFormat;

impl Format {
    /// All formats.
    pub const ALL: [Self; 3] = [Self::Auto, Self::Text, Self::Json];

    /// Its word on the command line.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Auto => "auto",
            Self::Text => "text",
            Self::Json => "json",
        }
    }

    const fn is_for_people(self, terminal: Terminal) -> bool {
        match self {
            Self::Auto => terminal.err,
            Self::Text => true,
            Self::Json => false,
        }
    }
}

impl FromStr for Format {
    type Err = UnknownFormat;

    fn from_str(word: &str) -> Result<Self, UnknownFormat> {
        let mut all = Self::ALL.into_iter();
        all.find(|format| format.as_str() == word)
            .ok_or(UnknownFormat)
    }
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// Sends the events that `filter` lets through to standard error, in that format.
pub fn start(filter: Filter, format: Format, terminal: Terminal) -> anyhow::Result<()> {
    let builder = tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_writer(std::io::stderr);
    let started = if format.is_for_people(terminal) {
        builder
            .with_ansi(terminal.err_colour)
            .event_format(ForPeople)
            .try_init()
    } else {
        builder
            .json()
            .flatten_event(true)
            .with_current_span(false)
            .try_init()
    };
    started.map_err(|error| anyhow::anyhow!(error).context("could not start the log"))?;
    std::panic::set_hook(Box::new(|panic| {
        // A formatted message may quote a request; a fixed one cannot.
        let fixed = panic.payload().downcast_ref::<&'static str>().copied();
        let message = fixed.unwrap_or("the message is withheld, it may quote a request");
        let place = panic
            .location()
            .map(ToString::to_string)
            .unwrap_or_default();
        tracing::error!(panic.place = place, "panicked: {message}");
    }));
    Ok(())
}
