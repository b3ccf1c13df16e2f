//! An export as tables: a row for each boat or manufacturer as in responses, with a column for each
//! field. A release has them as Parquet already; CSV is made by Arrow's own readers and writers, with
//! only a few batches of rows in memory.

mod csv;

use std::io::Write;
use std::sync::Arc;

use anyhow::Context as _;
use arrow::array::RecordBatch;
use import::source::ProgressListener as _;
use shared::release::column_file::Rows;
use shared::release::{Kind, Release, WholeFile};

use self::csv::CsvFile;
use super::format::TableFormat;
use super::target::Sink;
use super::write_ahead;
use crate::commands::record_columns::record_columns;
use crate::terminal::progress::Progress;

/// Writes the boats of a release into one file, or manufacturers and boats into one each.
pub(super) fn write(
    release: &Arc<Release>,
    sinks: Vec<Sink<'_>>,
    format: TableFormat,
    escapes_formulas: bool,
    progress: &Progress,
) -> anyhow::Result<()> {
    let kinds: &[Kind] = match &sinks[..] {
        [_only] => &[Kind::Boats],
        _ => &[Kind::Manufacturers, Kind::Boats],
    };
    progress.boats(release.manifest().boats);
    let mut whole = Vec::new();
    for (&kind, mut sink) in kinds.iter().zip(sinks) {
        whole.push(match format {
            TableFormat::Parquet => {
                let attempt = sink.attempt();
                release.each_part(kind, WholeFile::Columns, |part| {
                    sink.write_all(part).context(attempt.clone())
                })?;
                sink
            }
            TableFormat::Csv => write_csv(release, kind, sink, escapes_formulas, progress)?,
        });
    }
    progress.finish();
    whole.into_iter().try_for_each(Sink::finish)
}

fn write_csv<'c>(
    release: &Arc<Release>,
    kind: Kind,
    sink: Sink<'c>,
    escapes_formulas: bool,
    progress: &Progress,
) -> anyhow::Result<Sink<'c>> {
    let rows = Rows::of(record_columns().of(kind)).context("could not make columns of fields")?;
    let mut file = CsvFile::new(sink, Arc::clone(rows.schema()), escapes_formulas);
    let release = Arc::clone(release);
    write_ahead(
        move |hand_over| make_rows(&release, kind, rows, hand_over),
        |batch: RecordBatch| {
            if kind == Kind::Boats {
                progress.advance(batch.num_rows() as u64);
            }
            file.write(&batch)
        },
    )?;
    file.end()
}

/// Makes the rows of all records of a kind.
fn make_rows(
    release: &Release,
    kind: Kind,
    mut rows: Rows,
    hand_over: &mut dyn FnMut(RecordBatch) -> anyhow::Result<()>,
) -> anyhow::Result<()> {
    release.each_record(kind, |record| rows.add(record, &mut *hand_over))?;
    let last = rows
        .end()
        .context("could not read records of the release")?;
    last.map_or(Ok(()), hand_over)
}
