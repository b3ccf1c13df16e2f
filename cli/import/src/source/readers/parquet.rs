//! Reads Parquet: each row is a record, an object of its columns.
//!
//! Groups and maps become objects, lists become lists. Integers and decimals keep every digit. A
//! date is written `2026-10-01`, a time of day `12:00:00`, a timestamp `2026-10-01T12:00:00Z`,
//! without the `Z` if the file does not say that it is UTC. Bytes that are not text become Base64.
//! NaN and infinity are not JSON values, so a row with one is bad.
//!
//! A Parquet file is read from its end, so all of it is spooled first. Its claims are checked before
//! the library relies on them, because the library allocates as much memory as a file asks for and
//! panics on contradictions. Rows are counted from 1 and take the place of lines.

mod claims;
mod columns;
mod footer;
mod rows;
mod thrift;

use std::sync::Arc;

use arrow::array::RecordBatch;
use arrow::error::ArrowError;
use bytes::Bytes;
use parquet::arrow::arrow_reader::{
    ArrowReaderMetadata, ArrowReaderOptions, ParquetRecordBatchReader,
    ParquetRecordBatchReaderBuilder,
};
use parquet::errors::ParquetError;
use parquet::file::reader::{ChunkReader, Length};

use self::rows::RowBatch;
use super::disk::{Chunk, Disk};
use super::{FileError, RecordText, Visit, caught, corrupt, truncated};
use crate::spool::Spool;

/// The form, in messages.
const FORM: &str = "Parquet";

/// Hands every row of the file to `visit`.
pub(crate) fn read(file: Spool, visit: &mut Visit<'_>) -> Result<(), FileError> {
    let mut opened = caught(FORM, 1, || Opened::new(file))?;
    let mut row = 0;
    while let Some(batch) = caught(FORM, row + 1, || opened.next(row + 1))? {
        let rows = RowBatch::of(&batch).map_err(|message| corrupt(row + 1, message))?;
        for at in 0..batch.num_rows() {
            row += 1;
            let visited = match rows.record(at, row)? {
                Ok(text) => visit(Ok(RecordText::of_row(row.into(), &text))),
                Err(bad) => visit(Err(bad)),
            };
            visited.map_err(FileError::Failed)?;
        }
    }
    if row != opened.stated {
        let stated = opened.stated;
        let message = format!("the file has {row} rows, and its footer states {stated}");
        return Err(truncated(row + 1, message));
    }
    Ok(())
}

/// A file whose claims have been checked.
struct Opened {
    reader: ParquetRecordBatchReader,
    disk: Disk,
    /// The number of rows it claims to have.
    stated: u64,
}

impl Opened {
    fn new(file: Spool) -> Result<Self, FileError> {
        let disk = Disk::new(file);
        Self::on(disk.clone(), &disk)
    }

    /// Opens a file; its rows are read from `rows`, which holds the same file as `disk`.
    fn on(rows: Disk, disk: &Disk) -> Result<Self, FileError> {
        let file = disk.file();
        footer::check(file)?;
        let refused = |error| refused(1, &error);
        let options = ArrowReaderOptions::new().with_skip_arrow_metadata(true);
        let metadata = ArrowReaderMetadata::load(disk, options).map_err(refused)?;
        columns::check(metadata.schema())?;
        let batch_size = claims::check(file, metadata.metadata())?;
        let stated = metadata.metadata().file_metadata().num_rows();
        let schema = columns::wanted(&metadata);
        let options = ArrowReaderOptions::new().with_schema(schema);
        let metadata = ArrowReaderMetadata::try_new(Arc::clone(metadata.metadata()), options);
        let metadata = metadata.map_err(refused)?;
        let builder = ParquetRecordBatchReaderBuilder::new_with_metadata(rows.clone(), metadata);
        let reader = builder.with_batch_size(batch_size).build();
        Ok(Self {
            reader: reader.map_err(refused)?,
            disk: rows,
            stated: stated.cast_unsigned(),
        })
    }

    /// The next rows, the first of them at `row`.
    fn next(&mut self, row: u64) -> Result<Option<RecordBatch>, FileError> {
        let next = self.reader.next().transpose();
        next.map_err(|error| {
            if let Some(source) = self.disk.failure() {
                return FileError::Unread { line: row, source };
            }
            let reason = match error {
                ArrowError::ParquetError(reason) => reason,
                other => other.to_string(),
            };
            corrupt(
                row,
                format!("the rows from here on cannot be read: {reason}"),
            )
        })
    }
}

/// An error of the library, without the library's own prefix.
fn refused(row: u64, error: &ParquetError) -> FileError {
    let message = error.to_string();
    let reason = message.split_once(": ").map_or(&*message, |(_, rest)| rest);
    corrupt(row, format!("the file cannot be read as {FORM}: {reason}"))
}

impl Length for Disk {
    fn len(&self) -> u64 {
        self.file().length()
    }
}

impl ChunkReader for Disk {
    type T = Chunk;

    fn get_read(&self, start: u64) -> Result<Chunk, ParquetError> {
        Ok(self.chunk(start))
    }

    fn get_bytes(&self, start: u64, length: usize) -> Result<Bytes, ParquetError> {
        Ok(self.bytes(start, length)?)
    }
}

#[cfg(test)]
mod tests {
    use std::fs::File;

    use arrow::array::{ArrayRef, Int64Array};
    use parquet::arrow::ArrowWriter;

    use super::*;

    #[test]
    fn rows_that_the_disk_does_not_give_are_no_damage_of_the_file() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("a.parquet");
        let column: ArrayRef = Arc::new(Int64Array::from(vec![1, 2]));
        let batch = RecordBatch::try_from_iter([("a", column)]).unwrap();
        let created = File::create(&path).unwrap();
        let mut writer = ArrowWriter::try_new(created, batch.schema(), None).unwrap();
        writer.write(&batch).unwrap();
        writer.close().unwrap();

        let disk = |file: File| {
            let length = file.metadata().unwrap().len();
            Disk::new(Spool::of_file(file, length))
        };
        let whole = disk(File::open(&path).unwrap());
        let rows = |disk| Opened::on(disk, &whole).and_then(|mut opened| opened.next(1));
        assert_eq!(rows(whole.clone()).unwrap().unwrap().num_rows(), 2);
        let unreadable = disk(File::options().append(true).open(&path).unwrap());
        let failed = rows(unreadable).unwrap_err();
        assert!(
            matches!(failed, FileError::Unread { line: 1, .. }),
            "{failed:?}"
        );
    }
}
