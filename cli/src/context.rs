//! What a command receives from outside: time, randomness, the terminal.
//!
//! Commands print through a context and never to the process's streams, read its clock and never
//! the system's; so a test runs a command in process and sees the same bytes every time.

use std::io::{IsTerminal, Read, Write};
use std::sync::Arc;
use std::time::Duration;

use rand::{RngCore, TryRngCore};
use shared::clock::{Clock, SystemClock};

/// The surroundings of one run of the command.
pub struct Context {
    /// Source of time.
    pub clock: Arc<dyn Clock>,
    /// Source of randomness for keys and ids: cryptographically secure outside tests.
    pub random: Box<dyn RngCore + Send>,
    /// Standard input: an export named `-`.
    pub input: Box<dyn Read + Send>,
    /// Standard output: answers.
    pub out: Box<dyn Write + Send>,
    /// Standard error: progress, logs, warnings, errors.
    pub err: Box<dyn Write + Send>,
    /// What the terminal, if any, can show.
    pub terminal: Terminal,
    /// Lets time pass: blocks outside tests.
    pub pause: Box<dyn FnMut(Duration) + Send>,
}

/// What may be shown to the person at the terminal.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "four independent facts, not one state"
)]
pub struct Terminal {
    /// Standard output is a terminal.
    pub out: bool,
    /// Standard error is a terminal: progress bars may be drawn.
    pub err: bool,
    /// Colour is welcome on standard output (a terminal, and `NO_COLOR` is not set).
    pub out_colour: bool,
    /// Colour is welcome on standard error.
    pub err_colour: bool,
}

impl Context {
    /// The surroundings of this process.
    pub fn of_process() -> Self {
        let (out, err) = (
            std::io::stdout().is_terminal(),
            std::io::stderr().is_terminal(),
        );
        let colour = std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty());
        Self {
            clock: Arc::new(SystemClock::new()),
            random: Box::new(rand::rngs::OsRng.unwrap_err()),
            input: Box::new(std::io::stdin()),
            out: Box::new(std::io::stdout()),
            err: Box::new(std::io::stderr()),
            terminal: Terminal {
                out,
                err,
                out_colour: out && colour,
                err_colour: err && colour,
            },
            pause: Box::new(std::thread::sleep),
        }
    }
}
