//! `catalogue diff`: everything that consumers will notice, and nothing when there is nothing.

use std::time::Duration;

use cli::ExitStatus;
use serde_json::json;

use crate::edited::{Edited, check, document, import};
use crate::harness::{Outcome, TestCli, assert_snapshot};

/// The sample, active, and a minute later another one that was not activated.
fn sample_and(edited: &Edited) -> (TestCli, [String; 2]) {
    let mut cli = TestCli::new();
    Edited::sample().write(&cli, "sample.ndjson");
    let first = import(&mut cli, "[dir]/sample.ndjson", &[]);
    cli.advance(Duration::from_mins(1));
    edited.write(&cli, "edited.ndjson");
    let second = import(&mut cli, "[dir]/edited.ndjson", &["--no-activate"]);
    (cli, [first, second])
}

/// A day's work of editors: some of everything.
fn edited() -> Edited {
    Edited::sample()
        .without_boats(2)
        .boat(0, |boat| boat["model"] = json!("Renamed"))
        .boat(1, |boat| boat["slug"] = json!("moved"))
        // The slug of one that is removed.
        .with_boat("angstrom-34")
        .with_boat("added")
        .every("term", |term| {
            if term["slug"] == "racing" {
                term["slug"] = json!("regatta");
            }
        })
        .every("boat", |boat| boat["hull"]["keelType"] = json!(null))
        .every("manufacturer", |maker| maker["website"] = json!(null))
}

#[test]
fn a_difference_is_reported_in_full_to_people_and_to_programs() {
    let (mut cli, [first, second]) = sample_and(&edited());
    let of_active = cli.run(&["diff", &second]);
    let backwards = cli.run(&["diff", &second, "current"]);
    let as_json = cli.run(&["diff", &second, "--json"]);
    assert!(
        of_active
            .out
            .lines()
            .all(|line| line.chars().count() <= 100),
        "{of_active}"
    );
    let diff = document(&as_json);
    let counts = ["before", "after", "unchanged"].map(|key| diff["boats"][key].clone());
    assert_eq!(counts, [json!(41), json!(41), json!(0)]);
    assert_eq!(
        (&diff["from"], &diff["to"]),
        (&json!(first), &json!(second))
    );
    check(&cli, "diff", &[of_active, backwards]);
    check(&cli, "diff_json", &[as_json]);
}

#[test]
fn long_lists_are_cut_unless_all_is_wanted() {
    let edited = (0..25).fold(Edited::sample(), |edited, place| {
        edited.with_boat(&format!("added-{place:02}"))
    });
    let (mut cli, [_, second]) = sample_and(&edited);
    let cut = cli.run(&["diff", &second]);
    assert!(cut.out.contains("… and 5 more (--full lists all)"), "{cut}");
    let full = cli.run(&["diff", &second, "--full"]);
    assert!(!full.out.contains("more"), "{full}");
    for (args, listed) in [(&[][..], 20), (&["--full"], 25)] {
        let args = [&["diff", &second, "--json"], args].concat();
        let added = &document(&cli.run(&args))["boats"]["added"];
        assert_eq!(added["total"], 25);
        assert_eq!(added["examples"].as_array().unwrap().len(), listed);
    }
}

#[test]
fn releases_that_are_the_same_or_missing_are_reported() {
    let (mut cli, [first, _]) = sample_and(&edited());
    let outcomes = [
        cli.run(&["diff", &first]),
        cli.run(&["diff", "20200101T000000Z-0000000000000000"]),
        cli.run(&["diff", "current", "newest"]),
        cli.run(&["diff"]),
    ];
    let statuses = outcomes.each_ref().map(|outcome| outcome.status);
    let (done, failed, usage) = (
        ExitStatus::Done,
        ExitStatus::Failure,
        ExitStatus::WrongUsage,
    );
    assert_eq!(statuses, [done, failed, usage, usage]);
    check(&cli, "diff_of_nothing", &outcomes);
    let none: Outcome = TestCli::new().run(&["diff", &first]);
    assert_eq!(none.status, failed, "{none}");
    assert!(none.err.contains("no release is active"), "{none}");
}

#[test]
fn the_help_text_is_short_and_exact() {
    let help = TestCli::new().run(&["diff", "--help"]);
    assert_snapshot("help_diff", &help.to_string());
}
