//! Parquet files as named columns: how a table of a release is written and read back.

use std::path::Path;
use std::sync::Arc;

use arrow::array::{
    Array, ArrayRef, AsArray, FixedSizeBinaryArray, Int32Array, Int64Array, RecordBatch,
    StringArray,
};
use arrow::datatypes::{Int32Type, Int64Type};
use bytes::Bytes;
use parquet::arrow::arrow_reader::{
    ArrowReaderMetadata, ArrowReaderOptions, ParquetRecordBatchReaderBuilder,
};
use parquet::arrow::{ArrowWriter, ProjectionMask};
use parquet::basic::{Compression, ZstdLevel};
use parquet::errors::ParquetError;
use parquet::file::properties::WriterProperties;

use super::ReleaseError;
use super::manifest::{FileEntry, FileName};
use super::new_file::NewFile;
use crate::base::etag::ETag;
use crate::release::pace::Pace;

/// For how many rows room is made before they are read, whatever a file says that it has.
const ROWS_EXPECTED_MAX: usize = 1 << 22;

/// Columns of a table under construction.
pub(super) type Columns = Vec<(&'static str, Column)>;

/// A column under construction.
pub(super) enum Column {
    /// Codes, ordinals, ranks, years.
    Int32(Vec<i32>),
    /// Years that may be missing.
    OptionalInt32(Vec<Option<i32>>),
    /// Offsets and physical lengths.
    Int64(Vec<i64>),
    /// Identifiers and words.
    Text(Vec<Box<str>>),
    /// Entity tags.
    ETags(Vec<ETag>),
}

/// Writes `columns`, all of one length, as the Parquet file `name` in `directory`, and syncs it.
pub(super) fn write(
    directory: &Path,
    name: FileName,
    columns: Columns,
) -> Result<FileEntry, ReleaseError> {
    let path = directory.join(name.as_str());
    let parquet = |source| ReleaseError::Parquet {
        action: "write",
        path: path.clone(),
        source,
    };
    let file = NewFile::create(directory, name)?;
    let arrays = columns
        .into_iter()
        .map(|(name, column)| (name, array(column)));
    let batch = RecordBatch::try_from_iter(arrays).map_err(|error| parquet(error.into()))?;
    let properties = WriterProperties::builder()
        .set_compression(Compression::ZSTD(ZstdLevel::default()))
        .set_created_by("boat-catalogue".to_owned())
        .build();
    let mut writer =
        ArrowWriter::try_new(file, batch.schema(), Some(properties)).map_err(parquet)?;
    writer.write(&batch).map_err(parquet)?;
    let file = writer.into_inner().map_err(parquet)?;
    file.finish().map_err(ReleaseError::io("sync", &path))
}

fn array(column: Column) -> ArrayRef {
    match column {
        Column::Int32(values) => Arc::new(Int32Array::from(values)),
        Column::OptionalInt32(values) => Arc::new(Int32Array::from(values)),
        Column::Int64(values) => Arc::new(Int64Array::from(values)),
        Column::Text(values) => Arc::new(StringArray::from_iter_values(values)),
        Column::ETags(values) => {
            let tags = values.iter().map(|tag| tag.as_bytes().as_slice());
            let array = FixedSizeBinaryArray::try_from_iter(tags.clone())
                // Without a first value the width cannot be inferred.
                .or_else(|_empty| {
                    let none = std::iter::empty::<Option<&[u8]>>();
                    FixedSizeBinaryArray::try_from_sparse_iter_with_size(none, 16)
                });
            Arc::new(array.unwrap_or_else(|error| unreachable!("tags have one width: {error}")))
        }
    }
}

/// A table that is read back, column by column: one decodes no more than is asked for.
pub(super) struct Table<'a> {
    pace: &'a dyn Pace,
    contents: Bytes,
    metadata: ArrowReaderMetadata,
}

impl<'a> Table<'a> {
    /// The table in the contents of a Parquet file.
    pub(super) fn new(contents: Bytes, pace: &'a dyn Pace) -> Result<Self, ParquetError> {
        let metadata = ArrowReaderMetadata::load(&contents, ArrowReaderOptions::default())?;
        Ok(Self {
            pace,
            contents,
            metadata,
        })
    }

    /// What its reading keeps to.
    pub(super) const fn pace(&self) -> &'a dyn Pace {
        self.pace
    }

    /// All values of an integer column without nulls.
    pub(super) fn int32(&self, name: &str) -> Result<Vec<i32>, ParquetError> {
        self.column(name, |column, values| {
            values.extend_from_slice(column.as_primitive_opt::<Int32Type>()?.values());
            Some(())
        })
    }

    /// All values of an integer column, some of which may be missing.
    pub(super) fn optional_int32(&self, name: &str) -> Result<Vec<Option<i32>>, ParquetError> {
        self.column(name, |column, values| {
            values.extend(column.as_primitive_opt::<Int32Type>()?);
            Some(())
        })
    }

    /// All values of a long integer column without nulls.
    pub(super) fn int64(&self, name: &str) -> Result<Vec<i64>, ParquetError> {
        self.column(name, |column, values| {
            values.extend_from_slice(column.as_primitive_opt::<Int64Type>()?.values());
            Some(())
        })
    }

    /// All values of a text column.
    pub(super) fn text(&self, name: &str) -> Result<Vec<Box<str>>, ParquetError> {
        self.column(name, |column, values| {
            let texts = column.as_string_opt::<i32>()?;
            values.extend(texts.iter().map(|text| text.unwrap_or_default().into()));
            Some(())
        })
    }

    /// All values of a column of entity tags.
    pub(super) fn etags(&self, name: &str) -> Result<Vec<ETag>, ParquetError> {
        self.column(name, |column, values| {
            for tag in column.as_fixed_size_binary_opt()? {
                values.push(ETag::from_bytes(tag?.try_into().ok()?));
            }
            Some(())
        })
    }

    /// All values of a column, of which `push` adds one part after the other, or says that it is
    /// of another type.
    fn column<T>(
        &self,
        name: &str,
        push: impl Fn(&dyn Array, &mut Vec<T>) -> Option<()>,
    ) -> Result<Vec<T>, ParquetError> {
        let (contents, metadata) = (self.contents.clone(), self.metadata.clone());
        let only = ProjectionMask::columns(metadata.parquet_schema(), [name]);
        let rows = self.metadata.metadata().file_metadata().num_rows();
        let rows = usize::try_from(rows).unwrap_or(0);
        let mut values = Vec::with_capacity(rows.min(ROWS_EXPECTED_MAX));
        let reader = ParquetRecordBatchReaderBuilder::new_with_metadata(contents, metadata);
        for batch in reader.with_projection(only).build()? {
            let batch = batch?;
            let column = batch.column_by_name(name);
            self.pace.step();
            let pushed = column.and_then(|column| push(column, &mut values));
            pushed.ok_or_else(|| ParquetError::General(format!("no column {name} of its type")))?;
        }
        if values.len() != rows {
            let reason = format!("column {name} does not have the {rows} rows of its file");
            return Err(ParquetError::General(reason));
        }
        Ok(values)
    }
}
