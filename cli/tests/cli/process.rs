//! The built binary as a process.
//!
//! For tests of what only a process shows: sockets, signals, several processes on one data
//! directory. Nothing sleeps; tests wait until an effect is there.

use std::env;
use std::ffi::OsString;
use std::fs::{self, Permissions};
use std::io::{BufRead, BufReader};
use std::net::SocketAddr;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Output, Stdio};
use std::sync::LazyLock;

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use serde_json::Value;
use shared::keys::limits::QUOTA_MAX;
use tar::Archive;

use crate::client::{Client, Response};
use crate::wait::wait_for;

const BINARY: &str = env!("CARGO_BIN_EXE_catalogue");

/// Prefixes of the variables that the command reads, which tests must not inherit.
const VARIABLES: [&str; 3] = ["CATALOGUE_", "LISTEN_", "NOTIFY_SOCKET"];

/// Serves on a free port, without an administration address, and logs errors only.
pub(crate) const SERVE: [&str; 7] = [
    "serve",
    "--listen",
    "127.0.0.1:0",
    "--admin",
    "off",
    "--log",
    "error",
];

/// A command that runs the binary.
pub(crate) fn command(data: &Path, args: &[&str]) -> Command {
    let mut command = Command::new(BINARY);
    let is_read = |name: &OsString| {
        let name = name.to_string_lossy();
        VARIABLES.iter().any(|variable| name.starts_with(variable))
    };
    for variable in env::vars_os().map(|(name, _)| name).filter(is_read) {
        command.env_remove(variable);
    }
    command
        .arg("--data")
        .arg(data)
        .args(args)
        .stdin(Stdio::null());
    command
}

/// The same command, started by another that becomes it.
pub(crate) fn within(other: &[&str], command: &Command) -> Command {
    let mut within = Command::new(other[0]);
    within.args(&other[1..]).arg(command.get_program());
    within.args(command.get_args()).stdin(Stdio::null());
    for (name, value) in command.get_envs() {
        match value {
            Some(value) => within.env(name, value),
            None => within.env_remove(name),
        };
    }
    within
}

/// The same command, started by a shell once it has done something else: it sets a limit, say.
pub(crate) fn after(first: &str, command: &Command) -> Command {
    within(
        &["sh", "-c", &format!("{first}; exec \"$0\" \"$@\"")],
        command,
    )
}

/// Starts a process.
pub(crate) fn spawn(command: &mut Command) -> Child {
    command.spawn().unwrap()
}

/// Sends a signal to a process.
pub(crate) fn send(signal: Signal, process: u32) {
    kill(Pid::from_raw(process.try_into().unwrap()), signal).unwrap();
}

/// Runs the binary to its end.
fn run(data: &Path, args: &[&str]) -> Output {
    command(data, args).output().unwrap()
}

/// Runs the binary to its end, with its streams as a shell redirects them.
pub(crate) fn redirected(data: &Path, args: &[&str], redirection: &str) -> Output {
    let exec = format!("exec \"$0\" \"$@\" {redirection}");
    let mut shell = within(&["sh", "-c", &exec], &command(data, args));
    shell.output().unwrap()
}

/// Runs a command that must succeed, and returns its standard output.
pub(crate) fn catalogue(data: &Path, args: &[&str]) -> String {
    let output = run(data, args);
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(
        output.status.success(),
        "catalogue {args:?}: {}: {errors}",
        output.status
    );
    String::from_utf8(output.stdout).unwrap()
}

/// Runs a command that must succeed with `--json`, and returns the document.
pub(crate) fn catalogue_json(data: &Path, args: &[&str]) -> Value {
    serde_json::from_str(&catalogue(data, &[args, &["--json"]].concat())).unwrap()
}

/// Runs a command that must fail, and returns its standard error.
pub(crate) fn catalogue_error(data: &Path, args: &[&str]) -> String {
    let output = run(data, args);
    assert!(!output.status.success(), "catalogue {args:?} succeeded");
    String::from_utf8(output.stderr).unwrap()
}

/// Makes a data directory with the sample export and a subscription called `tests`, with a quota
/// that no test reaches.
pub(crate) fn import_sample(data: &Path) {
    Archive::new(&**SAMPLE).unpack(data).unwrap();
    // The archive has no entry for the directory itself.
    fs::set_permissions(data, Permissions::from_mode(0o700)).unwrap();
}

/// Such a directory as an archive: the tests import once, and each unpacks what was made.
static SAMPLE: LazyLock<Vec<u8>> = LazyLock::new(|| {
    let directory = tempfile::tempdir().unwrap();
    let data = directory.path();
    let sample = fixture!("sample");
    catalogue(data, &["import", sample]);
    let quota = QUOTA_MAX.to_string();
    let create = ["subscriptions", "create", "tests", "--quota", &quota];
    catalogue(data, &create);
    let mut archive = tar::Builder::new(Vec::new());
    archive.append_dir_all(".", data).unwrap();
    archive.into_inner().unwrap()
});

/// Issues a key of the subscription `tests` for both scopes, with a minute limit that no test
/// reaches.
pub(crate) fn issue_key(data: &Path) -> String {
    issue_key_with(
        data,
        &[
            "--rate-limit",
            "1000000",
            "--scope",
            "boats.read,manufacturers.read",
        ],
    )
}

/// Issues a key of the subscription `tests`.
pub(crate) fn issue_key_with(data: &Path, args: &[&str]) -> String {
    let issue = ["keys", "issue", "--subscription", "tests"];
    let issued = catalogue_json(data, &[&issue, args].concat());
    issued["key"].as_str().unwrap().to_owned()
}

/// A running server; killed when dropped.
pub(crate) struct Server {
    child: Child,
    pub(crate) address: SocketAddr,
    /// The output until it was listening.
    pub(crate) printed: String,
}

impl Server {
    /// Starts `catalogue serve` on a free port and waits until it announces its address.
    pub(crate) fn start(data: &Path) -> Self {
        Self::start_with(data, &SERVE)
    }

    /// Starts a command that serves.
    pub(crate) fn start_with(data: &Path, args: &[&str]) -> Self {
        Self::run(command(data, args))
    }

    /// Runs a command that serves.
    pub(crate) fn run(mut command: Command) -> Self {
        let mut child = spawn(command.stdout(Stdio::piped()));
        let mut output = BufReader::new(child.stdout.take().unwrap());
        let (mut printed, mut line) = (String::new(), String::new());
        while output.read_line(&mut line).unwrap() != 0 {
            if let Some(address) = line.trim_end().strip_prefix("listening on http://") {
                return Self {
                    address: address.parse().unwrap(),
                    child,
                    printed,
                };
            }
            printed.push_str(&line);
            line.clear();
        }
        panic!("the server ended before it listened: {:?}", child.wait());
    }

    pub(crate) fn pid(&self) -> u32 {
        self.child.id()
    }

    /// Sends SIGTERM.
    pub(crate) fn terminate(&self) {
        send(Signal::SIGTERM, self.pid());
    }

    /// Sends SIGTERM and waits for the end.
    pub(crate) fn stop(self) -> ExitStatus {
        self.terminate();
        self.ended()
    }

    /// Waits for the end of a server that is stopping.
    pub(crate) fn ended(mut self) -> ExitStatus {
        wait_for("the server to end", || self.child.try_wait().unwrap())
    }

    /// A `GET` with a key.
    pub(crate) fn get(&self, target: &str, key: &str) -> Response {
        self.get_with(target, &format!("Authorization: Bearer {key}\r\n"))
    }

    /// A `GET` with these header lines.
    pub(crate) fn get_with(&self, target: &str, headers: &str) -> Response {
        Client::connect(self.address).get_with(target, headers)
    }

    /// Asks until the response has this status. Every earlier response must have the status
    /// `meanwhile`, or be due to a stalled machine.
    pub(crate) fn wait_for(
        &self,
        target: &str,
        key: &str,
        status: u16,
        meanwhile: u16,
    ) -> Response {
        let mut client = Client::connect(self.address);
        let key = format!("Authorization: Bearer {key}\r\n");
        wait_for(&format!("{target} to answer {status}"), || {
            let response = client.get_once(target, &key);
            if response.status == status {
                return Some(response);
            }
            if !response.is_unavailable() {
                assert_eq!(response.status, meanwhile, "{}", response.body);
            }
            None
        })
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // A server that has already stopped cannot be killed, and need not be.
        let _ended = self.child.kill();
        let _status = self.child.wait();
    }
}
