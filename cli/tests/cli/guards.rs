//! The guards of `catalogue import`: nothing that consumers rely on is removed by accident.

use std::fs;
use std::time::Duration;

use cli::ExitStatus;
use serde_json::{Value, json};

use crate::edited::{Edited, active, check, import, release_ids, without_coverage};
use crate::harness::{Outcome, TestCli};

/// The sample, imported and active.
fn imported() -> (TestCli, String) {
    let mut cli = TestCli::new();
    Edited::sample().write(&cli, "sample.ndjson");
    let first = import(&mut cli, "[dir]/sample.ndjson", &[]);
    cli.advance(Duration::from_mins(1));
    (cli, first)
}

/// An export in which too many boats are gone, a field is null everywhere, and a slug has moved.
fn breaking() -> Edited {
    Edited::sample()
        .without_boats(5)
        .boat(0, |boat| boat["slug"] = json!("moved"))
        .every("boat", |boat| boat["hull"]["keelType"] = json!(null))
}

const ALL_ALLOWED: [&str; 6] = [
    "--max-removals",
    "12.2",
    "--allow",
    "null-fields",
    "--allow",
    "moved-slugs",
];

#[test]
fn a_release_that_breaks_consumers_is_made_and_not_activated() {
    let (mut cli, first) = imported();
    breaking().write(&cli, "breaking.ndjson");
    let refused = cli.run(&["import", "[dir]/breaking.ndjson"]);
    assert_eq!(refused.status, ExitStatus::Refused, "{refused}");
    assert_eq!(active(&mut cli), first);
    let second = release_ids(&cli).remove(1);
    check(&cli, "import_refused_by_guards", &[refused]);

    let again = cli.run(&["import", "[dir]/breaking.ndjson", "--json"]);
    assert_eq!(again.status, ExitStatus::Refused);
    let told = again.document();
    assert_eq!(told["refused"], true);
    assert_eq!(told["active"], json!(first));
    assert_eq!(told["release"], json!(second));
    assert_eq!(told["refusals"].as_array().unwrap().len(), 3);
    assert_eq!(told["diff"]["boats"]["removed"]["total"], 5);

    let activated = cli.run(&["releases", "activate", "latest"]);
    assert_eq!(activated.status, ExitStatus::Done, "{activated}");
    let note = format!("note: `latest` is {second}, which the guards refused");
    assert!(activated.err.starts_with(&note), "{activated}");
    assert_eq!(active(&mut cli), second);
}

#[test]
fn what_is_allowed_is_activated_and_only_that() {
    let (mut cli, first) = imported();
    breaking().write(&cli, "breaking.ndjson");
    for missing in 0..3 {
        let mut allowed = ALL_ALLOWED.to_vec();
        allowed.drain(2 * missing..2 * missing + 2);
        let args = [&["import", "[dir]/breaking.ndjson", "--json"], &allowed[..]].concat();
        let outcome = cli.run(&args);
        assert_eq!(outcome.status, ExitStatus::Refused, "{allowed:?}");
        assert_eq!(outcome.document()["refusals"].as_array().unwrap().len(), 1);
        assert_eq!(active(&mut cli), first);
    }
    let args = [&["import", "[dir]/breaking.ndjson"], &ALL_ALLOWED[..]].concat();
    let outcome = cli.run(&args);
    assert_eq!(outcome.status, ExitStatus::Done, "{outcome}");
    assert_ne!(active(&mut cli), first);
    check(
        &cli,
        "import_allowed_by_options",
        &[without_coverage(outcome)],
    );
}

#[test]
fn without_activating_everything_is_shown_and_nothing_refused() {
    let (mut cli, first) = imported();
    breaking().write(&cli, "breaking.ndjson");
    let made = cli.run(&["import", "[dir]/breaking.ndjson", "--no-activate"]);
    assert_eq!(made.status, ExitStatus::Done, "{made}");
    assert_eq!(active(&mut cli), first);
    let json = cli.run(&["import", "[dir]/breaking.ndjson", "--no-activate", "--json"]);
    let told = json.document();
    assert_eq!(
        (&told["refused"], json.status),
        (&json!(false), ExitStatus::Done)
    );
    assert_eq!(told["refusals"].as_array().unwrap().len(), 3);
    check(
        &cli,
        "import_without_activating_what_breaks",
        &[without_coverage(made)],
    );
}

#[test]
fn an_export_whose_boats_are_all_invalid_does_not_empty_the_catalogue() {
    let (mut cli, first) = imported();
    let invalid = Edited::sample().every("boat", |boat| boat["unit"] = json!("cubits"));
    invalid.write(&cli, "invalid.ndjson");
    let args = ["import", "--skip-invalid", "[dir]/invalid.ndjson", "--json"];
    let outcome = cli.run(&args);
    assert_eq!(outcome.status, ExitStatus::Refused);
    assert_eq!(outcome.document()["diff"]["boats"]["after"], 0);
    assert_eq!(active(&mut cli), first);
}

#[test]
fn an_edit_that_breaks_nothing_is_activated_and_shown() {
    let (mut cli, first) = imported();
    let edited = Edited::sample()
        .without_boats(1)
        .boat(0, |boat| boat["model"] = json!("Renamed"))
        .with_boat("added");
    edited.write(&cli, "edited.ndjson");
    let outcome = cli.run(&["import", "[dir]/edited.ndjson"]);
    assert_eq!(outcome.status, ExitStatus::Done, "{outcome}");
    assert_ne!(active(&mut cli), first);
    let back = cli.run(&["releases", "rollback"]);
    assert_eq!(active(&mut cli), first);
    check(
        &cli,
        "import_of_an_edit",
        &[without_coverage(outcome), back],
    );
}

#[test]
fn lost_filters_and_names_that_lead_elsewhere_are_shown_and_not_guarded() {
    let (mut cli, first) = imported();
    let edited = Edited::sample()
        .without_boats(1)
        .with_boat("angstrom-34")
        .every("term", |term| {
            if term["slug"] == "racing" {
                term["slug"] = json!("regatta");
            }
        });
    edited.write(&cli, "edited.ndjson");
    let outcome = cli.run(&["import", "[dir]/edited.ndjson"]);
    assert_eq!(outcome.status, ExitStatus::Done, "{outcome}");
    assert_ne!(active(&mut cli), first);
    for line in [
        "  2 filters of boats find nothing any more: category=racing, activity=racing\n",
        "  1 name of removed boats leads to another record now: angstrom-34\n",
    ] {
        assert!(outcome.out.contains(line), "{outcome}");
    }
}

#[test]
fn a_document_of_an_import_has_every_key_whatever_came_of_it() {
    let (mut cli, _) = imported();
    breaking().write(&cli, "breaking.ndjson");
    fs::File::create(cli.path("empty.ndjson")).unwrap();
    let documents = ["sample", "breaking", "empty"].map(|name| {
        let args = ["import", &format!("[dir]/{name}.ndjson"), "--json"];
        cli.run(&args).document()
    });
    let keys = documents.each_ref().map(|document| {
        let keys = document.as_object().unwrap().keys().cloned();
        keys.collect::<Vec<_>>()
    });
    assert_eq!(keys[0], keys[1]);
    assert_eq!(keys[0], keys[2]);
    let fields = &documents[0]["coverage"]["boats"]["fields"];
    assert_eq!(fields.as_array().unwrap().len(), 92);
    let id = json!({"path": "id", "present": 41, "fractional": false});
    assert_eq!(fields[0], id);
    assert_eq!(documents[2]["coverage"], Value::Null);
}

/// The sample, in which every boat has a price, but for the first `lost` boats, and where the first
/// `changed` ones have another price.
fn priced(lost: usize, changed: usize) -> Edited {
    let price = |amount| json!({ "amount": amount, "currency": { "code": "EUR", "symbol": "€" } });
    let prices = (0..41).map(|place| match place {
        _ if place < lost => Value::Null,
        _ if place < changed => price(2000 + place),
        _ => price(1000 + place),
    });
    prices
        .enumerate()
        .fold(Edited::sample(), |edited, (place, price)| {
            edited.boat(place, |boat| boat["referencePrice"] = price)
        })
}

/// The outcome of importing this after [`priced`] boats.
fn after_prices(edited: &Edited, args: &[&str]) -> (TestCli, Outcome) {
    let mut cli = TestCli::new();
    priced(0, 0).write(&cli, "first.ndjson");
    import(&mut cli, "[dir]/first.ndjson", &[]);
    cli.advance(Duration::from_mins(1));
    edited.write(&cli, "second.ndjson");
    let outcome = cli.run(&[&["import", "[dir]/second.ndjson"], args].concat());
    (cli, outcome)
}

#[test]
fn a_field_that_loses_its_value_in_too_many_records_is_refused() {
    let (cli, refused) = after_prices(&priced(10, 0), &[]);
    assert_eq!(refused.status, ExitStatus::Refused, "{refused}");
    check(
        &cli,
        "import_that_loses_values",
        &[without_coverage(refused)],
    );
    let (_cli, json) = after_prices(&priced(10, 0), &["--json"]);
    let told = json.document();
    insta::assert_json_snapshot!(
        json!([told["lostValues"], told["refusals"][0]["fields"]]),
        @r#"
    [
      {
        "boats": {
          "referencePrice": 10
        },
        "manufacturers": {}
      },
      [
        {
          "examples": [
            {
              "after": "null",
              "before": "{\"amount\":1000,\"currency\":{\"code\":\"EUR\",\"symbol\":\"€\"}}",
              "id": "boat-001"
            },
            {
              "after": "null",
              "before": "{\"amount\":1001,\"currency\":{\"code\":\"EUR\",\"symbol\":\"€\"}}",
              "id": "boat-002"
            },
            {
              "after": "null",
              "before": "{\"amount\":1002,\"currency\":{\"code\":\"EUR\",\"symbol\":\"€\"}}",
              "id": "boat-003"
            }
          ],
          "field": "referencePrice",
          "had": 41,
          "records": 10
        }
      ]
    ]
    "#
    );
}

#[test]
fn a_field_that_has_another_value_in_most_records_is_refused() {
    let (cli, refused) = after_prices(&priced(0, 21), &[]);
    assert_eq!(refused.status, ExitStatus::Refused, "{refused}");
    check(
        &cli,
        "import_that_changes_values",
        &[without_coverage(refused)],
    );
}

#[test]
fn values_of_fewer_than_ten_records_or_of_an_allowed_share_may_go() {
    for (lost, changed, args, is_activated) in [
        (9, 0, &[][..], true),
        (10, 0, &[], false),
        (10, 0, &["--max-lost-values", "24"], false),
        (10, 0, &["--max-lost-values", "25"], true),
        (1, 0, &["--max-lost-values", "0"], false),
        (0, 20, &[], true),
        (0, 21, &[], false),
        (0, 21, &["--max-changes", "52"], true),
        (0, 1, &["--max-changes", "0"], false),
    ] {
        let (_cli, outcome) = after_prices(&priced(lost, changed), args);
        let is_done = outcome.status == ExitStatus::Done;
        assert_eq!(
            is_done, is_activated,
            "{lost} {changed} {args:?}: {outcome}"
        );
    }
}

#[test]
fn a_name_of_a_term_may_change_in_every_boat() {
    let renamed = priced(0, 0).every("term", |term| {
        term["name"] = json!(format!("{} (new)", term["name"].as_str().unwrap()));
    });
    let (_cli, outcome) = after_prices(&renamed, &[]);
    assert_eq!(outcome.status, ExitStatus::Done, "{outcome}");
}

#[test]
fn a_page_of_changes_does_not_say_that_nothing_goes_away_when_values_went() {
    let (mut cli, outcome) = after_prices(&priced(2, 0), &[]);
    assert_eq!(outcome.status, ExitStatus::Done, "{outcome}");
    let shown = "  fields of boats that lost values: referencePrice 2\n";
    assert!(outcome.out.contains(shown), "{outcome}");
    cli.run(&["diff", "--report-html", "[dir]/page.html"]);
    let page = fs::read_to_string(cli.path("page.html")).unwrap();
    assert!(!page.contains("Nothing that consumers rely on goes away"));
    assert!(page.contains("fields of boats that lost values: referencePrice 2"));
    let diff = cli.run(&["diff"]);
    let shown = "Fields of boats that lost values, in how many records\n  referencePrice  2\n";
    assert!(diff.out.contains(shown), "{diff}");
}

#[test]
fn a_share_is_a_number_from_0_to_100() {
    let mut cli = TestCli::new();
    let outcomes = ["101", "-1", "ten"]
        .map(|share| cli.run(&["import", "sample", &format!("--max-removals={share}")]));
    assert!(
        outcomes
            .iter()
            .all(|outcome| outcome.status == ExitStatus::WrongUsage)
    );
    let unknown = cli.run(&["import", "sample", "--allow", "everything"]);
    let apart = cli.run(&["import", "sample", "--max-removals", "-1"]);
    assert_eq!(apart.status, ExitStatus::WrongUsage);
    let [share, _, _] = outcomes;
    crate::harness::check("import_with_bad_guards", [&share, &apart, &unknown]);
}
