//! `catalogue keys log`.

use std::os::unix::fs::MetadataExt;
use std::time::Duration;

use cli::ExitStatus;
use shared::base::operator::Operator;
use shared::keys::name::Name;

use crate::harness::{TestCli, check};
use crate::process;

/// Issues a new key in each call and returns its id.
fn issue(cli: &mut TestCli) -> String {
    let typed = "keys issue --subscription Acme --scope boats.read --json";
    let outcome = cli.run(&typed.split(' ').collect::<Vec<_>>());
    outcome.document()["id"].as_str().unwrap().to_owned()
}

/// A directory in which every possible change was made to keys and subscriptions.
fn changed() -> (TestCli, [String; 2]) {
    let mut cli = TestCli::new();
    cli.run(&["subscriptions", "create", "Acme", "--quota", "5000"]);
    let ids = [(); 2].map(|()| issue(&mut cli));
    for args in [
        &["subscriptions", "create", "Other"][..],
        &["keys", "disable", &ids[0]],
        &["keys", "enable", &ids[0]],
        &[
            "keys",
            "update",
            &ids[0],
            "--name",
            "app",
            "--rate-limit",
            "1k",
        ],
        &["keys", "rotate", &ids[0]],
        &["keys", "revoke", &ids[1]],
        &["subscriptions", "update", "Acme", "--quota", "7"],
    ] {
        cli.advance(Duration::from_mins(1));
        let done = cli.run(args);
        assert_eq!(done.status, ExitStatus::Done, "{done}");
    }
    (cli, ids)
}

#[test]
fn the_log_shows_who_changed_what_and_when() {
    let (mut cli, ids) = changed();
    let of_key = ["keys", "log", "--key", &ids[1]];
    let outcomes = [
        cli.run(&["keys", "log"]),
        cli.run(&of_key),
        cli.run(&["keys", "log", "--subscription", "Other"]),
        cli.run(&["keys", "log", "--limit", "1"]),
    ];
    check("keys_log", &outcomes);
    for line in outcomes.iter().flat_map(|outcome| outcome.out.lines()) {
        assert!(line.chars().count() <= 100, "{line}");
    }
}

#[test]
fn json_is_one_document() {
    let (mut cli, ids) = changed();
    let outcomes = [
        cli.run(&["keys", "log", "--limit", "2", "--json"]),
        cli.run(&["keys", "log", "--key", &ids[0], "--json"]),
    ];
    check("keys_log_json", &outcomes);
}

#[test]
fn the_user_behind_sudo_is_named() {
    let mut cli = TestCli::new();
    let with_sudo = Operator {
        uid: 0,
        user: Name::parse("root").ok(),
        sudo_user: Name::parse("bob").ok(),
    };
    let nameless = Operator {
        uid: 4711,
        user: None,
        sudo_user: None,
    };
    for (subscription, operator) in [("Acme", with_sudo), ("Other", nameless)] {
        let create = ["subscriptions", "create", subscription];
        cli.run_in(&create, |context| context.operator = operator);
    }
    check("keys_log_operators", [&cli.run(&["keys", "log"])]);
}

#[test]
fn what_is_refused_says_what_to_do_next() {
    let mut nothing = TestCli::new();
    let (mut cli, _ids) = changed();
    let outcomes = [
        nothing.run(&["keys", "log"]),
        cli.run(&["keys", "log", "--key", "key_0000000000000000"]),
        cli.run(&["keys", "log", "--key", "42"]),
        cli.run(&["keys", "log", "--subscription", "Acne"]),
        cli.run(&["keys", "log", "--limit", "0"]),
    ];
    check("keys_log_refused", &outcomes);
}

#[test]
fn the_operating_system_says_who_runs_the_command() {
    let data = tempfile::tempdir().unwrap();
    let mut create = process::command(data.path(), &["subscriptions", "create", "Acme"]);
    let created = create.env("SUDO_USER", "bob").output().unwrap();
    assert!(created.status.success());
    let log = process::catalogue_json(data.path(), &["keys", "log"]);
    let entry = &log["entries"][0];
    let uid = data.path().metadata().unwrap().uid();
    assert_eq!(entry["uid"], uid);
    assert_eq!(entry["sudoUser"], "bob");
}
