//! `catalogue keys`.

use std::time::Duration;

use cli::ExitStatus;
use shared::keys::key::KeyId;
use shared::keys::last_use::{KeyUse, LastUses};
use shared::keys::secret::PlainKey;
use shared::keys::sqlite::SqliteLastUses;

use crate::harness::{Outcome, START, TestCli, Typed, check};

const BOTH: [&str; 2] = ["boats.read", "manufacturers.read"];

/// Issues a key for boats and prints JSON.
pub(crate) const ISSUE: [&str; 7] = [
    "keys",
    "issue",
    "--subscription",
    "Acme",
    "--scope",
    "boats.read",
    "--json",
];

/// A directory with one subscription.
pub(crate) fn acme() -> TestCli {
    let mut cli = TestCli::new();
    cli.run(&["subscriptions", "create", "Acme"]);
    cli
}

/// Issues a key for boats with `more` arguments and returns its id.
pub(crate) fn issue(cli: &mut TestCli, more: &[&str]) -> String {
    let outcome = cli.run(&[&ISSUE[..], more].concat());
    text_of(&outcome, "id")
}

/// A member of the JSON document that was printed.
fn text_of(outcome: &Outcome, member: &str) -> String {
    let document = outcome.document();
    document[member].as_str().unwrap().to_owned()
}

#[test]
fn a_new_key_is_shown_with_an_address_that_it_may_ask_for() {
    let mut cli = acme();
    for (scopes, readable, path) in [
        ("boats.read", "boats.", "/v1/boats"),
        (
            "manufacturers.read,catalogue.export",
            "manufacturers, also all at once.",
            "/v1/manufacturers",
        ),
        (
            "catalogue.export",
            "nothing: --scope needs boats.read or manufacturers.read too.",
            "/v1/key",
        ),
    ] {
        let shown = cli.run(&["keys", "issue", "--subscription", "Acme", "--scope", scopes]);
        assert!(
            shown.err.contains(&format!("It can read {readable}\n")),
            "{shown}"
        );
        assert!(shown.err.ends_with(&format!(":8080{path}\n")), "{shown}");
    }
}

#[test]
fn an_issued_key_is_shown_once_and_then_by_its_prefix() {
    let mut cli = acme();
    let issued = cli.run(&[
        "keys",
        "issue",
        "--subscription",
        "Acme",
        "--scope",
        BOTH[0],
        "--scope",
        BOTH[1],
        "--env",
        "test",
        "--name",
        "Web site",
        "--expires",
        "90d",
        "--rate-limit",
        "600",
    ]);
    let key = PlainKey::parse(issued.out.lines().next().unwrap()).unwrap();
    let listed = cli.run(&["keys", "list"]);
    let shown = cli.run(&["keys", "show", key.prefix().as_str()]);
    check("keys_issue", [&issued, &listed, &shown]);
    for later in [listed, shown] {
        assert!(!later.to_string().contains(key.expose()));
    }
}

#[test]
fn json_has_what_scripts_rely_on() {
    let mut cli = acme();
    let issued = cli.run(&ISSUE);
    let id = text_of(&issued, "id");
    let mut outcomes = vec![issued];
    for args in [
        &["keys", "rotate", &id, "--json"][..],
        &["keys", "show", &id, "--json"],
        &["keys", "list", "--json"],
    ] {
        outcomes.push(cli.run(args));
    }
    check("keys_json", &outcomes);
}

#[test]
fn scopes_are_repeated_listed_or_separated_by_commas() {
    let joined = BOTH.join(",");
    for scopes in [
        &["--scope", BOTH[0], "--scope", BOTH[1]][..],
        &["--scope", BOTH[1], BOTH[0]],
        &["--scope", &joined],
        &["--scope", &joined, "--scope", BOTH[0]],
    ] {
        let args = [
            &["keys", "issue", "--subscription", "Acme", "--json"],
            scopes,
        ]
        .concat();
        let outcome = acme().run(&args);
        let document = outcome.document();
        assert_eq!(document["scopes"], serde_json::json!(BOTH), "{scopes:?}");
    }
}

#[test]
fn the_list_shows_the_state_of_each_key() {
    let mut cli = acme();
    cli.run(&["subscriptions", "create", "Sleeping"]);
    let [_active, rotated, disabled, revoked, gone] = [(); 5].map(|()| issue(&mut cli, &[]));
    issue(&mut cli, &["--expires", "1s"]);
    let asleep = "keys issue --subscription Sleeping --scope boats.read";
    cli.run(asleep);
    cli.run("subscriptions update Sleeping --status inactive");
    cli.run(&["keys", "rotate", &rotated]);
    cli.run(&["keys", "disable", &disabled]);
    cli.run(&["keys", "revoke", &revoked]);
    cli.run(&["keys", "rotate", &gone, "--grace", "0s"]);
    cli.advance(Duration::from_secs(1));
    check("keys_list", [&cli.run(&["keys", "list"])]);
}

/// The second that has begun when a key is rotated takes nothing of its grace.
#[test]
fn the_grace_of_a_rotation_lasts_to_the_millisecond_that_is_shown() {
    let mut cli = acme();
    let id = issue(&mut cli, &[]);
    cli.advance(Duration::from_millis(900));
    let rotated = cli.run(&["keys", "rotate", &id, "--grace", "2s"]);
    let until = "works until 2026-10-01T12:00:02.900Z.";
    assert!(rotated.err.contains(until), "{rotated}");
    for (passed, state) in [(1999, "rotated"), (1, "expired")] {
        cli.advance(Duration::from_millis(passed));
        let shown = cli.run(&["keys", "show", &id, "--json"]);
        assert_eq!(text_of(&shown, "worksUntil"), "2026-10-01T12:00:02.900Z");
        assert_eq!(text_of(&shown, "state"), state);
    }
}

#[test]
fn a_list_is_narrowed_by_owner_state_servers_and_use() {
    let mut cli = acme();
    cli.run(&["subscriptions", "create", "Other"]);
    let [old, revoked] = [(); 2].map(|()| issue(&mut cli, &[]));
    cli.run(&["keys", "revoke", &revoked]);
    cli.advance(Duration::from_hours(24));
    let rotated = issue(&mut cli, &["--env", "test"]);
    cli.run(&["keys", "rotate", &rotated]);
    let other = "keys issue --subscription Other --scope boats.read";
    cli.run(other);
    cli.run(&["subscriptions", "update", "Other", "--status", "inactive"]);
    let store = SqliteLastUses::new(cli.path("catalogue-data/keys.sqlite"));
    let used = KeyId::parse(&old).unwrap();
    store.record(&[KeyUse::free(used, START + 3600)]).unwrap();
    let outcomes = [
        &["--subscription", "Other"][..],
        &["--state", "active"],
        &["--state", "rotated,revoked"],
        &["--state", "subscription-inactive"],
        &["--env", "test", "--state", "active"],
        &["--unused"],
        &["--unused", "24h"],
        &["--unused", "23h"],
        &["--unused", "1d", "--state", "active"],
        &["--unused", "1d", "--state", "active", "--json"],
        &["--subscription", "Nordic"],
        &["--state", "asleep"],
        &["--env", "prod"],
        &["--unused", "0"],
    ]
    .map(|args| cli.run(&[&["keys", "list"], args].concat()));
    check("keys_list_narrowed", &outcomes);
    let quoted = cli.run(&["keys", "list", "--state", "subscription inactive"]);
    assert_eq!(quoted.out, outcomes[3].out);
}

#[test]
fn an_update_changes_what_was_typed_and_shows_the_key() {
    let mut cli = acme();
    let scopes = ["--scope", "manufacturers.read", "--name", "Web site"];
    let id = issue(&mut cli, &scopes);
    let outcomes = [
        &["--name", "App"][..],
        &["--rate-limit", "2k", "--json"],
        &["--expires", "1d", "--json"],
        &["--expires", "never", "--json"],
        &["--scope", "boats.read", "--json"],
    ]
    .map(|args| cli.run(&[&["keys", "update", &id], args].concat()));
    check("keys_update", &outcomes);
}

#[test]
fn an_update_that_is_refused_says_what_to_do_next() {
    let mut cli = acme();
    let [revoked, good] = [(); 2].map(|()| issue(&mut cli, &[]));
    let expired = issue(&mut cli, &["--expires", "1s"]);
    cli.run(&["keys", "revoke", &revoked]);
    cli.advance(Duration::from_secs(1));
    let before = cli.run(&["keys", "list", "--json"]).out;
    let name = ["--name", "App"];
    let outcomes = [
        [&[revoked.as_str()][..], &name].concat(),
        [&[expired.as_str()][..], &name].concat(),
        [&["key_0000000000000000"][..], &name].concat(),
        vec![&good],
        vec![&good, "--expires", "always"],
        vec![&good, "--scope", "boats.write"],
        vec![&good, "--scope"],
    ]
    .map(|args| cli.run(&[&["keys", "update"][..], &args].concat()));
    check("keys_update_refused", &outcomes);
    cli.refuses(
        &["keys", "update", &good],
        &[
            (&["--name", ""], "must not be empty"),
            (&["--rate-limit", "0"], "must be from 1 to 1000000"),
            (&["--expires", "0"], "must be from 1s to 3650d, or `never`"),
        ],
    );
    assert_eq!(cli.run(&["keys", "list", "--json"]).out, before);
}

/// Settings may contain the defaults of new keys; these do not change existing keys.
#[test]
fn settings_of_new_keys_do_not_reach_an_update() {
    let mut cli = acme();
    cli.write(
        "catalogue.toml",
        "[keys.issue]\nexpires = \"1d\"\nrate-limit = 7\n",
    );
    let config = cli.path("catalogue.toml");
    let config = ["--config", config.to_str().unwrap()];
    let issued = cli.run(&[&ISSUE[..], &config].concat());
    assert!(issued.out.contains("\"rateLimit\": 7"), "{issued}");
    let id = issue(&mut cli, &[]);
    let update = ["keys", "update", &id, "--name", "App", "--json"];
    let updated = cli.run(&[&update[..], &config].concat());
    let document = updated.document();
    assert_eq!(document["rateLimit"], 120);
    assert_eq!(document["expiresAt"], serde_json::Value::Null);
}

#[test]
fn an_empty_list_says_what_to_do_next() {
    let mut cli = TestCli::new();
    let list = ["keys", "list"];
    let outcomes = [
        cli.run(&list),
        cli.run(&["keys", "list", "--json"]),
        acme().run(&list),
        acme().run(&["keys", "list", "--data", "[dir]/nowhere"]),
    ];
    check("keys_list_empty", &outcomes);
}

#[test]
fn a_rotation_shows_the_new_key_and_how_long_the_old_one_works() {
    let mut cli = acme();
    let with_expiry = issue(&mut cli, &["--expires", "1h", "--name", "Web site"]);
    let at_once = issue(&mut cli, &[]);
    let outcomes = [
        cli.run(&["keys", "rotate", &with_expiry]),
        cli.run(&["keys", "show", &with_expiry]),
    ];
    check("keys_rotate", &outcomes);
    let stopped = cli.run(&["keys", "rotate", &at_once, "--grace", "0s"]);
    let last = stopped.err.lines().last().unwrap();
    assert_eq!(last, "The old key boat_live_T9hhfi has stopped working.");
}

#[test]
fn disabling_is_reversible_and_revoking_is_final() {
    let mut cli = acme();
    let id = issue(&mut cli, &[]);
    let outcomes = [
        &["keys", "disable", &id][..],
        &["keys", "rotate", &id],
        &["keys", "enable", &id, "--json"],
        &["keys", "revoke", &id, "--json"],
        &["keys", "enable", &id],
        &["keys", "disable", &id],
        &["keys", "rotate", &id],
        &["keys", "revoke", &id, "--json"],
    ]
    .map(|args| cli.run(args));
    check("keys_change", &outcomes);
}

#[test]
fn revoking_a_key_warns_of_the_rotated_one_that_still_works() {
    let mut cli = acme();
    let id = issue(&mut cli, &[]);
    let rotated = cli.run(&["keys", "rotate", &id, "--json"]);
    let new = text_of(&rotated, "id");
    check("keys_revoke_rotated", [&cli.run(&["keys", "revoke", &new])]);
}

#[test]
fn what_is_refused_says_what_to_do_next() {
    let mut cli = acme();
    let expired = issue(&mut cli, &["--expires", "1s"]);
    let rotated = issue(&mut cli, &[]);
    cli.run(&["keys", "rotate", &rotated]);
    cli.run(&["subscriptions", "create", "Sleeping"]);
    let on = |name| format!("keys issue --subscription {name} --scope boats.read");
    cli.run(&format!("{} --name asleep", on("Sleeping")));
    cli.run("subscriptions update Sleeping --status inactive");
    cli.advance(Duration::from_secs(1));
    let outcomes = [
        &*format!("keys rotate {expired}"),
        &format!("keys rotate {rotated}"),
        "keys rotate asleep",
        "keys show key_0000000000000000",
        "keys show boat_live_000000",
        "keys show 42",
        &on("Sleeping"),
        &on("Acne"),
        "keys issue --subscription Acme",
        "keys issue --subscription Acme --scope boats",
        &(on("Acme") + " --rate-limit 1000001"),
    ]
    .map(|typed| cli.run(typed));
    check("keys_refused", &outcomes);
    cli.refuses(
        &on("Acme").words(),
        &[
            (&["--expires", "0s"], "must be from 1s to 3650d"),
            (&["--expires", "3651d"], "must be from 1s to 3650d"),
            (
                &["--name", "a\nb"],
                "must not contain control characters or invisible characters",
            ),
        ],
    );
    let rotate = ["keys", "rotate", &rotated];
    cli.refuses(
        &rotate,
        &[(&["--grace", "366d"], "must be from 0s to 365d")],
    );
}

#[test]
fn a_key_is_named_by_a_beginning_that_no_other_has() {
    let mut cli = acme();
    let document = cli.run(&ISSUE).document();
    let [id, prefix, key] = ["id", "prefix", "key"].map(|name| document[name].as_str().unwrap());
    for name in [&id[..8], &id[..19], &prefix[..14], &prefix[..15]] {
        let shown = cli.run(&["keys", "show", name, "--json"]);
        assert_eq!(text_of(&shown, "id"), id, "{name}");
    }
    let refused = [
        &id[..7],
        &prefix[..13],
        "boat_live_",
        "boat_live_0000",
        "key_00000",
        "boat_prod_0000",
        "boat_live_00é",
        // One character more than a prefix may belong to a secret, and is not repeated.
        &key[..17],
    ]
    .map(|name| cli.run(&["keys", "revoke", name]));
    check("keys_beginning_refused", &refused[3..5]);
    for refused in &refused {
        assert_eq!(refused.status, ExitStatus::WrongUsage, "{refused}");
        assert!(!refused.err.contains(&key[..17]), "{refused}");
    }
    assert_eq!(refused[7].err, refused[0].err);
    let shown = cli.run(&["keys", "show", id, "--json"]);
    assert_eq!(text_of(&shown, "state"), "active");
    let log = cli.run(&["keys", "log", "--key", &prefix[..14], "--json"]);
    let whole = cli.run(&["keys", "log", "--key", id, "--json"]);
    assert_eq!(log.out, whole.out);
}

#[test]
fn a_key_is_named_by_its_name_unless_several_have_it() {
    let mut cli = acme();
    let web = issue(&mut cli, &["--name", "Web site"]);
    let prefix = issue(&mut cli, &["--name", "App"]);
    let shown = cli.run(&["keys", "show", "Web site", "--json"]);
    assert_eq!(text_of(&shown, "id"), web);
    let second = issue(&mut cli, &["--name", "App"]);
    let ambiguous = cli.run(&["keys", "revoke", "App"]);
    cli.run(&["keys", "revoke", &prefix]);
    let shown = cli.run(&["keys", "show", "App", "--json"]);
    assert_eq!(text_of(&shown, "id"), second);
    let log = cli.run(&["keys", "log", "--key", "Web site", "--json"]);
    let by_id = cli.run(&["keys", "log", "--key", &web, "--json"]);
    assert_eq!(log.out, by_id.out);
    let unknown = cli.run(&["keys", "show", "Web"]);
    check("keys_named", &[ambiguous, unknown]);
}

#[test]
fn a_whole_key_in_the_place_of_an_id_is_understood_and_never_repeated() {
    let mut cli = acme();
    let key = text_of(&cli.run(&ISSUE), "key");
    let shown = cli.run(&["keys", "show", &key]);
    let mistyped = cli.run(&["keys", "show", &key[..key.len() - 1]]);
    let secret = &key["boat_live_123456".len()..key.len() - 1];
    for outcome in [shown, mistyped] {
        assert!(!outcome.out.contains(secret) && !outcome.err.contains(secret));
        assert!(!outcome.out.is_empty() || outcome.err.contains("keys list"));
    }
}
