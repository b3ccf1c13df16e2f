//! Checks the footer of a Parquet file before the library reads it: that it exists, how long it is,
//! and how its columns are nested.

use std::io;

use super::super::table::COLUMNS_MAX;
use super::super::{DEPTH_MAX, FileError, corrupt, truncated};
use super::thrift::{self, Fields, Token};
use crate::spool::Spool;

/// The magic number at the beginning and the end of a file.
const MAGIC: &[u8; 4] = b"PAR1";
/// The magic number at the end of a file with an encrypted footer.
const ENCRYPTED: &[u8; 4] = b"PARE";
/// Bytes of the magic number and the footer's length before it.
const TAIL: usize = 8;
/// Maximum length of the footer, in bytes.
const FOOTER_MAX: u64 = 16 * 1024 * 1024;

/// The fields of `FileMetaData`, as numbered in the Parquet specification.
const FIELDS: &Fields = &[
    (&[], "iTiTTsT?s"),
    (SCHEMA, "iiisiiiiit"),
    (&[2, 10], "tttttttt?tttttttttt"),
    (&[2, 10, 5], "ii"),
    (&[2, 10, 7], "bt"),
    (&[2, 10, 8], "bt"),
    (&[2, 10, 10], "yb"),
    (&[2, 10, 16], "y"),
    (&[2, 10, 17], "s"),
    (&[2, 10, 18], "si"),
    (&[4], "TiiTiii"),
    (&[4, 1], "sitiiiits"),
    (&[4, 1, 3], "iISiiiiTiiitTiitt"),
    (&[4, 1, 3, 8], "ss"),
    (&[4, 1, 3, 12], "ssiissbb"),
    (&[4, 1, 3, 13], "iii"),
    (&[4, 1, 3, 16], "iII"),
    (&[4, 1, 3, 17], "tI"),
    (&[4, 4], "ibb"),
    (&[5], "ss"),
    (&[7], "t"),
];
const SCHEMA: &[i16] = &[2];
const CHILDREN: &[i16] = &[2, 5];

/// Checks the footer of a file.
pub(super) fn check(file: &Spool) -> Result<(), FileError> {
    let unread = |source| FileError::Unread { line: 1, source };
    let length = file.length();
    let mut head = [0; MAGIC.len()];
    let mut tail = [0; TAIL];
    let whole = (MAGIC.len() + TAIL) as u64;
    if length < whole {
        return Err(truncated(1, "the file is too short for Parquet"));
    }
    file.read_exact_at(&mut head, 0).map_err(unread)?;
    let at = length - TAIL as u64;
    file.read_exact_at(&mut tail, at).map_err(unread)?;
    let [a, b, c, d, end @ ..] = tail;
    if head == *ENCRYPTED || end == *ENCRYPTED {
        let message = "the file is encrypted; write it without encryption";
        return Err(corrupt(1, message));
    }
    if head != *MAGIC {
        return Err(corrupt(
            1,
            "the file is not Parquet: it does not begin with `PAR1`",
        ));
    }
    if end != *MAGIC {
        return Err(truncated(
            1,
            "the file does not end with the footer of Parquet",
        ));
    }
    let footer = u64::from(u32::from_le_bytes([a, b, c, d]));
    if length - whole < footer {
        return Err(corrupt(1, "the footer claims to be longer than the file"));
    }
    if FOOTER_MAX < footer {
        let message = format!("the footer has {footer} bytes, and may have {FOOTER_MAX}");
        return Err(corrupt(1, message));
    }
    let read = read(file, at - footer, footer);
    check_contents(&read.map_err(unread)?)
}

/// Reads `length` bytes of a file.
pub(super) fn read(file: &Spool, at: u64, length: u64) -> io::Result<Vec<u8>> {
    let mut bytes = vec![0; usize::try_from(length).map_err(io::Error::other)?];
    file.read_exact_at(&mut bytes, at)?;
    Ok(bytes)
}

fn check_contents(footer: &[u8]) -> Result<(), FileError> {
    let mut schema = Vec::new();
    let mut children = 0;
    let walked = thrift::walk(footer, FIELDS, &mut |path, token| match token {
        Token::Integer(count) if path == CHILDREN => children = count,
        Token::End if path == SCHEMA => schema.push(std::mem::take(&mut children)),
        _ => {}
    });
    walked.map_err(|_broken| corrupt(1, "the footer is damaged"))?;
    check_schema(&schema)
}

/// Checks the number of children of each element of the schema, in file order: the elements of a
/// group follow it.
fn check_schema(schema: &[i64]) -> Result<(), FileError> {
    if COLUMNS_MAX < schema.len() {
        let message = format!("the file has more than {COLUMNS_MAX} columns and groups of columns");
        return Err(corrupt(1, message));
    }
    // For each open group, how many of its elements are still to come.
    let mut open = Vec::new();
    for children in schema {
        let children = usize::try_from(*children).ok();
        let children = children.filter(|count| *count <= schema.len());
        let children = children.ok_or_else(|| corrupt(1, "the footer is damaged"))?;
        if let Some(left) = open.last_mut() {
            *left -= 1;
        }
        open.push(children);
        while open.pop_if(|left| *left == 0).is_some() {}
        if DEPTH_MAX < open.len() {
            let message = format!("columns are nested more than {DEPTH_MAX} deep");
            return Err(corrupt(1, message));
        }
    }
    Ok(())
}
