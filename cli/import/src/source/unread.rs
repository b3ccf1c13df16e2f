//! Knows formats that are not read by their first bytes, so that one sentence says what a file is
//! and what to do, and not a finding for each of its lines.
//!
//! Only the beginning of a file is looked at. A format that is read one day loses its row here.

use super::incoming::FileError;
use crate::finding::{BYTE_ORDER_MARK, Code};

/// How much of a file is looked at, in bytes: an archive begins with the names of several members.
pub(super) const HEAD_BYTES: usize = 8 * 1024;

/// What the older Office documents begin with, and newer ones with a password.
pub(super) const COMPOUND: &[u8] = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1";

/// A format that is not read.
#[derive(Debug, PartialEq, Eq)]
pub struct UnreadFormat {
    /// What a file begins with, in any case of letters.
    pub(super) begins: &'static [u8],
    /// What its beginning has somewhere as well.
    has: &'static [u8],
    /// What such a file is, with its article.
    pub name: &'static str,
    /// What to do with it.
    pub advice: &'static str,
}

impl UnreadFormat {
    /// The error for such a file.
    pub(super) fn refused(&self) -> FileError {
        let Self { name, advice, .. } = self;
        FileError::Damaged {
            code: Code::FileCorrupt,
            line: 1,
            message: format!("the file is {name}, which is not read: {advice}"),
        }
    }
}

const AS_XLSX: &str = "save it as an Excel workbook (.xlsx), and take that file";
const UNPROTECTED: &str =
    "save it as an Excel workbook (.xlsx) without a password, and take that file";
const AS_TABLE: &str = "export the table of boats as CSV, JSON or Parquet, and take that file";
const UNPACK: &str = "unpack it, and take the folder or the file in it";
const LOOK: &str = "look at it in a browser: it may be a login or an error, not the export";
const NO_DATA: &str = "take the file with the data";
const COMPRESS: &str = "unpack it, or compress it with gzip or Zstandard";

macro_rules! formats {
    ($($begins:expr, $has:literal: $name:literal, $advice:expr;)+) => {
        /// All. Of several that fit, the first one counts.
        const FORMATS: &[UnreadFormat] = &[$(UnreadFormat {
            begins: $begins,
            has: $has,
            name: $name,
            advice: $advice,
        },)+];
    };
}

formats! {
    b"PK\x03\x04", b"word/document": "a Word document (.docx)", AS_TABLE;
    b"PK\x03\x04", b"Index/Document.iwa": "a Numbers or Pages document", AS_XLSX;
    COMPOUND, b"": "an old or protected Office document", UNPROTECTED;
    b"SQLite format 3\0", b"": "a SQLite database", AS_TABLE;
    b"PGDMP", b"": "a dump of PostgreSQL", AS_TABLE;
    b"-- PostgreSQL database dump", b"": "a dump of PostgreSQL", AS_TABLE;
    b"--\n-- PostgreSQL database dump", b"": "a dump of PostgreSQL", AS_TABLE;
    b"-- MySQL dump", b"": "a dump of MySQL", AS_TABLE;
    b"-- MariaDB dump", b"": "a dump of MariaDB", AS_TABLE;
    b"-- phpMyAdmin SQL Dump", b"": "a dump of MySQL", AS_TABLE;
    b"Obj\x01", b"": "an Avro file", AS_TABLE;
    b"ARROW1", b"": "an Arrow file", AS_TABLE;
    b"<!doctype html", b"": "an HTML page", LOOK;
    b"<html", b"": "an HTML page", LOOK;
    b"<head>", b"": "an HTML page", LOOK;
    b"<body", b"": "an HTML page", LOOK;
    b"<div", b"": "an HTML page", LOOK;
    b"<h1", b"": "an HTML page", LOOK;
    b"%PDF-", b"": "a PDF document", AS_TABLE;
    b"{\\rtf", b"": "a rich text document (.rtf)", AS_TABLE;
    b"7z\xbc\xaf\x27\x1c", b"": "a 7-Zip archive", UNPACK;
    b"Rar!\x1a\x07", b"": "a RAR archive", UNPACK;
    b"\x1f\x8b", b"": "a file that is compressed twice", "unpack it once";
    b"BZh", b"1AY&SY": "a file compressed with bzip2", COMPRESS;
    b"\xfd7zXZ\0", b"": "a file compressed with xz", COMPRESS;
    b"\x89PNG\r\n", b"": "a PNG image", NO_DATA;
    b"\xff\xd8\xff", b"": "a JPEG image", NO_DATA;
    b"GIF89a", b"": "a GIF image", NO_DATA;
    b"RIFF", b"WEBP": "a WebP image", NO_DATA;
}

/// How a member of a ZIP archive begins.
const MEMBER: &[u8] = b"PK\x03\x04";
/// The bytes before its name.
const HEADER: usize = 30;

/// The beginning of a file, up to what a ZIP archive has of another one that is not compressed: the
/// names of members in that are none of its own.
pub(super) fn outermost(head: &[u8]) -> &[u8] {
    let number = |at: usize| {
        let bytes = head.get(at..).and_then(<[u8]>::first_chunk);
        bytes.map_or(0, |bytes| usize::from(u16::from_le_bytes(*bytes)))
    };
    let members = memchr::memmem::find_iter(head, MEMBER).filter(|_| head.starts_with(MEMBER));
    let mut contents = members.filter_map(|at| {
        // Its flags, its length, and those of its name and of what follows that. A member that was
        // written as a stream has its length behind it.
        let [flags, low, high, name, extra] = [6, 18, 20, 26, 28].map(|place| number(at + place));
        let is_empty = flags & 8 == 0 && low == 0 && high == 0;
        let begin = at + HEADER + name + extra;
        (!is_empty && head.get(begin..)?.starts_with(MEMBER)).then_some(begin)
    });
    &head[..contents.next().unwrap_or(head.len())]
}

/// The format of a file that begins with `head`, if it is one of these. A byte order mark and blanks
/// may come before it.
pub(crate) fn of(head: &[u8]) -> Option<&'static UnreadFormat> {
    let head = outermost(&head[..head.len().min(HEAD_BYTES)]);
    let text = head.strip_prefix(BYTE_ORDER_MARK).unwrap_or(head);
    let text = text.trim_ascii_start();
    FORMATS.iter().find(|format| {
        let beginning = text.get(..format.begins.len());
        beginning.is_some_and(|beginning| beginning.eq_ignore_ascii_case(format.begins))
            && memchr::memmem::find(text, format.has).is_some()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_format_is_known_by_its_beginning_and_texts_are_none() {
        for format in FORMATS {
            let file = [format.begins, b" and more ", format.has].concat();
            assert_eq!(of(&file), Some(format));
        }
        let page = of("\u{feff}\n<!DOCTYPE HTML><title>Log in".as_bytes());
        assert_eq!(page.map(|page| page.name), Some("an HTML page"));
        for text in [
            "",
            "PK,Model\n",
            "<boats/>",
            "{\"kind\":\"boat\"}",
            "-- a\n",
            "BZh\n",
            "RIFF",
        ] {
            assert_eq!(of(text.as_bytes()), None, "{text}");
        }
    }
}
