//! The log of a running server: one line an event, on standard error.
//!
//! Commands that end by themselves do not log; they print. A panic is logged like any other event,
//! but without text that may come from a request.

use std::io::IsTerminal;

use tracing_subscriber::filter::EnvFilter;

/// Sends events at `level` and above to standard error, as text on a terminal and as JSON
/// elsewhere.
pub fn start(level: &str, colour: bool) -> anyhow::Result<()> {
    let filter = EnvFilter::try_new(level)?;
    let builder = tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_writer(std::io::stderr);
    let started = if std::io::stderr().is_terminal() {
        builder.with_ansi(colour).with_target(false).try_init()
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
