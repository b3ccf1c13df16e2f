//! Published records as typed Arrow columns: one for each field, nested as in responses.
//!
//! Types and descriptions come from the response types, the order from bodies, and units from the
//! native format. Only kinds with their own responses have columns.

use std::collections::HashMap;
use std::sync::Arc;

use arrow::datatypes::{DataType, Field, Fields, TimeUnit};
use serde_json::Value;
use shared::base::field_path::{FieldPath, Step};
use shared::base::render::coverage::{self, BOAT_FIELDS, MANUFACTURER_FIELDS};

use super::descriptions::Descriptions;
use crate::finding::Kind;
use crate::format::{self, Shape};

/// The name of list members in Arrow and Parquet schemas.
const MEMBER: &str = "item";
/// The time zone of responses, as an offset that Arrow understands.
const UTC: &str = "+00:00";

/// The columns of boats or manufacturers; other kinds have none.
pub fn columns(kind: Kind) -> Fields {
    let paths = match kind {
        Kind::Boat => BOAT_FIELDS.paths(),
        Kind::Manufacturer => MANUFACTURER_FIELDS.paths(),
        Kind::Catalogue | Kind::Term | Kind::Designer => return Fields::empty(),
    };
    let shapes = Descriptions::of(kind);
    let shapes = shapes.shapes().flat_map(properties);
    Columns(paths).fields(shapes.collect(), format::fields(kind), &FieldPath::record())
}

/// Makes columns of a record whose fields have these paths, in the order of bodies.
struct Columns(&'static [&'static str]);

/// A key of an object, and its schema.
type Property<'s> = (&'s str, &'s Value);

impl Columns {
    /// The columns of an object, which has these fields in the native format.
    fn fields(
        &self,
        mut properties: Vec<Property<'_>>,
        native: &'static [format::Field],
        path: &FieldPath<'_>,
    ) -> Fields {
        let own = |key: &str| format::index_of(native, key, 0);
        properties.sort_by_cached_key(|(key, _)| {
            // In the order of bodies, or else in that of the native format.
            let last = usize::MAX;
            let path = path.clone().then(Step::key(*key)).to_string();
            let is_it = |known: &&str| **known == path || coverage::is_member(known, &path);
            let place = self.0.iter().position(is_it);
            (place.unwrap_or(last), own(key).unwrap_or(last))
        });
        let fields = properties.into_iter().map(|(key, schema)| {
            let shape = own(key).map(|index| &native[index].shape);
            self.field(key, schema, shape, &path.clone().then(Step::key(key)))
        });
        fields.collect()
    }

    fn field(
        &self,
        key: &str,
        schema: &Value,
        shape: Option<&'static Shape>,
        path: &FieldPath<'_>,
    ) -> Field {
        let (value, is_nullable) = without_null(schema);
        let native = shape.map_or(&[][..], Shape::fields);
        let field = Field::new(key, self.data_type(value, native, path), is_nullable);
        let mut about = HashMap::new();
        let description = schema
            .get("description")
            .or_else(|| value.get("description"));
        if let Some(description) = description.and_then(Value::as_str) {
            about.insert("description".to_owned(), description.replace('\n', " "));
        }
        if let Some(unit) = shape.and_then(Shape::unit) {
            about.insert("unit".to_owned(), unit.to_owned());
        }
        field.with_metadata(about)
    }

    fn data_type(
        &self,
        schema: &Value,
        native: &'static [format::Field],
        path: &FieldPath<'_>,
    ) -> DataType {
        match name_of_type(schema) {
            "object" => DataType::Struct(self.fields(properties(schema).collect(), native, path)),
            "array" => {
                let members = schema.get("items").unwrap_or(&Value::Null);
                let member = self.data_type(members, native, &path.clone().then(Step::Each));
                DataType::List(Arc::new(Field::new(MEMBER, member, false)))
            }
            "number" => DataType::Float64,
            "integer" => DataType::Int64,
            "boolean" => DataType::Boolean,
            _ if schema
                .get("format")
                .is_some_and(|format| format == "date-time") =>
            {
                DataType::Timestamp(TimeUnit::Microsecond, Some(UTC.into()))
            }
            _ => DataType::Utf8,
        }
    }
}

fn properties(schema: &Value) -> impl Iterator<Item = Property<'_>> {
    let properties = schema.get("properties").and_then(Value::as_object);
    let properties = properties.into_iter().flatten();
    properties.map(|(key, schema)| (key.as_str(), schema))
}

/// The schema of a value that is not null, and whether it may be null.
fn without_null(schema: &Value) -> (&Value, bool) {
    let is_null = |of: &Value| of.get("type").is_some_and(|name| name == "null");
    if let Some(choices) = schema.get("anyOf").and_then(Value::as_array) {
        let value = choices.iter().find(|choice| !is_null(choice));
        return (value.unwrap_or(schema), choices.iter().any(is_null));
    }
    let names = schema.get("type").and_then(Value::as_array);
    (
        schema,
        names.is_some_and(|names| names.iter().any(|name| name == "null")),
    )
}

fn name_of_type(schema: &Value) -> &str {
    let name = match schema.get("type") {
        Some(Value::Array(names)) => names.iter().find(|name| *name != "null"),
        name => name,
    };
    name.and_then(Value::as_str).unwrap_or_default()
}
