//! Tests of workbooks, which are written here part by part.

use std::io::Write as _;

use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipWriter};

use super::*;
use crate::source::readers::workbook::SheetNotes;
use crate::source::{Rows, SheetName, UNPACKED_MAX};
use crate::spool::Spool;

/// Dates, dates with times, times of day and durations are styles 1 to 4.
const STYLES: &str = r#"<styleSheet><cellXfs><xf numFmtId="0"/><xf numFmtId="14"/><xf numFmtId="22"/><xf numFmtId="21"/><xf numFmtId="46"/></cellXfs></styleSheet>"#;
const PACKAGE: &str = r#"<Relationships><Relationship Id="r" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument" Target="xl/workbook.xml"/></Relationships>"#;

/// A ZIP archive of these parts.
pub(crate) fn zipped(parts: &[(&str, &[u8])]) -> Vec<u8> {
    let mut archive = ZipWriter::new(Cursor::new(Vec::new()));
    for (name, contents) in parts {
        let options = SimpleFileOptions::default();
        let stored = options.compression_method(CompressionMethod::Stored);
        // What says what the archive is must be read without unpacking it. Archives in another are
        // often not compressed again.
        let is_stored = *name == "mimetype" || contents.starts_with(b"PK");
        let options = if is_stored { stored } else { options };
        archive.start_file(*name, options).unwrap();
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
pub(crate) fn sheet(rows: &[&str]) -> String {
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

/// What is read of a workbook: records, bad rows, what is told of cells and rows, and how it ended.
pub(super) fn rows_of(file: &[u8], table: &TableLayout) -> Vec<String> {
    rows_of_at_most(file, table, UNPACKED_MAX)
}

/// The same, if so many bytes may be unpacked.
fn rows_of_at_most(file: &[u8], table: &TableLayout, unpacked_max: u64) -> Vec<String> {
    let mut spool = Spool::new(&std::env::temp_dir());
    spool.append(file).unwrap();
    spool.finish().unwrap();
    let mut found = Vec::new();
    let opened = super::super::workbook::Workbook::open(spool, table, unpacked_max);
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
        Ok(SheetNotes { errors, hidden }) => {
            let first = errors.first;
            found.extend(first.map(|first| format!("{} errors, {first:?}", errors.count)));
            let first = hidden.first;
            found.extend(first.map(|first| format!("{} hidden, {first}", hidden.count)));
        }
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
            r##"2 {"id":"b1","loa":"#N/A"}"##,
            r##"3 {"id":"b2","loa":"#DIV/0!"}"##,
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
    assert!(super::super::workbook::book::is_one(
        "",
        b"PK\x03\x04 xl/_rels/workbook.xml.rels"
    ));
    assert!(!super::super::workbook::book::is_one(
        "",
        b"PK\x03\x04 photos/xl/1.jpg"
    ));
}

#[test]
fn an_archive_with_a_document_that_is_not_compressed_is_an_archive() {
    let letter = zipped(&[("[Content_Types].xml", b""), ("word/document.xml", b"")]);
    for document in [workbook(&[("Boats", "")]), ods(&[]), letter] {
        let archive = zipped(&[("x/", b""), ("a.csv", b""), ("x/document", &document)]);
        assert!(!super::super::workbook::book::is_one("", &archive));
        assert_eq!(crate::source::unread::of(&archive), None);
    }
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
            r#"1 [["Boats",false],["id"]]"#,
            r#"2 [["Boats",false],["b1"]]"#,
            r#"1 [["Prices",false],["b1"]]"#,
        ]
    );
    let shown =
        |state| [("Old\" ", state), ("New", "")].map(|(name, state)| format!("{name}{state}"));
    let [old, new] = shown("state=\"veryHidden");
    let excel = workbook(&[(&old, &sheet(&["A1=a"])), (&new, &sheet(&["A1=b"]))]);
    let [old, new] = shown("table:style-name=\"hidden");
    let open = ods(&[(&old, &ods_row(&["a"])), (&new, &ods_row(&["b"]))]);
    for file in [excel, open] {
        assert_eq!(
            rows_of(&file, &layout(None, Rows::Preview)),
            [r#"1 [["Old",true],["a"]]"#, r#"1 [["New",false],["b"]]"#]
        );
    }
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
            workbook(&[("Boats", &sheet(&["A1=id", "A1048577=x"]))]),
            "a sheet has at most 1048576 rows",
        ),
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
    let is_one = super::super::workbook::book::is_one;
    let file = workbook(&[("Boats", "")]);
    assert!(is_one("", &file));
    let document = zipped(&[("[Content_Types].xml", b""), ("word/document.xml", b"")]);
    for other in [
        &document[..],
        &zipped(&[("boats.csv", b"id\n")]),
        b"xl/",
        b"PK",
    ] {
        assert!(!is_one("", other), "{other:?}");
    }
}

#[test]
fn a_formula_without_a_value_is_told_as_an_error_and_hidden_rows_are_counted() {
    let within = r#"<sheetData><row r="1"><c r="A1" t="inlineStr"><is><t>id</t></is></c><c r="B1" t="inlineStr"><is><t>loa</t></is></c></row><row r="3" hidden="1"><c r="A3"><v>1</v></c><c r="B3"><f>A3*2</f></c></row><row r="4" hidden="true"/><row r="5"><c r="A5"><v>2</v></c></row><row r="6" hidden="1"><c r="A6"><v>3</v></c></row></sheetData>"#;
    let file = workbook(&[("Notes", &sheet(&["A1=x"])), ("Boats", within)]);
    let named = Some(SheetName::Name("Boats".to_owned()));
    assert_eq!(
        rows_of(&file, &layout(named, Rows::default())),
        [
            r##"3 {"id":1,"loa":"#NOT_CALCULATED!"}"##,
            r#"5 {"id":2,"loa":null}"#,
            r#"6 {"id":3,"loa":null}"#,
            r#"1 errors, (3, "B3 is a formula without a value")"#,
            "2 hidden, 3",
        ]
    );
}

#[test]
fn hidden_rows_are_those_of_the_part_to_which_a_sheet_leads() {
    let within = |hidden| {
        format!(
            r#"<worksheet><sheetData><row><c r="A1"><v>1</v></c></row><row hidden="{hidden}"><c r="A2"><v>2</v></c></row></sheetData></worksheet>"#
        )
    };
    let book = r#"<workbook><sheets><sheet name="Notes" sheetId="1" r:id="s1"/><sheet name="Boats" sheetId="2" d3p1:id="s2"/></sheets></workbook>"#;
    let kind = "http://schemas.openxmlformats.org/officeDocument/2006/relationships/worksheet";
    let targets = format!(
        r#"<Relationships><Relationship Id="s1" Type="{kind}" Target="worksheets/sheet1.xml"/><Relationship Id="s2" Type="{kind}" Target="/xl/more/worksheets/sheet1.xml"/></Relationships>"#
    );
    let file = zipped(&[
        ("[Content_Types].xml", b"<Types/>"),
        ("_rels/.rels", PACKAGE.as_bytes()),
        ("xl/workbook.xml", book.as_bytes()),
        ("xl/_rels/workbook.xml.rels", targets.as_bytes()),
        ("xl/worksheets/sheet1.xml", within(0).as_bytes()),
        ("xl/more/worksheets/sheet1.xml", within(1).as_bytes()),
    ]);
    let read = |sheet| {
        rows_of(
            &file,
            &layout(Some(SheetName::Number(sheet)), Rows::default()),
        )
    };
    assert_eq!(read(1), [r#"2 {"1":2}"#]);
    assert_eq!(read(2), [r#"2 {"1":2}"#, "1 hidden, 2"]);
}

#[test]
fn two_sheets_of_one_name_are_refused() {
    let sheets = [("Boats", ""), ("Boats", "")];
    let told = r#"1 FILE_CORRUPT two sheets are called "Boats": rename one of them"#;
    for file in [workbook(&sheets), ods(&sheets)] {
        assert_eq!(rows_of(&file, &TableLayout::default()), [told]);
    }
}

#[test]
fn the_texts_of_a_workbook_are_counted_in_every_row_that_shares_them() {
    let rows: Vec<String> = (2..200)
        .map(|row| format!("A{row}={}", "x".repeat(50)))
        .collect();
    let rows: Vec<&str> = rows.iter().map(String::as_str).collect();
    let file = workbook(&[("Boats", &sheet(&[&["A1=id"][..], &rows].concat()))]);
    assert_eq!(rows_of(&file, &TableLayout::default()).len(), 198);
    let told = |most| rows_of_at_most(&file, &TableLayout::default(), most).pop();
    assert_eq!(
        told(9_000).as_deref(),
        Some(
            "1 FILE_CORRUPT the file cannot be read as a workbook: it unpacks to more than 9000 bytes"
        )
    );
    let row = r#"<table:table-row table:number-rows-repeated="900"><table:table-cell office:value-type="string"><text:p>a shared text</text:p></table:table-cell></table:table-row>"#;
    let file = ods(&[("Boats", row)]);
    assert_eq!(rows_of(&file, &TableLayout::default()).len(), 899);
    let told = rows_of_at_most(&file, &TableLayout::default(), 9_000).pop();
    assert_eq!(
        told.as_deref(),
        Some(
            "693 FILE_CORRUPT of the workbook no more is read: it unpacks to more than 9000 bytes"
        )
    );
}

#[test]
fn a_workbook_of_too_many_sheets_or_merged_regions_is_refused() {
    let names: Vec<String> = (0..300).map(|number| format!("S{number}")).collect();
    let sheets: Vec<(&str, &str)> = names.iter().map(|name| (name.as_str(), "")).collect();
    let told = "1 FILE_CORRUPT a workbook has at most 250 sheets, this one more";
    for file in [workbook(&sheets), ods(&sheets)] {
        assert_eq!(rows_of(&file, &TableLayout::default()), [told]);
    }
    let merged = r#"<mergeCell ref="A1:A2"/>"#.repeat(100_001);
    let within = format!("{}<mergeCells>{merged}</mergeCells>", sheet(&["A1=id"]));
    let spanned = r#"<table:table-cell table:number-rows-spanned="2"/>"#.repeat(100_001);
    let told = "1 FILE_CORRUPT a workbook has at most 100000 merged regions, this one more";
    for file in [workbook(&[("Boats", &within)]), ods(&[("Boats", &spanned)])] {
        assert_eq!(rows_of(&file, &TableLayout::default()), [told]);
    }
}

/// An `.ods` of sheets, each with its name and its rows.
fn ods(sheets: &[(&str, &str)]) -> Vec<u8> {
    let sheets = sheets.iter().map(|(name, rows)| {
        format!(r#"<table:table table:name="{name}"><table:table-column/>{rows}</table:table>"#)
    });
    let content = format!(
        "<office:document-content><office:automatic-styles><style:style style:name=\"shown\"><style:table-properties table:display=\"true\"/></style:style><style:style style:name=\"hidden\"><style:table-properties table:display=\"false\"/></style:style></office:automatic-styles><office:body><office:spreadsheet><table:calculation-settings/>{}</office:spreadsheet></office:body></office:document-content>",
        sheets.collect::<String>()
    );
    let kind = b"application/vnd.oasis.opendocument.spreadsheet";
    zipped(&[("mimetype", kind), ("content.xml", content.as_bytes())])
}

/// A row of cells, in which a word is a text, and other cells are written as XML.
fn ods_row(cells: &[&str]) -> String {
    let cells = cells.iter().map(|cell| match cell {
        text if !text.starts_with('<') => format!(
            r#"<table:table-cell office:value-type="string"><text:p>{text}</text:p></table:table-cell>"#
        ),
        xml => (*xml).to_owned(),
    });
    let cells: String = cells.collect();
    format!("<table:table-row>{cells}</table:table-row>")
}

#[test]
fn a_cell_of_open_document_is_what_a_cell_of_excel_is() {
    let header = [
        "id", "loa", "year", "sold", "seen", "at", "time", "hours", "share", "sum",
    ];
    let cell = |attributes: &str| {
        format!(
            "<table:table-cell office:value-type={attributes}><text:p>as shown</text:p></table:table-cell>"
        )
    };
    let cells = [
        r#""float" office:value="9.05""#,
        r#""float" office:value="1999""#,
        r#""boolean" office:boolean-value="true""#,
        r#""date" office:date-value="2025-10-13""#,
        r#""date" office:date-value="2025-10-13T12:00:00.000000001""#,
        r#""time" office:time-value="PT18H00M00S""#,
        r#""time" office:time-value="PT36H00M00.5S""#,
        r#""percentage" office:value="0.3" table:formula="of:=1""#,
    ];
    let cells = cells.map(cell);
    let sum = r#"<table:table-cell office:value-type="string"><office:annotation><text:p>a comment</text:p></office:annotation><text:p>a <text:span>&amp;</text:span><text:s text:c="2"/>b</text:p><text:p>c</text:p><draw:frame><text:p>a shape</text:p></draw:frame></table:table-cell>"#;
    let cells: Vec<&str> = cells.iter().map(String::as_str).collect();
    let row = ods_row(&[&["b1"][..], &cells, &[sum]].concat());
    let file = ods(&[("Boats", &(ods_row(&header) + &row))]);
    assert!(super::super::workbook::book::is_one("", &file));
    assert_eq!(
        rows_of(&file, &TableLayout::default()),
        [
            r#"2 {"id":"b1","loa":9.05,"year":1999,"sold":true,"seen":"2025-10-13","at":"2025-10-13T12:00:00","time":"18:00:00","hours":"36:00:00","share":0.3,"sum":"a &  b\nc"}"#,
        ]
    );
}

#[test]
fn cells_and_rows_of_open_document_repeat_merge_and_hide() {
    let header = ods_row(&["maker", "model", "loa", "beam"]);
    let rows = [
        r#"<table:table-header-rows><table:table-row table:number-rows-repeated="3"><table:table-cell table:number-columns-repeated="16384"/></table:table-row></table:table-header-rows>"#,
        r#"<table:table-row><table:table-cell office:value-type="string" table:number-rows-spanned="3"><text:p>Nord</text:p></table:table-cell><table:table-cell office:value-type="string"><text:p>Sum</text:p></table:table-cell><table:table-cell office:value-type="float" office:value="3" table:number-columns-repeated="2"><text:p>3</text:p></table:table-cell><table:table-cell table:number-columns-repeated="16380"/></table:table-row>"#,
        r#"<table:table-row-group><table:table-row table:visibility="filter" table:number-rows-repeated="2"><table:covered-table-cell office:value-type="string"><text:p>unseen</text:p></table:covered-table-cell><table:table-cell office:value-type="string"><text:p>Ur</text:p></table:table-cell><table:table-cell calcext:value-type="error" office:value-type="string"><text:p>#N/A</text:p></table:table-cell><table:table-cell table:formula="of:=1"/></table:table-row></table:table-row-group>"#,
        r#"<table:table-row table:number-rows-repeated="1048569"><table:table-cell table:number-columns-repeated="16384"/></table:table-row>"#,
    ];
    let file = ods(&[
        ("Notes", ""),
        ("Boats", &(header + &rows.concat())),
        ("More", ""),
    ]);
    assert_eq!(
        rows_of(&file, &TableLayout::default()),
        [
            r#"5 {"maker":"Nord","model":"Sum","loa":3,"beam":3}"#,
            r##"6 {"maker":"Nord","model":"Ur","loa":"#N/A","beam":"#NOT_CALCULATED!"}"##,
            r##"7 {"maker":"Nord","model":"Ur","loa":"#N/A","beam":"#NOT_CALCULATED!"}"##,
            r#"4 errors, (6, "C6 is #N/A")"#,
            "2 hidden, 6",
        ]
    );
}

#[test]
fn a_cell_of_open_document_that_repeats_beyond_the_sheet_or_a_cut_sheet_is_refused() {
    let cell = r#"<table:table-cell table:number-columns-repeated="4000000000" office:value-type="string"><text:p>x</text:p></table:table-cell>"#;
    let long = format!(
        r#"<table:table-cell table:number-columns-repeated="1000" office:value-type="string"><text:p>{}</text:p></table:table-cell>"#,
        "x".repeat(20_000)
    );
    let hidden = format!(
        r#"<table:table-cell table:number-columns-repeated="1000" office:value-type="string" office:string-value="{}"><text:p/></table:table-cell>"#,
        "x".repeat(20_000)
    );
    for (row, reason) in [
        (ods_row(&[cell]), "a sheet has at most 16384 columns"),
        (ods_row(&[&long]), "has more than 16777216 bytes"),
        (ods_row(&[&hidden]), "has more than 16777216 bytes"),
        (ods_row(&["<table:table-cell>"]), "its XML is damaged"),
    ] {
        let found = rows_of(
            &ods(&[("Boats", &(ods_row(&["id"]) + &row))]),
            &TableLayout::default(),
        );
        let last = found.last().unwrap();
        assert!(
            last.starts_with("2 FILE_CORRUPT ") && last.contains(reason),
            "{last}"
        );
    }
    let cell = r#"<table:table-cell table:number-columns-repeated="1000" office:value-type="float" office:value="1"><text:p>1</text:p></table:table-cell>"#;
    let row = r#"<table:table-row table:number-rows-repeated="4002">"#;
    let file = ods(&[("Boats", &format!("{row}{cell}</table:table-row>"))]);
    assert_eq!(
        rows_of(&file, &TableLayout::default()),
        ["1 FILE_CORRUPT a workbook has at most 4000000 cells that repeat others, this one more"]
    );
    let kind = b"application/vnd.oasis.opendocument.spreadsheet";
    let content = b"<a><b><c><table:table><table:table-row><table:table-cell office:value-type=\"string\"><text:p>x";
    let file = zipped(&[("mimetype", kind), ("content.xml", content)]);
    let found = rows_of(&file, &TableLayout::default());
    assert_eq!(
        found,
        ["1 FILE_TRUNCATED the workbook ends before its sheet does"]
    );
}
