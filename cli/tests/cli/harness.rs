//! Runs commands in process: fixed time, seeded randomness, captured output, a separate directory.
//!
//! Tests snapshot the whole outcome: the command line, the exit status, both streams. The path of
//! the directory is random and never shown: it is `[dir]` in arguments and output.

use std::ffi::OsString;
use std::fmt;
use std::fs::File;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use cli::hints::Hints;
use cli::process::interrupts::Interrupts;
use cli::process::machine::Machine;
use cli::process::output::Output;
use cli::process::service_manager::ServiceManager;
use cli::remote::RemoteSettings;
use cli::terminal::Terminal;
use cli::{Context, ExitStatus};
use rand::SeedableRng;
use rand::rngs::StdRng;
use serde_json::Value;
use shared::base::clock::ManualClock;
use shared::base::operator::Operator;
use shared::keys::name::Name;
use shared::release::S3Settings;
use tempfile::TempDir;

use crate::folded::folded;

/// When every test begins: 2026-10-01T12:00:00Z.
pub(crate) const START: i64 = 1_790_856_000;

/// The sample export.
pub(crate) const SAMPLE: &str = fixture!("sample");

/// Stands for the test's directory in arguments and output.
const DIRECTORY: &str = "[dir]";

/// One directory and one clock, for the commands of a test.
pub(crate) struct TestCli {
    directory: TempDir,
    clock: Arc<ManualClock>,
    runs: u64,
}

/// Arguments of a command: each on its own, or a line in which none has a space.
pub(crate) trait Typed {
    fn words(&self) -> Vec<&str>;
}

impl Typed for str {
    fn words(&self) -> Vec<&str> {
        self.split(' ').collect()
    }
}

impl Typed for [&str] {
    fn words(&self) -> Vec<&str> {
        self.to_vec()
    }
}

impl<const N: usize> Typed for [&str; N] {
    fn words(&self) -> Vec<&str> {
        self.to_vec()
    }
}

impl<T: Typed + ?Sized> Typed for &T {
    fn words(&self) -> Vec<&str> {
        (**self).words()
    }
}

impl Typed for String {
    fn words(&self) -> Vec<&str> {
        self.as_str().words()
    }
}

impl Typed for Vec<&str> {
    fn words(&self) -> Vec<&str> {
        self.clone()
    }
}

/// The outcome of one run.
pub(crate) struct Outcome {
    typed: String,
    /// How it ended.
    pub(crate) status: ExitStatus,
    /// Standard output.
    pub(crate) out: String,
    /// Standard error.
    pub(crate) err: String,
}

impl TestCli {
    /// An empty directory at [`START`].
    pub(crate) fn new() -> Self {
        let directory = tempfile::tempdir().unwrap();
        Self {
            directory,
            clock: Arc::new(ManualClock::at(START)),
            runs: 0,
        }
    }

    /// Runs `catalogue` with `args` on the data directory `[dir]/catalogue-data`. In `args`,
    /// `[dir]` stands for the test's directory. Each run gets different random numbers, which are
    /// the same whenever the test runs.
    pub(crate) fn run(&mut self, args: &(impl Typed + ?Sized)) -> Outcome {
        self.run_with_input(&args.words(), b"")
    }

    /// Runs `catalogue` with `input` on its standard input.
    pub(crate) fn run_with_input(&mut self, args: &[&str], input: &[u8]) -> Outcome {
        let input = io::Cursor::new(input.to_owned());
        self.run_in(args, |context| context.input = Box::new(input))
    }

    /// Runs `catalogue` in a context that `change` has changed.
    pub(crate) fn run_in(&mut self, args: &[&str], change: impl FnOnce(&mut Context)) -> Outcome {
        self.runs += 1;
        let (out, err) = (Capture::default(), Capture::default());
        let clock = Arc::clone(&self.clock);
        let mut context = Context {
            clock: Arc::clone(&self.clock) as Arc<_>,
            random: Box::new(StdRng::seed_from_u64(self.runs)),
            operator: Operator {
                uid: 1000,
                user: Name::parse("alice").ok(),
                sudo_user: None,
            },
            input: Box::new(io::empty()),
            out: Output::new(out.clone()),
            err: Box::new(err.clone()),
            terminal: Terminal::default(),
            service_manager: ServiceManager::none(),
            interrupts: Interrupts::none(),
            s3: S3Settings::default(),
            remote: RemoteSettings::default(),
            machine: Machine {
                open_files_max: || Some(1_048_576),
                memory_bytes: || None,
                free_bytes: |_directory| Ok(20_000_000_000),
            },
            hints: Hints::default(),
            pause: Box::new(move |duration| clock.advance(duration)),
        };
        change(&mut context);
        let data = format!("--data={DIRECTORY}/catalogue-data");
        let typed = ["catalogue", &data].into_iter().chain(args.iter().copied());
        let real = typed.map(|arg| OsString::from(arg.replace(DIRECTORY, &self.real())));
        let status = cli::run(real, &mut context);
        Outcome {
            typed: args.iter().map(|arg| quoted(arg)).collect(),
            status,
            out: out.text().replace(&self.real(), DIRECTORY),
            err: err.text().replace(&self.real(), DIRECTORY),
        }
    }

    /// Holds that values are wrong usage, each for its reason. How that is shown, a snapshot shows.
    #[track_caller]
    pub(crate) fn refuses(&mut self, command: &[&str], values: &[(&[&str], &str)]) {
        for (value, reason) in values {
            let outcome = self.run(&[command, value].concat());
            assert_eq!(outcome.status, ExitStatus::WrongUsage, "{outcome}");
            let end = format!("': {reason}\n\nFor more information, try '--help'.\n");
            assert!(outcome.err.ends_with(&end), "{outcome}");
        }
    }

    /// Lets time pass.
    pub(crate) fn advance(&self, duration: Duration) {
        self.clock.advance(duration);
    }

    /// Seconds since the test began, on the wall clock.
    pub(crate) fn elapsed_seconds(&self) -> i64 {
        use shared::base::clock::Clock;
        self.clock.now().unix_seconds() - START
    }

    /// Writes a file in the test's directory.
    pub(crate) fn write(&self, name: &str, contents: impl AsRef<[u8]>) {
        let mut file = File::create(self.path(name)).unwrap();
        file.write_all(contents.as_ref()).unwrap();
    }

    /// The path of `name` in the test's directory.
    pub(crate) fn path(&self, name: impl AsRef<Path>) -> PathBuf {
        self.directory.path().join(name)
    }

    fn real(&self) -> String {
        self.directory.path().to_str().unwrap().to_owned()
    }
}

impl Outcome {
    /// The document that was printed.
    #[track_caller]
    pub(crate) fn document(&self) -> Value {
        serde_json::from_str(&self.out).unwrap_or_else(|error| panic!("{error}: {self}"))
    }
}

/// A transcript: what was typed, the exit status unless it is that of success, standard output, and
/// standard error after a heading of its own, which stands beside the status where nothing is between.
impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "$ catalogue{}", self.typed)?;
        let out = self.out.trim_end_matches('\n');
        if self.status != ExitStatus::Done {
            write!(f, "status: {} ({:?})", self.status as u8, self.status)?;
            let is_last = out.is_empty() && !self.err.is_empty();
            f.write_str(if is_last { " " } else { "\n" })?;
        }
        if out.starts_with("{\n") || out.starts_with("[\n") {
            writeln!(f, "{}", folded(out))?;
        } else if !out.is_empty() {
            writeln!(f, "{out}")?;
        }
        if !self.err.is_empty() {
            writeln!(f, "--- stderr\n{}", self.err.trim_end_matches('\n'))?;
        }
        Ok(())
    }
}

/// Compares `outcomes`, one after the other, with the snapshot `name` in `snapshots/cli`.
#[track_caller]
pub(crate) fn check<'a>(name: &str, outcomes: impl IntoIterator<Item = &'a Outcome>) {
    let text = outcomes
        .into_iter()
        .map(ToString::to_string)
        .collect::<Vec<_>>()
        .join("\n");
    assert_snapshot(name, &text);
}

/// Compares `text` with the snapshot `name` in `snapshots/cli`.
#[track_caller]
pub(crate) fn assert_snapshot(name: &str, text: &str) {
    let mut settings = insta::Settings::clone_current();
    settings.set_snapshot_path(concat!(env!("CARGO_MANIFEST_DIR"), "/../snapshots/cli"));
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    settings.bind(|| insta::assert_snapshot!(name, text));
}

/// The argument as typed in a shell.
fn quoted(arg: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_=./,:[]".contains(c);
    if !arg.is_empty() && arg.chars().all(is_plain) {
        return format!(" {arg}");
    }
    format!(" {arg:?}")
}

#[derive(Clone, Default)]
struct Capture(Arc<Mutex<Vec<u8>>>);

impl Capture {
    fn text(&self) -> String {
        String::from_utf8(self.0.lock().unwrap().clone()).unwrap()
    }
}

impl Write for Capture {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
