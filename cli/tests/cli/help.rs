//! Help texts, and the responses to wrong usage.

use crate::harness::{TestCli, check};

#[test]
fn every_help_text_is_short_and_exact() {
    let mut cli = TestCli::new();
    for (name, args) in [
        ("help", &["--help"][..]),
        ("help_subscriptions", &["subscriptions", "--help"]),
        (
            "help_subscriptions_create",
            &["subscriptions", "create", "--help"],
        ),
        (
            "help_subscriptions_list",
            &["subscriptions", "list", "--help"],
        ),
        (
            "help_subscriptions_show",
            &["subscriptions", "show", "--help"],
        ),
        (
            "help_subscriptions_update",
            &["subscriptions", "update", "--help"],
        ),
        (
            "help_subscriptions_delete",
            &["subscriptions", "delete", "--help"],
        ),
        ("help_keys", &["keys", "--help"]),
        ("help_keys_issue", &["keys", "issue", "--help"]),
        ("help_keys_list", &["keys", "list", "--help"]),
        ("help_keys_show", &["keys", "show", "--help"]),
        ("help_keys_update", &["keys", "update", "--help"]),
        ("help_keys_rotate", &["keys", "rotate", "--help"]),
        ("help_keys_disable", &["keys", "disable", "--help"]),
        ("help_keys_enable", &["keys", "enable", "--help"]),
        ("help_keys_revoke", &["keys", "revoke", "--help"]),
        ("help_keys_log", &["keys", "log", "--help"]),
        ("help_demo", &["demo", "--help"]),
        ("help_export", &["export", "--help"]),
        ("help_releases", &["releases", "--help"]),
        (
            "help_releases_activate",
            &["releases", "activate", "--help"],
        ),
        ("help_releases_verify", &["releases", "verify", "--help"]),
        ("help_releases_log", &["releases", "log", "--help"]),
        ("help_serve", &["serve", "--help"]),
        ("help_store", &["store", "--help"]),
        ("help_store_copy", &["store", "copy", "--help"]),
        ("help_usage", &["usage", "--help"]),
        ("help_settings", &["settings", "--help"]),
        ("help_settings_init", &["settings", "init", "--help"]),
        ("help_completions", &["completions", "--help"]),
        ("help_manual", &["manual", "--help"]),
    ] {
        check(name, [&cli.run(args)]);
    }
}

#[test]
fn wrong_usage_is_reported_with_the_nearest_right_one() {
    let mut cli = TestCli::new();
    let outcomes = [
        &["key", "list"][..],
        &["keys", "isue"],
        &["keys", "list", "--jsn"],
        &["keys", "show"],
        &["completions", "cmd"],
    ]
    .map(|args| cli.run(args));
    check("wrong_usage", &outcomes);
}

#[test]
fn commands_of_other_programs_lead_to_those_that_do_what_is_meant() {
    let mut cli = TestCli::new();
    let outcomes = [
        &["status"][..],
        &["init"],
        &["ls"],
        &["keys", "ls"],
        &["subscriptions", "rm"],
        &["serve", "--listen", "x"],
        &["serve", "--port", "8080"],
        &[
            "keys",
            "issue",
            "--subscription",
            "acme",
            "--scope",
            "boats.read",
            "--limit",
            "9",
        ],
        &["diff", "--id", "boat-001"],
    ]
    .map(|args| cli.run(args));
    check("wrong_usage_meant", &outcomes);
}

#[test]
fn the_data_directory_may_be_named_before_and_after_the_command() {
    let mut cli = TestCli::new();
    let outcome = cli.run(&["keys", "list", "--data", "[dir]/elsewhere"]);
    check("data_after_the_command", [&outcome]);
}
