//! Tests of the variables that tell where a record is.

use super::*;

const RULE: &str = r#"
[[emit]]
kind = "boat"
type = "b"
fields.model = '"\($file) \($list) \($position) \(.name)"'
"#;

/// A mapping whose records have only their place in the export as a key.
fn mapping(section: &str) -> String {
    let envelope = r#"
        [envelope]
        key = '"\($file):\($list):\($position)"'
        id = '$position | tostring'
        type = '"b"'"#;
    format!("mapping = \"boat-catalogue-mapping/1\"\n[[sources]]\n{section}{envelope}\n{RULE}")
}

#[test]
fn every_expression_knows_the_file_the_list_and_the_place_of_its_record() {
    let section = "files = [\"**/*.json\"]\nreader = \"json\"\nrecords = [\"[].a\", \"[0].b\"]";
    let files = [
        (
            "x.json",
            r#"[{"a":[{"name":"A"}],"b":[{"name":"B"},{"name":"C"}]},{"a":[{"name":"D"}]}]"#,
        ),
        ("y/z.json", r#"[{"b":{"k":{"name":"E"}},"a":[]}]"#),
    ];
    let expected = [
        r#"1: {"kind":"boat","id":"1","model":"x.json [].a 1 A"}"#,
        r#"1: {"kind":"boat","id":"1","model":"x.json [0].b 1 B"}"#,
        r#"1: {"kind":"boat","id":"2","model":"x.json [0].b 2 C"}"#,
        r#"1: {"kind":"boat","id":"2","model":"x.json [].a 2 D"}"#,
        r#"1: {"kind":"boat","id":"1","model":"y/z.json [0].b 1 null"}"#,
    ];
    assert_eq!(mapped(&mapping(section), &files), expected);
}

#[test]
fn rows_lines_and_elements_are_counted_from_1_whether_they_can_be_read_or_not() {
    let csv = mapping("files = [\"*.csv\"]\nreader = \"csv\"");
    assert_eq!(
        mapped(&csv, &[("a.csv", "name\nA\n\nx,y\nB\n")]),
        [
            "4: - INVALID_ROW  the row has 2 cells, and the header 1",
            r#"2: {"kind":"boat","id":"1","model":"a.csv null 1 A"}"#,
            r#"5: {"kind":"boat","id":"3","model":"a.csv null 3 B"}"#,
        ]
    );
    let ndjson = mapping("files = [\"*.ndjson\"]\nreader = \"ndjson\"");
    assert_eq!(
        mapped(
            &ndjson,
            &[("a.ndjson", "{\"name\":\"A\"}\n\n{\n{\"name\":\"B\"}\n")]
        )[1..],
        [
            r#"1: {"kind":"boat","id":"1","model":"a.ndjson null 1 A"}"#,
            r#"4: {"kind":"boat","id":"3","model":"a.ndjson null 3 B"}"#,
        ]
    );
    let xml = mapping("files = [\"*.xml\"]\nreader = \"xml\"\nrecords = [\"r.a\", \"r.b\"]");
    assert_eq!(
        mapped(
            &xml,
            &[(
                "a.xml",
                "<r><a><name>A</name></a><b><name>B</name></b><a><name>C</name></a></r>"
            )]
        ),
        [
            r#"1: {"kind":"boat","id":"1","model":"a.xml r.a 1 A"}"#,
            r#"1: {"kind":"boat","id":"1","model":"a.xml r.b 1 B"}"#,
            r#"1: {"kind":"boat","id":"2","model":"a.xml r.a 2 C"}"#,
        ]
    );
}

#[test]
fn a_variable_of_the_mapping_with_such_a_name_is_the_one_that_is_meant() {
    check(
        &format!("[variables]\nfile = \"mine\"\n{RULE}"),
        r#"{"key":"1","type":"b","name":"A"}"#,
        &[r#"1: {"kind":"boat","id":"1","model":"mine null 1 A"}"#],
    );
}
