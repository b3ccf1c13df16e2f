//! What people see at terminals of several widths, and what is left out in a pipe.

use std::time::Duration;

use cli::terminal::Terminal;
use shared::keys::ledger::QuotaLedger;
use shared::keys::quota::Period;
use shared::keys::sqlite::SqliteLedger;
use shared::keys::subscription::SubscriptionId;

use crate::harness::{Outcome, START, TestCli, check};

const LONG_NAME: &str = "Nordic Marine Brokers and Consultants AB";

fn at(columns: usize) -> Terminal {
    Terminal {
        out: true,
        columns: Some(columns),
        ..Terminal::default()
    }
}

/// Subscriptions with keys in every state and all kinds of usage, after ten days.
fn busy() -> TestCli {
    let mut cli = TestCli::new();
    cli.run(&["subscriptions", "create", "Acme"]);
    cli.run(&["subscriptions", "create", LONG_NAME, "--quota", "5000"]);
    cli.run(&["subscriptions", "create", "Small", "--quota", "10"]);
    cli.run(&["subscriptions", "update", "Small", "--status", "inactive"]);
    let issue = |cli: &mut TestCli, name, args: &[&str]| {
        let issue = ["keys", "issue", "--json", "--subscription", name];
        let scopes = ["--scope", "boats.read", "manufacturers.read"];
        let issued = cli.run(&[&issue[..], &scopes, args].concat()).document();
        issued["id"].as_str().unwrap().to_owned()
    };
    issue(&mut cli, "Acme", &["--name", "web site"]);
    let [revoked, disabled] = [(); 2].map(|()| issue(&mut cli, "Acme", &[]));
    cli.run(&["keys", "revoke", &revoked]);
    cli.run(&["keys", "disable", &disabled]);
    let name = ["--name", "nightly export to the data warehouse"];
    issue(
        &mut cli,
        LONG_NAME,
        &[&name[..], &["--expires", "9d"]].concat(),
    );
    cli.advance(Duration::from_hours(10 * 24));
    let rotated = issue(&mut cli, LONG_NAME, &name);
    cli.run(&["keys", "rotate", &rotated]);
    let ledger = SqliteLedger::new(cli.path("catalogue-data/keys.sqlite"));
    let period = Period::containing(START, START);
    for (subscription, used) in [(1, 41_234), (2, 4200), (3, 10)] {
        let subscription = SubscriptionId(subscription);
        ledger.lease(subscription, period, used).unwrap();
    }
    cli
}

fn run(cli: &mut TestCli, args: &[&str], terminal: Terminal) -> Outcome {
    cli.run_in(args, |context| context.terminal = terminal)
}

#[test]
fn tables_fit_the_terminal_and_times_are_distances() {
    let mut cli = busy();
    for (columns, hidden) in [
        (60, "ID, ENV, SCOPES,\n EXPIRES, LAST USED"),
        (80, "ID, ENV, SCOPES, LAST USED"),
        (120, "ID, ENV"),
    ] {
        let outcomes = [
            &["usage"][..],
            &["keys", "list"],
            &["keys", "log", "--limit", "3"],
            &["subscriptions", "list"],
            &["subscriptions", "show", "Acme"],
        ]
        .map(|args| run(&mut cli, args, at(columns)));
        for outcome in &outcomes {
            let mut lines = outcome.out.lines();
            assert!(
                lines.all(|line| line.chars().count() <= columns),
                "{outcome}"
            );
        }
        let narrowed = format!("(a wider terminal, or --json, shows {hidden} too)");
        assert!(outcomes[1].out.contains(&narrowed), "{}", outcomes[1]);
        if columns == 60 {
            check("terminal", &outcomes);
        }
    }
}

#[test]
fn what_is_typed_about_colours_wins_over_what_the_terminal_wants() {
    let mut cli = busy();
    let colour = Terminal {
        out_colour: true,
        ..at(120)
    };
    for (word, is_painted) in [("always", true), ("never", false)] {
        for args in [
            &["keys", "list", "--color", word][..],
            &["--color", word, "--help"],
        ] {
            for terminal in [colour, at(120)] {
                let shown = run(&mut cli, args, terminal).out;
                assert_eq!(shown.contains('\u{1b}'), is_painted, "{args:?}");
            }
        }
    }
    let equals = run(&mut cli, &["--color=never", "--help"], colour).out;
    assert!(!equals.contains('\u{1b}'));
}

#[test]
fn colours_say_again_what_words_say() {
    let mut cli = busy();
    let colour = Terminal {
        out_colour: true,
        ..at(120)
    };
    for args in [
        &["usage"][..],
        &["keys", "list"],
        &["subscriptions", "list"],
    ] {
        let plain = run(&mut cli, args, at(120));
        let painted = run(&mut cli, args, colour);
        assert!(painted.out.contains('\u{1b}') && !plain.out.contains('\u{1b}'));
        let words = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
        assert_eq!(words(&without_colour(&painted.out)), words(&plain.out));
    }
    let listed = run(&mut cli, &["keys", "list"], colour).out;
    for (state, code) in [
        ("active", 2),
        ("revoked", 1),
        ("rotated", 3),
        ("disabled", 8),
    ] {
        let painted = format!("\u{1b}[38;5;{code}m{state}");
        assert!(listed.contains(&painted), "{state}: {listed:?}");
    }
}

/// The text without its escape sequences, each of which ends with `m`.
fn without_colour(text: &str) -> String {
    let mut parts = text.split('\u{1b}');
    let first = parts.next().unwrap_or_default().to_owned();
    let rest = parts.map(|part| part.split_once('m').map_or("", |(_code, text)| text));
    first + &rest.collect::<String>()
}
