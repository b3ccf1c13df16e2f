//! Streams that are closed: a reader of the output who has seen enough, and every other case.

use std::io::{self, ErrorKind, Write};

use cli::ExitStatus;
use cli::context::Output;

use crate::harness::TestCli;
use crate::process::{command, import_sample, spawn};

/// A stream that takes nothing, for this reason.
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

#[test]
fn a_server_that_cannot_say_where_it_listens_is_an_error() {
    let data = tempfile::tempdir().unwrap();
    import_sample(data.path());
    let (reader, writer) = io::pipe().unwrap();
    drop(reader);
    let mut serve = command(
        data.path(),
        &["serve", "--listen", "127.0.0.1:0", "--admin", "off"],
    );
    let status = spawn(serve.stdout(writer)).wait().unwrap();
    assert_eq!(status.code(), Some(ExitStatus::Failure as i32));
}
