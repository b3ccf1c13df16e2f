//! The schemas of bodies, derived from the types that make them, and what a schema allows in words.
//!
//! The server writes a record in two halves and a list from rows, so no single type is a whole
//! body. The types here are, and exist only for the schemas.

use schemars::generate::SchemaSettings;
use schemars::transform::RecursiveTransform;
use schemars::{JsonSchema, Schema};
use serde::{Serialize, Serializer};
use serde_json::value::RawValue;
use serde_json::{Map, Value};
use shared::base::model::{
    BoatDetails, BoatSummary, ManufacturerDetails, ManufacturerSummary, Terms,
};
use shared::base::number::INTEGER_MAX;

use super::in_order::{InOrder, raw};
use crate::catalogue::Facets;
use crate::http::bodies::{ErrorEnvelope, Health, VersionEnvelope};
use crate::http::changes::ChangesPage;
use crate::http::own_key::KeyDescription;
use crate::params::{LIMIT_MAX, OFFSET_MAX};

/// A page of rows, in the order asked for.
#[derive(JsonSchema)]
#[schemars(rename = "{T}List")]
#[expect(dead_code, reason = "only its schema is used")]
struct List<T> {
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
struct Envelope<T> {
    /// The record.
    data: T,
}

/// A boat with everything known of it. It begins with its summary.
#[derive(JsonSchema)]
#[expect(dead_code, reason = "only its schema is used")]
struct Boat<'a> {
    #[serde(flatten)]
    summary: BoatSummary<'a>,
    #[serde(flatten)]
    details: BoatDetails<'a>,
}

/// A manufacturer with everything known of it. It begins with its summary.
#[derive(JsonSchema)]
#[expect(dead_code, reason = "only its schema is used")]
struct Manufacturer<'a> {
    #[serde(flatten)]
    summary: ManufacturerSummary<'a>,
    #[serde(flatten)]
    details: ManufacturerDetails<'a>,
}

/// Schemas that refer to each other, by name.
#[derive(Default)]
pub(crate) struct Schemas(Map<String, Value>);

impl Schemas {
    /// Those of every body, with all that they refer to.
    pub(super) fn of_bodies() -> Self {
        let settings = SchemaSettings::draft2020_12().with(|settings| {
            settings.definitions_path = "/components/schemas".into();
            settings.meta_schema = None;
            let plain = RecursiveTransform(say_plainly);
            settings.transforms.push(Box::new(plain));
        });
        let mut generator = settings.for_serialize().into_generator();
        generator.subschema_for::<List<BoatSummary<'static>>>();
        generator.subschema_for::<List<ManufacturerSummary<'static>>>();
        generator.subschema_for::<Envelope<Boat<'static>>>();
        generator.subschema_for::<Envelope<Manufacturer<'static>>>();
        generator.subschema_for::<Envelope<Terms<'static>>>();
        generator.subschema_for::<Envelope<Facets>>();
        generator.subschema_for::<ChangesPage<'static>>();
        generator.subschema_for::<KeyDescription<'static>>();
        generator.subschema_for::<VersionEnvelope<'static>>();
        generator.subschema_for::<Health>();
        generator.subschema_for::<ErrorEnvelope<'static>>();
        Self(generator.take_definitions(true))
    }

    /// The schema that this one refers to, or itself.
    pub(crate) fn resolved<'a>(&'a self, schema: &'a Value) -> &'a Value {
        let name = schema["$ref"].as_str().and_then(|to| to.rsplit('/').next());
        name.and_then(|name| self.0.get(name)).unwrap_or(schema)
    }
}

impl Serialize for Schemas {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.collect_map(self.0.iter().map(|(name, schema)| (name, in_order(schema))))
    }
}

/// The schema of an object, with its properties in the order of the type. The generator sorts
/// `properties` by name, but not `required`.
fn in_order(schema: &Value) -> InOrder<Box<RawValue>> {
    let required = schema["required"].as_array();
    let place_of = |name: &str| required.and_then(|all| all.iter().position(|it| it == name));
    let members = schema.as_object().into_iter().flatten();
    let member = |(name, member): (&String, &Value)| {
        let mut properties: InOrder<&Value> = match member {
            Value::Object(properties) if name == "properties" => properties
                .iter()
                .map(|(name, it)| (name.clone(), it))
                .collect(),
            _ => return (name.clone(), raw(member)),
        };
        properties.sort_by_cached_key(|name, _| place_of(name).unwrap_or(usize::MAX));
        (name.clone(), raw(&properties))
    };
    members.map(member).collect()
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

/// What a value of this schema may be, in words.
pub(crate) fn in_words(schema: &Value) -> String {
    let get = |key: &str| schema.get(key);
    let mut words = match (get("enum"), get("type")) {
        (Some(Value::Array(values)), _) => {
            let values: Vec<String> = values.iter().map(quoted).collect();
            vec![format!("one of {}", values.join(", "))]
        }
        (_, Some(Value::Array(types))) => {
            vec![types.iter().map(plain).collect::<Vec<_>>().join(" or ")]
        }
        (_, kind) => kind.map(plain).into_iter().collect(),
    };
    for (least, greatest, unit) in [
        ("minLength", "maxLength", " characters"),
        ("minimum", "maximum", ""),
    ] {
        match (get(least), get(greatest)) {
            (Some(least), Some(greatest)) => words.push(format!("{least} to {greatest}{unit}")),
            (None, Some(greatest)) => words.push(format!("at most {greatest}{unit}")),
            (Some(least), None) => words.push(format!("at least {least}{unit}")),
            (None, None) => {}
        }
    }
    words.extend(get("exclusiveMinimum").map(|bound| format!("more than {bound}")));
    words.extend(get("pattern").map(|pattern| format!("matches {}", quoted(pattern))));
    words.extend(get("default").map(|default| format!("default {}", quoted(default))));
    words.join(", ")
}

/// A value as a person would type it.
pub(crate) fn plain(value: &Value) -> String {
    value
        .as_str()
        .map_or_else(|| value.to_string(), str::to_owned)
}

fn quoted(value: &Value) -> String {
    format!("`{}`", plain(value))
}
