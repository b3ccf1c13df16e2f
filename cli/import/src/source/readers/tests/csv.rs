//! Tests of CSV files.

use super::*;
use crate::source::{Encoding, Rows};

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
fn an_apostrophe_before_a_formula_is_no_part_of_it() {
    check(
        CSV,
        "'=a,b\n'=1+1,''@b\n'Anna','-\n",
        &[],
        &[
            r#"2 {"'=a":"=1+1","b":"'@b"}"#,
            r#"3 {"'=a":"'Anna'","b":"-"}"#,
        ],
    );
}

#[test]
fn a_first_line_may_name_the_delimiter() {
    let expected = [r#"3 {"a,b,c":"1","d":"2"}"#];
    for first in ["sep=;", "SEP=;\r", "\u{feff}sep=;"] {
        check(CSV, &format!("{first}\na,b,c;d\n1;2\n"), &[], &expected);
    }
    check(
        CSV,
        "sep=\t\na;b\tc\n1\t2\n",
        &[],
        &[r#"3 {"a;b":"1","c":"2"}"#],
    );
    check(CSV, "sep=|\na|b\n1|2\n", &[], &[r#"3 {"a":"1","b":"2"}"#]);
    // Anything else is a column name.
    check(CSV, "sep=\n1\n", &[], &[r#"2 {"sep=":"1"}"#]);
    check(CSV, "sep=ab\n1\n", &[], &[r#"2 {"sep=ab":"1"}"#]);
}

#[test]
fn a_row_that_does_not_fit_the_header_is_blamed_and_the_next_one_read() {
    check(
        CSV,
        "a,b,\n1,2,\n3\n\"4\",5,6,7\n8,9,x\n10,11,\n",
        &[],
        &[
            r#"2 {"a":"1","b":"2"}"#,
            r#"3 INVALID_ROW the row has 1 cells, and the header 3 ["3"]"#,
            r#"4 INVALID_ROW the row has 4 cells, and the header 3 ["4","5","6","7"]"#,
            r#"5 INVALID_ROW "x" stands in a column without a name ["8","9","x"]"#,
            r#"6 {"a":"10","b":"11"}"#,
        ],
    );
    let (found, ended) = read(CSV, &mut Cursor::new(b"a,b\n1,\xe9\n2,3\n"), &[]);
    assert_eq!(
        found,
        [
            "2 INVALID_UTF8 the row is not UTF-8; save the file as UTF-8, or add its encoding to the source in the mapping, as in `encoding = \"windows-1252\"` [\"1\",\"\u{fffd}\"]",
            r#"3 {"a":"2","b":"3"}"#,
        ],
    );
    assert_eq!(ended.unwrap(), Vec::<usize>::new());
}

#[test]
fn empty_cells_with_which_every_row_goes_on_behind_the_header_are_no_part_of_it() {
    check(
        CSV,
        "a;b\n1;2;\n3;;\n4;5\n6;7;8\n9;10;;\n",
        &[],
        &[
            r#"2 {"a":"1","b":"2"}"#,
            r#"3 {"a":"3","b":null}"#,
            r#"4 INVALID_ROW the row has 2 cells, and the first row 3 ["4","5"]"#,
            r#"5 INVALID_ROW "8" stands in a column without a name ["6","7","8"]"#,
            r#"6 INVALID_ROW the row has 4 cells, and the first row 3 ["9","10","",""]"#,
        ],
    );
    // A delimiter within a text moves the cells of its row.
    check(
        CSV,
        "a;b\n1;2\n3; 4;\n",
        &[],
        &[
            r#"2 {"a":"1","b":"2"}"#,
            r#"3 INVALID_ROW the row has 3 cells, and the header 2 ["3"," 4",""]"#,
        ],
    );
}

#[test]
fn a_control_character_in_a_row_that_does_not_fit_is_named() {
    check(
        CSV,
        "a,b\n1,2\n\u{1a}\n3,4\n",
        &[],
        &[
            r#"2 {"a":"1","b":"2"}"#,
            "3 INVALID_ROW the row has 1 cells, and the header 2, and has the control character U+001A [\"\\u001a\"]",
            r#"4 {"a":"3","b":"4"}"#,
        ],
    );
}

#[test]
fn lines_may_end_in_a_carriage_return_alone() {
    check(
        CSV,
        "a;b\r1;2\r\r\"3\";\"4\r5\"",
        &[],
        &[r#"2 {"a":"1","b":"2"}"#, r#"4 {"a":"3","b":"4\n5"}"#],
    );
    check(
        CSV,
        "a;b\r1;\"2\n3 \"\"\r\n4\"\r5;6' 7\"\r8;\n",
        &[],
        &[
            r#"2 {"a":"1","b":"2\n3 \"\n4"}"#,
            r#"5 {"a":"5","b":"6' 7\""}"#,
            r#"6 {"a":"8","b":null}"#,
        ],
    );
    // Among lines that end otherwise, it is part of a cell.
    for file in ["a;b\n1;2\r3\n", "a;b\r\n1;2\r3\r\n"] {
        check(CSV, file, &[], &[r#"2 {"a":"1","b":"2\r3"}"#]);
    }
    let mut pieces = Encoding::WINDOWS_1252.decode(&b"a;b\r1;\xe9\r"[..]);
    let (found, _) = read(CSV, &mut pieces, &[]);
    assert_eq!(
        found,
        [r#"2 {"a":"1","b":"\u{e9}"}"#.replace("\\u{e9}", "\u{e9}")]
    );
}

#[test]
fn columns_that_are_called_alike_or_not_at_all_are_called_by_their_places() {
    check(
        CSV,
        ",price,id, price ,\n0,1,a,2,\n",
        &[],
        &[r#"2 {"column 1":"0","price (column 2)":"1","id":"a","price (column 4)":"2"}"#],
    );
}

/// Checks what is read of a file of which a mapping says where its rows are.
fn check_rows(rows: Rows, file: &str, expected: &[&str]) {
    let table = TableLayout { sheet: None, rows };
    let mut found = Vec::new();
    let visited = super::super::csv::read(Cursor::new(file), &table, &mut |_| Ok(()), &mut |row| {
        found.push(match row {
            Ok(row) => format!("{} {}", row.start.line, row.text),
            Err(bad) => format!("{} {}", bad.start.line, bad.message),
        });
        Ok(())
    });
    if let Err(FileError::Damaged { line, message, .. }) = visited {
        found.push(format!("{line} {message}"));
    }
    assert_eq!(found, expected, "{file}");
}

#[test]
fn a_mapping_may_name_the_row_of_the_header_which_has_the_delimiter() {
    let file = "Boats, yachts, dinghies\n\na;b\n1;2\n";
    check_rows(Rows::Below(3), file, &[r#"4 {"a":"1","b":"2"}"#]);
    let named = "sep=;\nBoats, yachts\na;b\n1;2\n";
    check_rows(Rows::Below(2), named, &[r#"4 {"a":"1","b":"2"}"#]);
    let message = "row 2 is empty, and the mapping says `header = 2`: name the row of the header";
    check_rows(Rows::Below(2), file, &[&format!("3 {message}")]);
    check_rows(Rows::Below(2), "a,b\n", &[&format!("1 {message}")]);
}

#[test]
fn a_mapping_may_name_the_columns_of_a_table_without_a_header() {
    let columns = ["id", "", "loa"].map(str::to_owned).to_vec();
    check_rows(
        Rows::Without(columns),
        "b1,,9.4\nb2,,\nb3,x,7\nb4\n",
        &[
            r#"1 {"id":"b1","loa":"9.4"}"#,
            r#"2 {"id":"b2","loa":null}"#,
            "3 \"x\" stands in a column without a name",
            "4 the row has 1 cells, and the header 3",
        ],
    );
}

#[test]
fn a_preview_is_the_first_rows_with_the_delimiter_that_most_lines_have() {
    check_rows(
        Rows::Preview,
        "Boats, yachts, dinghies\na;b;c\n\n1,5;2;3\n",
        &[
            r#"1 [null,["Boats, yachts, dinghies"]]"#,
            r#"2 [null,["a","b","c"]]"#,
            r#"4 [null,["1,5","2","3"]]"#,
        ],
    );
}

#[test]
fn damage_is_told_with_its_line() {
    use Code::{FileCorrupt, FileTruncated};
    for (file, count, expected) in [
        ("a\n1\n\"2\n3\n", 1, (FileTruncated, 3, "never closed")),
        ("a,b\n1,\"", 0, (FileTruncated, 2, "never closed")),
        (
            "a,b\n1,2\n3,\"4\n5,6\n7,\",8\n9,10\n",
            1,
            (FileCorrupt, 3, "a quote may be missing"),
        ),
        (
            "a,b, a,a (column 3)\n",
            0,
            (FileCorrupt, 1, "two columns are called \"a (column 3)\""),
        ),
    ] {
        check_broken(CSV, file.as_bytes(), &[], count, expected);
    }
    check_broken(
        CSV,
        b"a,b\n1,\"\xe9\n2,\",3\n",
        &[],
        0,
        (FileCorrupt, 2, "a quote may be missing"),
    );
    check_broken(
        CSV,
        b"a,\xe9\n1,2\n",
        &[],
        0,
        (FileCorrupt, 1, "is not UTF-8"),
    );
}

#[test]
fn a_row_has_the_number_that_a_spreadsheet_shows() {
    let rows = |file: &str| {
        let mut rows = Vec::new();
        let visited = super::super::csv::read(
            Cursor::new(file),
            &TableLayout::default(),
            &mut |_| Ok(()),
            &mut |record| {
                let start = record.map_or_else(|bad| bad.start, |record| record.start);
                rows.push((start.line, start.nth));
                Ok(())
            },
        );
        visited.unwrap();
        rows
    };
    let row = |line, row| (line, Some(Nth::Row(row)));
    let several = "a,\"two\nlines\"\n1,\"x\ny\nz\"\n\n2,\n3\n4,5\n";
    assert_eq!(rows(several), [row(3, 2), row(7, 4), row(8, 5), row(9, 6)]);
    assert_eq!(rows("sep=;\r\na;b\r\n1;2\r\n"), [row(3, 2)]);
}
