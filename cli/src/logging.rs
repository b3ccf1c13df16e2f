//! The log of a running server: one line an event, on standard error.
//!
//! Commands that end by themselves do not log; they print. A panic is logged like any other event,
//! but without text that may come from a request.

use tracing_subscriber::filter::{EnvFilter, ParseError};

use crate::context::Terminal;

/// Which events are logged.
pub type Filter = EnvFilter;

/// Reads a level, or directives such as `server=debug`.
pub fn parse_filter(text: &str) -> Result<Filter, ParseError> {
    EnvFilter::try_new(text)
}

/// Sends the events that `filter` lets through to standard error, as text on a terminal and as
/// JSON elsewhere.
pub fn start(filter: Filter, terminal: Terminal) -> anyhow::Result<()> {
    let builder = tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_writer(std::io::stderr);
    let started = if terminal.err {
        builder
            .with_ansi(terminal.err_colour)
            .with_target(false)
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
