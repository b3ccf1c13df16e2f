//! Tests of records that cannot be read, identified or mapped: each is reported, and the others are
//! mapped.

use super::bounds::DEPTH_MAX;
use super::*;

#[test]
fn an_error_of_a_spreadsheet_in_what_decides_is_no_yes() {
    check(
        "published = \".hidden | not\"\n[[emit]]\nkind = \"boat\"\ntype = \"b\"\nfields = {}\n",
        r##"{"key":"1","type":"b","hidden":null,"more":"#N/A"}
           {"key":"2","type":"b","hidden":"#N/A"}
           {"key":"3","type":"b","hidden":"#REF! ","more":"#N/A"}
           {"key":"4","type":"b","hidden":true,"more":"#N/A"}"##,
        &[
            "2: - MAPPING_FAILED  the `published` of a record is not known, as `hidden` is #N/A, an error of a spreadsheet",
            "3: - MAPPING_FAILED  the `published` of a record is not known, as `hidden` is #REF!, an error of a spreadsheet",
            "1: SPREADSHEET_ERROR 5 values, from here on, are errors of a spreadsheet such as #N/A; they count as empty",
            r#"1: {"kind":"boat","id":"1"}"#,
            "unpublished boat 4",
        ],
    );
}

#[test]
fn an_error_is_found_however_its_key_is_named() {
    for (published, record) in [
        (r#"(."Sold?" // "") == """#, r##""Sold?":"#N/A""##),
        (r#"(.sold? // "") == """#, r##""sold":"#N/A""##),
        (r#"(.sys.sold // "") == """#, r##""sys":{"sold":"#N/A"}"##),
    ] {
        let mapping = format!(
            "{BEGINNING}published = '{published}'\n[[emit]]\nkind = \"boat\"\ntype = \"b\"\nfields = {{}}\n"
        );
        let line = format!(r#"{{"key":"1","type":"b",{record}}}"#);
        let found = mapped(&mapping, &[("a.ndjson", &line)]);
        assert!(
            found[0].contains("is #N/A, an error of a spreadsheet"),
            "{found:?}"
        );
    }
}

#[test]
fn a_key_that_is_called_like_a_status_is_told_unless_it_is_a_depth_or_mentioned() {
    for (member, is_told) in [
        (r#""visible":false"#, true),
        (r#""Hidden":"no""#, true),
        (r#""draft":1"#, true),
        (r#""draft":1.85"#, false),
        (r#""Hidden":null"#, false),
        (r#""archived":true"#, false),
    ] {
        let mapping = format!(
            "{BEGINNING}# .archived is of the file alone.\n[[emit]]\nkind = \"boat\"\ntype = \"b\"\nfields = {{}}\n"
        );
        let line = format!(r#"{{"key":"1","type":"b",{member}}}"#);
        let found = mapped(&mapping, &[("a.ndjson", &line)]).concat();
        assert_eq!(
            found.contains("STATUS_KEY_NOT_READ"),
            is_told,
            "{member}: {found}"
        );
    }
}

#[test]
fn a_published_that_is_not_there_is_no_yes() {
    check(
        "published = \".live\"\n[[emit]]\nkind = \"boat\"\ntype = \"b\"\nfields = {}\n",
        r#"{"key":"1","type":"b","live":true}
           {"key":"2","type":"b"}
           {"key":"3","type":"b","live":"yes"}"#,
        &[
            "2: - MAPPING_FAILED  the `published` of a record must be true or false, not null",
            "3: - MAPPING_FAILED  the `published` of a record must be true or false",
            r#"1: {"kind":"boat","id":"1"}"#,
        ],
    );
}

#[test]
fn a_key_that_is_given_twice_is_told_however_deep() {
    check(
        "[[emit]]\nkind = \"boat\"\ntype = \"b\"\nfields = {}\n",
        r#"{"key":"1","type":"b","a":1,"a":2}
           {"key":"2","type":"b","a":[{"b":{"c":1,"c":1}}]}
           {"key":"3","type":"b"}"#,
        &[
            "1: - REPEATED_KEY  the key `a` is given twice",
            "2: - REPEATED_KEY  the key `c` is given twice",
            r#"3: {"kind":"boat","id":"3"}"#,
        ],
    );
}

#[test]
fn a_record_that_fails_for_several_members_is_one_record() {
    check(
        r#"
        [[emit]]
        kind = "designer"
        type = "b"
        each = ".by"
        fields.id = ".id | slugify"
        "#,
        r#"{"key":"1","type":"b","by":[{"id":"a"},{"id":[]},{"id":{}}]}"#,
        &[
            r#"1: {"kind":"designer","id":"a"}"#,
            "1: designer MAPPING_FAILED /id this needs a text, not []",
            "1: designer MAPPING_FAILED /id this needs a text, not {}",
        ],
    );
}

#[test]
fn the_key_that_an_unidentified_record_does_not_have_is_named() {
    let unidentified = |key: &str, record: &str| {
        let mapping =
            format!("{BEGINNING}[[emit]]\nkind = \"boat\"\ntype = \"b\"\nfields = {{}}\n");
        let mapping = mapping.replace("\".key\"", &format!("'{key}'"));
        mapped(&mapping, &[("a.ndjson", record)]).swap_remove(0)
    };
    let told = "1: RECORDS_UNIDENTIFIED 1 record was without a key or a type, and not read";
    let record = r#"{"Refs":"1","type":"b"}"#;
    assert_eq!(
        unidentified(".\"Ref\"", record),
        format!("{told} [the record has no key `Ref`, which `key` reads; it may be `Refs` now]"),
    );
    assert_eq!(
        unidentified(".Number", record),
        format!(
            "{told} [the record has no key `Number`, which `key` reads; it may have another name now]"
        ),
    );
    assert_eq!(unidentified(".a // .b", record), told);
}

#[test]
fn a_record_longer_than_a_line_is_told() {
    let text = "x".repeat(crate::source::LINE_MAX / 2);
    check(
        "[[emit]]\nkind = \"boat\"\ntype = \"b\"\nfields.model = \".name + .name\"\n",
        &format!(r#"{{"key":"1","type":"b","name":"{text}"}}"#),
        &[
            "1: boat LINE_TOO_LONG  what the mapping makes of the record has 1048611 bytes, more than the 1048576 of a line",
        ],
    );
}

#[test]
fn a_record_that_cannot_be_read_or_identified_is_told() {
    let deep = format!(
        "{}1{}",
        "[".repeat(DEPTH_MAX + 1),
        "]".repeat(DEPTH_MAX + 1)
    );
    let lines = format!(
        "{}\n{}\n{}\n{deep}\n{}",
        r#"{"key":["a"],"type":"b"}"#,
        r#"{"key":"1","type":"#,
        r#"{"no":"key"}"#,
        r#"{"key":"9","ty"#,
    );
    check(
        "[[emit]]\nkind = \"boat\"\ntype = \"b\"\nfields = {}\n",
        &lines,
        &[
            "1: - MAPPING_FAILED  the `key` of a record must be a text",
            "2: - INVALID_JSON  the line is not valid JSON: EOF while parsing a value",
            "4: - NESTED_TOO_DEEP  objects and lists are nested more than 128 deep",
            "5: - FILE_TRUNCATED  the file ends in the middle of a record",
            "3: RECORDS_UNIDENTIFIED 1 record was without a key or a type, and not read [the record has no key `key`, which `key` reads; it may have another name now]",
            "3: SOURCE_WITHOUT_RECORDS the files called *.ndjson have no record that could be identified",
            "9: TYPE_NOT_FOUND no record is of the type `b`",
        ],
    );
}
