//! A CSV file: nested fields are columns with dotted names, such as `hull.keelType`, and a list is
//! JSON in its cell. A missing value is an empty cell. What a spreadsheet would run is escaped, unless
//! that is not wanted.

use std::io::Write;
use std::sync::Arc;

use anyhow::Context as _;
use arrow::array::{Array, ArrayRef, AsArray, RecordBatch, StringArray, StringBuilder};
use arrow::csv::WriterBuilder;
use arrow::datatypes::{DataType, Field, FieldRef, Fields, Float64Type, Schema, SchemaRef};
use arrow::error::ArrowError;
use arrow::json::writer::{EncoderOptions, make_encoder};
use import::source::formula;
use shared::base::number::Number;

use crate::commands::export::target::Sink;

/// A CSV file being written.
pub(super) struct CsvFile<'c> {
    sink: Sink<'c>,
    schema: SchemaRef,
    escapes_formulas: bool,
    has_header: bool,
}

impl<'c> CsvFile<'c> {
    pub(super) const fn new(sink: Sink<'c>, schema: SchemaRef, escapes_formulas: bool) -> Self {
        Self {
            sink,
            schema,
            escapes_formulas,
            has_header: false,
        }
    }

    /// Writes rows, the first of them after the header.
    pub(super) fn write(&mut self, batch: &RecordBatch) -> anyhow::Result<()> {
        let text = self
            .text(batch)
            .context("could not make a table of fields")?;
        self.has_header = true;
        let attempt = self.sink.attempt();
        self.sink.write_all(&text).context(attempt)
    }

    pub(super) fn end(mut self) -> anyhow::Result<Sink<'c>> {
        if !self.has_header {
            self.write(&RecordBatch::new_empty(Arc::clone(&self.schema)))?;
        }
        Ok(self.sink)
    }

    /// The rows as text in memory, so that an error of writing is always a system error.
    fn text(&self, batch: &RecordBatch) -> Result<Vec<u8>, ArrowError> {
        let mut text = Vec::new();
        let builder = WriterBuilder::new().with_header(!self.has_header);
        builder.build(&mut text).write(&self.flat(batch)?)?;
        Ok(text)
    }

    fn flat(&self, batch: &RecordBatch) -> Result<RecordBatch, ArrowError> {
        let (mut fields, mut columns) = (Vec::new(), Vec::new());
        let mut add = |name: String, column: ArrayRef| {
            let column = match column.data_type() {
                DataType::Utf8 if self.escapes_formulas => escaped(&column),
                DataType::Float64 => as_in_json(&column),
                _ => column,
            };
            fields.push(Field::new(name, column.data_type().clone(), true));
            columns.push(column);
        };
        flatten("", batch.schema().fields(), batch.columns(), &mut add)?;
        RecordBatch::try_new(Arc::new(Schema::new(fields)), columns)
    }
}

/// The texts of a column, none of which a spreadsheet runs.
fn escaped(column: &ArrayRef) -> ArrayRef {
    let texts = column.as_string::<i32>().iter();
    let escaped = texts.map(|text| text.map(formula::escaped));
    Arc::new(escaped.collect::<StringArray>())
}

/// The numbers of a column as bodies have them: `12`, not `12.0`.
fn as_in_json(column: &ArrayRef) -> ArrayRef {
    let numbers = column.as_primitive::<Float64Type>().iter();
    let number = |value| Number::new(value).and_then(|number| serde_json::to_string(&number).ok());
    let texts = numbers.map(|value| value.and_then(number));
    Arc::new(texts.collect::<StringArray>())
}

fn flatten(
    before: &str,
    fields: &Fields,
    columns: &[ArrayRef],
    add: &mut impl FnMut(String, ArrayRef),
) -> Result<(), ArrowError> {
    for (field, column) in fields.iter().zip(columns) {
        let name = format!("{before}{}", field.name());
        match field.data_type() {
            DataType::Struct(members) => {
                let columns = column.as_struct().columns();
                flatten(&format!("{name}."), members, columns, add)?;
            }
            DataType::List(_) => add(name, json(field, column)?),
            _ => add(name, Arc::clone(column)),
        }
    }
    Ok(())
}

/// The lists of a column as JSON; an empty one is nothing.
fn json(field: &FieldRef, column: &ArrayRef) -> Result<ArrayRef, ArrowError> {
    let options = EncoderOptions::default();
    let mut encoder = make_encoder(field, column, &options)?;
    let (lists, mut texts) = (column.as_list::<i32>(), StringBuilder::new());
    let mut text = Vec::new();
    for row in 0..column.len() {
        if lists.value_length(row) == 0 {
            texts.append_null();
            continue;
        }
        text.clear();
        encoder.encode(row, &mut text);
        texts.append_value(String::from_utf8_lossy(&text));
    }
    Ok(Arc::new(texts.finish()))
}
