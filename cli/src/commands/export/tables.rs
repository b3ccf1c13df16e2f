//! An export as tables: a row for each boat or manufacturer as in responses, with a typed column
//! for each field, by Arrow's own readers and writers.
//!
//! Only a few batches of rows are in memory, and for Parquet also one compressed row group.

mod csv;
mod parquet;

use std::collections::HashMap;
use std::sync::Arc;

use anyhow::{Context as _, anyhow};
use arrow::array::RecordBatch;
use arrow::datatypes::{DataType, Field, Fields, Schema, SchemaRef};
use arrow::json::ReaderBuilder;
use arrow::json::reader::Decoder;
use import::finding::Kind;
use import::schema;
use shared::release::{Release, diff};

use self::csv::CsvFile;
use self::parquet::ParquetFile;
use super::format::{TABLE_KINDS, TableFormat};
use super::target::Sink;
use super::write_ahead;
use crate::terminal::progress::Progress;

/// Rows read and written at a time.
const BATCH_ROWS: usize = 1024;

/// Writes the boats of a release into one file, or manufacturers and boats into one each.
pub(super) fn write(
    release: &Arc<Release>,
    sinks: Vec<Sink<'_>>,
    format: TableFormat,
    escapes_formulas: bool,
    progress: &Progress,
) -> anyhow::Result<()> {
    let kinds: &[Kind] = match &sinks[..] {
        [_only] => &[Kind::Boat],
        _ => &TABLE_KINDS,
    };
    progress.boats(release.manifest().boats);
    let mut whole = Vec::new();
    for (&kind, sink) in kinds.iter().zip(sinks) {
        let schema = table_schema(release, kind);
        let as_shown = as_shown(&schema);
        let mut file = match format {
            TableFormat::Parquet => TableFile::Parquet(Box::new(ParquetFile::new(sink, schema)?)),
            TableFormat::Csv => {
                let file = CsvFile::new(sink, Arc::clone(&as_shown), escapes_formulas);
                TableFile::Csv(file)
            }
        };
        let release = Arc::clone(release);
        write_ahead(
            move |hand_over| make_rows(&release, kind, Rows::of(as_shown, hand_over)?),
            |batch: RecordBatch| {
                if kind == Kind::Boat {
                    progress.advance(batch.num_rows() as u64);
                }
                file.write(&batch)
            },
        )?;
        whole.push(file.end()?);
    }
    progress.finish();
    whole.into_iter().try_for_each(Sink::finish)
}

/// Makes the rows of all records of a kind.
fn make_rows(release: &Release, kind: Kind, mut rows: Rows<'_>) -> anyhow::Result<()> {
    let of = match kind {
        Kind::Boat => diff::Kind::Boats,
        _ => diff::Kind::Manufacturers,
    };
    release.each_body(of, |body| rows.add(body))?;
    rows.hand_over_batch()
}

/// The rows that make the next batch.
struct Rows<'w> {
    decoder: Decoder,
    hand_over: &'w mut dyn FnMut(RecordBatch) -> anyhow::Result<()>,
}

/// The file of a table.
enum TableFile<'c> {
    Parquet(Box<ParquetFile<'c>>),
    Csv(CsvFile<'c>),
}

impl<'w> Rows<'w> {
    fn of(
        as_shown: SchemaRef,
        hand_over: &'w mut dyn FnMut(RecordBatch) -> anyhow::Result<()>,
    ) -> anyhow::Result<Self> {
        let decoder = ReaderBuilder::new(as_shown)
            .with_batch_size(BATCH_ROWS)
            // A field without a column is an error, not lost silently.
            .with_strict_mode(true)
            .build_decoder()
            .context("could not make columns of fields")?;
        Ok(Self { decoder, hand_over })
    }

    /// Adds the row of the record with this body.
    fn add(&mut self, body: &[u8]) -> anyhow::Result<()> {
        let record = body.strip_prefix(br#"{"data":"#);
        let record = record.and_then(|record| record.strip_suffix(b"}"));
        let mut rest =
            record.ok_or_else(|| anyhow!("a body of the release is not that of a record"))?;
        while !rest.is_empty() {
            let taken = self
                .decoder
                .decode(rest)
                .context("could not read a body of the release")?;
            rest = &rest[taken..];
            if !rest.is_empty() {
                self.hand_over_batch()?;
            }
        }
        Ok(())
    }

    fn hand_over_batch(&mut self) -> anyhow::Result<()> {
        let batch = self
            .decoder
            .flush()
            .context("could not read bodies of the release")?;
        batch.map_or(Ok(()), &mut self.hand_over)
    }
}

impl<'c> TableFile<'c> {
    fn write(&mut self, batch: &RecordBatch) -> anyhow::Result<()> {
        match self {
            Self::Parquet(file) => file.write(batch),
            Self::Csv(file) => file.write(batch),
        }
    }

    fn end(self) -> anyhow::Result<Sink<'c>> {
        match self {
            Self::Parquet(file) => file.end(),
            Self::Csv(file) => file.end(),
        }
    }
}

/// The columns with times as text, as in responses: Arrow refuses more fraction digits than it
/// keeps.
fn as_shown(schema: &SchemaRef) -> SchemaRef {
    let fields = schema.fields().iter().map(|field| match field.data_type() {
        DataType::Timestamp(..) => {
            let field = Field::clone(field).with_data_type(DataType::Utf8);
            Arc::new(field)
        }
        _ => Arc::clone(field),
    });
    Arc::new(Schema::new(fields.collect::<Fields>()))
}

/// The columns, with the release in the metadata.
fn table_schema(release: &Release, kind: Kind) -> SchemaRef {
    let about = HashMap::from([
        ("release".to_owned(), release.id().to_string()),
        (
            "publishedAt".to_owned(),
            release.manifest().published_at.clone(),
        ),
    ]);
    Arc::new(Schema::new_with_metadata(schema::columns(kind), about))
}
