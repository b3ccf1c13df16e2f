//! The candidates that shells get when they complete a line.

use std::fs::File;
use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};

use cli::ExitStatus;

use crate::harness::{Outcome, TestCli, assert_snapshot, check};
use crate::process::{catalogue, command, import_sample};

/// The response to fish for a line that begins with `catalogue`.
fn ask(cli: &mut TestCli, words: &[&str]) -> Outcome {
    let line = [&["--", "catalogue"], words].concat();
    cli.run_in(&line, |context| context.asking_shell = Some("fish".into()))
}

/// Creates a catalogue with a release, two subscriptions and three keys, one of them revoked;
/// returns the keys.
fn issued(cli: &mut TestCli) -> Vec<String> {
    let sample = concat!(env!("CARGO_MANIFEST_DIR"), "/../fixtures/sample");
    cli.run(&["import", sample]);
    let mut keys = Vec::new();
    for (name, label) in [("acme", "web"), ("acme", "old"), ("Acme Boats & Co", "app")] {
        cli.run(&["subscriptions", "create", name]);
        let issue = ["keys", "issue", "--scope", "boats.read", "--name", label];
        let issued = cli.run(&[&issue[..], &["--subscription", name]].concat());
        keys.push(issued.out.trim().to_owned());
    }
    cli.run(&["keys", "revoke", &keys[1], "--no-wait"]);
    keys
}

#[test]
fn every_shell_gets_a_script_that_asks_the_command() {
    let mut cli = TestCli::new();
    for shell in ["bash", "elvish", "fish", "powershell", "zsh"] {
        let outcome = cli.run(&["completions", shell]);
        assert!(outcome.out.contains("_CATALOGUE_COMPLETE"), "{outcome}");
        assert_eq!(outcome.err, "");
    }
    check("completions_bash", [&cli.run(&["completions", "bash"])]);
}

#[test]
fn a_line_goes_on_with_what_the_data_directory_has() {
    let mut cli = TestCli::new();
    let keys = issued(&mut cli);
    let data = "--data=[dir]/catalogue-data";
    let outcomes = [
        &[data, "releases", "activate", ""][..],
        &["releases", "show", data, "2026"],
        &["diff", data, "current", "l"],
        &["keys", data, "show", ""],
        &["keys", data, "rotate", "boat_live_"],
        &["keys", data, "log", "--key", "key_"],
        &["keys", "list", data, "--subscription", ""],
        &[data, "subscriptions", "update", "Ac"],
        &[data, "usage", "--subscription=ac"],
        &["explain-code", "DANG"],
    ]
    .map(|words| ask(&mut cli, words));
    check("completions_values", &outcomes);
    for outcome in &outcomes {
        assert!(!keys.iter().any(|key| outcome.out.contains(key)));
    }
}

#[test]
fn a_line_goes_on_with_words_and_options() {
    let mut cli = TestCli::new();
    let outcomes = [
        &["s"][..],
        &["keys", "r"],
        &["keys", "issue", "--s"],
        &["keys", "issue", "--scope", ""],
        &["serve", "--log-format", ""],
        &["subscriptions", "create", ""],
        &["subscriptions", "create", "acme", "--quota", ""],
        &["nonsense", "keys", ""],
    ]
    .map(|words| ask(&mut cli, words));
    check("completions_words", &outcomes);
}

#[test]
fn a_line_about_what_cannot_be_read_goes_on_with_nothing_and_without_an_error() {
    let mut cli = TestCli::new();
    // Names from a place that the line does not name are never offered.
    issued(&mut cli);
    cli.write("keys.sqlite", "no database");
    cli.write("bad.toml", "data = 3\n[");
    for words in [
        &["--data=[dir]/nothing", "keys", "show", "b"][..],
        &["--data=[dir]", "keys", "show", "b"],
        &["--data=[dir]/keys.sqlite", "releases", "show", "2"],
        &["--config=[dir]/bad.toml", "keys", "show", "b"],
        &[
            "--store=postgres://nobody:secret@127.0.0.1:1/x",
            "keys",
            "show",
            "b",
        ],
        &["--store=nonsense", "keys", "show", "b"],
        &["--data", "", "keys", "show", "b"],
        &["--releases=s3://bucket/prefix", "releases", "show", "2"],
        &["--releases=nonsense", "releases", "show", "2"],
        &["keys", "--nonsense", "--data=[dir]/nothing", "show", "b"],
        &["keys", "list", "--color=mauve", "--subscription", "a"],
    ] {
        let outcome = ask(&mut cli, words);
        assert_eq!((&*outcome.out, &*outcome.err), ("", ""), "{outcome}");
        assert_eq!(outcome.status, ExitStatus::Done);
    }
    let unknown = cli.run_in(&["--", "catalogue", ""], |context| {
        context.asking_shell = Some("nush".into());
    });
    assert_eq!((&*unknown.out, &*unknown.err), ("", ""));
}

/// How bash completes a line in `folder`, with `variables` set; `last` is the word that bash
/// considers the last one.
fn completed_by_bash(folder: &Path, variables: &[(&str, &str)], line: &str, last: &str) -> String {
    let binary = command(folder, &[]);
    let binary = Path::new(binary.get_program());
    let script = "\
        PATH=$1:$PATH; eval \"$(catalogue completions bash)\"; COMP_LINE=$2; COMP_POINT=${#2}; \
        compopt() { echo \"$@\"; }; _catalogue catalogue \"$3\"; \
        printf '%s\\n' \"${COMPREPLY[@]}\"";
    let mut bash = Command::new("bash");
    bash.args(["--norc", "-c", script, "bash"]);
    bash.arg(binary.parent().unwrap()).args([line, last]);
    bash.current_dir(folder).env_clear();
    bash.env("PATH", std::env::var_os("PATH").unwrap());
    if let Some(libraries) = std::env::var_os("LD_LIBRARY_PATH") {
        bash.env("LD_LIBRARY_PATH", libraries);
    }
    bash.envs(variables.iter().copied()).stdin(Stdio::null());
    let output = bash.output().unwrap();
    assert_eq!(String::from_utf8_lossy(&output.stderr), "");
    let told = String::from_utf8(output.stdout).unwrap();
    format!("$ {line}\n{told}")
}

#[test]
fn bash_completes_lines_as_it_takes_them_apart() {
    let directory = tempfile::tempdir().unwrap();
    let folder = directory.path();
    let data = folder.join("boats");
    import_sample(&data);
    let named = ["subscriptions", "create", "Acme Boats & Co", "--no-wait"];
    catalogue(&data, &named);
    let home = [("HOME", folder.to_str().unwrap())];
    let set = [("CATALOGUE_DATA", "boats")];
    let told = [
        completed_by_bash(folder, &[], "catalogue explain-c", "explain-c"),
        completed_by_bash(
            folder,
            &[],
            "catalogue --data=boats usage --subscription=t",
            "t",
        ),
        completed_by_bash(
            folder,
            &[],
            "catalogue --data 'boats' usage --subscription=",
            "",
        ),
        completed_by_bash(
            folder,
            &home,
            "catalogue --data ~/boats releases show c",
            "c",
        ),
        completed_by_bash(
            folder,
            &set,
            "catalogue subscriptions show Acme\\ B",
            "Acme\\ B",
        ),
        completed_by_bash(
            folder,
            &set,
            "catalogue subscriptions show 'Acme B",
            "Acme B",
        ),
        completed_by_bash(
            folder,
            &set,
            "catalogue --store postgres://nobody@127.0.0.1:1/x keys show b",
            "b",
        ),
    ];
    assert_snapshot("completions_by_bash", &told.join("\n"));
    let set = completed_by_bash(folder, &[], "catalogue subscriptions show te", "te");
    assert!(!set.contains("tests"), "{set}");
    let mut settings = File::create(folder.join("catalogue.toml")).unwrap();
    settings.write_all(b"data = \"boats\"\n").unwrap();
    let set = completed_by_bash(folder, &[], "catalogue subscriptions show te", "te");
    assert!(set.ends_with("\ntests\n"), "{set}");
}
