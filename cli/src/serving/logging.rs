//! The log of a running server: one line per event, on standard error.
//!
//! Commands that end by themselves do not log; they print. A panic is logged like any other event,
//! but without text that may come from a request. Once the log is started, everything that this
//! process writes to standard error goes through its queue, so nothing waits for its reader.

mod queue;

use std::fmt;
use std::fs::File;
use std::io::{LineWriter, stderr};
use std::os::fd::AsFd;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;

use anyhow::Context as _;
use tracing::dispatcher::{Dispatch, with_default};
use tracing_subscriber::field::MakeExt as _;
use tracing_subscriber::filter::{EnvFilter, ParseError};
use tracing_subscriber::fmt::format::debug_fn;
use tracing_subscriber::util::SubscriberInitExt;

use self::queue::Queue;
use crate::process::context::Context;
use crate::terminal::Terminal;
use crate::terminal::escape::escape_control;

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

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// Sends the events that pass `filter` to standard error, in that format. Returns the counter of
/// dropped lines.
pub fn start(
    filter: Filter,
    format: Format,
    context: &mut Context,
) -> anyhow::Result<Arc<AtomicU64>> {
    let terminal = context.terminal;
    let failed = "could not start the log";
    let out = stderr().as_fd().try_clone_to_owned().context(failed)?;
    let report = move |dropped| dropped_line(dropped, format, terminal);
    let queue = Queue::start(File::from(out), report).context(failed)?;
    let dispatch = dispatch(filter, format, terminal, queue.clone());
    dispatch.try_init().context(failed)?;
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
    let dropped = queue.dropped();
    context.err = Box::new(LineWriter::new(queue));
    Ok(dropped)
}

/// The dispatcher that writes events into `queue`, in that format.
fn dispatch(filter: Filter, format: Format, terminal: Terminal, queue: Queue) -> Dispatch {
    let builder = tracing_subscriber::fmt()
        .with_env_filter(filter)
        // It would print errors, and panic if that fails too.
        .log_internal_errors(false)
        .with_writer(queue);
    if format.is_for_people(terminal) {
        // Escaped, so that no value begins a line of its own or moves the cursor.
        let fields = debug_fn(|writer, field, value| {
            let value = format!("{value:?}");
            let value = escape_control(&value);
            match field.name() {
                "message" => write!(writer, "{value}"),
                name if name.ends_with("_ms") => match value.parse::<f64>() {
                    Ok(time) => write!(writer, "{name}={time:.2}"),
                    Err(_) => write!(writer, "{name}={value}"),
                },
                name => write!(writer, "{name}={value}"),
            }
        });
        builder
            .fmt_fields(fields.delimited(" "))
            .with_ansi(terminal.err_colour)
            .with_target(false)
            .into()
    } else {
        builder
            .json()
            .flatten_event(true)
            .with_current_span(false)
            .into()
    }
}

/// The line that reports dropped lines. The filter does not apply to it, since it is about the log
/// itself.
fn dropped_line(dropped: u64, format: Format, terminal: Terminal) -> Vec<u8> {
    let line = Queue::default();
    let dispatch = dispatch(EnvFilter::new("warn"), format, terminal, line.clone());
    with_default(&dispatch, || {
        tracing::warn!(
            dropped,
            "{dropped} log lines were dropped: they were not read in time, or could not be written"
        );
    });
    line.pop().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_dropped_is_reported_in_the_format_of_the_log() {
        let logged = |format| {
            let line = dropped_line(7, format, Terminal::default());
            String::from_utf8(line).unwrap()
        };
        let message =
            "7 log lines were dropped: they were not read in time, or could not be written";
        let text = logged(Format::Text);
        assert!(
            text.ends_with(&format!(" WARN {message} dropped=7\n")),
            "{text}"
        );
        let json: serde_json::Value = serde_json::from_str(&logged(Format::Json)).unwrap();
        assert_eq!(
            (&json["message"], &json["dropped"]),
            (&message.into(), &7.into())
        );
    }

    #[test]
    fn a_time_has_two_decimals_in_the_log_for_people() {
        let line = Queue::default();
        let filter = EnvFilter::new("warn");
        let dispatch = dispatch(filter, Format::Text, Terminal::default(), line.clone());
        with_default(&dispatch, || {
            tracing::warn!(
                duration_ms = 0.481_973_999_999_999_96,
                share = 0.125,
                "slow"
            );
        });
        let logged = String::from_utf8(line.pop().unwrap()).unwrap();
        assert!(
            logged.ends_with(" slow duration_ms=0.48 share=0.125\n"),
            "{logged}"
        );
    }

    #[test]
    fn no_value_begins_a_line_of_its_own_in_the_log_for_people() {
        let line = Queue::default();
        let dispatch = dispatch(
            EnvFilter::new("warn"),
            Format::Text,
            Terminal::default(),
            line.clone(),
        );
        with_default(&dispatch, || {
            let forged = "gone\n2026-10-01T00:00:00Z ERROR forged\u{2028}";
            tracing::warn!(database = forged, reason = %forged, "{forged}");
        });
        let logged = String::from_utf8(line.pop().unwrap()).unwrap();
        assert_eq!(logged.lines().count(), 1, "{logged}");
        assert!(!logged.contains('\u{2028}'), "{logged}");
    }
}
