//! Tests of every reader on good and damaged files: records with their lines, and what is reported.

mod csv;
mod json;
mod limits;
mod parquet;
mod steps;
pub(crate) mod workbook;
mod xls;
mod xml;

use std::io::{BufReader, Cursor, Read};

use super::*;
use crate::finding::Nth;
use crate::source::TableLayout;

/// What a reader does with a file.
pub(crate) type Reads =
    fn(&mut dyn Read, &[RecordsPath], &mut Visit<'_>) -> Result<Vec<usize>, FileError>;

pub(crate) const JSON: Reads =
    |file, records, visit| Ok(super::json::read(BufReader::new(file), records, visit)?.absent);
pub(crate) const CSV: Reads = |file, _, visit| {
    let table = &TableLayout::default();
    super::csv::read(BufReader::new(file), table, &mut |_| Ok(()), visit).map(|()| Vec::new())
};
pub(crate) const XML: Reads = |file, records, visit| {
    super::xml::read(BufReader::new(file), records, &["tag".to_owned()], visit)
};

/// Parses the paths in `records`.
pub(crate) fn paths(records: &[&str]) -> Vec<RecordsPath> {
    let paths = records.iter();
    paths
        .map(|path| RecordsPath::parse(path).unwrap())
        .collect()
}

/// The records of a file, each as `LINE TEXT`, bad ones as `LINE CODE MESSAGE RAW`, and the absent
/// paths or the error that ended reading.
pub(crate) fn read(
    reads: Reads,
    file: &mut dyn Read,
    records: &[&str],
) -> (Vec<String>, Result<Vec<usize>, FileError>) {
    let mut found = Vec::new();
    let ended = reads(file, &paths(records), &mut |record| {
        found.push(match record {
            Ok(record) => format!("{} {}", record.start.line, record.text),
            Err(bad) => format!(
                "{} {} {} {}",
                bad.start.line, bad.code, bad.message, bad.raw
            ),
        });
        Ok(())
    });
    (found, ended)
}

pub(crate) fn check(reads: Reads, file: &str, records: &[&str], expected: &[&str]) {
    let (found, ended) = read(reads, &mut Cursor::new(file), records);
    assert_eq!(found, expected, "{file}");
    assert_eq!(ended.expect(file), Vec::<usize>::new(), "{file}");
}

/// Checks with which error reading ends, and after how many records.
pub(crate) fn check_broken(
    reads: Reads,
    file: &[u8],
    records: &[&str],
    count: usize,
    expected: (Code, u64, &str),
) {
    let shown = String::from_utf8_lossy(&file[..file.len().min(200)]).into_owned();
    let (found, ended) = read(reads, &mut Cursor::new(file), records);
    let (code, line, message) = expected;
    match ended {
        Err(FileError::Damaged {
            code: found_code,
            line: found_line,
            message: reported,
        }) => {
            assert_eq!(
                (found_code, found_line),
                (code, line),
                "{shown}: {reported}"
            );
            assert!(reported.contains(message), "{shown}: {reported}");
        }
        other => panic!("{shown}: {other:?}"),
    }
    assert_eq!(found.len(), count, "{shown}");
}
