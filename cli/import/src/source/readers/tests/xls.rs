//! Tests of workbooks of Excel 97 to 2003: the records of one are changed here.

use std::io::{Read as _, Write as _};

use cfb::CompoundFile;

use super::workbook::rows_of;
use super::*;
use crate::source::{Rows, SheetName};

const STOCK: &[u8] = include_bytes!("../../../../../../fixtures/suggested/stock.xls");
const FORMULA: u16 = 0x06;
const END: u16 = 0x0a;
const CONTINUE: u16 = 0x3c;
const SHEET: u16 = 0x85;
const TEXTS: u16 = 0xfc;
const TEXT: u16 = 0xfd;
const SIZE: u16 = 0x200;
const NUMBER: u16 = 0x203;
const BEGIN: u16 = 0x809;

/// The type and the bytes of a record.
type Record = (u16, Vec<u8>);

/// The workbook of the fixtures, after its records are changed. Sheets begin where they did.
fn changed(change: impl FnOnce(&mut Vec<Record>)) -> Vec<u8> {
    let mut file = CompoundFile::open(Cursor::new(STOCK)).unwrap();
    let mut stream = Vec::new();
    let mut workbook = file.open_stream("/Workbook").unwrap();
    workbook.read_to_end(&mut stream).unwrap();
    let (mut records, mut rest) = (Vec::new(), stream.as_slice());
    let word = |bytes: &[u8]| u16::from_le_bytes([bytes[0], bytes[1]]);
    // Zeros follow the last sheet.
    while 0 < word(rest) {
        let (record, after) = rest.split_at(4 + usize::from(word(&rest[2..])));
        records.push((word(record), record[4..].to_vec()));
        rest = after;
    }
    let begins = places(&records);
    change(&mut records);
    let moved = places(&records);
    for (_, bytes) in records.iter_mut().filter(|(kind, _)| *kind == SHEET) {
        let known = begins.iter().position(|begin| bytes.starts_with(begin));
        if let Some(begin) = known.and_then(|known| moved.get(known)) {
            bytes[..4].copy_from_slice(begin);
        }
    }
    compound("/Workbook", &records)
}

/// Where something begins, as sheets say it.
fn places(records: &[Record]) -> Vec<[u8; 4]> {
    let (mut at, mut places) = (0_u32, Vec::new());
    for (kind, bytes) in records {
        if *kind == BEGIN {
            places.push(at.to_le_bytes());
        }
        at += 4 + u32::try_from(bytes.len()).unwrap();
    }
    places
}

/// A compound file with a stream of records.
fn compound(name: &str, records: &[Record]) -> Vec<u8> {
    let mut file = CompoundFile::create(Cursor::new(Vec::new())).unwrap();
    let mut stream = file.create_stream(name).unwrap();
    for (kind, bytes) in records {
        let length = u16::try_from(bytes.len()).unwrap();
        let head = [kind.to_le_bytes(), length.to_le_bytes()].concat();
        stream
            .write_all(&[&head, bytes.as_slice()].concat())
            .unwrap();
    }
    stream.flush().unwrap();
    drop(stream);
    file.flush().unwrap();
    file.into_inner().into_inner()
}

/// The first record of a type.
fn first(records: &mut [Record], kind: u16) -> &mut Vec<u8> {
    let record = records.iter_mut().find(|(known, _)| *known == kind);
    &mut record.unwrap().1
}

/// Adds records to the first sheet.
fn add(records: &mut Vec<Record>, more: impl IntoIterator<Item = Record>) {
    let size = records.iter().position(|(kind, _)| *kind == SIZE).unwrap();
    records.splice(size..size, more);
}

/// The bytes of a cell in a row and a column, and what it has.
fn cell(row: u16, column: u16, value: &[u8]) -> Vec<u8> {
    let place = [row.to_le_bytes(), column.to_le_bytes(), [0; 2]].concat();
    [&place, value].concat()
}

fn boats() -> TableLayout {
    TableLayout {
        sheet: Some(SheetName::Name("Boats".to_owned())),
        rows: Rows::Below(4),
    }
}

/// How reading a workbook ends.
fn refused(file: &[u8]) -> String {
    rows_of(file, &boats()).pop().unwrap()
}

#[test]
fn cells_are_what_those_of_other_workbooks_are() {
    let other = include_bytes!("../../../../../../fixtures/suggested/stock.ods");
    assert_eq!(rows_of(STOCK, &boats()), rows_of(other, &boats()));
}

#[test]
fn what_a_workbook_says_of_its_size_and_its_formulas_is_not_read() {
    let expected = rows_of(STOCK, &boats());
    let lying = changed(|records| {
        first(records, SIZE).fill(0xff);
        first(records, FORMULA)[20..].fill(0xff);
    });
    assert_eq!(rows_of(&lying, &boats()), expected);
}

#[test]
fn a_text_may_go_on_in_the_next_record_in_wider_characters() {
    let expected = rows_of(STOCK, &boats()).join("\n");
    let file = changed(|records| {
        let at = records.iter().position(|(kind, _)| *kind == TEXTS).unwrap();
        let text = |text: &str, flags: u8| {
            [
                &[u8::try_from(text.len()).unwrap(), 0, flags],
                text.as_bytes(),
            ]
            .concat()
        };
        let texts = &mut records[at].1;
        let known = memchr::memmem::find(texts, &text("Nord", 0)).unwrap();
        let rest = texts.split_off(known);
        // Two characters, of four, with a run of a format and three bytes of phonetics.
        texts.extend(b"\x04\0\x0c\x01\0\x03\0\0\0No");
        let more = [b"\x01r\0d\0runs??", b"?".as_slice(), &rest[7..]].concat();
        records.insert(at + 1, (CONTINUE, more));
    });
    assert_eq!(rows_of(&file, &boats()).join("\n"), expected);
}

#[test]
fn a_workbook_that_asks_for_too_much_is_refused_before_it_is_read() {
    let far = cell(65_535, 255, &[0; 8]);
    let wide = |length: usize| (0xbd, cell(0, 0, &vec![0; length * 6]));
    let long = [
        &[0; 8],
        &32_000_u16.to_le_bytes()[..],
        &[0],
        "x".repeat(32_000).as_bytes(),
    ]
    .concat();
    let merged = |count: usize| (0xe5, vec![0; 2 + count * 8]);
    for (file, told) in [
        (
            changed(|records| add(records, [(NUMBER, far)])),
            "has at most 4000000 cells between the first and the last, this one more",
        ),
        (
            changed(|records| add(records, (0..370).map(|_| wide(10_900)))),
            "has at most 4000000 cells, this one more",
        ),
        (
            changed(|records| {
                *first(records, TEXTS) = long;
                let cells = (0..2_100).map(|_| (TEXT, cell(0, 0, &[0; 4])));
                add(records, cells.collect::<Vec<_>>());
            }),
            "has at most 67108864 characters in its cells, this one more",
        ),
        (
            changed(|records| add(records, (0..13).map(|_| merged(8_000)))),
            "has at most 100000 merged regions, this one more",
        ),
        (
            changed(|records| {
                let at = records.iter().position(|(kind, _)| *kind == TEXTS).unwrap();
                let pieces = (0..20_000).map(|_| (CONTINUE, b"\x01\0\0x".to_vec()));
                let after = records.split_off(at + 1);
                records.extend(pieces);
                records.extend(after);
            }),
            "has at most 20000 pieces of texts, this one more",
        ),
    ] {
        assert_eq!(refused(&file), format!("1 FILE_CORRUPT a workbook {told}"));
    }
}

#[test]
fn a_workbook_that_contradicts_itself_is_refused() {
    let sheets =
        |begin: [u8; 4]| changed(|records| first(records, SHEET)[..4].copy_from_slice(&begin));
    let mut second = [0; 4];
    changed(|records| {
        let mut sheets = records.iter().filter(|(kind, _)| *kind == SHEET);
        second.copy_from_slice(&sheets.next_back().unwrap().1[..4]);
    });
    for (file, told) in [
        (sheets(second), "a sheet begins where none is"),
        (sheets([0; 4]), "a sheet begins where none is"),
        (sheets([9, 0, 0, 0]), "a sheet begins where none is"),
        (
            changed(|records| first(records, TEXTS)[8..10].fill(0xff)),
            "its texts are broken",
        ),
        (
            changed(|records| first(records, TEXT)[6..10].fill(0xff)),
            "it lacks the text of a cell",
        ),
        (
            changed(|records| add(records, [(0x204, cell(0, 0, &[0xff; 2]))])),
            "a record is shorter than it must be",
        ),
        (
            changed(|records| first(records, FORMULA).truncate(20)),
            "a record is shorter than it must be",
        ),
        (
            changed(|records| {
                let at = records.iter().position(|(kind, _)| *kind == TEXTS).unwrap();
                records.insert(at, records[at].clone());
            }),
            "it has its texts twice",
        ),
    ] {
        assert_eq!(
            refused(&file),
            format!(
                "1 FILE_CORRUPT the file cannot be read as a workbook: {told}: save it again, or transfer it again"
            )
        );
    }
    let cut = changed(|records| assert_eq!(records.pop().unwrap().0, END));
    assert_eq!(
        refused(&cut),
        "1 FILE_TRUNCATED the workbook ends before its sheet does"
    );
}

#[test]
fn two_sheets_of_one_name_are_refused() {
    let file = changed(|records| {
        let name = first(records, SHEET)[6..].to_vec();
        for (_, bytes) in records.iter_mut().filter(|(kind, _)| *kind == SHEET) {
            bytes.splice(6.., name.clone());
        }
    });
    let told = refused(&file);
    assert!(
        told.contains("FILE_CORRUPT two sheets are called"),
        "{told}"
    );
}

#[test]
fn sectors_in_a_circle_and_a_cut_file_are_refused() {
    let mut circle = STOCK.to_vec();
    let table = u32::from_le_bytes(circle[76..80].try_into().unwrap()) as usize;
    let table = 512 * (table + 1);
    circle[table + 4..table + 8].fill(0);
    for file in [&circle, &STOCK[..2_000]] {
        let told = refused(file);
        assert!(told.contains("it is cut or lacks a part"), "{told}");
    }
}

#[test]
fn a_document_that_is_protected_or_no_workbook_is_said_to_be_so() {
    let protected = changed(|records| records.insert(1, (0x2f, vec![0; 6])));
    let told = "1 FILE_CORRUPT the file is an old or protected Office document, which is not read: save it as an Excel workbook (.xlsx) without a password, and take that file";
    for file in [protected, compound("/EncryptedPackage", &[])] {
        assert_eq!(refused(&file), told);
    }
}
