//! CSV files.

use super::*;

#[test]
fn every_row_is_an_object_of_texts() {
    check(
        CSV,
        "\u{feff}id, name ,note\n1,\"Hallberg, \"\"R\"\"\",\n2,12' 6\",\"two\nlines\"\n\n3,é, x \n",
        &[],
        &[
            r#"2 {"id":"1","name":"Hallberg, \"R\"","note":null}"#,
            r#"3 {"id":"2","name":"12' 6\"","note":"two\nlines"}"#,
            r#"6 {"id":"3","name":"é","note":" x "}"#,
        ],
    );
}

#[test]
fn lines_may_end_as_on_windows() {
    check(
        CSV,
        "a,b\r\n1,2\r\n\r\n3,4",
        &[],
        &[r#"2 {"a":"1","b":"2"}"#, r#"4 {"a":"3","b":"4"}"#],
    );
}

#[test]
fn the_delimiter_is_what_the_header_has_most_of() {
    check(CSV, "a;b\n1,5;2\n", &[], &[r#"2 {"a":"1,5","b":"2"}"#]);
    check(
        CSV,
        "a\tb,c\td\n1\t2\t3\n",
        &[],
        &[r#"2 {"a":"1","b,c":"2","d":"3"}"#],
    );
    check(
        CSV,
        "\"a;b;c\",d\n1,2\n",
        &[],
        &[r#"2 {"a;b;c":"1","d":"2"}"#],
    );
    check(CSV, "a\n1\n", &[], &[r#"2 {"a":"1"}"#]);
}

#[test]
fn empty_rows_and_columns_are_left_out() {
    check(
        CSV,
        "a;b;;\n1;2;;\n;;;\n3;;;\n",
        &[],
        &[r#"2 {"a":"1","b":"2"}"#, r#"4 {"a":"3","b":null}"#],
    );
    check(CSV, "", &[], &[]);
    check(CSV, "a,b", &[], &[]);
}

#[test]
fn damage_is_told_with_its_line() {
    use Code::{FileCorrupt, FileTruncated};
    for (file, count, expected) in [
        (
            "a,b\n1,2\n3\n",
            1,
            (FileCorrupt, 3, "has 1 cells, and the header 2"),
        ),
        (
            "a,b\n1,2,3\n",
            0,
            (FileCorrupt, 2, "has 3 cells, and the header 2"),
        ),
        ("a\n1\n\"2\n3\n", 1, (FileTruncated, 3, "never closed")),
        ("a,b\n1,\"", 0, (FileTruncated, 2, "never closed")),
        (
            "a,\na,1\n",
            0,
            (FileCorrupt, 2, "\"1\" stands in a column without a name"),
        ),
        (
            "a,b, a\n",
            0,
            (FileCorrupt, 1, "two columns are called \"a\""),
        ),
    ] {
        check_broken(CSV, file.as_bytes(), &[], count, expected);
    }
    check_broken(
        CSV,
        b"a,b\n1,2\n3,\xe9\n",
        &[],
        1,
        (FileCorrupt, 3, "is not UTF-8"),
    );
}
