//! The scripts with which shells complete a line.

use std::path::Path;
use std::process::{Command, Stdio};

use cli::ExitStatus;

use crate::harness::{TestCli, assert_snapshot};

#[test]
fn every_shell_gets_a_script_that_knows_the_commands() {
    let mut cli = TestCli::new();
    for shell in ["bash", "elvish", "fish", "powershell", "zsh"] {
        let outcome = cli.run(&["completions", shell]);
        assert_eq!((outcome.status, &*outcome.err), (ExitStatus::Done, ""));
        for word in ["explain-code", "rotate", "log-format"] {
            assert!(outcome.out.contains(word), "{shell} {word}");
        }
    }
}

/// How bash completes a line whose last word is unfinished.
fn completed_by_bash(script: &Path, line: &str) -> String {
    let complete = "\
        source \"$1\"; shift; COMP_WORDS=(\"$@\"); COMP_CWORD=$(($# - 1)); compopt() { :; }; \
        _catalogue catalogue \"${COMP_WORDS[COMP_CWORD]}\" \"${COMP_WORDS[COMP_CWORD - 1]}\"; \
        printf '%s\\n' \"${COMPREPLY[@]}\"";
    let mut bash = Command::new("bash");
    bash.args(["--norc", "-c", complete, "bash"]);
    let output = bash
        .arg(script)
        .args(line.split(' '))
        .stdin(Stdio::null())
        .output()
        .unwrap();
    assert_eq!(String::from_utf8_lossy(&output.stderr), "");
    let offered = String::from_utf8(output.stdout).unwrap();
    format!("$ {line}\n{offered}")
}

#[test]
fn bash_completes_commands_options_and_words() {
    let mut cli = TestCli::new();
    let printed = cli.run(&["completions", "bash"]);
    cli.write("script", printed.out);
    let script = cli.path("script");
    let lines = [
        "catalogue explain",
        "catalogue keys r",
        "catalogue keys issue --s",
        "catalogue keys issue --scope b",
        "catalogue serve --log-format ",
        "catalogue subscriptions create acme --quota 5",
    ];
    let completed = lines.map(|line| completed_by_bash(&script, line));
    assert_snapshot("completions", &completed.join("\n"));
}
