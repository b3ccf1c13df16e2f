//! Parquet files as named columns: how a table of a release is written and read back.

use std::path::Path;
use std::sync::Arc;

use arrow::array::{
    Array, ArrayRef, AsArray, FixedSizeBinaryArray, Int32Array, Int64Array, RecordBatch,
    StringArray,
};
use arrow::datatypes::{Int32Type, Int64Type};
use bytes::Bytes;
use parquet::arrow::ArrowWriter;
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use parquet::basic::{Compression, ZstdLevel};
use parquet::errors::ParquetError;
use parquet::file::properties::WriterProperties;

use super::ReleaseError;
use super::manifest::{FileEntry, FileName};
use super::new_file::NewFile;
use crate::etag::ETag;

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

/// A table read back, batch by batch.
pub(super) struct Table {
    batches: Vec<RecordBatch>,
}

impl Table {
    /// Reads a whole Parquet file.
    pub(super) fn read(contents: Bytes) -> Result<Self, ParquetError> {
        let reader = ParquetRecordBatchReaderBuilder::try_new(contents)?.build()?;
        let batches = reader.collect::<Result<_, _>>()?;
        Ok(Self { batches })
    }

    /// All values of an integer column without nulls.
    pub(super) fn int32(&self, name: &str) -> Option<Vec<i32>> {
        let mut values = Vec::new();
        for column in self.columns(name) {
            values.extend_from_slice(column?.as_primitive_opt::<Int32Type>()?.values());
        }
        Some(values)
    }

    /// All values of a long integer column without nulls.
    pub(super) fn int64(&self, name: &str) -> Option<Vec<i64>> {
        let mut values = Vec::new();
        for column in self.columns(name) {
            values.extend_from_slice(column?.as_primitive_opt::<Int64Type>()?.values());
        }
        Some(values)
    }

    /// All values of a text column.
    pub(super) fn text(&self, name: &str) -> Option<Vec<Box<str>>> {
        let mut values = Vec::new();
        for column in self.columns(name) {
            let column = column?.as_string_opt::<i32>()?;
            values.extend(column.iter().map(|value| value.unwrap_or_default().into()));
        }
        Some(values)
    }

    /// All values of a column of entity tags.
    pub(super) fn etags(&self, name: &str) -> Option<Vec<ETag>> {
        let mut values = Vec::new();
        for column in self.columns(name) {
            for tag in column?.as_fixed_size_binary_opt()? {
                values.push(ETag::from_bytes(tag?.try_into().ok()?));
            }
        }
        Some(values)
    }

    fn columns<'a>(&'a self, name: &'a str) -> impl Iterator<Item = Option<&'a dyn Array>> {
        self.batches
            .iter()
            .map(move |batch| batch.column_by_name(name).map(|column| &**column))
    }
}
