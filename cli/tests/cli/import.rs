//! `catalogue import`: all or nothing, what is left out, what is served afterwards.

use std::fs;
use std::path::Path;
use std::time::Duration;

use cli::ExitStatus;
use serde_json::Value;
use shared::base::data_dir::DataDir;
use shared::release::reader::Dictionaries;
use shared::release::{FileName, Record, ReleaseStore, Releases};

use crate::edited::{check, release_ids as releases, without_coverage};
use crate::harness::{SAMPLE, TestCli, assert_snapshot};

const GOOD: &str = r#"{"kind":"manufacturer","id":"maker-1","slug":"maker","name":"Maker","updatedAt":"2026-10-01T12:00:00Z"}
{"kind":"term","vocabulary":"type","id":"type-1","slug":"monohull","name":"Monohull"}
{"kind":"boat","id":"boat-1","slug":"boat","model":"Boat","manufacturer":"maker-1","type":"type-1","production":{"firstYear":1990},"unit":"metric","lengthOverall":9.1}
"#;
const BAD_BOAT: &str = r#"{"kind":"boat","id":"boat-2","slug":"boat-2","model":"Bad","manufacturer":"maker-1","type":"type-1","production":{"firstYear":1990},"unit":"feet","lengthOverall":9.1}
"#;

#[test]
fn an_import_is_served_and_a_second_one_of_the_same_contents_changes_nothing() {
    let mut cli = TestCli::new();
    let first = cli.run(&["import", SAMPLE]);
    cli.advance(Duration::from_mins(1));
    let again = cli.run(&["import", "--json", SAMPLE]);
    let document = again.document();
    assert_eq!(document["existed"], true);
    assert_eq!(document["release"], document["active"]);
    assert_eq!(releases(&cli).len(), 1);
    let text = first
        .to_string()
        .replace(SAMPLE, "[sample]")
        .replace(&releases(&cli)[0], "[release 1]");
    assert_snapshot("import_sample", &text);
}

#[test]
fn an_export_with_errors_changes_nothing() {
    let mut cli = TestCli::new();
    cli.write("good.ndjson", GOOD);
    cli.write("bad.ndjson", format!("{GOOD}{BAD_BOAT}"));
    let before = cli.run(&["import", "[dir]/bad.ndjson"]);
    assert_eq!(releases(&cli), Vec::<String>::new());
    let good = cli.run(&["import", "[dir]/good.ndjson"]);
    let after = cli.run(&["import", "[dir]/bad.ndjson"]);
    let json = cli.run(&["import", "[dir]/bad.ndjson", "--json"]);
    assert_eq!(releases(&cli).len(), 1);
    let statuses = [&before, &good, &after, &json].map(|outcome| outcome.status);
    let (bad, done) = (ExitStatus::InvalidData, ExitStatus::Done);
    assert_eq!(statuses, [bad, done, bad, bad]);
    let outcomes = [before, without_coverage(good), after, json];
    check(&cli, "import_with_errors", &outcomes);
}

#[test]
fn invalid_records_are_left_out_when_that_is_asked_for() {
    let mut cli = TestCli::new();
    cli.write("bad.ndjson", format!("{BAD_BOAT}{GOOD}"));
    let args = "import [dir]/bad.ndjson --skip-invalid --rejects [dir]/rejects.ndjson";
    let outcome = cli.run(args);
    assert_eq!(outcome.status, ExitStatus::Done);
    assert_eq!(
        fs::read_to_string(cli.path("rejects.ndjson")).unwrap(),
        BAD_BOAT
    );
    check(&cli, "import_skipping", &[outcome]);
}

#[test]
fn rejected_lines_are_written_unchanged_and_also_where_nothing_is_imported() {
    let mut cli = TestCli::new();
    let rejected = [
        format!("\u{feff}{}\r\n", BAD_BOAT.trim_end()),
        " nonsense \r\n".to_owned(),
        "{\"kind\":\"designer\",\"id\":\"a\"}\r\n".to_owned(),
    ];
    cli.write("bad.ndjson", format!("{}{GOOD}", rejected.concat()));
    let args = ["import", "[dir]/bad.ndjson", "--rejects", "[dir]/rejects"];
    let outcome = cli.run(&args);
    assert_eq!(outcome.status, ExitStatus::InvalidData, "{outcome}");
    assert_eq!(releases(&cli), Vec::<String>::new());
    let written = fs::read_to_string(cli.path("rejects")).unwrap();
    let mut lines: Vec<&str> = written.split_inclusive('\n').collect();
    lines.sort_unstable();
    let mut expected: Vec<&str> = rejected.iter().map(String::as_str).collect();
    expected.sort_unstable();
    assert_eq!(lines, expected);
}

#[test]
fn what_no_record_can_be_blamed_for_stops_an_import_that_skips_too() {
    let mut cli = TestCli::new();
    cli.write("cut.ndjson", GOOD.strip_suffix("9.1}\n").unwrap());
    let counted = r#"{"kind":"catalogue","format":"boat-catalogue/1","counts":{"boat":2}}"#;
    cli.write("short.ndjson", format!("{counted}\n{GOOD}"));
    let outcomes = ["[dir]/cut.ndjson", "[dir]/short.ndjson"]
        .map(|export| cli.run(&["import", "--skip-invalid", export]));
    assert!(
        outcomes
            .iter()
            .all(|outcome| outcome.status == ExitStatus::InvalidData)
    );
    assert_eq!(releases(&cli), Vec::<String>::new());
    check(&cli, "import_damaged", &outcomes);
}

#[test]
fn a_release_can_be_made_without_being_served() {
    let mut cli = TestCli::new();
    cli.write("good.ndjson", GOOD);
    let made = cli.run(&["import", "--no-activate", "[dir]/good.ndjson"]);
    cli.advance(Duration::from_mins(1));
    let json = cli
        .run(&["import", "[dir]/good.ndjson", "--no-activate", "--json"])
        .document();
    assert_eq!(
        (&json["imported"], &json["active"]),
        (&Value::Bool(true), &Value::Null)
    );
    check(&cli, "import_without_activating", &[without_coverage(made)]);
}

#[test]
fn what_would_fail_in_the_end_fails_before_the_work() {
    let mut cli = TestCli::new();
    cli.write("good.ndjson", GOOD);
    let outcomes = [
        "import [dir]/missing.ndjson",
        "import [dir]/good.ndjson --report [dir]/missing/report.json",
        "import [dir]/good.ndjson --skip-invalid --rejects [dir]/missing/rejects",
        "import [dir]/good.ndjson --rejects [dir]/good.ndjson",
        "import [dir] --report [dir]/./good.ndjson",
        "import [dir]/good.ndjson --rejects [dir]/new --report [dir]/./new",
        "import [dir]/\u{1b}[31m\u{9b}\u{202e}\n.ndjson",
        "import",
    ]
    .map(|typed| cli.run(typed));
    assert_eq!(fs::read_to_string(cli.path("good.ndjson")).unwrap(), GOOD);
    assert!(!Path::new(&cli.path("catalogue-data")).exists());
    check(&cli, "import_refused", &outcomes);
}

#[test]
fn drafts_are_nowhere_in_a_release() {
    let mut cli = TestCli::new();
    let draft = BAD_BOAT
        .replace("feet", "metric")
        .replace("Bad", "Secret-Draft")
        .replace("type-1", "type-2")
        .replace("\"unit\"", "\"published\":false,\"unit\"");
    let of_draft = r#"{"kind":"term","vocabulary":"type","id":"type-2","slug":"secret-type","name":"Secret"}
{"kind":"manufacturer","id":"maker-2","slug":"secret-maker","name":"Hidden","updatedAt":"2026-10-01T12:00:00Z","published":false}
"#;
    cli.write("export.ndjson", format!("{GOOD}{of_draft}{draft}"));
    let json = cli
        .run(&["import", "--json", "[dir]/export.ndjson"])
        .document();
    assert_eq!(json["records"]["boat"]["unpublished"], 1);
    assert_eq!(json["records"]["manufacturer"]["unpublished"], 1);

    let store = ReleaseStore::new(DataDir::new(cli.path("catalogue-data")));
    let release = store.open(&store.current().unwrap().unwrap()).unwrap();
    let names = |records: Vec<Record>| -> Vec<String> {
        let names = |record: Record| [record.id.into(), record.slug.into()];
        records.into_iter().flat_map(names).collect()
    };
    assert_eq!(names(release.boats().unwrap()), ["boat-1", "boat"]);
    assert_eq!(
        names(release.manufacturers().unwrap()),
        ["maker-1", "maker"]
    );
    let words = release.words().unwrap();
    assert_eq!(words, [Box::from("boat"), Box::from("maker")]);
    let Dictionaries {
        types,
        categories,
        activities,
    } = release.terms().unwrap();
    let types: Vec<&str> = types.iter().map(|(slug, _)| &**slug).collect();
    assert_eq!(types, ["monohull"]);
    assert!(categories.is_empty() && activities.is_empty());
    for lines in [FileName::BoatLines, FileName::ManufacturerLines] {
        let lines = fs::read_to_string(release.path(lines)).unwrap();
        assert_eq!(lines.matches('\n').count(), 1, "{lines}");
        assert!(!lines.contains("boat-2") && !lines.contains("maker-2"));
    }
}

#[test]
fn an_import_is_a_page_for_editors_too_whatever_came_of_it() {
    let mut cli = TestCli::new();
    cli.write("good.ndjson", GOOD);
    cli.write("more.ndjson", GOOD.replace("\"Boat\"", "\"Sloop\""));
    cli.write("bad.ndjson", format!("{GOOD}{BAD_BOAT}"));
    let mut page_of = |export: &str, expected| {
        cli.advance(Duration::from_mins(1));
        let outcome = cli.run(&["import", export, "--report-html", "[dir]/page.html"]);
        assert_eq!(outcome.status, expected, "{outcome}");
        fs::read_to_string(cli.path("page.html")).unwrap()
    };
    let first = page_of("[dir]/good.ndjson", ExitStatus::Done);
    assert!(
        first.contains("The release is active: 0 warnings."),
        "{first}"
    );
    assert!(
        first.contains("Fields of boats") && !first.contains("Changed boats"),
        "{first}"
    );
    let second = page_of("[dir]/more.ndjson", ExitStatus::Done);
    assert!(second.contains("<h2>Changed boats</h2>"), "{second}");
    let change = "<td><del>&#34;Boat&#34;</del></td><td><ins>&#34;Sloop&#34;</ins></td>";
    assert!(second.contains(change), "{second}");
    let bad = page_of("[dir]/bad.ndjson", ExitStatus::InvalidData);
    assert!(bad.contains("Nothing was imported: 1 error."), "{bad}");
    cli.write("none.ndjson", GOOD.split_inclusive('\n').next().unwrap());
    let none = cli.run("import [dir]/none.ndjson --report-html [dir]/page.html");
    assert_eq!(none.status, ExitStatus::Refused, "{none}");
    let none = fs::read_to_string(cli.path("page.html")).unwrap();
    assert!(
        none.contains("The release was made, but is not activated:"),
        "{none}"
    );
}
