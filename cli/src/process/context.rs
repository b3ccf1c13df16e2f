//! What a command receives from outside: time, randomness, the terminal, and who runs it.
//!
//! Commands print through a context and never to the process's streams, read its clock and never
//! the system's; so a test runs a command in process and sees the same bytes every time.

use std::ffi::OsString;
use std::io::{IsTerminal, Read, Write};
use std::sync::Arc;
use std::time::Duration;

use rand::{RngCore, TryRngCore};
use shared::base::clock::{Clock, SystemClock};
use shared::keys::audit::Operator;
use shared::release::S3Settings;

use crate::hints::Hints;
use crate::process::interrupts::Interrupts;
use crate::process::machine::Machine;
use crate::process::operator;
use crate::process::output::Output;
use crate::process::service_manager::ServiceManager;
use crate::terminal::Terminal;

/// Width of a terminal that does not say how wide it is.
const COLUMNS_USUAL: usize = 80;

/// The surroundings of one run of the command.
pub struct Context {
    /// Source of time.
    pub clock: Arc<dyn Clock>,
    /// Source of randomness for keys and ids: cryptographically secure outside tests.
    pub random: Box<dyn RngCore + Send>,
    /// Who runs the command: for the audit log.
    pub operator: Operator,
    /// Standard input: an export named `-`.
    pub input: Box<dyn Read + Send>,
    /// Standard output: answers.
    pub out: Output,
    /// Standard error: progress, logs, warnings, errors.
    pub err: Box<dyn Write + Send>,
    /// What the terminal, if any, can show.
    pub terminal: Terminal,
    /// Who runs this as a service: passes a socket, and is notified.
    pub service_manager: ServiceManager,
    /// What ends the command in the middle of its work.
    pub interrupts: Interrupts,
    /// How S3 is reached.
    pub s3: S3Settings,
    /// What the machine gives.
    pub machine: Machine,
    /// What hints say beside their own words, once it is known what was typed.
    pub hints: Hints,
    /// Lets time pass: blocks outside tests.
    pub pause: Box<dyn FnMut(Duration) + Send>,
}

impl Context {
    /// The surroundings of this process.
    pub fn of_process() -> Self {
        let (out, err) = (
            std::io::stdout().is_terminal(),
            std::io::stderr().is_terminal(),
        );
        let variable = |name| std::env::var_os(name);
        let colour = is_colour_welcome(variable("NO_COLOR"), variable("TERM"));
        Self {
            clock: Arc::new(SystemClock::new()),
            random: Box::new(rand::rngs::OsRng.unwrap_err()),
            operator: operator::of_process(),
            input: Box::new(std::io::stdin()),
            out: Output::of_process(),
            err: Box::new(std::io::stderr()),
            terminal: Terminal {
                out,
                err,
                out_colour: out && colour,
                err_colour: err && colour,
                columns: out.then(columns),
            },
            service_manager: ServiceManager::of_process(),
            interrupts: Interrupts::of_process(),
            s3: S3Settings::of(std::env::vars_os().filter_map(utf8)),
            machine: Machine::of_process(),
            hints: Hints::default(),
            pause: Box::new(std::thread::sleep),
        }
    }
}

/// A variable of the environment that is text.
fn utf8((name, value): (OsString, OsString)) -> Option<(String, String)> {
    Some((name.into_string().ok()?, value.into_string().ok()?))
}

/// Whether a terminal is to be sent colours: not where `NO_COLOR` is set, nor one that
/// obeys nothing.
fn is_colour_welcome(no_color: Option<OsString>, term: Option<OsString>) -> bool {
    no_color.is_none_or(|value| value.is_empty()) && term.is_none_or(|term| term != "dumb")
}

/// A terminal that does not say how wide it is has the usual width.
fn columns() -> usize {
    let size = terminal_size::terminal_size_of(std::io::stdout());
    size.map_or(COLUMNS_USUAL, |(width, _height)| usize::from(width.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colour_follows_no_color_and_the_terminal() {
        for (no_color, term, expected) in [
            (None, Some("xterm-256color"), true),
            (None, None, true),
            (Some(""), Some("xterm"), true),
            (Some("1"), Some("xterm"), false),
            (None, Some("dumb"), false),
        ] {
            let welcome = is_colour_welcome(no_color.map(Into::into), term.map(Into::into));
            assert_eq!(welcome, expected, "{no_color:?}, {term:?}");
        }
    }
}
