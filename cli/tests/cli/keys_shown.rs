//! The only moment when a key is shown: to a person, to a script, or to nobody.

use std::fs::File;

use cli::ExitStatus;
use cli::process::output::Output;
use cli::terminal::Terminal;
use shared::keys::secret::PlainKey;

use crate::harness::{Outcome, TestCli, check};
use crate::keys::{ISSUE, acme, issue};
use crate::process::{catalogue_json, redirected};

/// The states of all keys.
fn states(cli: &mut TestCli) -> Vec<String> {
    let listed = cli.run(&["keys", "list", "--json"]);
    let listed = listed.document();
    let keys = listed["keys"].as_array().unwrap();
    let states = keys.iter().map(|key| key["state"].as_str().unwrap());
    states.map(str::to_owned).collect()
}

#[test]
fn where_standard_output_is_no_terminal_it_is_the_key_alone() {
    let mut cli = acme();
    let [issue @ .., _json] = ISSUE;
    let issued = cli.run(&issue);
    let prefix = &issued.out[..16];
    let rotated = cli.run(&["keys", "rotate", prefix]);
    for outcome in [&issued, &rotated] {
        let key = outcome.out.strip_suffix('\n').unwrap();
        let key = PlainKey::parse(key).unwrap();
        assert!(!outcome.err.contains(key.expose()), "{outcome}");
        assert!(outcome.err.contains("shown only once"), "{outcome}");
    }
    let terminal = |context: &mut cli::Context| {
        context.terminal = Terminal {
            out: true,
            columns: Some(80),
            ..Terminal::default()
        };
    };
    let seen = cli.run_in(&issue, terminal);
    assert!(seen.out.contains("shown only once") && seen.err.is_empty());
    check("keys_shown", [&seen]);
}

#[test]
fn a_key_that_cannot_be_shown_is_revoked() {
    let mut cli = acme();
    let [issue_only @ .., _json] = ISSUE;
    let id = issue(&mut cli, &[]);
    for args in [&issue_only[..], &ISSUE, &["keys", "rotate", &id]] {
        let full = |context: &mut cli::Context| {
            context.out = Output::new(File::options().write(true).open("/dev/full").unwrap());
        };
        let before = states(&mut cli).len();
        let Outcome { status, err, .. } = cli.run_in(args, full);
        assert_eq!(status, ExitStatus::Failure, "{err}");
        assert!(err.contains("revoked"), "{err}");
        let states = states(&mut cli);
        assert_eq!(states.len(), before + 1);
        assert!(states.contains(&"revoked".to_owned()), "{states:?}");
        assert!(!states[1..].contains(&"active".to_owned()), "{states:?}");
    }
}

#[test]
fn no_key_is_made_where_standard_output_takes_nothing() {
    let directory = tempfile::tempdir().unwrap();
    let data = directory.path();
    let create = redirected(data, &["subscriptions", "create", "Acme"], "");
    assert!(create.status.success());
    let [issue @ .., _json] = ISSUE;
    assert!(redirected(data, &issue, ">/dev/null").status.success());
    let id = catalogue_json(data, &["keys", "list"])["keys"][0]["id"].take();
    let rotate = ["keys", "rotate", id.as_str().unwrap()];
    // It could not listen there either.
    let demo = ["demo", "--listen", "192.0.2.1:1"];
    for redirection in [">&-", "1</dev/null", "1</etc/passwd", "1</"] {
        for args in [&issue[..], &ISSUE, &rotate, &demo] {
            let ended = redirected(data, args, redirection);
            let said = String::from_utf8(ended.stderr).unwrap();
            assert_eq!(ended.status.code(), Some(3), "{said}");
            assert!(
                said.contains("standard output is closed"),
                "{args:?} {redirection}: {said}"
            );
        }
    }
    let keys = catalogue_json(data, &["keys", "list"]);
    assert_eq!(keys["keys"].as_array().unwrap().len(), 1, "{keys}");
    assert_eq!(keys["keys"][0]["state"], "active");
}
