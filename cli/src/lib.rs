//! The `catalogue` command as a library: typed arguments in, output and an exit status out.
//!
//! [`args`] defines the command line, [`commands`] runs the commands, [`context`](process::context)
//! is everything a command receives from outside. Nothing here reads the process's clock, streams
//! or randomness.

pub mod args;
pub mod commands;
pub mod exit_status;
pub mod hints;
pub mod process;
pub mod remote;
pub mod report;
pub mod serving;
pub mod settings;
pub mod terminal;

use std::ffi::OsString;
use std::io::Write;

pub use crate::exit_status::ExitStatus;
pub use crate::process::context::Context;

use crate::args::NoArgs;
use crate::hints::Hinted;
use crate::process::output::OutputClosed;
use crate::terminal::escape::escape_control;
use crate::terminal::redact::redact;

/// Runs the command that `args` names; the first of them is the program's own name.
///
/// Everything that can go wrong is shown here, once, on the error stream of the context.
pub fn run(args: impl IntoIterator<Item = OsString>, context: &mut Context) -> ExitStatus {
    let done = match args::parse(args, context) {
        Ok(args) => args.run(context),
        Err(NoArgs::Usage(usage)) => args::show_usage(usage, context),
        Err(NoArgs::Settings(not_usable)) => Err(not_usable),
    };
    let status = match done {
        Ok(status) => status,
        Err(error) if OutputClosed::caused(&error) => ExitStatus::Done,
        Err(error) => show_error(&error, context),
    };
    // The last log lines of a server may still be queued; the exit status does not depend on them.
    _ = context.err.flush();
    status
}

/// Shows the chain of causes on one line, and what to do next if that is known. Mistakes in a file
/// are shown with an excerpt.
fn show_error(error: &anyhow::Error, context: &mut Context) -> ExitStatus {
    // There is nowhere left to report that standard error is closed.
    let message = format!("error: {}", context.hints.paste(&format!("{error:#}")));
    _ = writeln!(context.err, "{}", escape_control(&redact(&message)));
    if let Some(excerpt) = error.downcast_ref().and_then(Hinted::excerpt) {
        _ = writeln!(context.err, "\n{}\n", redact(excerpt));
    }
    if let Some(hint) = hints::hint(error) {
        let hint = format!("hint: {}", context.hints.paste(&hint));
        _ = writeln!(context.err, "{}", escape_control(&redact(&hint)));
    }
    hints::status(error)
}
