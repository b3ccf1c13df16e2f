//! Tests of files and lists of an export that no section of a mapping reads.

use super::*;

const RULE: &str = r#"
[envelope]
key = ".key"
type = '"b"'
[[emit]]
kind = "boat"
type = "b"
fields.model = ".name"
"#;

/// A mapping that reads the list `boats` of some files. `top` and `source` are lines at the top and in
/// the source.
fn mapping(top: &str, source: &str) -> String {
    format!(
        "mapping = \"boat-catalogue-mapping/1\"\n{top}\n[[sources]]\nfiles = [\"**/boats*.json\"]\n\
         reader = \"json\"\nrecords = [\"boats\"]\n{source}\n{RULE}"
    )
}

const BOATS: &str = r#"{"boats":[{"key":"1","name":"A"}]}"#;

#[test]
fn files_that_no_section_reads_are_told_together() {
    let files = [
        ("boats.json", BOATS),
        ("makers.json", "[]"),
        ("sub/More.CSV.gz", ""),
        ("notes.txt", ""),
        ("photo.jpg", ""),
        (".hidden.json", ""),
    ];
    let boat = r#"1: {"kind":"boat","id":"1","model":"A"}"#;
    assert_eq!(
        mapped(&mapping("", ""), &files),
        [
            "-: FILE_NOT_READ no section of the mapping reads this file, nor 1 other: sub/More.CSV.gz",
            boat,
        ]
    );
    let ignore = "ignore = [\"makers.json\", \"sub/**\"]";
    assert_eq!(mapped(&mapping(ignore, ""), &files), [boat]);
    assert_eq!(
        mapped(&mapping("ignore = \"sub/*\"", ""), &files),
        [
            "-: FILE_NOT_READ no section of the mapping reads this file",
            boat,
        ]
    );
}

#[test]
fn lists_of_objects_beside_those_that_are_read_are_told() {
    let document = r#"{"about":{"tags":[{"a":1}]}, "boats_new" : [ {"key":"2"} ],
        "boats":[{"key":"1","name":"A","engines":[{}]}], "numbers":[1,2], "none":[],
        "a.b":[{"c":"\ud83d"}], "huge":1e999}"#;
    let files = [
        ("boats.json", document),
        ("boats2.json", r#"{"boats":[],"boats_new":[{}]}"#),
    ];
    let boat = r#"2: {"kind":"boat","id":"1","model":"A"}"#;
    assert_eq!(
        mapped(&mapping("", ""), &files),
        [
            "-: LIST_NOT_READ no section of the mapping reads the list `\"a.b\"`",
            "-: LIST_NOT_READ no section of the mapping reads the list `boats_new` of this file and of 1 other",
            boat,
        ]
    );
    let ignore = "ignore = ['\"a.b\"', \"boats_new\"]";
    assert_eq!(mapped(&mapping("", ignore), &files), [boat]);
}

#[test]
fn a_list_that_another_section_reads_is_read() {
    let other = "[[sources]]\nfiles = [\"*.json\"]\nreader = \"json\"\nrecords = [\"db.sold\"]\n";
    let document =
        r#"{"boats":[{"key":"1","name":"A"}],"db":{"sold":[{"key":"2","name":"B"}],"rest":[{}]}}"#;
    assert_eq!(
        mapped(&mapping("", other), &[("boats.json", document)]),
        [
            "-: LIST_NOT_READ no section of the mapping reads the list `db.rest`",
            r#"1: {"kind":"boat","id":"1","model":"A"}"#,
            r#"1: {"kind":"boat","id":"2","model":"B"}"#,
        ]
    );
}

#[test]
fn a_file_may_lack_a_list_that_the_mapping_calls_optional() {
    let files = [
        ("boats1.json", BOATS),
        (
            "boats2.json",
            r#"{"boats":[],"more":[{"key":"2","name":"B"}]}"#,
        ),
        ("boats3.json", "{}"),
    ];
    let reading = |lists: &str| mapping("", "").replace("[\"boats\"]", lists);
    assert_eq!(
        mapped(&reading("[\"boats?\", \"more?\"]"), &files),
        [
            r#"1: {"kind":"boat","id":"1","model":"A"}"#,
            r#"1: {"kind":"boat","id":"2","model":"B"}"#,
        ]
    );
    let strict = mapped(&reading("[\"boats\", \"more?\"]"), &files);
    assert_eq!(
        strict[0],
        "-: RECORDS_NOT_FOUND the file has no records at `boats`; if it may lack them, write `boats?`"
    );
}
