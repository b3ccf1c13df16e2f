//! Temporary files: in the data directory or where `--temp-dir` says, never in the system's own
//! directory, and only for what does not fit in memory.

use std::path::Path;

use cli::ExitStatus;
use import::spool::MEMORY_MAX;

use crate::harness::{Outcome, TestCli};
use crate::process::command;

const FIXTURES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../fixtures");

/// Runs commands that must succeed although the system has no directory for temporary files.
#[track_caller]
fn succeed(data: &Path, commands: &[&[&str]]) {
    for args in commands {
        let mut command = command(data, args);
        let output = command.env("TMPDIR", "/nowhere").output().unwrap();
        let errors = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{args:?}: {errors}");
    }
}

#[test]
fn no_command_needs_a_directory_of_the_system() {
    let directory = tempfile::tempdir().unwrap();
    let in_directory = |name| directory.path().join(name).to_str().unwrap().to_owned();
    let [draft, minimal, table] = ["a.toml", "b.toml", "c.parquet"].map(in_directory);
    let fixture = |name| format!("{FIXTURES}/{name}");
    let [sample, sheet, rows] =
        ["sample", "suggested/brokers.csv", "mapped/minimal/parquet"].map(fixture);
    let commands: [&[&str]; 11] = [
        &["mapping", "init", "--from", &sheet, "--to", &draft],
        &["mapping", "check", &draft, &sheet],
        &["mapping", "init", "minimal", &minimal],
        &["validate", "--mapping", &minimal, &rows],
        &["import", "--mapping", &minimal, &rows],
        &["import", "--max-removals", "100", &sample],
        &["diff", "previous", "current"],
        &["export", "--to", &table],
        &["subscriptions", "create", "tests"],
        &[
            "keys",
            "issue",
            "--subscription",
            "tests",
            "--scope",
            "boats.read",
        ],
        &["keys", "list"],
    ];
    succeed(&directory.path().join("data"), &commands);
}

/// Native records that do not fit into the memory of a spool.
fn large() -> String {
    let maker = r#"{"kind":"manufacturer","id":"m","slug":"m","name":"M","updatedAt":"2026-10-01T12:00:00Z"}"#;
    let term = r#"{"kind":"term","vocabulary":"type","id":"t","slug":"t","name":"T"}"#;
    let padding = " ".repeat(1_000_000);
    let boat = |n: usize| {
        format!(
            r#"{{"kind":"boat",{padding}"id":"b{n}","slug":"b{n}","model":"B{n}","manufacturer":"m","type":"t","production":{{"firstYear":1990}},"unit":"metric","lengthOverall":9.1}}"#
        )
    };
    let boats = (0..=MEMORY_MAX / padding.len()).map(boat);
    let records = [maker.to_owned(), term.to_owned()].into_iter().chain(boats);
    records.collect::<Vec<_>>().join("\n")
}

#[test]
fn what_does_not_fit_in_memory_goes_to_the_data_directory_or_where_it_is_told() {
    let mut cli = TestCli::new();
    cli.write("large.ndjson", large());
    let nowhere = [
        "validate",
        "[dir]/large.ndjson",
        "--temp-dir",
        "[dir]/nowhere",
    ];
    insta::assert_snapshot!(cli.run(&nowhere).to_string(), @"
    $ catalogue validate [dir]/large.ndjson --temp-dir [dir]/nowhere
    status: 3 (Failure) --- stderr
    error: could not create a temporary file in [dir]/nowhere: No such file or directory (os error 2)
    hint: name a directory that has room and can be written, with --temp-dir
    ");

    let is_done = |outcome: Outcome| assert_eq!(outcome.status, ExitStatus::Done, "{outcome}");
    let files = |cli: &TestCli| cli.path("").read_dir().unwrap().count();
    let before = files(&cli);
    is_done(cli.run(&["validate", "[dir]/large.ndjson"]));
    assert_eq!(files(&cli), before);

    std::fs::create_dir(cli.path("room")).unwrap();
    let validate = ["validate", "[dir]/large.ndjson", "--temp-dir", "[dir]/room"];
    is_done(cli.run(&validate));
    assert_eq!(cli.path("room").read_dir().unwrap().count(), 0);
    assert!(!cli.path("catalogue-data").exists());

    is_done(cli.run(&["import", "[dir]/large.ndjson"]));
    is_done(cli.run(&["validate", "[dir]/large.ndjson"]));
}
