//! Tests of workbooks, which are written here part by part.

use std::io::Write as _;

use zip::ZipWriter;
use zip::write::SimpleFileOptions;

use super::*;
use crate::source::{Rows, SheetName};
use crate::spool::Spool;

/// Dates, dates with times, times of day and durations are styles 1 to 4.
const STYLES: &str = r#"<styleSheet><cellXfs><xf numFmtId="0"/><xf numFmtId="14"/><xf numFmtId="22"/><xf numFmtId="21"/><xf numFmtId="46"/></cellXfs></styleSheet>"#;
const PACKAGE: &str = r#"<Relationships><Relationship Id="r" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument" Target="xl/workbook.xml"/></Relationships>"#;

/// A ZIP archive of these parts.
pub(crate) fn zipped(parts: &[(&str, &[u8])]) -> Vec<u8> {
    let mut archive = ZipWriter::new(Cursor::new(Vec::new()));
    for (name, contents) in parts {
        archive
            .start_file(*name, SimpleFileOptions::default())
            .unwrap();
        archive.write_all(contents).unwrap();
    }
    archive.finish().unwrap().into_inner()
}

/// A workbook of sheets, each with its name and what it has within.
pub(crate) fn workbook(sheets: &[(&str, &str)]) -> Vec<u8> {
    let numbered = || sheets.iter().zip(1..);
    let names: Vec<_> = numbered()
        .map(|((name, _), number)| {
            format!(r#"<sheet name="{name}" sheetId="{number}" r:id="s{number}"/>"#)
        })
        .collect();
    let targets: Vec<_> = numbered()
        .map(|(_, number)| {
            format!(
                r#"<Relationship Id="s{number}" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/worksheet" Target="worksheets/sheet{number}.xml"/>"#
            )
        })
        .collect();
    let parts = numbered().map(|((_, within), number)| {
        (
            format!("xl/worksheets/sheet{number}.xml"),
            format!("<worksheet>{within}</worksheet>"),
        )
    });
    let parts: Vec<_> = parts.collect();
    let book = format!("<workbook><sheets>{}</sheets></workbook>", names.concat());
    let targets = format!("<Relationships>{}</Relationships>", targets.concat());
    let fixed = [
        ("[Content_Types].xml", "<Types/>"),
        ("_rels/.rels", PACKAGE),
        ("xl/workbook.xml", &book),
        ("xl/_rels/workbook.xml.rels", &targets),
        ("xl/styles.xml", STYLES),
    ];
    let fixed = fixed.map(|(name, text)| (name.to_owned(), text.to_owned()));
    let all: Vec<(String, String)> = fixed.into_iter().chain(parts).collect();
    let all: Vec<(&str, &[u8])> = all
        .iter()
        .map(|(name, text)| (name.as_str(), text.as_bytes()))
        .collect();
    zipped(&all)
}

/// The rows of a sheet, in which `A1=x` is a text, and other cells are written as XML.
fn sheet(rows: &[&str]) -> String {
    let cell = |cell: &str| match cell.split_once('=') {
        Some((at, text)) if !at.starts_with('<') => {
            format!(r#"<c r="{at}" t="inlineStr"><is><t>{text}</t></is></c>"#)
        }
        _ => cell.to_owned(),
    };
    let row = |row: &&str| {
        format!(
            "<row>{}</row>",
            row.split('|').map(cell).collect::<String>()
        )
    };
    format!(
        "<sheetData>{}</sheetData>",
        rows.iter().map(row).collect::<String>()
    )
}

/// What is read of a workbook: records, bad rows, the errors of cells, and how it ended.
fn rows_of(file: &[u8], table: &TableLayout) -> Vec<String> {
    let mut spool = Spool::new(&std::env::temp_dir());
    spool.append(file).unwrap();
    spool.finish().unwrap();
    let mut found = Vec::new();
    let opened = super::super::workbook::Workbook::open(spool, table);
    let read = opened.and_then(|opened| {
        opened.read(&mut |_| Ok(()), &mut |row| {
            found.push(match row {
                Ok(row) => format!("{} {}", row.start.line, row.text),
                Err(bad) => format!("{} {} {}", bad.start.line, bad.code, bad.message),
            });
            Ok(())
        })
    });
    match read {
        Ok(errors) => found.extend(
            errors
                .first
                .map(|first| format!("{} errors, {first:?}", errors.count)),
        ),
        Err(FileError::Damaged {
            code,
            line,
            message,
        }) => found.push(format!("{line} {code} {message}")),
        Err(other) => panic!("{other:?}"),
    }
    found
}

fn layout(sheet: Option<SheetName>, rows: Rows) -> TableLayout {
    TableLayout { sheet, rows }
}

#[test]
fn a_cell_is_what_its_type_and_its_format_say() {
    let file = workbook(&[(
        "Boats",
        &sheet(&[
            "A1=id|B1=loa|C1=year|D1=sold|E1=seen|F1=at|G1=time|H1=hours|I1=half|J1=sum",
            r#"A2=b1|<c r="B2"><v>9.0500000000000007</v></c>|<c r="C2"><v>1999</v></c>|<c r="D2" t="b"><v>1</v></c>|<c r="E2" s="1"><v>45943</v></c>|<c r="F2" s="2"><v>45943.5</v></c>|<c r="G2" s="3"><v>0.75</v></c>|<c r="H2" s="4"><v>1.5</v></c>|<c r="I2"><f>I1/2</f><v>0.30000000000000004</v></c>|<c r="J2" t="str"><f>A1</f><v>a &amp; b</v></c>"#,
        ]),
    )]);
    assert_eq!(
        rows_of(&file, &TableLayout::default()),
        [
            r#"2 {"id":"b1","loa":9.05,"year":1999,"sold":true,"seen":"2025-10-13","at":"2025-10-13T12:00:00","time":"18:00:00","hours":"36:00:00","half":0.3,"sum":"a & b"}"#,
        ]
    );
}

#[test]
fn an_error_is_no_value_and_the_first_is_told_with_its_cell() {
    let file = workbook(&[(
        "Boats",
        &sheet(&[
            "A1=id|B1=loa",
            r#"A2=b1|<c r="B2" t="e"><v>#N/A</v></c>"#,
            r#"A3=b2|<c r="B3" t="e"><v>#DIV/0!</v></c>"#,
            r#"A4=b3|<c r="B4" t="e"><v>#SPILL!</v></c>"#,
        ]),
    )]);
    assert_eq!(
        rows_of(&file, &TableLayout::default()),
        [
            r#"2 {"id":"b1","loa":null}"#,
            r#"3 {"id":"b2","loa":null}"#,
            r#"4 {"id":"b3","loa":null}"#,
            r#"3 errors, (2, "B2 is #N/A")"#,
        ]
    );
}

#[test]
fn a_text_longer_than_a_cell_may_have_is_no_value_and_told() {
    let long = "x".repeat(140_000);
    let file = workbook(&[(
        "Boats",
        &sheet(&["A1=id|B1=note", &format!("A2=b1|B2={long}")]),
    )]);
    assert_eq!(
        rows_of(&file, &TableLayout::default()),
        [
            r#"2 {"id":"b1","note":null}"#,
            r#"1 errors, (2, "B2 is longer than the 32,767 characters of a cell")"#,
        ]
    );
}

#[test]
fn an_archive_with_a_folder_that_is_called_as_in_a_workbook_is_none() {
    assert!(super::super::workbook::is_one(
        b"PK\x03\x04 xl/_rels/workbook.xml.rels"
    ));
    assert!(!super::super::workbook::is_one(
        b"PK\x03\x04 photos/xl/1.jpg"
    ));
}

#[test]
fn a_cell_merged_over_rows_has_its_value_in_each_and_one_merged_over_columns_in_the_first() {
    let within = sheet(&[
        "A1=maker|B1=size",
        "B2=loa|C2=beam",
        "A3=Nord|B3=9|C3=3",
        "B4=8|C4=2",
        "B5=7|C5=2",
    ]);
    let merged = r#"<mergeCells><mergeCell ref="A1:A2"/><mergeCell ref="B1:C1"/><mergeCell ref="A3:A4"/></mergeCells>"#;
    let file = workbook(&[("Boats", &(within + merged))]);
    assert_eq!(
        rows_of(&file, &layout(None, Rows::Below(2))),
        [
            r#"3 {"maker":"Nord","loa":"9","beam":"3"}"#,
            r#"4 {"maker":"Nord","loa":"8","beam":"2"}"#,
            r#"5 {"maker":null,"loa":"7","beam":"2"}"#,
        ]
    );
}

#[test]
fn a_cell_beyond_the_header_is_told_with_its_address() {
    let file = workbook(&[(
        "Boats",
        &sheet(&["A1=id|B1=loa", "A2=b1", "A28=b2|AB28=look"]),
    )]);
    assert_eq!(
        rows_of(&file, &TableLayout::default()),
        [
            r#"2 {"id":"b1","loa":null}"#,
            r#"28 INVALID_ROW "look" in AB28 stands in a column without a name"#,
        ]
    );
}

#[test]
fn a_sheet_is_known_by_its_name_its_number_or_as_the_only_one_with_rows() {
    let one = workbook(&[
        ("Notes", &sheet(&[])),
        ("Boats", &sheet(&["A1=id", "A2=b1"])),
    ]);
    let boat = [r#"2 {"id":"b1"}"#];
    let named = |name: &str| Some(SheetName::Name(name.to_owned()));
    for sheet in [None, named("Boats"), Some(SheetName::Number(2))] {
        assert_eq!(rows_of(&one, &layout(sheet, Rows::default())), boat);
    }
    for wanted in [named("Yachts"), Some(SheetName::Number(3))] {
        let found = rows_of(&one, &layout(wanted, Rows::default()));
        assert!(
            found[0].contains(r#"its sheets are "Notes", "Boats""#),
            "{found:?}"
        );
    }
    let two = workbook(&[
        ("Boats", &sheet(&["A1=id", "A2=b1"])),
        ("Prices", &sheet(&["A1=b1"])),
    ]);
    assert_eq!(
        rows_of(&two, &TableLayout::default()),
        [
            r#"1 RECORDS_NOT_FOUND 2 of its sheets have rows, such as "Boats" and "Prices": name the one with the records in the source in the mapping, as in `sheet = "Boats"`"#,
        ]
    );
    assert_eq!(
        rows_of(&two, &layout(None, Rows::Preview)),
        [
            r#"1 ["Boats",["id"]]"#,
            r#"2 ["Boats",["b1"]]"#,
            r#"1 ["Prices",["b1"]]"#,
        ]
    );
}

#[test]
fn what_is_no_workbook_or_asks_for_too_much_is_refused_with_a_reason() {
    let styles = vec![b' '; 5 << 20];
    let disorder = sheet(&["A1=id", "A3=b", "A2=a"]);
    let wide = sheet(&["A1=id|ZZZ1=x"]);
    for (file, reason) in [
        (b"id,loa\n".to_vec(), "invalid Zip archive"),
        (
            workbook(&[("Boats", "<sheetData><row><c r=\"A1\">")]),
            "Unexpected end of xml",
        ),
        (
            zipped(&[("xl/styles.xml", &styles)]),
            "and at most 4194304 are read",
        ),
        (workbook(&[("Boats", &disorder)]), "are not in order"),
        (
            workbook(&[("Boats", &wide)]),
            "a sheet has at most 16384 columns",
        ),
    ] {
        let found = rows_of(&file, &TableLayout::default());
        let last = found.last().unwrap();
        assert!(
            last.contains(" FILE_CORRUPT ") && last.contains(reason),
            "{last}"
        );
    }
}

#[test]
fn a_workbook_is_known_by_its_beginning() {
    let is_one = super::super::workbook::is_one;
    let file = workbook(&[("Boats", "")]);
    assert!(is_one(&file));
    let document = zipped(&[("[Content_Types].xml", b""), ("word/document.xml", b"")]);
    for other in [
        &document[..],
        &zipped(&[("boats.csv", b"id\n")]),
        b"xl/",
        b"PK",
    ] {
        assert!(!is_one(other), "{other:?}");
    }
}
