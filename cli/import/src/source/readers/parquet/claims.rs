//! Checks what the pages of a Parquet file claim, before any is decompressed: how much memory each
//! takes and how many values it has.

use std::io::{self, Read as _};

use flate2::read::MultiGzDecoder;
use parquet::basic::{Compression, Encoding, Type};
use parquet::file::metadata::{ColumnChunkMetaData, ParquetMetaData};

use super::super::{FileError, corrupt};
use super::footer;
use super::thrift::{self, Fields, Token};
use crate::spool::Spool;

/// Bytes of pages held at once: the largest page of each column and its dictionary.
const HELD_MAX: u64 = 1024 * 1024 * 1024;
/// Bytes that the values of a batch of rows may take, in addition to the pages.
const BATCH_BYTES: u64 = 64 * 1024 * 1024;
/// The most rows in a batch.
const BATCH_ROWS: u64 = 1024;
/// Bytes of a value in most columns: numbers, and positions of texts in their pages.
const VALUE_BYTES: u64 = 16;
/// Bytes that the values of a column with lists may take in a row group, because a single list may
/// have them all.
const LISTS_BYTES: u64 = 256 * 1024 * 1024;
/// Maximum length of a page header in bytes: it may have four values for statistics.
const HEADER_MAX: u64 = 32 * 1024;

/// The fields of `PageHeader`, as numbered in the Parquet specification.
const FIELDS: &Fields = &[
    (&[], "iiiitttt"),
    (&[5], "iiiit"),
    (&[5, 5], "ssiissbb"),
    (&[7], "iib"),
    (&[8], "iiiiiibt"),
    (&[8, 8], "ssiissbb"),
];

/// Checks the pages of all columns; returns how many rows may be read at once.
pub(super) fn check(file: &Spool, metadata: &ParquetMetaData) -> Result<usize, FileError> {
    let mut row_bytes = 0;
    for group in metadata.row_groups() {
        let mut held = 0_u64;
        let mut group_bytes = 0_u64;
        for column in group.columns() {
            let pages = Pages::of(file, column)?;
            held = held.saturating_add(pages.held());
            group_bytes = group_bytes.saturating_add(pages.value_bytes);
        }
        if HELD_MAX < held {
            let message = "the pages of a group of rows take more than 1 GiB at once; write the \
                           file with smaller pages";
            return Err(corrupt(1, message));
        }
        row_bytes = group_bytes.max(row_bytes);
    }
    let rows = BATCH_BYTES.checked_div(row_bytes).unwrap_or(BATCH_ROWS);
    Ok(usize::try_from(rows.clamp(1, BATCH_ROWS)).unwrap_or(1))
}

/// What the pages of a column in a row group claim.
#[derive(Default)]
struct Pages {
    /// Bytes of the largest page of values, compressed and decompressed together.
    largest: u64,
    /// The same for the dictionary.
    dictionary: u64,
    /// The total number of values.
    values: u64,
    /// Bytes that one value may take.
    value_bytes: u64,
}

/// The header of a page.
#[derive(Default)]
struct Header {
    kind: i64,
    decompressed: u64,
    compressed: u64,
    /// Bytes before the compressed ones.
    levels: u64,
    values: u64,
    encoding: i64,
}

impl Pages {
    fn of(file: &Spool, column: &ColumnChunkMetaData) -> Result<Self, FileError> {
        let codec = column.compression();
        check_codec(codec)?;
        let descriptor = column.column_descr();
        let mut pages = Self {
            value_bytes: match column.column_type() {
                Type::FIXED_LEN_BYTE_ARRAY => u64::try_from(descriptor.type_length()).unwrap_or(0),
                _ => 0,
            },
            ..Self::default()
        };
        pages.value_bytes = pages.value_bytes.max(VALUE_BYTES);
        let (mut at, end) = place(file, column)?;
        let unread = |source| FileError::Unread { line: 1, source };
        while at < end {
            let bytes = footer::read(file, at, HEADER_MAX.min(end - at)).map_err(unread)?;
            let (length, header) = Header::read(&bytes)
                .ok_or_else(|| corrupt(1, "the header of a page is damaged or too long"))?;
            at += length;
            if end - at < header.compressed {
                return Err(corrupt(1, "a page claims to be longer than its column"));
            }
            if matches!(codec, Compression::GZIP(_)) {
                check_gzip(file, at, &header)?;
            }
            at += header.compressed;
            pages.add(&header);
        }
        let bytes = pages.values.saturating_mul(pages.value_bytes);
        if 0 < descriptor.max_rep_level() && LISTS_BYTES < bytes {
            let name = descriptor.path().string();
            let message = format!(
                "the lists of {name:?} have {} values in one group of rows; write the file with \
                 smaller groups",
                pages.values
            );
            return Err(corrupt(1, message));
        }
        Ok(pages)
    }

    fn add(&mut self, header: &Header) {
        let held = header.compressed.saturating_add(header.decompressed);
        // Each value may repeat the beginning of the previous one, so it can be as long as the
        // page.
        if header.encoding == Encoding::DELTA_BYTE_ARRAY as i64 {
            self.value_bytes = self.value_bytes.max(header.decompressed);
        }
        if header.kind == 2 {
            self.dictionary = self.dictionary.max(held);
        } else {
            self.largest = self.largest.max(held);
            self.values = self.values.saturating_add(header.values);
        }
    }

    const fn held(&self) -> u64 {
        self.largest.saturating_add(self.dictionary)
    }
}

impl Header {
    /// The header at the beginning of `bytes`, with its length.
    fn read(bytes: &[u8]) -> Option<(u64, Self)> {
        let mut header = Self::default();
        let mut is_negative = false;
        let walked = thrift::walk(bytes, FIELDS, &mut |path, token| {
            let Token::Integer(integer) = token else {
                return;
            };
            let count = u64::try_from(integer);
            match path {
                [1] => header.kind = integer,
                [5, 2] | [8, 4] => header.encoding = integer,
                [2] => header.decompressed = count.unwrap_or_default(),
                [3] => header.compressed = count.unwrap_or_default(),
                [5 | 7 | 8, 1] => header.values = count.unwrap_or_default(),
                [8, 5 | 6] => {
                    header.levels = header.levels.saturating_add(count.unwrap_or_default());
                }
                _ => return,
            }
            is_negative |= count.is_err();
        });
        let length = walked.ok().filter(|_| !is_negative)?;
        Some((length as u64, header))
    }
}

/// Where a column of a row group begins and ends in the file.
fn place(file: &Spool, column: &ColumnChunkMetaData) -> Result<(u64, u64), FileError> {
    let begin = column.dictionary_page_offset();
    let begin = u64::try_from(begin.unwrap_or(column.data_page_offset())).ok();
    let bytes = u64::try_from(column.compressed_size()).ok();
    let place = begin.and_then(|begin| Some((begin, begin.checked_add(bytes?)?)));
    place
        .filter(|(_, end)| *end <= file.length())
        .ok_or_else(|| corrupt(1, "the footer claims columns where the file has none"))
}

/// Rejects codecs that cannot be decompressed, or not within a limit.
fn check_codec(codec: Compression) -> Result<(), FileError> {
    match codec {
        Compression::UNCOMPRESSED
        | Compression::SNAPPY
        | Compression::GZIP(_)
        | Compression::ZSTD(_)
        | Compression::LZ4_RAW => Ok(()),
        other => {
            let name = other.to_string();
            let name = name.split('(').next().unwrap_or_default();
            let message = format!(
                "the file is compressed with {name}; write it with SNAPPY, GZIP, ZSTD, LZ4_RAW or \
                 without compression"
            );
            Err(corrupt(1, message))
        }
    }
}

/// Checks that a GZIP page is no longer than it claims, which the library does not check.
fn check_gzip(file: &Spool, at: u64, header: &Header) -> Result<(), FileError> {
    let bytes = footer::read(file, at, header.compressed);
    let bytes = bytes.map_err(|source| FileError::Unread { line: 1, source })?;
    let levels = usize::try_from(header.levels).unwrap_or(usize::MAX);
    let compressed = bytes.get(levels..).unwrap_or_default();
    let claimed = header.decompressed.saturating_sub(header.levels);
    let mut decompressed = MultiGzDecoder::new(compressed).take(claimed.saturating_add(1));
    // The library reports damage.
    let length = io::copy(&mut decompressed, &mut io::sink()).unwrap_or_default();
    if claimed < length {
        return Err(corrupt(1, "a page is longer than it claims"));
    }
    Ok(())
}
