//! Commands that get a signal in the middle of their work: they leave nothing unfinished behind,
//! and what they report is true.

use std::fs;
use std::io::Write;
use std::path::Path;
use std::process::{Child, Command, Stdio};

use nix::sys::signal::Signal;
use shared::base::data_dir::DataDir;
use shared::release::{ReleaseStore, Releases};

use crate::harness::SAMPLE;
use crate::pipe::full_pipe;
use crate::process::{after, catalogue, command, send, spawn, within};
use crate::wait;

const NOTHING: &str = "interrupted: nothing was changed\n";
/// Signals, with the exit statuses that shells expect for them.
const SIGNALS: [(Signal, i32); 3] = [
    (Signal::SIGINT, 130),
    (Signal::SIGTERM, 143),
    (Signal::SIGHUP, 129),
];

/// A command that gets every signal. Tests that run in the background of a shell ignore SIGINT, and
/// so would their children.
fn attentive(data: &Path, args: &[&str]) -> Command {
    within(&["env", "--default-signal"], &command(data, args))
}

/// Waits until the condition holds, which must happen before the process ends.
#[track_caller]
fn wait_until(what: &str, child: &mut Child, mut is_so: impl FnMut() -> bool) {
    wait::wait_until(what, || {
        let is_so = is_so();
        assert!(is_so || child.try_wait().unwrap().is_none(), "it ended");
        is_so
    });
}

/// The names in a directory that begin with `prefix`.
fn names(directory: &Path, prefix: &str) -> Vec<String> {
    let entries = fs::read_dir(directory).into_iter().flatten();
    entries
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .filter(|name| name.starts_with(prefix))
        .collect()
}

#[test]
fn an_interrupted_import_leaves_nothing_and_says_so() {
    for (signal, status) in SIGNALS {
        let directory = tempfile::tempdir().unwrap();
        let data = directory.path().join("data");
        let report = directory.path().join("report.json");
        let rejects = directory.path().join("rejects.ndjson");
        let args = ["import", "-", "--report", report.to_str().unwrap()];
        let args = [&args[..], &["--rejects", rejects.to_str().unwrap()]].concat();
        let mut import = attentive(&data, &args);
        // It waits for an export that never comes.
        let import = import.stdin(Stdio::piped()).stderr(Stdio::piped());
        let mut import = spawn(import);
        let export = import.stdin.take();
        let releases = data.join("releases");
        wait_until("an unfinished release", &mut import, || {
            !names(&releases, ".staging-").is_empty()
        });
        assert_eq!(names(directory.path(), ".part-").len(), 2);
        // Twice, as if a wrapper forwarded a signal that all processes of a terminal get.
        send(signal, import.id());
        send(signal, import.id());
        let output = import.wait_with_output().unwrap();
        drop(export);
        assert_eq!(String::from_utf8_lossy(&output.stderr), NOTHING);
        assert_eq!(output.status.code(), Some(status), "{signal}");
        assert_eq!(names(&releases, ""), [""; 0]);
        assert_eq!(names(directory.path(), ""), ["data"]);
    }
}

#[test]
fn an_interrupted_validation_leaves_nothing() {
    let directory = tempfile::tempdir().unwrap();
    let report = directory.path().join("report.json");
    let args = ["validate", "-", "--report", report.to_str().unwrap()];
    let mut validate = command(&directory.path().join("data"), &args);
    let validate = validate.stdin(Stdio::piped()).stderr(Stdio::piped());
    let mut validate = spawn(validate);
    let export = validate.stdin.take();
    wait_until("an unfinished report", &mut validate, || {
        !names(directory.path(), "").is_empty()
    });
    send(Signal::SIGTERM, validate.id());
    let output = validate.wait_with_output().unwrap();
    drop(export);
    assert_eq!(String::from_utf8_lossy(&output.stderr), NOTHING);
    assert_eq!(output.status.code(), Some(143));
    assert_eq!(names(directory.path(), ""), [""; 0]);
}

#[test]
fn an_import_that_is_interrupted_late_says_what_it_changed() {
    for option in ["--json", "--no-activate"] {
        let directory = tempfile::tempdir().unwrap();
        let store = ReleaseStore::new(DataDir::new(directory.path()));
        // It waits to report what it has done.
        let (_reader, full) = full_pipe();
        let mut import = command(directory.path(), &["import", SAMPLE, option]);
        let mut import = spawn(import.stdout(full).stderr(Stdio::piped()));
        let is_kept_inactive = option == "--no-activate";
        wait_until(
            "a release",
            &mut import,
            || match store.list().unwrap()[..] {
                [_] => is_kept_inactive || store.current().unwrap().is_some(),
                _ => false,
            },
        );
        send(Signal::SIGTERM, import.id());
        let output = import.wait_with_output().unwrap();
        let id = store.list().unwrap().remove(0);
        let expected = if is_kept_inactive {
            format!("what is served was not changed; release {id} is made, but not active")
        } else {
            format!("release {id} is active")
        };
        let said = String::from_utf8(output.stderr).unwrap();
        assert!(
            said.ends_with(&format!("interrupted: {expected}\n")),
            "{said}"
        );
        assert_eq!(output.status.code(), Some(143));
        store.open(&id).unwrap().verify().unwrap();
    }
}

#[test]
fn a_second_signal_ends_a_command_that_cannot_even_say_that_it_was_interrupted() {
    let directory = tempfile::tempdir().unwrap();
    let (_reader, full) = full_pipe();
    let mut import = command(directory.path(), &["import", "-"]);
    let mut import = spawn(import.stdin(Stdio::piped()).stderr(full));
    let releases = directory.path().join("releases");
    wait_until("an unfinished release", &mut import, || {
        !names(&releases, ".staging-").is_empty()
    });
    send(Signal::SIGTERM, import.id());
    wait_until("it to be removed", &mut import, || {
        names(&releases, ".staging-").is_empty()
    });
    let status = wait::wait_for("the end of the import", || {
        // Signals within the first second count as the same one.
        send(Signal::SIGTERM, import.id());
        import.try_wait().unwrap()
    });
    assert_eq!(status.code(), Some(143));
}

#[test]
fn an_import_that_shall_ignore_the_end_of_its_terminal_goes_on() {
    let directory = tempfile::tempdir().unwrap();
    let import = command(directory.path(), &["import", "-", "--json"]);
    let mut import = after("trap '' HUP", &import);
    let mut import = spawn(import.stdin(Stdio::piped()).stdout(Stdio::null()));
    let releases = directory.path().join("releases");
    wait_until("an unfinished release", &mut import, || {
        !names(&releases, ".staging-").is_empty()
    });
    send(Signal::SIGHUP, import.id());
    let mut export = import.stdin.take().unwrap();
    for file in ["makers.ndjson", "boats.ndjson"] {
        let sample = fs::read(Path::new(SAMPLE).join(file)).unwrap();
        export.write_all(&sample).unwrap();
    }
    drop(export);
    assert!(import.wait().unwrap().success());
    assert!(catalogue(directory.path(), &["releases", "list"]).contains("active"));
}
