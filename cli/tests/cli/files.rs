//! Files as people have them: each is drafted, and imported with its draft.

use std::fs;
use std::path::Path;

use cli::ExitStatus;
use serde_json::Value;

use crate::harness::{Outcome, TestCli, assert_snapshot, check};
use crate::validate::{copy, fixtures};

/// What is said of a file of the fixtures when it is drafted and validated with the draft, and the
/// draft.
fn drafted(name: &str) -> (TestCli, String, [Outcome; 2], String) {
    let mut cli = TestCli::new();
    let export = copy(&cli, &fixtures().join("suggested").join(Path::new(name)));
    let mapping = "[dir]/m.toml";
    let init = cli.run(&["mapping", "init", "--from", &export, "--to", mapping]);
    let draft = fs::read_to_string(cli.path("m.toml")).unwrap();
    let validated = cli.run(&["validate", "--mapping", mapping, &export]);
    (cli, export, [init, validated], draft)
}

/// How many boats of an export are published with the draft.
fn published(cli: &mut TestCli, export: &str, more: &[&str]) -> u64 {
    let import = ["import", "--json", "--mapping=[dir]/m.toml", export];
    let imported = cli.run(&[&import[..], more].concat());
    assert_eq!(imported.status, ExitStatus::Done, "{imported}");
    let document = imported.document();
    document["records"]["boat"]["published"].as_u64().unwrap()
}

/// The part of a draft that says where the records are.
fn source(draft: &str) -> &str {
    let source = draft.split("[[sources]]").nth(1).unwrap();
    source.split("[envelope]").next().unwrap().trim()
}

#[test]
fn a_workbook_with_titles_and_merged_cells_is_imported() {
    let (mut cli, export, said, draft) = drafted("stock.xlsx");
    check("files_workbook", &said);
    assert_snapshot("files_workbook_draft", &draft);
    let broken = "'if .Ref == \"N1\" then .Model else .\"LOA (m)\" end | distance'";
    let broken = draft.replace("'.\"LOA (m)\" | distance'", broken);
    cli.write("m.toml", broken);
    let validate = ["validate", "--mapping=[dir]/m.toml", &export];
    check("files_workbook_rows", [&cli.run(&validate)]);
    let rejects = ["--skip-invalid", "--rejects=[dir]/rejects"];
    assert_eq!(published(&mut cli, &export, &rejects), 2);
    let rows = fs::read_to_string(cli.path("rejects")).unwrap();
    let row = "\nN1,Nord,Sum 30,Sailing yacht,1999,9.05,3.1,45000,2026-03-01,false\n";
    assert!(rows.ends_with(row), "{rows}");
    cli.write("m.toml", draft);
    assert_eq!(published(&mut cli, &export, &[]), 3);
}

#[test]
fn other_spreadsheets_are_drafted_and_imported_as_a_workbook_of_excel_is() {
    let (.., of_excel) = drafted("stock.xlsx");
    for name in ["stock.ods", "stock.xls"] {
        let (mut cli, export, said, draft) = drafted(name);
        check(&name.replace("stock.", "files_"), &said);
        let hidden = "#   rows: row 7 is hidden; it is read\n";
        let like = draft.replace(name, "stock.xlsx").replace(hidden, "");
        assert_eq!(like, of_excel);
        assert_eq!(published(&mut cli, &export, &[]), 3);
    }
}

#[test]
fn csv_with_titles_and_a_line_that_does_not_fit_is_imported_without_that_line() {
    let (mut cli, export, said, draft) = drafted("stock.csv");
    check("files_csv", &said);
    assert_snapshot("files_csv_source", source(&draft));
    assert_eq!(published(&mut cli, &export, &["--skip-invalid"]), 2);
}

#[test]
fn csv_without_names_is_imported_once_a_person_names_the_columns() {
    let (mut cli, export, said, draft) = drafted("no_names.csv");
    check("files_no_names", &said);
    assert_snapshot("files_no_names_source", source(&draft));
    let columns = ["id", "maker", "model", "type", "year", "loa"];
    cli.write(
        "named.csv",
        format!("{}\n{}", columns.join(","), "1,a,b,c,1999,9\n"),
    );
    cli.run("mapping init --from=[dir]/named.csv --to=[dir]/named.toml");
    let named = fs::read_to_string(cli.path("named.toml")).unwrap();
    let lines = format!("reader = \"csv\"\ncolumns = {columns:?}\n");
    let named = named.replace("named.csv", "no_names.csv");
    cli.write("m.toml", named.replace("reader = \"csv\"\n", &lines));
    assert_eq!(published(&mut cli, &export, &[]), 3);
}

#[test]
fn a_folder_of_records_without_a_list_in_them_is_imported_whole() {
    let mut cli = TestCli::new();
    fs::create_dir(cli.path("boats")).unwrap();
    for name in ["n1", "n2", "s1"] {
        let record = fixtures().join(format!("suggested/one_each/{name}.json"));
        let mut record: Value = serde_json::from_slice(&fs::read(record).unwrap()).unwrap();
        record
            .as_object_mut()
            .unwrap()
            .retain(|_, value| !value.is_array());
        cli.write(&format!("boats/{name}.json"), record.to_string());
    }
    cli.run("mapping init --from [dir]/boats --to [dir]/m.toml");
    assert_eq!(published(&mut cli, "[dir]/boats", &[]), 3);
}

#[test]
fn a_folder_or_a_zip_archive_of_one_record_a_file_is_imported() {
    for name in ["one_each", "stock.zip"] {
        let (mut cli, export, said, draft) = drafted(name);
        check(&format!("files_{}", name.replace('.', "_")), &said);
        assert_eq!(source(&draft), "files = [\"**/*.json\"]\nreader = \"json\"");
        assert_eq!(published(&mut cli, &export, &[]), 3);
    }
}
