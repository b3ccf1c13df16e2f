//! `catalogue subscriptions`.

use std::time::Duration;

use cli::ExitStatus;
use shared::keys::ledger::QuotaLedger;
use shared::keys::quota::Period;
use shared::keys::sqlite::SqliteLedger;
use shared::keys::subscription::SubscriptionId;

use crate::harness::{START, TestCli, check};

#[test]
fn a_subscription_is_created_listed_shown_and_changed() {
    let mut cli = TestCli::new();
    let outcomes = [
        &["subscriptions", "list"][..],
        &["subscriptions", "create", "Acme Boats"],
        &[
            "subscriptions",
            "create",
            "Bénéteau",
            "--plan",
            "pro",
            "--quota",
            "5k",
        ],
        &["subscriptions", "list"],
        &[
            "subscriptions",
            "update",
            "Acme Boats",
            "--status",
            "inactive",
            "--quota",
            "0",
        ],
        &["subscriptions", "show", "Acme Boats"],
        &[
            "subscriptions",
            "update",
            "Acme Boats",
            "--status",
            "active",
            "--json",
        ],
    ]
    .map(|args| cli.run(args));
    check("subscriptions", &outcomes);
}

#[test]
fn a_renamed_subscription_keeps_its_keys_and_no_name_is_taken_twice() {
    let mut cli = TestCli::new();
    cli.run(&["subscriptions", "create", "Acme"]);
    cli.run(&["subscriptions", "create", "Other"]);
    let issue = "keys issue --subscription Acme --scope boats.read";
    cli.run(&issue.split(' ').collect::<Vec<_>>());
    let outcomes = [
        &["subscriptions", "rename", "Acme", "Acme Boats"][..],
        &["keys", "list"],
        &["subscriptions", "rename", "Other", "Acme Boats"],
        &["subscriptions", "rename", "Acme", "Boats"],
        &["subscriptions", "rename", "Other", "Acme", "--json"],
        &["keys", "log", "--subscription", "Acme Boats"],
    ]
    .map(|args| cli.run(args));
    check("subscriptions_rename", &outcomes);
}

#[test]
fn json_is_one_document() {
    let mut cli = TestCli::new();
    let outcomes = [
        &["subscriptions", "list", "--json"][..],
        &["subscriptions", "--json", "create", "Acme"],
        &["subscriptions", "update", "Acme", "--quota", "7", "--json"],
        &["subscriptions", "show", "Acme", "--json"],
        &["subscriptions", "list", "--json"],
    ]
    .map(|args| cli.run(args));
    check("subscriptions_json", &outcomes);
}

#[test]
fn what_is_refused_says_what_to_do_next() {
    let mut cli = TestCli::new();
    let too_long = "a".repeat(81);
    let nothing = cli.run(&["subscriptions", "show", "Acme"]);
    cli.run(&["subscriptions", "create", "Acme"]);
    let mut outcomes = vec![nothing];
    for args in [
        &["subscriptions", "create", "Acme"][..],
        &["subscriptions", "show", "Acmee"],
        &["subscriptions", "show", "Zephyr"],
        &["subscriptions", "update", "acme", "--quota", "1"],
        &["subscriptions", "update", "Acme"],
        &["subscriptions", "update", "Acme", "--status", "off"],
        &["subscriptions", "create", "a\u{1b}[31m"],
        &["subscriptions", "create", "Other", "--plan", "free"],
        &["subscriptions", "create", "Other", "--quota", "-1"],
    ] {
        outcomes.push(cli.run(args));
    }
    check("subscriptions_refused", &outcomes);
    cli.refuses(
        &["subscriptions", "create"],
        &[
            (&[""], "must not be empty"),
            (&[&too_long], "must have at most 80 characters, has 81"),
            (
                &["Other", "--quota", "9007199254740992"],
                "must be from 0 to 9007199254740991",
            ),
            (
                &["Other", "--quota", "100kk"],
                "must be a whole number, such as 500, 100k or 2M",
            ),
        ],
    );
}

#[test]
fn wrong_usage_shows_what_was_typed_without_what_a_terminal_obeys() {
    for args in [
        &["subscriptions", "create", "a\u{202e}b"][..],
        &["subscriptions", "create", "a", "--plan", "\u{1b}[8mx"],
        &["keys", "issue", "--name", "a\u{200b}"],
        &["--\u{202e}x"],
        &["x\u{202e}\r\ny"],
        &["subscriptions", "list", "\u{1b}]0;x\u{7}"],
    ] {
        for colour in [false, true] {
            let outcome =
                TestCli::new().run_in(args, |context| context.terminal.err_colour = colour);
            let (err, typed) = (
                &outcome.err,
                ["\u{202e}", "\u{200b}", "\u{1b}[8m", "\u{1b}]", "\r"],
            );
            assert!(!typed.iter().any(|typed| err.contains(typed)), "{err:?}");
            assert!(err.contains("\\u{"), "{err:?}");
            assert!(1 < err.lines().count());
            assert_eq!(err.contains("\u{1b}["), colour, "{err:?}");
        }
    }
}

#[test]
fn a_subscription_is_deleted_once_nothing_is_left_of_it_but_its_log() {
    let mut cli = TestCli::new();
    cli.run(&["subscriptions", "create", "Acme"]);
    let issue = "keys issue --subscription Acme --scope boats.read --json";
    let id = cli.run(issue).document()["id"].as_str().unwrap().to_owned();
    let ledger = SqliteLedger::new(cli.path("catalogue-data/keys.sqlite"));
    let period = Period::containing(START, START);
    ledger.lease(SubscriptionId(1), period, 7).unwrap();
    let delete = ["subscriptions", "delete", "Acme"];
    let mut outcomes = vec![cli.run(&delete)];
    assert_eq!(cli.run(&["keys", "revoke", &id]).status, ExitStatus::Done);
    outcomes.push(cli.run(&delete));
    cli.advance(Duration::from_hours(31 * 24));
    for args in [
        &delete[..],
        &delete,
        &["subscriptions", "list"],
        &["subscriptions", "create", "Acme", "--quota", "9", "--json"],
        &["keys", "list"],
        &["keys", "show", &id, "--json"],
        &["usage"],
        &["usage", "--month", "2026-10"],
        &["keys", "log", "--subscription", "Acme (deleted 1)"],
        &["keys", "log", "--subscription", "Acme"],
        &["subscriptions", "delete", "Acme", "--json"],
        &["subscriptions", "create", "Acme (deleted 2)"],
    ] {
        outcomes.push(cli.run(args));
    }
    check("subscriptions_delete", &outcomes);
    let doctor = cli.run(&["doctor"]);
    assert!(doctor.out.contains("0 subscriptions"), "{doctor}");
}
