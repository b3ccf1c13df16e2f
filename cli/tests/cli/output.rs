//! Closed streams: a reader of the output that has seen enough, and every other case.

use std::io::{self, ErrorKind, Write};

use cli::ExitStatus;
use cli::process::output::Output;

use crate::harness::{SAMPLE, TestCli};
use crate::keys::{acme, issue};
use crate::process::redirected;

/// A stream that fails every write for this reason.
struct Failing(ErrorKind);

/// A stream whose other end is gone.
const CLOSED: Failing = Failing(ErrorKind::BrokenPipe);

impl Write for Failing {
    fn write(&mut self, _bytes: &[u8]) -> io::Result<usize> {
        Err(self.0.into())
    }

    fn flush(&mut self) -> io::Result<()> {
        Err(self.0.into())
    }
}

#[test]
fn a_reader_who_has_seen_enough_is_no_error() {
    let mut cli = TestCli::new();
    for args in [&["keys", "list"][..], &["usage", "--json"]] {
        let outcome = cli.run_in(args, |context| context.out = Output::new(CLOSED));
        assert_eq!(
            (outcome.status, outcome.err.as_str()),
            (ExitStatus::Done, "")
        );
    }
}

#[test]
fn findings_that_cannot_be_shown_are_no_success() {
    let mut cli = TestCli::new();
    let outcome = cli.run_in(&["validate", "-"], |context| {
        context.input = Box::new("nonsense\n".as_bytes());
        context.err = Box::new(Failing(ErrorKind::StorageFull));
    });
    assert_eq!(outcome.status, ExitStatus::Failure, "{outcome}");
}

#[test]
fn a_reader_who_has_seen_enough_changes_nothing_about_an_import_or_its_status() {
    const WARNED: &str = "{\"kind\":\"designer\",\"id\":\"a\",\"name\":\"\u{fffd}\"}\n";
    let (done, invalid) = (ExitStatus::Done, ExitStatus::InvalidData);
    for (command, export, expected) in [
        ("validate", "nonsense\n", invalid),
        ("validate", WARNED, done),
        ("import", "nonsense\n", invalid),
        ("import", WARNED, done),
    ] {
        for (args, is_err_closed) in [
            (&[command, "-"][..], false),
            (&[command, "-"], true),
            (&[command, "-", "--json"], true),
        ] {
            let mut cli = TestCli::new();
            let outcome = cli.run_in(args, |context| {
                context.input = Box::new(export.as_bytes());
                context.out = Output::new(CLOSED);
                if is_err_closed {
                    context.err = Box::new(CLOSED);
                }
            });
            assert_eq!(outcome.status, expected, "{outcome}");
            let is_imported = cli.path("catalogue-data/current").exists();
            assert_eq!(
                is_imported,
                command == "import" && expected == done,
                "{outcome}"
            );
        }
    }
}

/// The error if standard output is a full disk.
fn said_to_a_full_disk(cli: &mut TestCli, args: &[&str]) -> String {
    let outcome = cli.run_in(args, |context| {
        context.out = Output::new(Failing(ErrorKind::StorageFull));
    });
    assert_eq!(outcome.status, ExitStatus::Failure, "{outcome}");
    outcome.err
}

#[test]
fn a_change_that_could_not_be_shown_is_reported_as_made() {
    const MADE: &str = "error: the change is made, but could not be shown: ";
    let mut cli = acme();
    let id = issue(&mut cli, &[]);
    for args in [
        &["subscriptions", "create", "u1"][..],
        &["subscriptions", "create", "u2", "--json"],
        &["subscriptions", "update", "u1", "--quota", "7"],
        &["keys", "disable", &id],
        &["keys", "enable", &id, "--json"],
        &["keys", "revoke", &id, "--no-wait"],
    ] {
        let said = said_to_a_full_disk(&mut cli, args);
        assert!(said.starts_with(MADE), "{args:?}: {said}");
    }
    let said = said_to_a_full_disk(&mut cli, &["store", "init"]);
    assert!(!said.contains("is made"), "nothing was changed: {said}");
    let said = said_to_a_full_disk(&mut TestCli::new(), &["store", "init"]);
    assert!(said.starts_with(MADE), "{said}");
}

#[test]
fn an_answer_that_is_lost_on_a_full_disk_is_a_failure() {
    let folder = tempfile::tempdir().unwrap();
    for args in [
        &["--help"][..],
        &["-h"],
        &["--version"],
        &["keys", "issue", "--help"],
        &["completions", "bash"],
        &["openapi"],
        &["schema"],
        &["explain-code"],
        &["mapping", "init", "minimal", "-"],
        &["settings", "init", "-"],
        &["settings"],
    ] {
        let full = redirected(folder.path(), args, ">/dev/full");
        let said = String::from_utf8(full.stderr).unwrap();
        assert_eq!(full.status.code(), Some(3), "{args:?}: {said}");
        assert_eq!(said.lines().count(), 1, "{args:?}: {said}");
        assert!(said.contains("No space left on device"), "{args:?}: {said}");
        let seen = redirected(folder.path(), args, "| head -n 1");
        assert_eq!(String::from_utf8(seen.stderr).unwrap(), "", "{args:?}");
    }
}

#[test]
fn an_import_that_could_not_be_shown_is_reported_as_active() {
    for (args, expected) in [
        (&["import", SAMPLE][..], "is active, but"),
        (&["import", SAMPLE, "--json"], "is active, but"),
        (
            &["import", SAMPLE, "--no-activate"],
            "is made, not active, but",
        ),
    ] {
        let mut cli = TestCli::new();
        let said = said_to_a_full_disk(&mut cli, args);
        let ids = cli.run(&["releases", "list", "--json"]).out;
        let ids: serde_json::Value = serde_json::from_str(&ids).unwrap();
        let id = ids["releases"][0]["id"].as_str().unwrap();
        let expected = format!("error: release {id} {expected} that could not be shown: ");
        assert!(said.starts_with(&expected), "{said}");
    }
}
