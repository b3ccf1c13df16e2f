//! `catalogue validate`: one folder of fixtures for each code, found by listing the directory, and
//! the options.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use cli::ExitStatus;
use import::finding::{Blame, Code, Severity};
use serde_json::{Map, Value};

use crate::harness::{Outcome, TestCli, assert_snapshot, check};
use crate::page;

pub(crate) fn fixtures() -> PathBuf {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../fixtures")).to_owned()
}

/// Copies a fixture into the test's directory, so that the output contains no path of this machine.
pub(crate) fn copy(cli: &TestCli, fixture: &Path) -> String {
    let name = fixture.file_name().unwrap().to_str().unwrap();
    copy_all(fixture, &cli.path(name));
    format!("[dir]/{name}")
}

/// Copies a file, or a folder with everything in it.
fn copy_all(from: &Path, to: &Path) {
    if from.is_file() {
        fs::copy(from, to).unwrap();
        return;
    }
    fs::create_dir(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        copy_all(&entry.path(), &to.join(entry.file_name()));
    }
}

/// The name of the mapping that a fixture may have beside its export.
const MAPPING: &str = "mapping.toml";

/// The only export in a folder: a file or another folder.
fn export_of(folder: &Path) -> PathBuf {
    let entries = fs::read_dir(folder);
    let entries = entries.unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let mut files = entries
        .map(|entry| entry.unwrap().path())
        .filter(|path| !path.ends_with(MAPPING));
    let export = files.next().unwrap();
    assert_eq!(files.next(), None, "{} has one export", folder.display());
    export
}

#[test]
fn every_code_has_a_fixture_and_every_fixture_a_code() {
    let codes = Code::ALL.iter().map(|code| code.as_str().to_lowercase());
    let codes: BTreeSet<String> = codes.collect();
    let folders: BTreeSet<String> = fs::read_dir(fixtures().join("findings"))
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    assert_eq!(folders, codes);
}

#[test]
fn every_code_is_shown_to_people_and_to_programs() {
    let mut groups = BTreeMap::new();
    let mut documents = Vec::new();
    for code in Code::ALL {
        let name = code.as_str().to_lowercase();
        let mut cli = TestCli::new();
        let folder = fixtures().join("findings").join(&name);
        let mut typed = vec!["validate".to_owned(), copy(&cli, &export_of(&folder))];
        if folder.join(MAPPING).exists() {
            typed.extend(["--mapping".to_owned(), copy(&cli, &folder.join(MAPPING))]);
        }
        let mut typed: Vec<&str> = typed.iter().map(String::as_str).collect();
        let shown = cli.run(&typed);
        typed.push("--json");
        let json = cli.run(&typed);
        let expected = match code.severity() {
            Severity::Error => ExitStatus::InvalidData,
            Severity::Warning => ExitStatus::Done,
        };
        assert_eq!((shown.status, json.status), (expected, expected), "{code}");
        assert!(
            shown.err.contains(&format!("[{code}]")),
            "{code}: {}",
            shown.err
        );
        let document = json.document();
        assert!(
            document["counts"][code.as_str()].is_u64(),
            "{code}: {document:#}"
        );
        assert_same_counts(&shown.out, &document);
        for finding in document["findings"].as_array().unwrap() {
            assert_shown(&shown.err, finding);
        }
        let summary = summary(document["counts"].as_object().unwrap());
        let (findings, said) = shown.err.rsplit_once("\n\n").unwrap();
        assert_eq!(words(said), summary, "{shown}");
        let group = match (code.severity(), code.blame()) {
            (Severity::Error, Blame::Record) => "finding_errors_of_records",
            (Severity::Error, Blame::Export) => "finding_errors_of_exports",
            (Severity::Warning, _) => "finding_warnings",
        };
        let texts: &mut Vec<String> = groups.entry(group).or_default();
        texts.push(format!("# {code}\n{findings}\n"));
        if AS_DOCUMENTS.contains(&code.as_str()) {
            documents.push(json);
        }
    }
    for (group, texts) in groups {
        assert_snapshot(group, &texts.join("\n"));
    }
    check("findings_json", &documents);
}

/// Codes whose findings have, one or another, every member of a document: a place in a record with a
/// hint, one of a mapping, one in a file, and none at all.
const AS_DOCUMENTS: [&str; 4] = [
    "INVALID_URL",
    "MAPPING_FAILED",
    "RECORDS_NOT_FOUND",
    "NO_PUBLISHED_BOATS",
];

/// The words of the lines that count the findings of each code and explain it.
fn summary(counts: &Map<String, Value>) -> BTreeSet<String> {
    let lines = counts.iter().map(|(name, count)| {
        let code = Code::ALL.iter().find(|code| code.as_str() == name).unwrap();
        let severity = code.severity().as_str();
        let plural = if *count == 1 { "" } else { "s" };
        format!("{count} {severity}{plural} {code} {}", code.explanation())
    });
    lines.collect()
}

/// The words of each line, with one blank between them.
fn words(lines: &str) -> BTreeSet<String> {
    let words = |line: &str| line.split_whitespace().collect::<Vec<_>>().join(" ");
    lines.lines().map(words).collect()
}

/// Holds that people are shown the numbers that programs are.
fn assert_same_counts(shown: &str, document: &Value) {
    for (name, kind) in [
        ("boats", "boat"),
        ("manufacturers", "manufacturer"),
        ("terms", "term"),
        ("designers", "designer"),
    ] {
        let row = shown.lines().find(|line| line.starts_with(name)).unwrap();
        let row: Vec<&str> = row.split_whitespace().skip(1).collect();
        let counts = ["published", "unpublished", "invalid"];
        let counts = counts.map(|state| document["records"][kind][state].to_string());
        assert_eq!(row, counts, "{shown}");
    }
    for counted in ["errors", "warnings"] {
        let count = document[counted].as_u64().unwrap();
        let word = if count == 1 {
            &counted[..counted.len() - 1]
        } else {
            counted
        };
        assert!(shown.contains(&format!("{count} {word}")), "{shown}");
    }
}

/// Holds that people are shown a finding that programs are, with its place.
fn assert_shown(shown: &str, finding: &Value) {
    let text = |member: &str| finding[member].as_str().unwrap_or_default();
    let head = format!("{}[{}]: ", text("severity"), text("code"));
    let numbers = ["line", "column"].map(|member| finding[member].as_u64());
    let numbers = numbers.iter().flatten().map(u64::to_string);
    let place: Vec<String> = [text("file").to_owned()]
        .into_iter()
        .chain(numbers)
        .collect();
    let place = place.join(":");
    for part in [&head, text("message"), &place, text("hint")] {
        assert!(shown.contains(part), "{part}: {shown}");
    }
}

#[test]
fn the_sample_is_valid_however_it_is_packed() {
    let sample = fixtures().join("sample");
    let mut cli = TestCli::new();
    fs::create_dir(cli.path("sample")).unwrap();
    let mut concatenated = Vec::new();
    let mut archive = tar::Builder::new(Vec::new());
    for name in ["makers.ndjson", "boats.ndjson"] {
        let contents = fs::read(sample.join(name)).unwrap();
        fs::copy(sample.join(name), cli.path("sample").join(name)).unwrap();
        archive
            .append_path_with_name(sample.join(name), name)
            .unwrap();
        concatenated.extend(contents);
    }
    cli.write(
        "sample.tar.zst",
        zstd::encode_all(&*archive.into_inner().unwrap(), 1).unwrap(),
    );
    cli.write("sample.ndjson", &concatenated);
    let folder = cli.run(&["validate", "[dir]/sample"]);
    check("validate_sample", [&folder]);
    for args in [
        &["validate", "[dir]/sample.tar.zst"][..],
        &["validate", "[dir]/sample.ndjson"],
        &[
            "validate",
            "[dir]/sample/boats.ndjson",
            "[dir]/sample/makers.ndjson",
        ],
    ] {
        let outcome = cli.run(args);
        assert_eq!(
            (outcome.status, &outcome.out),
            (ExitStatus::Done, &folder.out),
            "{args:?}"
        );
    }
    let piped = cli.run_with_input(&["validate", "-"], &concatenated);
    assert_eq!((piped.status, &piped.out), (ExitStatus::Done, &folder.out));
}

#[test]
fn counts_are_exact_where_the_listing_is_cut() {
    let mut cli = TestCli::new();
    let lines: Vec<String> = (0..40)
        .map(|n| format!("{{\"kind\":\"designer\",\"id\":\"d-{n}\"}}\n"))
        .collect();
    cli.write("export.ndjson", lines.concat().as_bytes());
    let shown = cli.run(&["validate", "[dir]/export.ndjson", "--max-findings", "2"]);
    let json = cli.run("validate [dir]/export.ndjson --max-findings 0 --json");
    check("validate_cut", [&shown, &json]);
}

#[test]
fn findings_are_shown_by_cause_and_a_renamed_field_is_one() {
    let mut cli = TestCli::new();
    let sample = fs::read_to_string(fixtures().join("sample/boats.ndjson")).unwrap();
    let renamed = sample.replace("\"lengthOverall\":", "\"overallLength\":");
    let makers = fs::read_to_string(fixtures().join("sample/makers.ndjson")).unwrap();
    let makers: Vec<&str> = makers.split_inclusive('\n').collect();
    let others = makers
        .iter()
        .filter(|line| !line.contains("\"hullMaterial\""));
    let export = others.copied().fold(renamed, |export, line| export + line);
    cli.write("boats.ndjson", export.as_bytes());
    let designers: Vec<String> = (0..5)
        .map(|n| format!("{{\"kind\":\"designer\",\"id\":\"d {n}\",\"name\":\"x\",\"web\":{n}}}\n"))
        .collect();
    cli.write("designers.ndjson", designers.concat().as_bytes());
    let shown = cli.run(&["validate", "[dir]/boats.ndjson"]);
    let others = cli.run(&["validate", "[dir]/designers.ndjson"]);
    let all = cli.run(&["validate", "[dir]/designers.ndjson", "--all"]);
    check("validate_causes", [&shown, &others]);
    assert_eq!(all.err.matches("error[").count(), 10, "{all}");
    assert_eq!(all.err.matches("(5 designers)").count(), 0, "{all}");
}

#[test]
fn a_page_for_editors_shows_causes_with_links_to_their_records() {
    let mut cli = TestCli::new();
    let mapping = "mapping = \"boat-catalogue-mapping/1\"\n\
        edit_url = \"https://cms.example/edit/{id}\"\n\
        [[sources]]\nfiles = [\"**/*.json\"]\nreader = \"json\"\n\
        [envelope]\nkey = \".id\"\ntype = '\"boat\"'\n\
        [[emit]]\nkind = \"designer\"\ntype = \"boat\"\n[emit.fields]\nname = \".name\"\n\
        website = \".web\"\n";
    cli.write("m.toml", mapping.as_bytes());
    let hostile = "<script>alert(1)</script>\u{202e}";
    let export = serde_json::json!([
        {"id": "a b/c", "name": hostile, "web": "javascript:alert(1)"},
        {"id": "d2", "name": "x", "web": "https://example.org"},
    ]);
    cli.write("export.json", export.to_string().as_bytes());
    let args = [
        "--mapping",
        "[dir]/m.toml",
        "--report-html",
        "[dir]/report.html",
    ];
    let validated = cli.run(&[&["validate", "[dir]/export.json"][..], &args].concat());
    assert_eq!(validated.status, ExitStatus::InvalidData, "{validated}");
    let page = page::read(&cli, "report.html");
    assert!(
        page.contains("href=\"https://cms.example/edit/a%20b%2Fc\""),
        "{page}"
    );
    assert!(
        !page.contains("<script") && !page.contains("href=\"javascript"),
        "{page}"
    );
    assert_snapshot("validate_page", &page);
    // Only a page is replaced.
    let again = cli.run(&[&["validate", "[dir]/export.json"][..], &args].concat());
    assert_eq!(again.status, ExitStatus::InvalidData, "{again}");
    cli.write("report.html", b"<!doctype html>\n<p>mine");
    let refused = cli.run(&[&["validate", "[dir]/export.json"][..], &args].concat());
    let checked =
        cli.run("mapping check [dir]/m.toml [dir]/export.json --report-html [dir]/check.html");
    assert_eq!(checked.status, ExitStatus::InvalidData, "{checked}");
    assert_snapshot("mapping_check_page", &page::read(&cli, "check.html"));
    check("validate_page_refused", [&refused]);
}

#[test]
fn the_report_is_what_json_prints() {
    let mut cli = TestCli::new();
    let export = copy(&cli, &export_of(&fixtures().join("findings/unknown_field")));
    let json = cli.run(&[
        "validate",
        "--json",
        "--report",
        "[dir]/report.json",
        &export,
    ]);
    let report = fs::read_to_string(cli.path("report.json")).unwrap();
    let mut printed = json.document();
    printed.as_object_mut().unwrap().remove("valid");
    let directory = cli
        .path("")
        .to_str()
        .unwrap()
        .trim_end_matches('/')
        .to_owned();
    let report: Value = serde_json::from_str(&report.replace(&directory, "[dir]")).unwrap();
    assert_eq!(report, printed);
    let shown = cli.run(&["validate", "--report", "[dir]/report.json", &export]);
    assert!(shown.out.ends_with("Wrote [dir]/report.json.\n"), "{shown}");
    let imported = cli.run(&["import", "--report", "[dir]/report.json", &export]);
    let named = "Wrote [dir]/report.json.\n";
    assert!(imported.out.contains(named), "{imported}");
}

#[test]
fn what_cannot_be_read_or_written_is_an_error_and_no_finding() {
    let mut cli = TestCli::new();
    cli.write("export.ndjson", b"");
    let outcomes = [
        "validate [dir]/missing.ndjson",
        "validate [dir]/export.ndjson --report [dir]/missing/report.json",
        "validate",
        "validate [dir]/export.ndjson --max-findings many",
    ]
    .map(|typed| cli.run(typed));
    check("validate_refused", &outcomes);
}

#[test]
fn an_export_without_any_record_is_an_error_however_empty_it_is() {
    let mut cli = TestCli::new();
    cli.write("blank.ndjson", b"\n \r\n");
    fs::create_dir(cli.path("folder")).unwrap();
    cli.write("folder/empty.ndjson", b"");
    for export in ["-", "[dir]/blank.ndjson", "[dir]/folder"] {
        let outcome = cli.run(&["import", "--skip-invalid", export]);
        assert_eq!(outcome.status, ExitStatus::InvalidData, "{outcome}");
        assert!(outcome.err.contains("[NO_RECORDS]"), "{outcome}");
    }
    assert!(!cli.path("catalogue-data/current").exists());
}

#[test]
fn nothing_in_an_export_reaches_the_terminal_as_a_command() {
    let mut cli = TestCli::new();
    let hostile = "\u{1b}]0;x\u{7}\u{9b}2J\u{202e}\u{2066}";
    let escaped = serde_json::to_string(hostile).unwrap();
    let escaped = escaped.trim_matches('"');
    let lines = [
        format!(
            r#"{{"kind":"designer","id":"{escaped}","name":"a","{escaped}":1,"x_{escaped}":1,"x_{escaped}":2}}"#
        ),
        format!(r#"{{"kind":"designer","id":"a","name":"a","website":"{escaped}.b"}}"#),
        format!(r#"{{"kind":"boat","id":"b","manufacturer":{{"id":"{escaped}"}}}}"#),
        format!("{{{hostile}}}"),
    ];
    let name = format!("{hostile}.ndjson");
    cli.write(&name, lines.join("\n").as_bytes());
    let outcome = cli.run(&["validate", &format!("[dir]/{name}")]);
    let is_obeyed = |c: char| c != '\n' && (c.is_control() || hostile.contains(c) && !c.is_ascii());
    assert_eq!(
        outcome.err.matches(is_obeyed).count(),
        0,
        "{:?}",
        outcome.err
    );
    assert!(
        outcome
            .err
            .contains(r"\u{1b}]0;x\u{7}\u{9b}2J\u{202e}\u{2066}.ndjson")
    );
}

#[test]
fn nothing_is_left_in_the_directory_of_temporary_files() {
    let mut cli = TestCli::new();
    let export = copy(&cli, &fixtures().join("sample/makers.ndjson"));
    let Outcome { status, .. } = cli.run(&["validate", &export, "--report", "[dir]/report.json"]);
    assert_eq!(status, ExitStatus::Done);
    let mut left: Vec<_> = fs::read_dir(cli.path(""))
        .unwrap()
        .map(|e| e.unwrap().file_name())
        .collect();
    left.sort();
    assert_eq!(left, ["makers.ndjson", "report.json"]);
}
