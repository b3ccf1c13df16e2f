//! `catalogue mapping` and `catalogue explain-code`: starting a mapping, seeing what it finds, and
//! the errors about one with mistakes.

use std::fs;

use cli::ExitStatus;
use import::finding::Code;
use import::mapping::Shipped;

use crate::folded::folded;
use crate::harness::{Outcome, TestCli, assert_snapshot, check};
use crate::process::catalogue_error;

const SANITY: &str = fixture!("mapped/sanity/data.ndjson");

const SHEET: &str = fixture!("mapped/minimal/csv/boats.csv");

/// A directory with the Sanity mapping and an export whose `loa` was renamed.
fn with_a_renamed_field() -> TestCli {
    let cli = TestCli::new();
    let documents = fs::read_to_string(SANITY).unwrap();
    let renamed = documents.replace("\"loa\":", "\"overallLength\":");
    cli.write("data.ndjson", renamed);
    cli.write("sanity.toml", Shipped::Sanity.text());
    cli
}

#[test]
fn init_writes_every_shipped_mapping_and_overwrites_nothing() {
    let mut cli = TestCli::new();
    for shipped in Shipped::ALL {
        let printed = cli.run(&["mapping", "init", shipped.name(), "-"]);
        assert_eq!(printed.out, shipped.text(), "{}", shipped.name());
    }
    let args = ["mapping", "init", "sanity", "[dir]/sanity.toml"];
    let written = cli.run(&args);
    let text = fs::read_to_string(cli.path("sanity.toml")).unwrap();
    assert_eq!(text, Shipped::Sanity.text());
    check("mapping_init", [&written, &cli.run(&args)]);
}

#[test]
fn check_names_the_field_that_was_renamed() {
    let mut cli = with_a_renamed_field();
    let shown = cli.run(&["mapping", "check", "[dir]/sanity.toml", "[dir]/data.ndjson"]);
    assert_eq!(shown.status, ExitStatus::InvalidData);
    check("mapping_check_renamed", [&shown]);

    let json = cli.run("mapping check --json [dir]/sanity.toml [dir]/data.ndjson");
    let document = json.document();
    let boats = &document["rules"][0];
    let fields = boats["fields"].as_array().unwrap();
    let length = fields
        .iter()
        .find(|field| field["field"] == "lengthOverall");
    assert_snapshot(
        "mapping_check_renamed_json",
        &[length.unwrap(), &boats["unread"]]
            .map(|value| folded(&format!("{value:#}")))
            .join("\n"),
    );
}

#[test]
fn a_column_that_was_renamed_leads_from_import_and_validate_and_the_page_to_the_check() {
    let mut cli = TestCli::new();
    let sheet = fs::read_to_string(SHEET).unwrap();
    cli.write("m.toml", Shipped::Minimal.text());
    cli.write("boats.csv", &sheet);
    let import = [
        "import",
        "[dir]/boats.csv",
        "--mapping",
        "[dir]/m.toml",
        "--report-html",
        "[dir]/page.html",
    ];
    let first = cli.run(&import);
    assert_eq!(first.status, ExitStatus::Done, "{first}");
    cli.write("boats.csv", sheet.replacen(",length,", ",loa,", 1));
    let imported = cli.run(&import);
    let page = fs::read_to_string(cli.path("page.html")).unwrap();
    assert!(page.contains("catalogue mapping check "), "{page}");
    let skipped = cli.run(&[&import[..], &["--skip-invalid"]].concat());
    assert_eq!(skipped.status, ExitStatus::Refused, "{skipped}");
    let validated = cli.run(&["validate", "[dir]/boats.csv", "--mapping", "[dir]/m.toml"]);
    for outcome in [&imported, &skipped, &validated] {
        let all = [outcome.out.as_str(), outcome.err.as_str()].concat();
        assert!(
            !all.contains("--skip-invalid") && !all.contains("--max-removals"),
            "{all}"
        );
    }
    check("validate_renamed_column", [&validated]);
    assert!(
        imported.out.contains("\nNext: catalogue mapping check "),
        "{imported}"
    );
    assert!(
        skipped
            .out
            .contains("\nFind out why:    catalogue mapping check "),
        "{skipped}"
    );
}

#[test]
fn check_of_an_export_that_fits_finds_nothing_wrong() {
    let mut cli = TestCli::new();
    fs::copy(SANITY, cli.path("data.ndjson")).unwrap();
    cli.write("sanity.toml", Shipped::Sanity.text());
    let outcome = cli.run(&["mapping", "check", "[dir]/sanity.toml", "[dir]/data.ndjson"]);
    assert_eq!(outcome.status, ExitStatus::Done, "{outcome}");
    let last = outcome.out.lines().last();
    assert_eq!(last, Some("0 errors, 0 warnings, 0 keys unread."));
    let export = fs::read(SANITY).unwrap();
    let piped = cli.run_with_input(&["mapping", "check", "[dir]/sanity.toml", "-"], &export);
    assert_eq!((piped.status, &piped.out), (outcome.status, &outcome.out));
}

#[test]
fn a_mapping_with_mistakes_is_shown_where_they_are_and_nothing_is_written() {
    let mut cli = with_a_renamed_field();
    let mapping = Shipped::Sanity.text();
    let mistaken = mapping
        .replace("kind = \"boat\"", "kid = \"boat\"")
        .replace("\".loa\"", "\".loa | metres(\"");
    cli.write("a.toml", mistaken);
    let args = |command| [command, "--mapping", "[dir]/a.toml", "[dir]/data.ndjson"];
    let outcomes: Vec<Outcome> = ["import", "validate"]
        .map(|command| cli.run(&args(command)))
        .into();
    for outcome in &outcomes {
        assert_eq!(outcome.status, ExitStatus::WrongUsage, "{outcome}");
    }
    check("mapping_mistakes", &outcomes);
    let hostile = mapping.replace("\".title\"", "\".title\u{1b}[2J\"");
    cli.write("a.toml", hostile);
    check("mapping_hostile", [&cli.run(&args("validate"))]);
    assert!(!cli.path("catalogue-data").exists());
    let missing = cli.run(&["validate", "--mapping", "[dir]/b.toml", "[dir]/data.ndjson"]);
    check("mapping_missing", [&missing]);
}

#[test]
fn an_expression_that_never_ends_is_reported() {
    let cli = TestCli::new();
    // An endless loop without results needs no memory.
    let endless = "last(repeat(empty), until(false; .))";
    let mapping = Shipped::Sanity.text();
    cli.write(
        "a.toml",
        mapping.replace("\".loa\"", &format!("\"{endless}\"")),
    );
    let path = cli.path("a.toml");
    let args = ["validate", "--mapping", path.to_str().unwrap(), SANITY];
    let error = catalogue_error(&cli.path("data"), &args);
    let expected = format!("took longer than 5 s: `{endless}` may never end");
    assert!(error.contains(&expected), "{error}");
}

/// A mapping of boats and manufacturers, each a line with `key` and `type`.
const BOATS: &str = r#"
mapping = "boat-catalogue-mapping/1"
[[sources]]
files = ["*.ndjson"]
reader = "ndjson"
[envelope]
key = ".key"
type = ".type"
id = '.key | gsub(":"; "-")'
[[emit]]
kind = "boat"
type = "boat"
fields.manufacturer = ".maker | pub"
fields.categories = { each = ".tags", value = "pub" }
"#;

#[test]
fn a_key_that_no_record_has_is_a_reference_that_leads_nowhere_whatever_its_form() {
    let mut cli = TestCli::new();
    cli.write("a.toml", BOATS);
    let boat = r#"{"key":"boat:1","type":"boat","maker":"maker:12","tags":["tag/1"]}"#;
    cli.write("a.ndjson", boat);
    let args = ["validate", "--mapping", "[dir]/a.toml", "[dir]/a.ndjson"];
    let told = cli.run(&args).to_string();
    for expected in [
        "error[DANGLING_REFERENCE]: the export has no manufacturer maker:12\n",
        "/manufacturer",
        "by `.maker | pub` ([dir]/a.toml:13)",
        "error[DANGLING_REFERENCE]: the export has no category term tag/1\n",
        "/categories/0",
    ] {
        assert!(told.contains(expected), "{expected}: {told}");
    }
    assert!(!told.contains("INVALID_ID"), "{told}");
}

#[test]
fn every_code_is_explained() {
    let mut cli = TestCli::new();
    let list = cli.run(&["explain-code"]);
    let codes = Code::ALL.iter().map(|code| code.as_str());
    let typed: Vec<&str> = std::iter::once("explain-code").chain(codes).collect();
    let each = cli.run(&typed);
    let typed_small = cli.run(&["explain-code", "file_truncated"]);
    let mistyped = cli.run(&["explain-code", "DANGLING_REFERENC"]);
    let unknown = cli.run(&["explain-code", "X"]);
    check(
        "explain_code",
        [&list, &each, &typed_small, &mistyped, &unknown],
    );
}
