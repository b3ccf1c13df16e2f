//! `catalogue mapping init --from`: suggests a mapping for an export that has none.

use std::fs;
use std::path::Path;

use cli::ExitStatus;
use import::mapping::Shipped;
use serde_json::json;

use crate::harness::{Outcome, TestCli, assert_snapshot, check};

const FIXTURES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../fixtures");

/// A directory with a file of the fixtures.
fn with_fixture(path: &str, name: &str) -> TestCli {
    let cli = TestCli::new();
    fs::copy(format!("{FIXTURES}/{path}"), cli.path(name)).unwrap();
    cli
}

fn init(cli: &mut TestCli, export: &str) -> Outcome {
    let args = ["mapping", "init", "--from", export, "--to", "[dir]/m.toml"];
    cli.run(&args)
}

fn import(cli: &mut TestCli, export: &str) -> Outcome {
    cli.run(&["import", "--json", export, "--mapping", "[dir]/m.toml"])
}

fn written(cli: &TestCli) -> String {
    fs::read_to_string(cli.path("m.toml")).unwrap()
}

/// The lines of a mapping that another one does not have.
fn only_in(mapping: &str, other: &str) -> String {
    let known: Vec<&str> = other.lines().collect();
    let lines = mapping.lines().filter(|line| !known.contains(line));
    lines.flat_map(|line| [line, "\n"]).collect()
}

#[test]
fn a_sheet_of_boats_is_imported_with_the_mapping_that_is_suggested() {
    let mut cli = with_fixture("suggested/brokers.csv", "brokers.csv");
    let suggested = init(&mut cli, "[dir]/brokers.csv");
    assert_eq!(suggested.status, ExitStatus::Done, "{suggested}");
    check("mapping_init_from", [&suggested]);
    assert_snapshot("mapping_init_from_sheet", &written(&cli));
    let imported = import(&mut cli, "[dir]/brokers.csv");
    assert_eq!(imported.status, ExitStatus::Done, "{imported}");
    let document = imported.document();
    assert_eq!(document["records"]["boat"]["published"], 2, "{imported}");
}

#[test]
fn what_no_key_looks_like_is_left_to_a_person_and_then_checked() {
    let mut sheet = with_fixture("suggested/brokers.csv", "brokers.csv");
    let mut cli = with_fixture("suggested/bateaux.json", "bateaux.json");
    let suggested = init(&mut cli, "[dir]/bateaux.json");
    check("mapping_init_undecided", [&suggested]);
    assert_eq!(
        init(&mut sheet, "[dir]/brokers.csv").status,
        ExitStatus::Done
    );
    let unlike_the_sheet = only_in(&written(&cli), &written(&sheet));
    assert_snapshot("mapping_init_from_document", &unlike_the_sheet);
    measure_nothing(&mut cli);
    let refused = import(&mut cli, "[dir]/bateaux.json");
    assert_eq!(refused.status, ExitStatus::InvalidData, "{refused}");
    let decided =
        written(&cli).replace("# type = \"\"      # required", "type = '.genre | slugify'");
    let term = "\n[[emit]]\nkind = \"term\"\ntype = \"boat\"\ndistinct = true\n[emit.fields]\n\
                vocabulary = '\"type\"'\nid = '.genre | slugify'\n\
                slug = '.genre | slugify'\nname = '.genre'\n";
    let (before, tables) = decided.split_once("\n[tables.").unwrap();
    cli.write("m.toml", format!("{before}{term}\n[tables.{tables}"));
    let imported = import(&mut cli, "[dir]/bateaux.json");
    assert_eq!(imported.status, ExitStatus::Done, "{imported}");
}

#[test]
fn the_mapping_of_a_content_system_is_fitted_to_other_names() {
    let mut cli = TestCli::new();
    let documents = fs::read_to_string(format!("{FIXTURES}/mapped/sanity/data.ndjson")).unwrap();
    let renamed = [
        ("\"_type\":\"boat\"", "\"_type\":\"yacht\""),
        ("\"_type\":\"category\"", "\"_type\":\"boatCategory\""),
        ("\"builder\":", "\"brand\":"),
        ("\"loa\":", "\"lengthOverall\":"),
        ("\"variant\":", "\"trimLevel\":"),
        ("\"engines\":", "\"motors\":"),
        ("\"title\":", "\"name\":"),
    ];
    let renamed = renamed
        .iter()
        .fold(documents, |text, (from, to)| text.replace(from, to));
    cli.write("data.ndjson", renamed);
    let suggested = init(&mut cli, "[dir]/data.ndjson");
    check("mapping_init_fitted", [&suggested]);
    let (fitted, shipped) = (written(&cli), Shipped::Sanity.text());
    let added = only_in(&fitted, shipped);
    let gone = only_in(shipped, &fitted);
    let differing =
        format!("Only in the fitted mapping:\n\n{added}\nOnly in the shipped one:\n\n{gone}");
    assert_snapshot("mapping_init_from_system", &differing);
    let imported = import(&mut cli, "[dir]/data.ndjson");
    assert_eq!(imported.status, ExitStatus::Done, "{imported}");
}

#[test]
fn columns_of_a_shop_are_found_by_their_names_whatever_their_metafields_are_called() {
    let mut cli = with_fixture("suggested/products_export.csv", "products_export.csv");
    let suggested = init(&mut cli, "[dir]/products_export.csv");
    check("mapping_init_shop", [&suggested]);
    measure_nothing(&mut cli);
    let imported = import(&mut cli, "[dir]/products_export.csv");
    assert_eq!(imported.status, ExitStatus::Done, "{imported}");
    let document = imported.document();
    assert_eq!(document["records"]["boat"]["published"], 2, "{imported}");
}

/// Takes out of the draft that images are measured: a test asks nobody on the network.
fn measure_nothing(cli: &mut TestCli) {
    let draft = written(cli);
    cli.write("m.toml", draft.replace("images = \"measure\"", ""));
}

/// What is published, in one line of JSON for each record.
fn published(cli: &mut TestCli) -> String {
    let exported = cli.run(&["export", "--to", "-"]);
    assert_eq!(exported.status, ExitStatus::Done, "{exported}");
    exported.out
}

#[test]
fn feeds_of_xml_are_imported_with_the_mappings_that_are_suggested() {
    for feed in ["listings", "merchants"] {
        let file = format!("{feed}.xml");
        let mut cli = with_fixture(&format!("suggested/{file}"), &file);
        let suggested = init(&mut cli, &format!("[dir]/{file}"));
        assert_snapshot(&format!("mapping_init_from_{feed}"), &written(&cli));
        measure_nothing(&mut cli);
        let imported = import(&mut cli, &format!("[dir]/{file}"));
        assert_eq!(imported.status, ExitStatus::Done, "{suggested}\n{imported}");
        assert_snapshot(&format!("mapping_init_served_{feed}"), &published(&mut cli));
    }
}

#[test]
fn a_table_that_was_exported_is_imported_as_the_same_boats() {
    let mut first = TestCli::new();
    first.run(&["import", &format!("{FIXTURES}/sample")]);
    let boats = |cli: &mut TestCli| {
        let records = published(cli);
        let is_of_boats = |line: &&str| {
            ["boat", "term", "designer"]
                .iter()
                .any(|kind| line.starts_with(&format!(r#"{{"kind":"{kind}""#)))
        };
        let mut lines: Vec<String> = records
            .lines()
            .filter(is_of_boats)
            .map(str::to_owned)
            .collect();
        lines.sort();
        lines
    };
    let expected = boats(&mut first);
    for ending in ["csv", "parquet"] {
        let file = format!("boats.{ending}");
        first.run(&["export", "--to", &format!("[dir]/{file}")]);
        let mut again = TestCli::new();
        fs::copy(first.path(&file), again.path(&file)).unwrap();
        let suggested = init(&mut again, &format!("[dir]/{file}"));
        check(&format!("mapping_init_own_{ending}"), [&suggested]);
        assert_snapshot(&format!("mapping_init_from_own_{ending}"), &written(&again));
        let imported = import(&mut again, &format!("[dir]/{file}"));
        assert_eq!(imported.status, ExitStatus::Done, "{imported}");
        assert_eq!(boats(&mut again), expected);
    }
}

#[test]
fn a_column_of_an_export_that_a_spreadsheet_wrote_again_is_still_read() {
    let mut first = TestCli::new();
    first.run(&["import", &format!("{FIXTURES}/sample")]);
    first.run(&["export", "--to", "[dir]/boats.csv"]);
    let table = fs::read_to_string(first.path("boats.csv")).unwrap();
    let mut again = TestCli::new();
    again.write("boats.csv", table.replace(",true,", ",TRUE,"));
    init(&mut again, "[dir]/boats.csv");
    let imported = import(&mut again, "[dir]/boats.csv");
    assert_eq!(imported.status, ExitStatus::Done, "{imported}");
    assert!(published(&mut again).contains(r#""unsinkable":true"#));
}

#[test]
fn exports_that_fit_a_shipped_mapping_need_no_change() {
    let systems = [
        "sanity",
        "contentful",
        "strapi",
        "shopify",
        "wordpress",
        "directus",
        "minimal/csv",
        "minimal/json",
    ];
    for system in systems {
        let mut cli = TestCli::new();
        let suggested = init(&mut cli, &format!("{FIXTURES}/mapped/{system}"));
        assert_eq!(suggested.status, ExitStatus::Done, "{suggested}");
        let says = "With it, the export has no errors.";
        assert!(suggested.out.contains(says), "{system}: {suggested}");
    }
}

#[test]
fn the_largest_part_of_a_folder_of_sheets_is_read_and_the_rest_named() {
    let mut cli = TestCli::new();
    fs::create_dir(cli.path("sheets")).unwrap();
    for name in ["boats.csv", "designers.csv", "terms.csv"] {
        let sheet = format!("{FIXTURES}/mapped/csv/{name}");
        fs::copy(sheet, cli.path(format!("sheets/{name}"))).unwrap();
    }
    let suggested = init(&mut cli, "[dir]/sheets");
    check("mapping_init_folder", [&suggested]);
    assert!(written(&cli).contains("files = [\"**/boats.csv\"]"));
}

#[test]
fn what_has_no_mapping_is_refused_and_no_file_is_written() {
    let mut cli = with_fixture("mapped/native/export.ndjson", "native.ndjson");
    cli.write("boats.xml", "<boats><boat/></boats>");
    cli.write("empty.csv", "");
    cli.write("none.json", "[1, 2]");
    let exports = [
        "native.ndjson",
        "boats.xml",
        "empty.csv",
        "none.json",
        "missing.csv",
    ];
    let mut outcomes: Vec<Outcome> = exports
        .iter()
        .map(|name| init(&mut cli, &format!("[dir]/{name}")))
        .collect();
    outcomes.push(init(&mut cli, "-"));
    outcomes.push(cli.run(&["mapping", "init", "sanity", "--from", "[dir]/none.json"]));
    outcomes.push(cli.run(&["mapping", "init"]));
    check("mapping_init_refused", &outcomes);
    assert!(!Path::new(&cli.path("m.toml")).exists());
}

/// A list of boats, two of them published.
const LIST: &str = "\
    id,model,manufacturer,type,first year,loa,unit,published\n\
    1,Sum,Nord,sail,2018,10.4,metric,yes\n\
    2,Sum II,Nord,sail,2019,10.4,metric,yes\n\
    3,Tern,Sund,sail,2018,9.1,metric,no\n";

#[test]
fn a_maker_whose_boats_are_drafts_is_no_draft_itself() {
    let mut cli = TestCli::new();
    cli.write("list.csv", LIST);
    init(&mut cli, "[dir]/list.csv");
    let imported = import(&mut cli, "[dir]/list.csv");
    let document = imported.document();
    let published = json!({"published": 2, "unpublished": 1, "invalid": 0});
    assert_eq!(document["records"]["boat"], published, "{imported}");
    let published = json!({"published": 1, "unpublished": 0, "invalid": 0});
    assert_eq!(document["records"]["manufacturer"], published, "{imported}");
}

#[test]
fn nothing_is_imported_before_each_word_of_a_status_is_decided() {
    let mut cli = TestCli::new();
    let list = LIST.replace("published\n", "status\n");
    let list = list.replace("yes\n2", "For sale\n2");
    let list = list.replace("yes\n3", "Reserved\n3");
    cli.write("list.csv", list.replace("no\n", "Draft\n"));
    let suggested = init(&mut cli, "[dir]/list.csv");
    let checked = cli.run(&["mapping", "check", "[dir]/m.toml", "[dir]/list.csv"]);
    let refused = cli.run(&["import", "[dir]/list.csv", "--mapping", "[dir]/m.toml"]);
    check("mapping_init_open", [&suggested, &checked, &refused]);
    let decided = written(&cli).replace("\"?\"", "false");
    cli.write("m.toml", decided);
    let imported = import(&mut cli, "[dir]/list.csv");
    let document = imported.document();
    let published = json!({"published": 1, "unpublished": 2, "invalid": 0});
    assert_eq!(document["records"]["boat"], published, "{imported}");
}

#[test]
fn a_value_that_the_mapping_does_not_foresee_is_reported_with_the_line_to_change() {
    let mut cli = TestCli::new();
    cli.write("list.csv", LIST);
    init(&mut cli, "[dir]/list.csv");
    let later = LIST
        .replace("10.4,metric,yes\n2", "10.4,yards,yes\n2")
        .replace("10.4,metric,yes\n3", "10.4,metric,\n3")
        .replace("metric,no", "metric,perhaps");
    cli.write("list.csv", later);
    let refused = cli.run(&["import", "[dir]/list.csv", "--mapping", "[dir]/m.toml"]);
    check("import_unforeseen", [&refused]);
}
