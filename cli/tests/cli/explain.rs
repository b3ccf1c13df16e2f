//! `catalogue explain`.

use cli::ExitStatus;
use cli::terminal::Terminal;
use serde_json::Value;

use crate::edited::{self, active, import};
use crate::harness::{Outcome, SAMPLE, TestCli};

fn sample() -> TestCli {
    let mut cli = TestCli::new();
    import(&mut cli, SAMPLE, &[]);
    cli
}

#[test]
fn lists_records_and_errors_are_explained_without_a_server() {
    let mut cli = sample();
    let outcomes: Vec<Outcome> = [
        "/v1/boats?search=oland&sort=length&limit=1",
        "https://boats.example:8443/v1/manufacturers?order=desc&limit=5&offset=5#rows",
        "/v1/boats/oland-9-mk-ii",
        "/v1/terms",
        "/v1/manufacturers/angstrom-batar/boats?category=cruisers&limit=2",
        "/v1",
        "/v1/boats?lenghtMin=30&sort=size",
        "/v1/boats/nowhere",
        "/v2",
        "v1/boats",
    ]
    .map(|address| cli.run(&["explain", address]))
    .into();
    let (done, wrong) = (ExitStatus::Done, ExitStatus::WrongUsage);
    let statuses: Vec<ExitStatus> = outcomes.iter().map(|outcome| outcome.status).collect();
    let expected = [
        done, done, done, done, done, done, wrong, wrong, wrong, wrong,
    ];
    assert_eq!(statuses, expected);
    let outcomes: Vec<Outcome> = outcomes.into_iter().map(without_plans).collect();
    edited::check(&cli, "explain", &outcomes);
}

#[test]
fn a_document_has_all_of_an_explanation() {
    let mut cli = sample();
    let address = "/v1/boats?type=sailing-monohull&lengthMin=9&limit=2";
    let outcome = cli.run(&["explain", address, "--json"]);
    let shown = cli.run(&["explain", address]).out;
    for statement in outcome.document()["list"]["statements"].as_array().unwrap() {
        assert_plan(&statement["plan"], &shown);
    }
    edited::check(&cli, "explain_json", &[without_plans(outcome)]);
}

/// An explanation without the plan of each statement, which is that of one version of DuckDB.
/// Every line of it is indented deeper than the one that it stands below.
fn without_plans(mut explained: Outcome) -> Outcome {
    let mut plan: Option<usize> = None;
    let mut text = String::new();
    for line in explained.out.lines() {
        let depth = line.len() - line.trim_start().len();
        if plan.is_some_and(|plan| plan < depth) {
            continue;
        }
        plan = matches!(line.trim_start(), "plan:" | "\"plan\": [").then_some(depth);
        text.push_str(line);
        text.push('\n');
    }
    explained.out = text;
    explained
}

/// Holds that a plan ends with the scan of a table, and that people are shown it too.
fn assert_plan(steps: &Value, shown: &str) {
    let [step] = steps.as_array().unwrap().as_slice() else {
        panic!("{steps}")
    };
    assert!(step["rows"].is_u64(), "{step}");
    if step["operator"] == "SEQ_SCAN" {
        let [filters, table] =
            ["Filters", "Table"].map(|detail| step["details"][detail].as_str().unwrap());
        assert_eq!(table, "memory.main.boats_by_model");
        let line = format!(
            "SEQ_SCAN, {} rows; Filters: {filters}; Table: {table}",
            step["rows"]
        );
        let words: Vec<&str> = shown.split_whitespace().collect();
        assert!(words.join(" ").contains(&line), "{line}: {shown}");
    } else {
        assert_plan(&step["from"], shown);
    }
}

#[test]
fn another_release_than_the_active_one_can_be_asked() {
    let mut cli = sample();
    let first = active(&mut cli);
    cli.advance(std::time::Duration::from_mins(1));
    edited::Edited::sample()
        .with_boat("added")
        .write(&cli, "export.ndjson");
    import(&mut cli, "[dir]/export.ndjson", &[]);
    let mut total = |release: &[&str]| {
        let args = [&["explain", "/v1/boats", "--json"], release].concat();
        let told = cli.run(&args).document();
        told["list"]["total"].as_u64().unwrap()
    };
    assert_eq!(total(&[]), total(&["--release", &first]) + 1);
}

#[test]
fn nothing_can_be_explained_without_a_release() {
    let mut cli = TestCli::new();
    let outcome = cli.run(&["explain", "/v1/boats"]);
    assert_eq!(outcome.status, ExitStatus::Failure);
    assert!(outcome.err.contains("no release is active"), "{outcome}");
}

#[test]
fn a_credential_is_never_repeated_whatever_is_wrong_with_its_address() {
    let mut cli = sample();
    let key = "boat_live_789ABCDEFGHIJKLMNOPQRSTUVWXYZabc2uHPRw";
    for address in [
        format!("/v1/boats?key={key}"),
        format!("/v1/boats/{key}"),
        format!("/v1/boats/{}", key.replace("_live_789", "%5Flive_%3789")),
        format!("v1/boats?token=hush&limit={key}"),
        "https://me:hush@boats.example/v1/boats?limit=0".to_owned(),
        "/v2?access_token=hush".to_owned(),
    ] {
        for args in [&["explain", &address][..], &["explain", &address, "--json"]] {
            let outcome = cli.run(args);
            assert_eq!(outcome.status, ExitStatus::WrongUsage, "{outcome}");
            for text in [&outcome.out, &outcome.err] {
                assert!(
                    !text.contains("hush") && !text.contains(&key[20..24]),
                    "{text}"
                );
            }
        }
    }
}

#[test]
fn a_key_is_not_repeated_where_the_lines_of_a_terminal_break_it() {
    let mut cli = sample();
    let address = "/v1/boats/boat_live_789ABCDEFGHIJKLMNOPQRSTUVWXYZabc2uHPRw";
    let terminal = Terminal {
        out: true,
        columns: Some(40),
        ..Terminal::default()
    };
    let outcome = cli.run_in(&["explain", address], |context| context.terminal = terminal);
    assert!(outcome.out.contains("boat_live_789ABC…"), "{outcome}");
    assert!(!outcome.out.contains("2uHPRw"), "{outcome}");
}

#[test]
fn lines_fit_the_terminal() {
    let mut cli = sample();
    for columns in [60, 80, 120] {
        let terminal = Terminal {
            out: true,
            columns: Some(columns),
            ..Terminal::default()
        };
        let args = ["explain", "/v1/boats?search=oland&yearFrom=1980&limit=1"];
        let outcome = cli.run_in(&args, |context| context.terminal = terminal);
        for line in outcome.out.lines() {
            assert!(line.chars().count() <= columns, "{columns}: {line}");
        }
    }
}

#[test]
fn the_time_of_a_statement_is_that_of_the_clock() {
    let mut cli = sample();
    let told = cli.run(&["explain", "/v1/boats", "--json"]).document();
    assert_eq!(told["list"]["statements"][0]["tookMicroseconds"], 0);
}
