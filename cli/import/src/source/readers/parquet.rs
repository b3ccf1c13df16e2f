//! Parquet: a record for every row, an object of its columns.
//!
//! Groups and maps are objects, lists are lists. Integers and decimals keep every digit. A date is
//! `2026-10-01`, a time of day `12:00:00`, a timestamp `2026-10-01T12:00:00Z`, without the `Z`
//! where the file does not say that it is UTC. Bytes that are no text are Base64. NaN and infinity
//! are no values of JSON: a row with one is bad by itself.
//!
//! Such a file is read from its end, so that it must lie on disk as a whole. What it claims is
//! checked before the library that reads it believes it: that one takes as much memory as a file
//! asks for, and panics where it meets a contradiction. Rows are counted from 1, in place of lines.

mod claims;
mod columns;
mod footer;
mod rows;
mod thrift;

use std::fs::File;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use arrow::array::RecordBatch;
use arrow::error::ArrowError;
use parquet::arrow::arrow_reader::{
    ArrowReaderMetadata, ArrowReaderOptions, ParquetRecordBatchReader,
    ParquetRecordBatchReaderBuilder,
};
use parquet::errors::ParquetError;

use self::rows::Rows;
use super::{FileError, RecordText, Visit, corrupt, truncated};

/// Hands every row of the file to `visit`.
pub(crate) fn read(file: File, visit: &mut Visit<'_>) -> Result<(), FileError> {
    let mut opened = caught(1, || Opened::new(file))?;
    let mut row = 0;
    while let Some(batch) = caught(row + 1, || opened.next(row + 1))? {
        let rows = Rows::of(&batch).map_err(|message| corrupt(row + 1, message))?;
        for at in 0..batch.num_rows() {
            row += 1;
            let visited = match rows.record(at, row)? {
                Ok(text) => visit(Ok(RecordText {
                    line: row,
                    list: None,
                    text: &text,
                })),
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

/// A file whose claims are checked.
struct Opened {
    reader: ParquetRecordBatchReader,
    /// How many rows it says that it has.
    stated: u64,
}

impl Opened {
    fn new(file: File) -> Result<Self, FileError> {
        footer::check(&file)?;
        let refused = |error| refused(1, &error);
        let options = ArrowReaderOptions::new().with_skip_arrow_metadata(true);
        let metadata = ArrowReaderMetadata::load(&file, options).map_err(refused)?;
        columns::check(metadata.schema())?;
        let batch_size = claims::check(&file, metadata.metadata())?;
        let stated = metadata.metadata().file_metadata().num_rows();
        let schema = columns::wanted(&metadata);
        let options = ArrowReaderOptions::new().with_schema(schema);
        let metadata = ArrowReaderMetadata::try_new(Arc::clone(metadata.metadata()), options);
        let metadata = metadata.map_err(refused)?;
        let builder = ParquetRecordBatchReaderBuilder::new_with_metadata(file, metadata);
        let reader = builder.with_batch_size(batch_size).build();
        Ok(Self {
            reader: reader.map_err(refused)?,
            stated: stated.cast_unsigned(),
        })
    }

    /// The next rows, the first of which is at `row`.
    fn next(&mut self, row: u64) -> Result<Option<RecordBatch>, FileError> {
        let next = self.reader.next().transpose();
        next.map_err(|error| {
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

/// What `act` gives, at `row`. The library panics where a file contradicts itself.
fn caught<T>(row: u64, act: impl FnOnce() -> Result<T, FileError>) -> Result<T, FileError> {
    catch_unwind(AssertUnwindSafe(act)).unwrap_or_else(|_panic| {
        let message = "the file contradicts itself, so that it cannot be read as Parquet";
        Err(corrupt(row, message))
    })
}

/// An error of the library, without its own word for errors.
fn refused(row: u64, error: &ParquetError) -> FileError {
    let reason = match error {
        ParquetError::General(reason)
        | ParquetError::NYI(reason)
        | ParquetError::EOF(reason)
        | ParquetError::ArrowError(reason) => reason.clone(),
        other => other.to_string(),
    };
    corrupt(row, format!("the file cannot be read as Parquet: {reason}"))
}
