//! Tests of several sections of a mapping that read the same file.

use super::*;

/// Rules for boats and makers that fit all sections.
const RULES: &str = r#"
[envelope]
key = ".key"
[[emit]]
kind = "boat"
type = "b"
fields.model = ".name"
[[emit]]
kind = "manufacturer"
type = "m"
fields.name = ".name"
"#;

/// A mapping with these sections, each given as the lines of one table.
fn mapping(sections: &[&str]) -> String {
    let sections: Vec<String> = sections
        .iter()
        .map(|section| format!("[[sources]]\n{}\n", section.replace("; ", "\n")))
        .collect();
    let first = "mapping = \"boat-catalogue-mapping/1\"";
    format!("{first}\n{}{RULES}", sections.concat())
}

#[track_caller]
fn check(sections: &[&str], files: &[(&str, &str)], expected: &[&str]) {
    assert_eq!(mapped(&mapping(sections), files), expected);
}

const BOATS: &str = r#"files = ["*.json"]; reader = "json"; records = ["boats"]; type = '"b"'"#;
const MAKERS: &str = r#"files = ["a.*"]; reader = "json"; records = ["makers"]; type = '"m"'"#;

#[test]
fn every_section_reads_its_lists_of_one_file() {
    check(
        &[BOATS, MAKERS],
        &[(
            "a.json",
            r#"{"makers":[{"key":"x","name":"X"}],"boats":[{"key":"1","name":"A"}]}"#,
        )],
        &[
            r#"1: {"kind":"boat","id":"1","model":"A"}"#,
            r#"1: {"kind":"manufacturer","id":"x","name":"X"}"#,
        ],
    );
    let elements = [BOATS, MAKERS].map(|section| {
        let section = section.replace("json", "xml");
        section
            .replace("[\"boats\"]", "[\"r.boat\"]")
            .replace("[\"makers\"]", "[\"r.maker\"]")
    });
    check(
        &[&elements[0], &elements[1]],
        &[(
            "a.xml",
            "<r><maker><key>x</key></maker>\n<boat><key>1</key></boat></r>",
        )],
        &[
            r#"2: {"kind":"boat","id":"1"}"#,
            r#"1: {"kind":"manufacturer","id":"x"}"#,
        ],
    );
}

#[test]
fn a_document_and_a_list_in_it_are_read_by_two_sections() {
    let whole = r#"files = ["*.json"]; reader = "json"; type = '"m"'"#;
    check(
        &[BOATS, whole],
        &[(
            "a.json",
            r#"{"key":"x","name":"X","boats":[{"key":"1","name":"A"}]}"#,
        )],
        &[
            r#"1: {"kind":"boat","id":"1","model":"A"}"#,
            r#"1: {"kind":"manufacturer","id":"x","name":"X"}"#,
        ],
    );
}

#[test]
fn each_section_has_its_own_view_of_a_record() {
    let boats = r#"files = ["a.csv"]; reader = "csv"; type = '"b"'"#;
    let makers =
        r#"files = ["*.csv"]; reader = "csv"; type = '"m"'; key = '"m:\(.maker)"'; id = ".maker""#;
    check(
        &[boats, makers],
        &[("a.csv", "key,name,maker\n1,A,x\n")],
        &[
            r#"2: {"kind":"boat","id":"1","model":"A"}"#,
            r#"2: {"kind":"manufacturer","id":"x","name":"A"}"#,
        ],
    );
}

#[test]
fn a_record_is_unidentified_where_no_section_knows_it() {
    let of = |of: &str| {
        format!(
            "files = [\"*.ndjson\"]; reader = \"ndjson\"; type = 'if .is == \"{of}\" then \"{of}\" else null end'"
        )
    };
    check(
        &[&of("b"), &of("m")],
        &[(
            "a.ndjson",
            "{\"key\":\"1\",\"is\":\"b\"}\n{\"key\":\"x\",\"is\":\"m\"}\n{\"key\":\"o\",\"is\":\"o\"}\n",
        )],
        &[
            "3: RECORDS_UNIDENTIFIED 1 record was without a key or a type, and not read",
            r#"1: {"kind":"boat","id":"1"}"#,
            r#"2: {"kind":"manufacturer","id":"x"}"#,
        ],
    );
}

#[test]
fn the_same_key_from_two_sections_is_that_of_one_record() {
    let of = |of: &str| format!("files = [\"*.csv\"]; reader = \"csv\"; type = '\"{of}\"'");
    check(
        &[&of("b"), &of("m")],
        &[("a.csv", "key,name\n1,A\n1,B\n")],
        &[
            "3: DUPLICATE_KEY the record at a.csv:2 has the same key `1`; references lead to that one",
            "3: DUPLICATE_KEY the record at a.csv:2 has the same key `1`; references lead to that one",
            r#"2: {"kind":"boat","id":"1","model":"A"}"#,
            r#"2: {"kind":"manufacturer","id":"1","name":"A"}"#,
            r#"3: {"kind":"boat","id":"1","model":"B"}"#,
            r#"3: {"kind":"manufacturer","id":"1","name":"B"}"#,
        ],
    );
}

#[test]
fn a_record_that_fails_in_two_sections_is_one_record() {
    let of = |of: &str| {
        format!("files = [\"*.csv\"]; reader = \"csv\"; type = '\"{of}\"'; published = \".live\"")
    };
    check(
        &[&of("b"), &of("m")],
        &[("a.csv", "key,name\n1,A\n")],
        &[
            "2: - MAPPING_FAILED  the `published` of a record must be true or false, not null",
            "2: SOURCE_WITHOUT_RECORDS the files called *.csv have no record that could be identified",
            "7: SOURCE_WITHOUT_RECORDS the files called *.csv have no record that could be identified",
            "15: TYPE_NOT_FOUND no record is of the type `b`",
            "19: TYPE_NOT_FOUND no record is of the type `m`",
        ],
    );
}

#[test]
fn a_section_without_a_record_is_told() {
    let mapping = mapping(&[BOATS, MAKERS]);
    let links =
        "[links]\nfiles = [\"*.json\"]\nreader = \"json\"\nrecords = [\"links\"]\neach = \".l\"\n";
    let files = [(
        "a.json",
        r#"{"makers":[],"boats":[{"key":"1"}],"links":[{"l":[]}]}"#,
    )];
    let expected = [
        "7: SOURCE_WITHOUT_RECORDS the files called a.* have no record that could be identified",
        "23: SOURCE_WITHOUT_RECORDS the files called *.json have no link",
        "19: TYPE_NOT_FOUND no record is of the type `m`",
        r#"1: {"kind":"boat","id":"1"}"#,
    ];
    assert_eq!(mapped(&format!("{mapping}{links}"), &files), expected);
}

#[test]
fn records_and_links_may_stand_in_one_file() {
    let boats = r#"files = ["*.csv"]; reader = "csv"; type = '"b"'"#;
    let mapping = mapping(&[boats]).replace("\".name\"", "'links(\"next\") | join(\" \")'");
    let links = "[links]\nfiles = [\"a.*\"]\nreader = \"csv\"\neach = '[{from: .key, field: \"next\", to: .next}]'\n";
    let files = [("a.csv", "key,next\n1,2\n2,1\n")];
    let expected = [
        "13: TYPE_NOT_FOUND no record is of the type `m`",
        r#"2: {"kind":"boat","id":"1","model":"2"}"#,
        r#"3: {"kind":"boat","id":"2","model":"1"}"#,
    ];
    assert_eq!(mapped(&format!("{mapping}{links}"), &files), expected);
}

#[test]
fn a_damaged_file_that_two_sections_read_is_told_once() {
    check(
        &[BOATS, MAKERS],
        &[("a.json", r#"{"boats":[{"key":"1"}],"makers":[{"key":"x""#)],
        &[
            "1: FILE_TRUNCATED the document ends before it is complete",
            r#"1: {"kind":"boat","id":"1"}"#,
        ],
    );
}

#[test]
fn a_file_that_has_not_the_form_of_a_section_is_told() {
    let csv = r#"files = ["a.*"]; reader = "csv"; type = '"m"'"#;
    check(
        &[csv, BOATS],
        &[("a.json", "key,name\nx,X\n")],
        &[
            "1: FILE_CORRUPT the document is not valid JSON: expected value",
            r#"2: {"kind":"manufacturer","id":"x","name":"X"}"#,
        ],
    );
}
