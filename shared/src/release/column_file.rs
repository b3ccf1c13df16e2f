//! Records as rows with a typed column for each field, nested as in responses, by Arrow's own readers
//! and writers; and the Parquet file of them.
//!
//! Only a batch of rows is in memory, and of the file one compressed row group.

use std::io::{self, Write};
use std::sync::Arc;

use arrow::array::{ArrayRef, AsArray, RecordBatch, TimestampMicrosecondArray};
use arrow::datatypes::{DataType, Field, Fields, Schema, SchemaRef};
use arrow::error::ArrowError;
use arrow::json::ReaderBuilder;
use arrow::json::reader::Decoder;
use parquet::arrow::ArrowWriter;
use parquet::basic::{Compression, ZstdLevel};
use parquet::errors::ParquetError;
use parquet::file::properties::WriterProperties;

use super::manifest::FileEntry;
use super::new_file::NewFile;
use crate::base::timestamp::Timestamp;

/// Rows read and written at a time.
const BATCH_ROWS: usize = 1024;
/// Rows of a group. Its columns are held in memory, compressed, until it is complete.
const GROUP_ROWS: usize = 8192;

/// Makes batches of rows from the lines of records.
pub struct Rows {
    schema: SchemaRef,
    decoder: Decoder,
}

impl Rows {
    /// Rows of these columns, but with times as text, as in responses: Arrow refuses more fraction
    /// digits than it keeps.
    pub fn of(columns: &Fields) -> Result<Self, ArrowError> {
        let shown = columns.iter().map(|field| match field.data_type() {
            DataType::Timestamp(..) => {
                let field = Field::clone(field).with_data_type(DataType::Utf8);
                Arc::new(field)
            }
            _ => Arc::clone(field),
        });
        let schema = Arc::new(Schema::new(shown.collect::<Fields>()));
        let decoder = ReaderBuilder::new(Arc::clone(&schema)).with_batch_size(BATCH_ROWS);
        Ok(Self {
            schema,
            decoder: decoder.build_decoder()?,
        })
    }

    /// Its columns.
    pub const fn schema(&self) -> &SchemaRef {
        &self.schema
    }

    /// Adds a part of the lines, and hands over the batches that are full.
    pub fn add<E: From<ArrowError>>(
        &mut self,
        mut lines: &[u8],
        mut take: impl FnMut(RecordBatch) -> Result<(), E>,
    ) -> Result<(), E> {
        while !lines.is_empty() {
            lines = &lines[self.decoder.decode(lines)?..];
            if !lines.is_empty()
                && let Some(batch) = self.decoder.flush()?
            {
                take(batch)?;
            }
        }
        Ok(())
    }

    /// The last batch, if there is one.
    pub fn end(mut self) -> Result<Option<RecordBatch>, ArrowError> {
        self.decoder.flush()
    }
}

/// A Parquet file being written, with descriptions and units in its metadata. It takes lines.
pub(super) struct ColumnFile {
    schema: SchemaRef,
    rows: Rows,
    writer: ArrowWriter<NewFile>,
}

impl ColumnFile {
    pub(super) fn new(to: NewFile, columns: &Fields) -> io::Result<Self> {
        let schema = Arc::new(Schema::new(columns.clone()));
        let properties = WriterProperties::builder()
            .set_compression(Compression::ZSTD(ZstdLevel::default()))
            .set_created_by("boat-catalogue".to_owned())
            .set_max_row_group_row_count(Some(GROUP_ROWS))
            .build();
        let writer = ArrowWriter::try_new(to, Arc::clone(&schema), Some(properties));
        Ok(Self {
            schema,
            rows: Rows::of(columns).map_err(io::Error::other)?,
            writer: writer.map_err(cause)?,
        })
    }

    /// Writes the last rows and the footer.
    pub(super) fn finish(mut self) -> io::Result<FileEntry> {
        if let Some(batch) = self.rows.end().map_err(io::Error::other)? {
            let typed = typed(&batch, &self.schema).map_err(io::Error::other)?;
            self.writer.write(&typed).map_err(cause)?;
        }
        self.writer.into_inner().map_err(cause)?.finish()
    }
}

impl Write for ColumnFile {
    fn write(&mut self, lines: &[u8]) -> io::Result<usize> {
        let (schema, writer) = (&self.schema, &mut self.writer);
        let write = |batch: RecordBatch| writer.write(&typed(&batch, schema)?);
        self.rows.add(lines, write).map_err(cause)?;
        Ok(lines.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// The rows, with times as timestamps.
fn typed(batch: &RecordBatch, schema: &SchemaRef) -> Result<RecordBatch, ArrowError> {
    let columns = schema.fields().iter().zip(batch.columns());
    let columns = columns.map(|(field, column)| -> ArrayRef {
        match field.data_type() {
            DataType::Timestamp(..) => {
                Arc::new(instants(column).with_data_type(field.data_type().clone()))
            }
            _ => Arc::clone(column),
        }
    });
    RecordBatch::try_new(Arc::clone(schema), columns.collect())
}

fn instants(shown: &ArrayRef) -> TimestampMicrosecondArray {
    let instant = |text: &str| Some(Timestamp::parse(text).ok()?.unix_microseconds());
    let texts = shown.as_string::<i32>().iter();
    texts.map(|text| text.and_then(instant)).collect()
}

/// A system error without the library's wrapping, so that a full disk says so.
fn cause(error: ParquetError) -> io::Error {
    match error {
        ParquetError::External(inner) => match inner.downcast::<io::Error>() {
            Ok(error) => *error,
            Err(inner) => io::Error::other(inner),
        },
        error => io::Error::other(error),
    }
}
