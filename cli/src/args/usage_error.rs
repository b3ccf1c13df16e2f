//! How help and usage errors are shown.
//!
//! clap finds the errors and suggests similar names. What was typed is escaped, and secrets in it
//! are redacted.

use std::borrow::Cow;
use std::io::Write as _;

use anyhow::Context as _;
use clap::error::ContextValue;

use crate::exit_status::ExitStatus;
use crate::process::context::Context;
use crate::terminal::escape::escape_control;
use crate::terminal::redact::redact;

/// Help and version go to standard output; everything else is wrong usage.
pub(crate) fn show_usage(usage: clap::Error, context: &mut Context) -> anyhow::Result<ExitStatus> {
    let usage = escaped(usage);
    let terminal = context.terminal;
    let text = |colour| match usage.render() {
        rendered if colour => rendered.ansi().to_string(),
        rendered => rendered.to_string(),
    };
    if usage.use_stderr() {
        let text = text(terminal.err_colour);
        // There is nowhere left to report that standard error is closed.
        _ = context.err.write_all(redact(&text).as_bytes());
        return Ok(ExitStatus::WrongUsage);
    }
    let text = text(terminal.out_colour);
    let shown = context.out.write_all(redact(&text).as_bytes());
    let shown = shown.and_then(|()| context.out.flush());
    shown.context("could not write to standard output")?;
    Ok(ExitStatus::Done)
}

/// Escapes what was typed. A tip that repeats it is left out, since its colours cannot be told from
/// escape sequences that were typed.
fn escaped(mut usage: clap::Error) -> clap::Error {
    let is_unseen = |text: &str| matches!(escape_control(text), Cow::Owned(_));
    let kinds = usage.context().filter_map(|(kind, value)| match value {
        ContextValue::String(text) if is_unseen(text) => {
            Some((kind, Some(escape_control(text).into())))
        }
        ContextValue::StyledStrs(tips) => {
            let repeats = tips.iter().any(|tip| is_unseen(&tip.to_string()));
            repeats.then_some((kind, None))
        }
        _ => None,
    });
    for (kind, text) in kinds.collect::<Vec<_>>() {
        match text {
            Some(text) => usage.insert(kind, ContextValue::String(text)),
            None => usage.remove(kind),
        };
    }
    usage
}
