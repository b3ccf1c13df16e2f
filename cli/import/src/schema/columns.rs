//! Published records as typed Arrow columns: one for each field, nested as in responses.
//!
//! Types and descriptions come from the response types, the order from bodies, and units from
//! validation. Only kinds with their own responses have columns.

use std::collections::HashMap;
use std::sync::Arc;

use arrow::datatypes::{DataType, Field, Fields, TimeUnit};
use serde_json::Value;
use shared::base::render::coverage::{self, BOAT_FIELDS, MANUFACTURER_FIELDS};

use super::Outline;
use super::descriptions::Descriptions;
use crate::finding::Kind;
use crate::validate::outlines;

/// The name of list members in Arrow and Parquet schemas.
const MEMBER: &str = "item";
/// The time zone of responses, as an offset that Arrow understands.
const UTC: &str = "+00:00";
/// The path of members of lists in outlines.
const MEMBERS: &str = "[]";

/// The columns of boats or manufacturers; other kinds have none.
pub fn columns(kind: Kind) -> Fields {
    let paths = match kind {
        Kind::Boat => BOAT_FIELDS.paths(),
        Kind::Manufacturer => MANUFACTURER_FIELDS.paths(),
        Kind::Catalogue | Kind::Term | Kind::Designer => &[],
    };
    let columns = Columns {
        paths,
        outline: outlines().into_iter().find(|outline| outline.kind == kind),
    };
    let shapes = Descriptions::of(kind);
    let shapes = shapes.shapes().flat_map(properties);
    columns.fields(shapes.collect(), &mut Vec::new())
}

struct Columns {
    /// The paths of fields in the order of bodies.
    paths: &'static [&'static str],
    outline: Option<Outline>,
}

/// A key of an object, and its schema.
type Property<'s> = (&'s str, &'s Value);

impl Columns {
    fn fields(&self, mut properties: Vec<Property<'_>>, within: &mut Vec<String>) -> Fields {
        properties.sort_by_cached_key(|(key, _)| {
            within.push((*key).to_owned());
            let place = self.place(within);
            within.pop();
            place
        });
        let fields = properties.into_iter().map(|(key, schema)| {
            within.push(key.to_owned());
            let field = self.field(key, schema, within);
            within.pop();
            field
        });
        fields.collect()
    }

    fn field(&self, key: &str, schema: &Value, path: &mut Vec<String>) -> Field {
        let (value, is_nullable) = without_null(schema);
        let field = Field::new(key, self.data_type(value, path), is_nullable);
        let mut about = HashMap::new();
        let description = schema
            .get("description")
            .or_else(|| value.get("description"));
        if let Some(description) = description.and_then(Value::as_str) {
            about.insert("description".to_owned(), description.replace('\n', " "));
        }
        if let Some(unit) = self.unit(path) {
            about.insert("unit".to_owned(), unit.to_owned());
        }
        field.with_metadata(about)
    }

    fn data_type(&self, schema: &Value, path: &mut Vec<String>) -> DataType {
        match name_of_type(schema) {
            "object" => DataType::Struct(self.fields(properties(schema).collect(), path)),
            "array" => {
                path.push(MEMBERS.to_owned());
                let members = schema.get("items").unwrap_or(&Value::Null);
                let member = Field::new(MEMBER, self.data_type(members, path), false);
                path.pop();
                DataType::List(Arc::new(member))
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

    /// The place of a field in bodies, or else in the outline.
    fn place(&self, path: &[String]) -> (usize, usize) {
        let (dotted, last) = (path.join("."), usize::MAX);
        let is_it = |known: &&str| **known == dotted || coverage::is_member(known, &dotted);
        let place = self.paths.iter().position(is_it);
        let fields = self.outline.iter().flat_map(|outline| &outline.fields);
        let outlined = fields
            .map(|field| &field.path)
            .position(|known| known == path);
        (place.unwrap_or(last), outlined.unwrap_or(last))
    }

    fn unit(&self, path: &[String]) -> Option<&'static str> {
        // It is computed, so the outline does not have its unit.
        if path == ["lengthOverallMetres"] {
            return Some("m");
        }
        let fields = self.outline.iter().flat_map(|outline| &outline.fields);
        let mut own = fields.filter(|field| field.path == path);
        own.next()?.shape.unit()
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
