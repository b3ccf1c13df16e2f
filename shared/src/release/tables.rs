//! Parquet files as named columns: how a table of a release is written and read back, and the names
//! of the columns that lists neither filter nor sort by.

use std::marker::PhantomData;
use std::path::Path;
use std::sync::Arc;

use arrow::array::{
    Array, ArrayRef, AsArray, FixedSizeBinaryArray, PrimitiveArray, RecordBatch, StringArray,
};
use arrow::datatypes::{ArrowNativeType, ArrowPrimitiveType, Int32Type, Int64Type};
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
use crate::release::throttle::Throttle;

/// For how many rows room is made before they are read, whatever a file says that it has.
const ROWS_EXPECTED_MAX: usize = 1 << 22;

/// Columns of a table under construction, each with its name.
pub(super) type Columns = Vec<(&'static str, ArrayRef)>;

/// What a column holds: how its values are written, and read back.
pub(super) trait Value: Sized {
    /// The values as a column.
    fn into_array(values: Vec<Self>) -> ArrayRef;

    /// Adds those of a part of a column; `None` where that is of another type.
    fn extend(values: &mut Vec<Self>, part: &dyn Array) -> Option<()>;
}

/// An integer as a column holds it.
pub(super) trait Integer: ArrowNativeType {
    /// Its type in Arrow.
    type Arrow: ArrowPrimitiveType<Native = Self>;
}

impl Integer for i32 {
    type Arrow = Int32Type;
}

impl Integer for i64 {
    type Arrow = Int64Type;
}

/// Integers that every row has: dictionary ids, ordinals, ranks, years, lengths.
impl<I: Integer> Value for I {
    fn into_array(values: Vec<Self>) -> ArrayRef {
        Arc::new(PrimitiveArray::<I::Arrow>::from_iter_values(values))
    }

    fn extend(values: &mut Vec<Self>, part: &dyn Array) -> Option<()> {
        values.extend_from_slice(part.as_primitive_opt::<I::Arrow>()?.values());
        Some(())
    }
}

/// Integers that some rows lack.
impl<I: Integer> Value for Option<I> {
    fn into_array(values: Vec<Self>) -> ArrayRef {
        Arc::new(PrimitiveArray::<I::Arrow>::from_iter(values))
    }

    fn extend(values: &mut Vec<Self>, part: &dyn Array) -> Option<()> {
        values.extend(part.as_primitive_opt::<I::Arrow>()?);
        Some(())
    }
}

/// Identifiers and words.
impl Value for Box<str> {
    fn into_array(values: Vec<Self>) -> ArrayRef {
        Arc::new(StringArray::from_iter_values(values))
    }

    fn extend(values: &mut Vec<Self>, part: &dyn Array) -> Option<()> {
        let texts = part.as_string_opt::<i32>()?;
        values.extend(texts.iter().map(|text| text.unwrap_or_default().into()));
        Some(())
    }
}

impl Value for ETag {
    fn into_array(values: Vec<Self>) -> ArrayRef {
        let tags = values.iter().map(|tag| tag.as_bytes().as_slice());
        let array = FixedSizeBinaryArray::try_from_iter(tags.clone())
            // Without a first value the width cannot be inferred.
            .or_else(|_empty| {
                let none = std::iter::empty::<Option<&[u8]>>();
                FixedSizeBinaryArray::try_from_sparse_iter_with_size(none, 16)
            });
        Arc::new(array.unwrap_or_else(|error| unreachable!("tags have one width: {error}")))
    }

    fn extend(values: &mut Vec<Self>, part: &dyn Array) -> Option<()> {
        for tag in part.as_fixed_size_binary_opt()? {
            values.push(Self::from_bytes(tag?.try_into().ok()?));
        }
        Some(())
    }
}

/// A place or an ordinal as the integer that a release stores.
pub(super) fn int(place: usize) -> i32 {
    i32::try_from(place).unwrap_or_else(|_too_many| unreachable!("the writer limits records"))
}

/// Puts values in an order that names the former place of each.
pub(super) fn arrange<T>(values: &mut Vec<T>, order: &[usize]) {
    let mut former: Vec<Option<T>> = std::mem::take(values).into_iter().map(Some).collect();
    values.extend(order.iter().filter_map(|&place| former[place].take()));
}

/// The new place of each former place in such an order.
pub(super) fn places(order: &[usize]) -> Vec<i32> {
    let mut places = vec![0; order.len()];
    for (place, &former) in order.iter().enumerate() {
        places[former] = int(place);
    }
    places
}

/// The name of a column, and the type of its values.
pub(super) struct Name<T> {
    text: &'static str,
    values: PhantomData<fn() -> T>,
}

impl<T: Value> Name<T> {
    pub(super) const fn new(text: &'static str) -> Self {
        Self {
            text,
            values: PhantomData,
        }
    }

    /// The column of these values.
    pub(super) fn column(&self, values: Vec<T>) -> (&'static str, ArrayRef) {
        (self.text, T::into_array(values))
    }
}

pub(super) const ID: Name<Box<str>> = Name::new("id");
pub(super) const SLUG: Name<Box<str>> = Name::new("slug");
pub(super) const ETAG: Name<ETag> = Name::new("etag");
pub(super) const LINE_LENGTH: Name<i32> = Name::new("line_length");
pub(super) const HEAD_LENGTH: Name<i32> = Name::new("head_length");
/// The vocabulary of a term: `type`, `category` or `activity`.
pub(super) const VOCABULARY: Name<Box<str>> = Name::new("vocabulary");
pub(super) const TERM_ID: Name<i32> = Name::new("code");
pub(super) const TERM_SLUG: Name<Box<str>> = Name::new("slug");
pub(super) const WORD: Name<Box<str>> = Name::new("word");

/// Writes `columns`, all of one length, as the Parquet file `name` in `directory`, and syncs it.
pub(super) fn write(
    directory: &Path,
    name: FileName,
    columns: Columns,
) -> Result<FileEntry, ReleaseError> {
    let path = directory.join(name.as_str());
    let parquet = |source| ReleaseError::unwritten(&path, source);
    let mut file = NewFile::create(directory, name)?;
    let batch = RecordBatch::try_from_iter(columns).map_err(|error| parquet(error.into()))?;
    let properties = WriterProperties::builder()
        .set_compression(Compression::ZSTD(ZstdLevel::default()))
        .set_created_by("boat-catalogue".to_owned())
        .build();
    let mut writer =
        ArrowWriter::try_new(&mut file, batch.schema(), Some(properties)).map_err(parquet)?;
    writer.write(&batch).map_err(parquet)?;
    writer.close().map_err(parquet)?;
    file.finish().map_err(ReleaseError::io("sync", &path))
}

/// A table that is read back, column by column: one decodes no more than is asked for.
pub(super) struct Table<'a> {
    throttle: &'a dyn Throttle,
    contents: Bytes,
    metadata: ArrowReaderMetadata,
}

impl<'a> Table<'a> {
    /// The table in the contents of a Parquet file.
    pub(super) fn new(contents: Bytes, throttle: &'a dyn Throttle) -> Result<Self, ParquetError> {
        let metadata = ArrowReaderMetadata::load(&contents, ArrowReaderOptions::default())?;
        Ok(Self {
            throttle,
            contents,
            metadata,
        })
    }

    /// What its reading keeps to.
    pub(super) const fn throttle(&self) -> &'a dyn Throttle {
        self.throttle
    }

    /// Whether there is a column of that name.
    pub(super) fn has<T>(&self, name: &Name<T>) -> bool {
        let columns = self.metadata.schema().fields();
        columns.iter().any(|column| column.name() == name.text)
    }

    /// All values of a column.
    pub(super) fn column<T: Value>(&self, name: &Name<T>) -> Result<Vec<T>, ParquetError> {
        let name = name.text;
        let (contents, metadata) = (self.contents.clone(), self.metadata.clone());
        let only = ProjectionMask::columns(metadata.parquet_schema(), [name]);
        let rows = self.metadata.metadata().file_metadata().num_rows();
        let rows = usize::try_from(rows).unwrap_or(0);
        let mut values = Vec::with_capacity(rows.min(ROWS_EXPECTED_MAX));
        let reader = ParquetRecordBatchReaderBuilder::new_with_metadata(contents, metadata);
        for batch in reader.with_projection(only).build()? {
            let batch = batch?;
            let column = batch.column_by_name(name);
            self.throttle.step();
            let extended = column.and_then(|column| T::extend(&mut values, column));
            extended
                .ok_or_else(|| ParquetError::General(format!("no column {name} of its type")))?;
        }
        if values.len() != rows {
            let reason = format!("column {name} does not have the {rows} rows of its file");
            return Err(ParquetError::General(reason));
        }
        Ok(values)
    }
}
