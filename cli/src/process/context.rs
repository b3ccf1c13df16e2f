//! What a command receives from outside: time, randomness, the terminal, and who runs it.
//!
//! Commands print only through a context, never to the process's streams, and read only its clock,
//! never the system's. Tests can therefore run a command in process and see the same bytes every
//! time.

use std::ffi::OsString;
use std::io::{IsTerminal, Read, Write};
use std::sync::Arc;
use std::time::Duration;

use rand::{RngCore, TryRngCore};
use shared::base::clock::{Clock, SystemClock};
use shared::base::operator::Operator;
use shared::release::S3Settings;

use crate::hints::Hints;
use crate::process::interrupts::Interrupts;
use crate::process::machine::Machine;
use crate::process::operator;
use crate::process::output::Output;
use crate::process::service_manager::ServiceManager;
use crate::remote::RemoteSettings;
use crate::terminal::Terminal;
use crate::terminal::colour::is_welcome;

/// Width of a terminal that does not report its width.
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
    /// Standard output: results.
    pub out: Output,
    /// Standard error: progress, logs, warnings, errors.
    pub err: Box<dyn Write + Send>,
    /// What the terminal, if any, can show.
    pub terminal: Terminal,
    /// The program that runs this as a service: it passes a socket, and is notified.
    pub service_manager: ServiceManager,
    /// The signals that end a command in the middle of its work.
    pub interrupts: Interrupts,
    /// How S3 is reached.
    pub s3: S3Settings,
    /// How addresses of exports are reached.
    pub remote: RemoteSettings,
    /// The resources of the machine.
    pub machine: Machine,
    /// What is added to the commands in hints, once the command line is parsed.
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
        let has_colour = |is_terminal| is_welcome(std::env::var_os::<&str>, is_terminal);
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
                out_colour: has_colour(out),
                err_colour: has_colour(err),
                columns: out.then(columns),
            },
            service_manager: ServiceManager::of_process(),
            interrupts: Interrupts::of_process(),
            s3: S3Settings::of(std::env::vars_os().filter_map(utf8)),
            remote: RemoteSettings::of(std::env::vars_os().filter_map(utf8)),
            machine: Machine::of_process(),
            hints: Hints::default(),
            pause: Box::new(std::thread::sleep),
        }
    }
}

/// An environment variable, if it is UTF-8.
fn utf8((name, value): (OsString, OsString)) -> Option<(String, String)> {
    Some((name.into_string().ok()?, value.into_string().ok()?))
}

/// The width of the terminal, or the usual width if it does not report any.
fn columns() -> usize {
    let size = terminal_size::terminal_size_of(std::io::stdout());
    size.map_or(COLUMNS_USUAL, |(width, _height)| usize::from(width.0))
}
