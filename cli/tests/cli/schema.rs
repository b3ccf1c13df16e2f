//! `catalogue schema`: the fields of native exports, for people and for programs.

use crate::harness::{TestCli, check};

#[test]
fn the_fields_are_shown_for_people_without_a_data_directory() {
    let mut cli = TestCli::new();
    let shown = cli.run(&["schema"]);
    assert!(shown.err.is_empty() && !cli.path("catalogue-data").exists());
    check("schema", [&shown]);
}

#[test]
fn the_schema_is_one_json_document() {
    let mut cli = TestCli::new();
    let printed = cli.run(&["schema", "--json"]);
    let schema = printed.document();
    assert_eq!(
        schema["$schema"],
        "https://json-schema.org/draft/2020-12/schema"
    );
    assert!(printed.err.is_empty());
    check("schema_json", [&printed]);
}

#[test]
fn the_same_is_shown_of_mapping_files() {
    let mut cli = TestCli::new();
    let printed = cli.run(&["schema", "--mapping", "--json"]);
    let schema = printed.document();
    assert!(schema["properties"]["emit"].is_object());
    let shown = cli.run(&["schema", "--mapping"]);
    check("schema_mapping", [&shown, &printed]);
}
