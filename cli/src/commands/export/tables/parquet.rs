//! A table as a Parquet file: nested columns, with meanings and units in their metadata.

use std::io;

use anyhow::{Context as _, anyhow};
use arrow::array::RecordBatch;
use arrow::datatypes::SchemaRef;
use parquet::arrow::ArrowWriter;
use parquet::basic::{Compression, ZstdLevel};
use parquet::errors::ParquetError;
use parquet::file::properties::WriterProperties;

use crate::commands::export::place::Sink;

/// Rows of a group, whose columns wait in memory, compressed, until it is complete.
const GROUP_ROWS: usize = 8192;

/// A Parquet file that is being written.
pub(super) struct ParquetFile<'c> {
    attempt: String,
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
        let writer = ArrowWriter::try_new(sink, schema, Some(properties));
        let writer = writer.map_err(cause).with_context(|| attempt.clone())?;
        Ok(Self { attempt, writer })
    }

    pub(super) fn write(&mut self, batch: &RecordBatch) -> anyhow::Result<()> {
        let written = self.writer.write(batch).map_err(cause);
        written.with_context(|| self.attempt.clone())
    }

    pub(super) fn end(self) -> anyhow::Result<Sink<'c>> {
        let sink = self.writer.into_inner().map_err(cause);
        sink.context(self.attempt)
    }
}

/// What went wrong, without the library's words around an error of the system.
fn cause(error: ParquetError) -> anyhow::Error {
    match error {
        ParquetError::External(inner) => match inner.downcast::<io::Error>() {
            Ok(error) => (*error).into(),
            Err(inner) => anyhow!(inner),
        },
        error => error.into(),
    }
}
