//! A Parquet file: nested columns, with descriptions and units in their metadata.

use std::io;
use std::sync::Arc;

use anyhow::{Context as _, anyhow};
use arrow::array::{ArrayRef, AsArray, RecordBatch, TimestampMicrosecondArray};
use arrow::datatypes::{DataType, SchemaRef};
use arrow::error::ArrowError;
use parquet::arrow::ArrowWriter;
use parquet::basic::{Compression, ZstdLevel};
use parquet::errors::ParquetError;
use parquet::file::properties::WriterProperties;
use shared::base::timestamp::Timestamp;

use crate::commands::export::target::Sink;

/// Rows of a group. Its columns are held in memory, compressed, until it is complete.
const GROUP_ROWS: usize = 8192;

/// A Parquet file being written.
pub(super) struct ParquetFile<'c> {
    attempt: String,
    schema: SchemaRef,
    writer: ArrowWriter<Sink<'c>>,
}

impl<'c> ParquetFile<'c> {
    pub(super) fn new(sink: Sink<'c>, schema: SchemaRef) -> anyhow::Result<Self> {
        let attempt = sink.attempt();
        let properties = WriterProperties::builder()
            .set_compression(Compression::ZSTD(ZstdLevel::default()))
            .set_created_by("boat-catalogue".to_owned())
            .set_max_row_group_row_count(Some(GROUP_ROWS))
            .build();
        let writer = ArrowWriter::try_new(sink, Arc::clone(&schema), Some(properties));
        let writer = writer.map_err(cause).with_context(|| attempt.clone())?;
        Ok(Self {
            attempt,
            schema,
            writer,
        })
    }

    pub(super) fn write(&mut self, batch: &RecordBatch) -> anyhow::Result<()> {
        let typed = typed(batch, &self.schema).context("could not make a table of fields")?;
        let written = self.writer.write(&typed).map_err(cause);
        written.with_context(|| self.attempt.clone())
    }

    pub(super) fn end(self) -> anyhow::Result<Sink<'c>> {
        let sink = self.writer.into_inner().map_err(cause);
        sink.context(self.attempt)
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

/// The cause; of a system error, without the library's wrapping.
fn cause(error: ParquetError) -> anyhow::Error {
    match error {
        ParquetError::External(inner) => match inner.downcast::<io::Error>() {
            Ok(error) => (*error).into(),
            Err(inner) => anyhow!(inner),
        },
        error => error.into(),
    }
}
