//! `catalogue diff`: shows everything that consumers will notice, and nothing else.

use std::fs;
use std::time::Duration;

use cli::ExitStatus;
use cli::terminal::Terminal;
use serde_json::json;

use crate::edited::{Edited, check, import};
use crate::harness::{Outcome, TestCli, assert_snapshot};
use crate::page;

/// The sample with six boats, enough to show every kind of change.
fn few() -> Edited {
    Edited::sample().only_boats(6)
}

/// The active sample of [`few`] boats, and an edited release a minute later that was not activated.
fn sample_and(edited: &Edited) -> (TestCli, [String; 2]) {
    let mut cli = TestCli::new();
    few().write(&cli, "sample.ndjson");
    let first = import(&mut cli, "[dir]/sample.ndjson", &[]);
    cli.advance(Duration::from_mins(1));
    edited.write(&cli, "edited.ndjson");
    let second = import(&mut cli, "[dir]/edited.ndjson", &["--no-activate"]);
    (cli, [first, second])
}

/// A day's work of editors: some of everything.
fn edited() -> Edited {
    few()
        .without_boats(2)
        .boat(0, |boat| boat["model"] = json!("Renamed"))
        .boat(1, |boat| boat["slug"] = json!("moved"))
        // The slug of a removed boat.
        .with_boat("angstrom-34")
        .with_boat("added")
        .every("term", |term| {
            if term["slug"] == "cruising" {
                term["slug"] = json!("voyaging");
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
    let diff = as_json.document();
    let counts = ["before", "after", "unchanged"].map(|key| diff["boats"][key].clone());
    assert_eq!(counts, [json!(6), json!(6), json!(0)]);
    assert_eq!(
        (&diff["from"], &diff["to"]),
        (&json!(first), &json!(second))
    );
    check(&cli, "diff", &[of_active, backwards]);
    check(&cli, "diff_json", &[as_json]);
}

#[test]
fn long_lists_are_cut_unless_all_is_wanted() {
    let edited = (0..25).fold(few(), |edited, place| {
        edited.with_boat(&format!("added-{place:02}"))
    });
    let (mut cli, [_, second]) = sample_and(&edited);
    let cut = cli.run(&["diff", &second]);
    assert!(cut.out.contains("… and 5 more (--full lists all)"), "{cut}");
    let full = cli.run(&["diff", &second, "--full"]);
    assert!(!full.out.contains("more"), "{full}");
    for (args, listed) in [(&[][..], 20), (&["--full"], 25)] {
        let args = [&["diff", &second, "--json"], args].concat();
        let added = &cli.run(&args).document()["boats"]["added"];
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
    assert_eq!(statuses, [done, failed, usage, failed]);
    check(&cli, "diff_of_nothing", &outcomes);
    let none: Outcome = TestCli::new().run(&["diff", &first]);
    assert_eq!(none.status, failed, "{none}");
    assert!(none.err.contains("no release is active"), "{none}");
}

/// Edits of a few records, some with long or hostile texts.
fn retyped() -> Edited {
    let long = "A fast boat for long passages, drawn in Gothenburg. ".repeat(20);
    let old = few().boat(3, |boat| boat["description"] = json!(long));
    old.boat(0, |boat| boat["model"] = json!("Sum II"))
        .boat(1, |boat| boat["activities"] = json!([]))
        .boat(2, |boat| boat["description"] = json!("\u{202e}one\ntwo"))
        .without_boat("boat-006")
        .with_boat("added")
}

#[test]
fn old_and_new_values_fit_the_terminal_and_do_it_no_harm() {
    let (mut cli, [_, second]) = sample_and(&retyped());
    for columns in [80, 120] {
        let outcomes = [
            &["diff", &second][..],
            &["diff", &second, "--record", "boat-004"],
            &["diff", &second, "--only", "manufacturers"],
        ]
        .map(|args| {
            cli.run_in(args, |context| {
                context.terminal = Terminal {
                    out: true,
                    columns: Some(columns),
                    ..Terminal::default()
                };
            })
        });
        for outcome in &outcomes {
            let mut lines = outcome.out.lines();
            assert!(
                lines.all(|line| line.chars().count() <= columns),
                "{outcome}"
            );
            assert!(!outcome.out.contains('\u{202e}'), "{outcome}");
        }
        if columns == 80 {
            check(&cli, "diff_values", &outcomes);
        }
    }
}

#[test]
fn every_change_of_one_record_is_shown_or_made_a_patch() {
    let (mut cli, [first, second]) = sample_and(&retyped());
    let mut outcomes = Vec::new();
    for id in ["boat-001", "added", "boat-006", "boat-005"] {
        for args in [&[][..], &["--json"]] {
            let outcome = cli.run(&[&["diff", &second, "--record", id], args].concat());
            assert_eq!(outcome.status, ExitStatus::Done, "{outcome}");
            outcomes.push(outcome);
        }
    }
    let patch = outcomes[1].document();
    let replaced = json!([{"op": "replace", "path": "/model", "value": "Sum II"}]);
    assert_eq!(patch, replaced);
    let [added, removed] = [3, 5].map(|place: usize| outcomes[place].document());
    assert_eq!(
        (&added[0]["op"], &added[0]["path"]),
        (&json!("add"), &json!(""))
    );
    assert_eq!(added[0]["value"]["id"], "added");
    assert_eq!(removed, json!([{"op": "remove", "path": ""}]));
    assert_eq!(outcomes[7].document(), json!([]));
    // The output of the whole record is too long for the snapshot.
    outcomes.remove(3);
    check(&cli, "diff_record", &outcomes);

    let backwards = cli.run(&["diff", &second, &first, "--record", "boat-001", "--json"]);
    assert_eq!(backwards.document()[0]["value"], "34");
}

#[test]
fn a_record_that_no_release_has_is_an_error_that_says_what_it_may_be() {
    let (mut cli, [_, second]) = sample_and(&few().every("manufacturer", |maker| {
        maker["name"] = json!("Renamed");
    }));
    let record = ["diff", &second, "--record"];
    let outcomes = [
        &["nothing"][..],
        &["aero-28"],
        &["maker-01", "--only", "boats"],
        &["boat-005", "--only", "manufacturers"],
        &[""],
        &["boat 5"],
        &["maker-01", "--only", "makers"],
    ]
    .map(|args| cli.run(&[&record[..], args].concat()));
    let statuses = outcomes.each_ref().map(|outcome| outcome.status);
    let (failed, usage) = (ExitStatus::Failure, ExitStatus::WrongUsage);
    let slug = ExitStatus::Done;
    assert_eq!(
        statuses,
        [failed, slug, failed, failed, usage, usage, usage]
    );
    check(&cli, "diff_record_missing", &outcomes);
}

#[test]
fn a_boat_and_a_manufacturer_of_one_id_are_told_apart_by_their_kind() {
    let edited = few().with_boat("maker-01");
    let (mut cli, [_, second]) = sample_and(&edited);
    let record = ["diff", &second, "--record", "maker-01"];
    let both = cli.run(&record);
    assert_eq!(both.status, ExitStatus::WrongUsage, "{both}");
    assert!(
        both.err.contains("--only boats, or --only manufacturers"),
        "{both}"
    );
    let boat = cli.run(&[&record[..], &["--only", "boats"]].concat());
    assert!(boat.out.contains("The boat maker-01 was added"), "{boat}");
    let maker = cli.run(&[&record[..], &["--only", "manufacturers"]].concat());
    assert!(maker.out.contains("boatCount: "), "{maker}");
}

#[test]
fn changes_and_values_are_cut_unless_all_is_wanted() {
    let long = "é".repeat(1000);
    let tanks: Vec<String> = (0..25).map(|number| format!("{number} l")).collect();
    let edited = few().boat(0, |boat| {
        boat["description"] = json!(long);
        boat["tanks"]["fuel"] = json!(tanks);
    });
    let (mut cli, [_, second]) = sample_and(&edited);
    for (args, shown, length) in [(&[][..], 10, 500), (&["--full"], 26, 1000)] {
        let args = [&["diff", &second, "--json", "--only", "boats"], args].concat();
        let diff = cli.run(&args).document();
        assert_eq!(
            (
                &diff["manufacturers"],
                diff["lostFilters"]["total"].as_u64()
            ),
            (&json!(null), Some(0))
        );
        let boats = &diff["boats"];
        assert_eq!(
            boats["changedFields"],
            json!({"description": 1, "tanks.fuel[]": 1})
        );
        let changes = &boats["changed"]["examples"][0]["changes"];
        assert_eq!(changes["total"], 26);
        let examples = changes["examples"].as_array().unwrap();
        assert_eq!(examples.len(), shown);
        let description = &examples[0];
        assert_eq!(description["new"].as_str().unwrap().chars().count(), length);
        assert_eq!(description["cut"] == true, args.len() == 5);
        assert_eq!(examples[1]["cut"], json!(null));
    }
    let cut = cli.run(&["diff", &second]).out;
    assert!(
        cut.contains("… and 16 more (--record boat-001 lists all)"),
        "{cut}"
    );
    assert!(
        cut.contains("(--full shows long values whole)") && !cut.contains(&long),
        "{cut}"
    );
    let full = cli.run(&["diff", &second, "--full"]).out;
    assert!(
        full.contains(&long) && full.contains(r#"tanks.fuel: + "24 l""#),
        "{full}"
    );
    assert!(!full.contains('…') && !full.contains("--full"), "{full}");
    let record = cli.run(&["diff", &second, "--record", "boat-001"]).out;
    assert!(record.contains(r#"tanks.fuel: + "24 l""#), "{record}");
}

/// A page with the first fields of each table that has a bar for each field: all have the same form.
fn few_fields(page: &str) -> String {
    let is_field = |line: &&str| line.contains("<td class=\"bar\">");
    assert_eq!(page.lines().filter(is_field).count(), 92 + 13, "{page}");
    let mut fields = 0;
    let lines = page.split_inclusive('\n').filter(|line| {
        let field = is_field(line);
        fields = if field { fields + 1 } else { 0 };
        if field {
            let form = line.starts_with("<tr><th scope=\"row\"><code>");
            assert!(form && line.ends_with(" %</td></tr>\n"), "{line}");
        }
        fields <= 8
    });
    lines.collect()
}

#[test]
fn a_difference_is_a_page_for_editors_too() {
    let (mut cli, [first, second]) = sample_and(&edited());
    let args = ["diff", &second, "--report-html", "[dir]/diff.html"];
    let written = cli.run(&args);
    assert_eq!(written.status, ExitStatus::Done, "{written}");
    let last = "(--record ID shows every change of one record)\n\nWrote [dir]/diff.html.\n";
    assert!(written.out.ends_with(last), "{written}");
    let page = page::read(&cli, "diff.html");
    let page = page.replace(&first, "[first]").replace(&second, "[second]");
    assert_snapshot("diff_page", &few_fields(&page));
    let makers = cli.run(&[&args[..], &["--only", "manufacturers"]].concat());
    assert_eq!(makers.status, ExitStatus::Done, "{makers}");
    let page = fs::read_to_string(cli.path("diff.html")).unwrap();
    assert!(!page.contains("Changed boats"), "{page}");
    let inside = "[dir]/catalogue-data/diff.html";
    let refused = cli.run(&["diff", &second, "--report-html", inside]);
    assert_eq!(refused.status, ExitStatus::WrongUsage, "{refused}");
}
