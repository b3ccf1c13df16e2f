//! `catalogue mapping check`: which keys nothing reads, which keys are read but missing, and which
//! rule a finding belongs to.

use cli::ExitStatus;
use serde_json::{Value, json};

use crate::harness::TestCli;

/// A mapping of lines with `id` and `type`, whose rules follow.
const BEGINNING: &str = r#"
mapping = "boat-catalogue-mapping/1"
[[sources]]
files = ["*.ndjson"]
reader = "ndjson"
[envelope]
key = ".id"
type = ".type"
"#;

/// The beginning of a rule for boats; its fields follow.
const BOAT: &str = r#"
[[emit]]
kind = "boat"
type = "boat"
[emit.fields]
slug = ".name | slugify"
model = ".name"
"#;

/// The result of checking records, one per line.
fn checked(mapping: &str, records: &str) -> (ExitStatus, Value) {
    let mut cli = TestCli::new();
    cli.write("a.toml", mapping);
    cli.write("a.ndjson", records);
    let outcome = cli.run("mapping check --json [dir]/a.toml [dir]/a.ndjson");
    let report = serde_json::from_str(&outcome.out);
    (
        outcome.status,
        report.unwrap_or_else(|_| panic!("{outcome}")),
    )
}

/// The unread keys of the records, with the number of records that have each, first by rule and
/// then for other types.
fn unread(report: &Value) -> Vec<String> {
    let lists = ["rules", "linked"].map(|list| report[list].as_array().unwrap());
    let lists = lists.into_iter().flatten().map(|of| &of["unread"]);
    let keys = lists.chain([&report["loneLinks"]]);
    let keys = keys.flat_map(|list| list.as_array().unwrap());
    keys.map(|key| format!("{} {}", key["key"].as_str().unwrap(), key["records"]))
        .collect()
}

/// The keys that are read but missing, with suggestions.
fn missing(report: &Value) -> Vec<String> {
    let rules = report["rules"].as_array().unwrap().iter();
    let fields = rules.flat_map(|rule| rule["fields"].as_array().unwrap());
    let keys = fields.flat_map(|field| field["missing"].as_array().unwrap());
    keys.map(|key| match key["suggestion"].as_str() {
        None => key["key"].as_str().unwrap().to_owned(),
        Some(suggestion) => format!("{} ({suggestion})", key["key"].as_str().unwrap()),
    })
    .collect()
}

#[track_caller]
fn check(fields: &str, records: &str, expected: (&[&str], &[&str])) {
    let (_, report) = checked(&format!("{BEGINNING}{BOAT}{fields}"), records);
    let (expected_unread, expected_missing) = expected;
    assert_eq!(unread(&report), expected_unread);
    assert_eq!(missing(&report), expected_missing);
}

#[test]
fn a_key_that_is_named_as_a_function_or_a_word_in_a_text_is_unread() {
    check(
        r#"
        version = 'if (.name | length) > 0 then "width or i" else null end'
        "#,
        r#"{"id":"1","type":"boat","name":"A","length":"10 m","width":"3 m","i":1,"name ":2}"#,
        (&["i 1", "length 1", "name  1", "width 1"], &[]),
    );
}

#[test]
fn keys_of_objects_are_counted_where_some_beside_them_are_read() {
    check(
        r#"
        lengthOverall = ".dims.loa"
        engines = { each = ".engines", fields = { maker = ".brand" } }
        description = ".notes | tojson"
        "#,
        r#"{"id":"1","type":"boat","name":"A","dims":{"loa":1,"beam":2,"rest":{"a":1}},"notes":{"x":1}}
           {"id":"2","type":"boat","name":"B","dims":{"beam":null},"engines":[{"brand":"X","hours":1},{"hours":2}]}
           {"id":"3","type":"boat","name":"C","more":{"a":{"b":1},"c":2},"dims":{"draft":3}}"#,
        (
            &[
                "dims.beam 1",
                "dims.draft 1",
                "dims.rest 1",
                "engines[].hours 1",
                "more 1",
            ],
            &[],
        ),
    );
}

#[test]
fn words_of_the_language_are_not_keys() {
    check(
        r#"
        version = '.version | if . == "-" then null else . end'
        description = '.d | . as $x | $x'
        "#,
        r#"{"id":"1","type":"boat","name":"A","version":null,"d":null}"#,
        (&[], &[]),
    );
}

#[test]
fn a_check_says_what_its_exit_status_is_for() {
    let mut cli = TestCli::new();
    cli.write("a.ndjson", r#"{"id":"1","type":"term","name":"A"}"#);
    let term = r#"
[[emit]]
kind = "term"
type = "term"
[emit.fields]
vocabulary = '"type"'
slug = ".id"
name = ".title // .name"
"#;
    cli.write("a.toml", format!("{BEGINNING}{term}"));
    let outcome = cli.run(&["mapping", "check", "[dir]/a.toml", "[dir]/a.ndjson"]);
    assert_eq!(outcome.status, ExitStatus::InvalidData, "{outcome}");
    let last = "\n0 errors, 1 missing key, 1 warning, 0 keys unread.\n";
    assert!(outcome.out.ends_with(last), "{outcome}");
}

#[test]
fn a_key_that_no_record_has_is_reported_with_its_path_and_what_may_be_meant() {
    check(
        r#"
        lengthOverall = ".dims.lenght"
        version = '.vers // .version'
        engines = { each = ".engines", fields = { maker = ".brand", power = ".power" } }
        hull.keelType = ".hull.keel"
        "#,
        r#"{"id":"1","type":"boat","name":"A","dims":{"length":1},"version":"x","engines":[]}
           {"id":"2","type":"boat","name":"B","engines":[{"brand":"X","hp":1}],"hull":null}
           {"id":"3","type":"other","vers":1,"dims":{"lenght":1}}"#,
        (
            &["dims.length 1", "engines[].hp 1"],
            &["dims.lenght (dims.length)", "vers", "engines[].power"],
        ),
    );
}

#[test]
fn a_key_that_any_rule_for_the_type_reads_is_read() {
    let maker = r#"
[[emit]]
kind = "manufacturer"
type = "boat"
where = ".maker.kind == 1"
distinct = true
[emit.fields]
id = ".maker.name | slugify"
name = ".maker.name"
"#;
    let record = r#"{"id":"1","type":"boat","name":"A","maker":{"name":"M","kind":1,"since":2}}"#;
    let (_, report) = checked(&format!("{BEGINNING}{BOAT}{maker}"), record);
    assert_eq!(unread(&report), ["maker.since 1"]);
    let ignoring = maker.replace("distinct", "ignore = [\"maker.since\"]\ndistinct");
    let (_, report) = checked(&format!("{BEGINNING}{BOAT}{ignoring}"), record);
    assert_eq!(unread(&report), [""; 0]);
}

#[test]
fn what_references_lead_to_is_read_there_and_nowhere_else() {
    let rule = r#"
manufacturer = ".maker | deref | .name"
version = ".series | deref | .short"
[[emit]]
kind = "manufacturer"
type = "maker"
[emit.fields]
website = ".site"
"#;
    let records = r#"{"id":"1","type":"boat","name":"A","maker":"m","series":"s","short":0}
        {"id":"m","type":"maker","name":"M","site":"x","short":"y"}
        {"id":"s","type":"series","name":"S","short":"s"}"#;
    let (_, report) = checked(&format!("{BEGINNING}{BOAT}{rule}"), records);
    assert_eq!(unread(&report), ["short 1", "short 1", "name 1"]);
    assert_eq!(missing(&report), [""; 0]);
}

#[test]
fn links_that_nothing_asks_for_are_reported_wherever_they_lead_from() {
    let rule = r#"
manufacturer = 'links("maker")[0]'
[links]
files = ["*.ndjson"]
reader = "ndjson"
each = 'if .links then [.links[] | {from: .[0], field: .[1], to: .[2], position: 0}] else [] end'
"#;
    let records = r#"{"id":"1","type":"boat","name":"A"}
        {"id":"2","type":"hero"}
        {"links":[["1","maker","m"],["1","tags","t"],["2","image","i"],["x:3","media","i"],["x:4","media","i"]]}"#;
    let (_, report) = checked(&format!("{BEGINNING}{BOAT}{rule}"), records);
    let expected = [
        "links(\"tags\") 1",
        "links(\"image\") 1",
        "links(\"media\") 2",
    ];
    assert_eq!(unread(&report), expected);
    assert_eq!(report["loneLinks"][0]["sample"], "x:3");
}

#[test]
fn links_that_another_record_is_asked_for_are_read_there() {
    let rules = r#"
x_range = 'links(.maker; "range")'
[[emit]]
kind = "manufacturer"
type = "maker"
[emit.fields]
name = '.name'
[links]
files = ["*.ndjson"]
reader = "ndjson"
each = 'if .links then [.links[] | {from: .[0], field: .[1], to: .[2]}] else [] end'
"#;
    let records = r#"{"id":"1","type":"boat","name":"A","maker":"m"}
        {"id":"m","type":"maker","name":"M"}
        {"links":[["m","range","r"],["m","tags","t"],["1","range","r"]]}"#;
    let (_, report) = checked(&format!("{BEGINNING}{BOAT}{rules}"), records);
    assert_eq!(unread(&report), ["links(\"tags\") 1"]);
}

#[test]
fn a_key_with_a_dot_is_distinguished_from_a_path() {
    check(
        "x_c = '.a.c'",
        r#"{"id":"1","type":"boat","name":"A","a":{"b":1,"c":2},"a.b":1,"d[]":1,"e":[{"f \"g\"":1}]}"#,
        (&["\"a.b\" 1", "\"d[]\" 1", "a.b 1", "e 1"], &[]),
    );
}

#[test]
fn a_finding_counts_for_the_rule_that_made_the_record() {
    let second = r#"
lengthOverall = ".loa"
[[emit]]
kind = "boat"
type = "boat"
where = ".big"
[emit.fields]
id = '"big-\(.id)"'
slug = '"big"'
lengthOverall = ".long"
"#;
    let record = r#"{"id":"1","type":"boat","name":"A","loa":10,"long":"long","big":true}"#;
    let (_, report) = checked(&format!("{BEGINNING}{BOAT}{second}"), record);
    let errors = |rule: usize| {
        let fields = report["rules"][rule]["fields"].as_array().unwrap();
        let length = fields
            .iter()
            .find(|field| field["field"] == "lengthOverall");
        length.unwrap()["errors"].clone()
    };
    assert_eq!((errors(0), errors(1)), (json!(0), json!(1)));
    let findings = report["findings"].as_array().unwrap().iter();
    let origins: Vec<&str> = findings
        .filter(|finding| finding["pointer"] == "/lengthOverall")
        .map(|finding| finding["origin"].as_str().unwrap())
        .collect();
    assert_eq!(origins.len(), 1);
    assert!(
        origins[0].contains("`.long`") && !origins[0].contains("`.loa`"),
        "{origins:?}"
    );
}
