//! Decides which columns of a Parquet file can be read, and as which types.

use std::sync::Arc;

use arrow::datatypes::{DataType, Field, FieldRef, Fields, Schema, SchemaRef, TimeUnit};
use parquet::arrow::arrow_reader::ArrowReaderMetadata;
use parquet::basic::{ConvertedType, LogicalType, Type};
use parquet::schema::types::ColumnDescriptor;

use super::super::{FileError, corrupt};
use crate::finding::cut;
use crate::json::first_repeated;

/// Checks that a row can become an object.
pub(super) fn check(schema: &Schema) -> Result<(), FileError> {
    if schema.fields().is_empty() {
        return Err(corrupt(1, "the file has no columns"));
    }
    check_names(schema.fields())
}

fn check_names(fields: &Fields) -> Result<(), FileError> {
    if let Some(name) = first_repeated(fields.iter().map(|field| field.name().as_str())) {
        let message = format!("two columns are called {:?}", cut(name));
        return Err(corrupt(1, message));
    }
    fields.iter().try_for_each(|field| check_type(field))
}

fn check_type(field: &Field) -> Result<(), FileError> {
    match field.data_type() {
        DataType::Struct(fields) => check_names(fields),
        DataType::List(member) => check_type(member),
        DataType::Map(entries, _) => check_type(entries),
        _ => Ok(()),
    }
}

/// The schema to read columns with: texts and bytes stay in their pages, even if a dictionary
/// repeats them often.
pub(super) fn wanted(metadata: &ArrowReaderMetadata) -> SchemaRef {
    let leaves = metadata.parquet_schema().columns();
    let mut leaves = leaves.iter().map(AsRef::as_ref);
    let fields = metadata.schema().fields();
    Arc::new(Schema::new(wanted_fields(fields, &mut leaves)))
}

/// The leaf columns, in the order of the fields.
type Leaves<'l> = dyn Iterator<Item = &'l ColumnDescriptor> + 'l;

fn wanted_fields(fields: &Fields, leaves: &mut Leaves<'_>) -> Fields {
    let fields = fields.iter();
    fields.map(|field| wanted_field(field, leaves)).collect()
}

fn wanted_field(field: &FieldRef, leaves: &mut Leaves<'_>) -> FieldRef {
    let wanted = match field.data_type() {
        DataType::Struct(fields) => DataType::Struct(wanted_fields(fields, leaves)),
        DataType::List(member) => DataType::List(wanted_field(member, leaves)),
        DataType::Map(entries, is_sorted) => {
            DataType::Map(wanted_field(entries, leaves), *is_sorted)
        }
        leaf => wanted_leaf(leaf, leaves.next()),
    };
    Arc::new(field.as_ref().clone().with_data_type(wanted))
}

fn wanted_leaf(leaf: &DataType, described: Option<&ColumnDescriptor>) -> DataType {
    let is_enum = described.is_some_and(|column| {
        column.logical_type_ref() == Some(&LogicalType::Enum)
            || column.converted_type() == ConvertedType::ENUM
    });
    let is_int96 = described.is_some_and(|column| column.physical_type() == Type::INT96);
    match leaf {
        DataType::Utf8 => DataType::Utf8View,
        DataType::Binary if is_enum => DataType::Utf8View,
        DataType::Binary => DataType::BinaryView,
        // Nanoseconds cover only the years 1677 to 2262.
        DataType::Timestamp(..) if is_int96 => DataType::Timestamp(TimeUnit::Microsecond, None),
        // A named time zone would need a time zone database.
        DataType::Timestamp(unit, Some(_utc)) => {
            DataType::Timestamp(*unit, Some(Arc::from("+00:00")))
        }
        other => other.clone(),
    }
}
