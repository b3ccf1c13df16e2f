//! Exports that are not native and come without a mapping: a screenful says what they look like.

use std::path::Path;

use cli::ExitStatus;

use crate::harness::{Outcome, TestCli, check};
use crate::validate::{copy, fixtures};

/// What was validated, and the outcome.
type Validated = (String, Outcome);

/// The outcomes of validating these exports of [`fixtures`], each in its own directory.
fn validated(exports: &[&str]) -> Vec<Validated> {
    let validate = |export: &&str| {
        let mut cli = TestCli::new();
        let export = copy(&cli, &fixtures().join("mapped").join(Path::new(export)));
        let outcome = cli.run(&["validate", &export]);
        (export, outcome)
    };
    exports.iter().map(validate).collect()
}

/// The outcome of validating a file with these contents.
fn said(name: &str, contents: impl AsRef<[u8]>) -> Validated {
    let mut cli = TestCli::new();
    cli.write(name, contents);
    let export = format!("[dir]/{name}");
    let outcome = cli.run(&["validate", &export]);
    (export, outcome)
}

/// Compares outcomes with a snapshot, without the advice of those that are advised as the first one
/// is, but for the name of the export.
fn check_recognised(name: &str, mut validated: Vec<Validated>) {
    let advice = |(export, outcome): &Validated| {
        let (_, advice) = outcome.err.split_once("\n\nA mapping makes").unwrap();
        advice.replace(export, "EXPORT")
    };
    let usual = advice(&validated[0]);
    for told in &mut validated[1..] {
        if advice(told) == usual {
            let end = told.1.err.find("\n\n").unwrap();
            told.1.err.truncate(end);
        }
    }
    check(name, validated.iter().map(|(_, outcome)| outcome));
}

#[test]
fn exports_of_content_systems_are_recognised() {
    let systems = [
        "sanity",
        "contentful",
        "strapi",
        "directus",
        "wordpress",
        "shopify",
    ];
    check_recognised("validate_foreign_systems", validated(&systems));
}

#[test]
fn exports_in_other_formats_are_recognised() {
    let mut outcomes = validated(&["minimal/csv", "minimal/json"]);
    outcomes.push(said("boats.tsv", "name\tmaker\n34\tNorrskär\n"));
    outcomes.push(said(
        "boats.ndjson",
        "{\"model\":\"34\",\"maker\":\"Norrskär\"}\n",
    ));
    outcomes.push(said("boats.xml", "<?xml version=\"1.0\"?>\n<boats/>\n"));
    outcomes.push(said("boats.parquet", b"PAR1\x15\x04\x15\x10\x15\x14\n\xff"));
    let names: Vec<String> = (1..=16_384).map(|number| format!("c{number}")).collect();
    let values = vec!["x"; names.len()].join(",");
    outcomes.push(said("wide.csv", format!("{}\n{values}\n", names.join(","))));
    check_recognised("validate_foreign_formats", outcomes);
}

#[test]
fn a_file_of_a_format_that_is_not_read_is_said_to_be_what_it_is_and_what_to_do() {
    let workbook =
        b"PK\x03\x04\x14\0\x06\0\x08\0\0\0[Content_Types].xmlPK\x03\x04xl/workbook.xml\n\xff\n\xff";
    let mut cli = TestCli::new();
    cli.write("boats.xlsx", workbook);
    cli.write("boats.csv", workbook);
    cli.write(
        "export.json",
        "<!DOCTYPE html>\n<html><title>Log in</title></html>\n",
    );
    let archived = |what: &str| format!("PK\x03\x04\x14\0\0\0\0\0{what}PK\x03\x04");
    let sheet = archived("mimetypeapplication/vnd.oasis.opendocument.spreadsheet");
    cli.write("boats.ods", sheet);
    cli.write(
        "boats.docx",
        archived("[Content_Types].xml word/document.xml"),
    );
    cli.run(&["mapping", "init", "minimal", "[dir]/m.toml"]);
    let outcomes = [
        &["import", "[dir]/boats.xlsx"][..],
        &["mapping", "init", "--from", "[dir]/boats.xlsx"],
        &["mapping", "init", "--from", "[dir]/boats.ods"],
        &["import", "[dir]/boats.docx"],
        &["validate", "[dir]/export.json"],
        &["validate", "--mapping", "[dir]/m.toml", "[dir]/boats.csv"],
    ]
    .map(|args| cli.run(args));
    check("foreign_unread_formats", &outcomes);
    let as_json = cli.run(&["validate", "--json", "[dir]/boats.xlsx"]);
    assert!(as_json.out.contains("FILE_CORRUPT"), "{as_json}");
    assert!(!as_json.out.contains("INVALID_UTF8"), "{as_json}");
}

#[test]
fn a_page_or_a_picture_beside_a_table_does_not_hide_it() {
    let mut cli = TestCli::new();
    std::fs::create_dir(cli.path("export")).unwrap();
    cli.write("export/about.html", "<h1>About</h1>");
    cli.write("export/atom.xml", "<feed/>");
    cli.write("export/an.jpg", b"\xff\xd8\xff\xe0");
    cli.write("export/boats.csv", "id,model\n1,Sum\n");
    let outcome = cli.run(&["validate", "[dir]/export"]);
    assert!(outcome.err.contains("looks like CSV"), "{outcome}");
}

#[test]
fn an_import_of_a_foreign_export_changes_nothing() {
    let mut cli = TestCli::new();
    cli.write("boats.csv", "name,maker\n34,Norrskär\n");
    let outcome = cli.run(&["import", "[dir]/boats.csv"]);
    check("import_foreign", [&outcome]);
    assert_eq!(
        cli.run(&["releases", "list", "--json"]).status,
        ExitStatus::Done
    );
}

#[test]
fn a_damaged_native_export_is_told_what_is_wrong_with_its_lines() {
    for lines in [
        "{\"kind\":\"boat\",\"id\":\n",
        "{\"kind\":\"yacht\",\"id\":\"1\"}\n",
        "{\"id\":\"1\",\"lengthOverall\":10}\n",
        "not JSON, not a table\n",
        "\0\0\0\0",
    ] {
        let (_, outcome) = said("export.ndjson", lines);
        assert_eq!(outcome.status, ExitStatus::InvalidData);
        assert!(outcome.err.contains("export.ndjson:1:"), "{outcome}");
    }
}

#[test]
fn json_and_standard_input_keep_their_findings() {
    let mut cli = TestCli::new();
    cli.write("boats.csv", "name,maker\n34,Norrskär\n");
    let document = cli.run(&["validate", "--json", "[dir]/boats.csv"]);
    assert!(document.out.contains("INVALID_JSON"), "{document}");
    let piped = cli.run_with_input(&["validate", "-"], b"name,maker\n34,Norr\n");
    assert!(piped.err.contains("INVALID_JSON"), "{piped}");
}
