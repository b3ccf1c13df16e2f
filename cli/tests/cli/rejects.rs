//! What `--rejects` writes has the form in which it was read, and is imported again once it is
//! corrected.

use std::fs;

use cli::ExitStatus;
use import::mapping::Shipped;
use serde_json::{Value, json};

use crate::harness::{Outcome, TestCli};

const HEADER: &str = "id;maker;model;type;first_year;length;description;status\n";
const GOOD: &str = "b1;Volund Yards;34;Sailing monohull;2018;10.36;\"two\nlines\";published\n";
/// Three rows, of which the last one makes neither a boat nor a maker.
const BAD: &str = "b2;Volund Yards;40;Sailing monohull;soon;12.1;\"a \"\"fine\"\" boat;\nfast\";published\n\
    b3;???;50;Sailing monohull;2020;15;'=1+1;published\n\
    b4;Volund Yards;60;Sailing monohull;2021;5000;;published\n";

/// Imports a list by the mapping `minimal`.
fn import(cli: &mut TestCli, args: &[&str]) -> Outcome {
    cli.write("minimal.toml", Shipped::Minimal.text());
    let import = [
        "import",
        "--json",
        "--mapping=[dir]/minimal.toml",
        "--skip-invalid",
    ];
    let outcome = cli.run(&[&import[..], args].concat());
    assert_eq!(outcome.status, ExitStatus::Done, "{outcome}");
    outcome
}

fn published(outcome: &Outcome) -> Value {
    outcome.document()["records"]["boat"]["published"].clone()
}

#[test]
fn rows_come_back_below_their_header_and_are_imported_before_the_rest_once_corrected() {
    let mut cli = TestCli::new();
    cli.write("boats.csv", [HEADER, GOOD, BAD].concat());
    let first = import(
        &mut cli,
        &["--rejects=[dir]/corrected.csv", "[dir]/boats.csv"],
    );
    assert_eq!(published(&first), json!(1), "{first}");
    let rejects = fs::read_to_string(cli.path("corrected.csv")).unwrap();
    assert_eq!(rejects, ["\u{feff}", HEADER, BAD].concat());

    let corrected = rejects
        .replace("soon", "2020")
        .replace("???", "Volund Yards");
    cli.write("corrected.csv", corrected.replace("5000", "18"));
    let again = import(&mut cli, &["[dir]/corrected.csv", "[dir]/boats.csv"]);
    assert_eq!(published(&again), json!(4), "{again}");
}

#[test]
fn a_row_that_does_not_fit_its_header_comes_back_with_its_delimiter_and_its_formula() {
    let mut cli = TestCli::new();
    let head = HEADER.replace(';', "|");
    let bad = "b5|Volund Yards|70|Sailing monohull|2020|15|'=1+1|published|more\n";
    let good = GOOD.replace(';', "|");
    cli.write("boats.csv", ["sep=|\n", &head, &good, bad].concat());
    import(
        &mut cli,
        &["--rejects=[dir]/corrected.csv", "[dir]/boats.csv"],
    );
    let rejects = fs::read_to_string(cli.path("corrected.csv")).unwrap();
    assert_eq!(rejects, ["\u{feff}sep=|\n", &head, bad].concat());

    cli.write("corrected.csv", rejects.replace("|more", ""));
    let again = import(&mut cli, &["[dir]/corrected.csv", "[dir]/boats.csv"]);
    assert_eq!(published(&again), json!(2), "{again}");
}

#[test]
fn a_record_of_json_comes_back_as_it_was_read_and_is_found_by_its_number() {
    let mut cli = TestCli::new();
    let boat = |id: &str, length: &str| {
        format!(
            "{{\"id\": \"{id}\", \"maker\": \"Volund Yards\", \"model\": \"Model {id}\", \
             \"type\": \"Sailing monohull\", \"first_year\": 2018, \"length\": {length}, \
             \"status\": \"published\", \"notes\": 1.50}}"
        )
    };
    let bad = boat("b2", "5000");
    cli.write("boats.json", format!("[{}, {bad}]", boat("b1", "9.5")));
    let args = ["--rejects=[dir]/rejected.ndjson", "[dir]/boats.json"];
    let outcome = import(&mut cli, &args);
    let rejects = fs::read_to_string(cli.path("rejected.ndjson")).unwrap();
    assert_eq!(rejects, format!("{bad}\n"));
    let finding = &outcome.document()["findings"][0];
    assert_eq!(
        (&finding["line"], &finding["number"]),
        (&json!(1), &json!(2))
    );
    let shown = cli.run("validate --mapping=[dir]/minimal.toml [dir]/boats.json");
    let note = "in the boat b2 (Model b2), mapped from record 2";
    assert!(shown.err.contains(note), "{shown}");
}

#[test]
fn native_lines_are_imported_in_place_of_those_that_were_rejected() {
    let mut cli = TestCli::new();
    let export = "{\"kind\":\"catalogue\",\"format\":\"boat-catalogue/1\",\"counts\":{\"designer\":2}}\n\
        {\"kind\":\"designer\",\"id\":\"d1\",\"name\":\"Åse Lund\"}\n\
        {\"kind\":\"designer\",\"id\":\"d2\",\"name\":\"Ida\",\"website\":\"ida.example\"}\n";
    cli.write("export.ndjson", export);
    let args = [
        "--skip-invalid",
        "--rejects=[dir]/rejected.ndjson",
        "[dir]/export.ndjson",
    ];
    let outcome = cli.run(&[&["import"][..], &args].concat());
    assert_eq!(outcome.status, ExitStatus::Done, "{outcome}");
    let rejects = fs::read_to_string(cli.path("rejected.ndjson")).unwrap();
    let rest: Vec<&str> = export
        .split_inclusive('\n')
        .filter(|line| *line != rejects)
        .collect();
    cli.write("rest.ndjson", rest.concat());
    cli.write("corrected.ndjson", rejects.replace("ida", "https://ida"));
    let again = cli.run(&["import", "[dir]/rest.ndjson", "[dir]/corrected.ndjson"]);
    assert_eq!(again.status, ExitStatus::Done, "{again}");
}
