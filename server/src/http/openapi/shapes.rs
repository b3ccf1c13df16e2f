//! The schemas of bodies, derived from the types that make them.
//!
//! The server writes a record in two halves and a list from rows, so no single type is a whole
//! body. The types here are, and exist only for the schemas.

use std::borrow::Cow;

use schemars::generate::SchemaSettings;
use schemars::transform::RecursiveTransform;
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde_json::Value;
use shared::base::model::{BoatDetails, BoatSummary, ManufacturerDetails, ManufacturerSummary};
use shared::base::number::INTEGER_MAX;

use super::object::Object;
use crate::params::{LIMIT_MAX, OFFSET_MAX};

/// A page of rows, in the order asked for.
#[derive(JsonSchema)]
#[schemars(rename = "{T}List")]
#[expect(dead_code, reason = "only its schema is used")]
pub(super) struct List<T> {
    /// The rows of this page.
    #[schemars(length(max = LIMIT_MAX))]
    data: Vec<T>,
    /// Where this page stands among all rows.
    pagination: Pagination,
}

/// Where a page stands among all rows.
#[derive(JsonSchema)]
#[expect(dead_code, reason = "only its schema is used")]
struct Pagination {
    /// Rows that match the filters.
    total: u64,
    /// Rows on a page at most, as applied.
    #[schemars(range(min = 1, max = LIMIT_MAX))]
    limit: u16,
    /// Rows skipped before this page.
    #[schemars(range(max = OFFSET_MAX))]
    offset: u64,
}

/// One record.
#[derive(JsonSchema)]
#[schemars(rename = "{T}Envelope")]
#[expect(dead_code, reason = "only its schema is used")]
pub(super) struct Envelope<T> {
    /// The record.
    data: T,
}

/// A boat with everything known of it. It begins with its summary.
#[derive(JsonSchema)]
#[expect(dead_code, reason = "only its schema is used")]
pub(super) struct Boat<'a> {
    #[serde(flatten)]
    summary: BoatSummary<'a>,
    #[serde(flatten)]
    details: BoatDetails<'a>,
}

/// A manufacturer with everything known of it. It begins with its summary.
#[derive(JsonSchema)]
#[expect(dead_code, reason = "only its schema is used")]
pub(super) struct Manufacturer<'a> {
    #[serde(flatten)]
    summary: ManufacturerSummary<'a>,
    #[serde(flatten)]
    details: ManufacturerDetails<'a>,
}

/// The OpenAPI document itself.
pub(super) struct ThisDocument;

impl JsonSchema for ThisDocument {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "ThisDocument".into()
    }

    fn json_schema(_generator: &mut SchemaGenerator) -> Schema {
        schemars::json_schema!({
            "type": "object",
            "description": "A document of OpenAPI 3.1.",
            "additionalProperties": true
        })
    }
}

/// A schema generator for what the server sends, which refers to the components of the document.
pub(super) fn generator() -> SchemaGenerator {
    let settings = SchemaSettings::draft2020_12().with(|settings| {
        settings.definitions_path = "/components/schemas".into();
        settings.meta_schema = None;
        let plain = RecursiveTransform(say_plainly);
        settings.transforms.push(Box::new(plain));
    });
    settings.for_serialize().into_generator()
}

/// The schemas that others refer to.
pub(super) fn definitions(generator: &mut SchemaGenerator) -> Object {
    let definitions = generator.take_definitions(true).into_iter();
    Object::of(definitions.map(|(name, schema)| (name, in_order(schema))))
}

/// Replaces unsigned integers by formats that every client knows, and puts descriptions on one
/// line.
fn say_plainly(schema: &mut Schema) {
    if let Some(Value::String(description)) = schema.get_mut("description") {
        *description = description.replace('\n', " ");
    }
    let format = match schema.get("format").and_then(Value::as_str) {
        Some("uint64") => "int64",
        Some("uint16") => "int32",
        _ => return,
    };
    schema.insert("format".to_owned(), format.into());
    if format == "int64" {
        let members = schema.ensure_object();
        members
            .entry("maximum")
            .or_insert_with(|| INTEGER_MAX.into());
    }
}

/// The schema of an object, with its properties in the order of the type. The generator sorts
/// `properties` by name, but not `required`.
fn in_order(schema: Value) -> Object {
    let Value::Object(members) = schema else {
        return Object::default();
    };
    let required = members.get("required").and_then(Value::as_array).cloned();
    let required = required.unwrap_or_default();
    let place_of = |name: &str| required.iter().position(|other| other == name);
    let members = members.into_iter();
    members.fold(Object::default(), |object, (name, member)| match member {
        Value::Object(properties) if name == "properties" => {
            let mut properties: Vec<(String, Value)> = properties.into_iter().collect();
            properties.sort_by_key(|(name, _)| place_of(name).unwrap_or(usize::MAX));
            object.with(name, Object::of(properties))
        }
        member => object.with(name, member),
    })
}
