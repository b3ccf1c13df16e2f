//! Outlines as JSON Schema 2020-12.
//!
//! Validation trims texts before it checks them, so patterns allow blanks around a value. A blank
//! text counts as null.

use serde_json::{Map, Value, json};

use super::descriptions::Descriptions;
use super::{BEYOND, Field, Outline, Shape, TEXT_MAX};
use crate::validate::PRIVATE_PREFIX;

/// The dialect of both schemas.
pub(super) const DIALECT: &str = "https://json-schema.org/draft/2020-12/schema";
/// A text without control characters other than line feed and tab.
const TEXT: &str = r"^[^\u0000-\u0008\u000b-\u001f\u007f-\u009f]*$";
/// The form of an instant, which may still name a day that does not exist.
const TIMESTAMP: &str = r"^[0-9]{4}-[0-9]{2}-[0-9]{2}[Tt][0-9]{2}:[0-9]{2}:[0-9]{2}(\.[0-9]+)?([Zz]|[+-][0-9]{2}:[0-9]{2})$";
/// The form of an address, whose host may still be invalid.
const ADDRESS: &str = r#"^[Hh][Tt][Tt][Pp][Ss]?://[^\s"<>\\^`{|}/?#][^\s"<>\\^`{|}]*$"#;
/// Where the schema is stricter than validation.
const TRIMMED: &str = "An import trims texts before it counts their characters or compares them \
    with words, and composes them to NFC; this schema does not.";
/// Any text that is not blank.
const NOT_BLANK: &str = r"\S";

/// The schema of a record of any kind.
pub(super) fn of(outlines: &[Outline]) -> Value {
    let name = |outline: &Outline| outline.kind.as_str();
    let kinds: Vec<Value> = outlines
        .iter()
        .map(|outline| json!({ "$ref": format!("#/$defs/{}", name(outline)) }))
        .collect();
    let mut definitions: Map<String, Value> = outlines
        .iter()
        .map(|outline| (name(outline).to_owned(), record(outline)))
        .collect();
    let text = json!({ "type": ["string", "null"], "maxLength": TEXT_MAX, "pattern": TEXT });
    definitions.insert("text".to_owned(), text);
    let words: Vec<&str> = outlines.iter().map(name).collect();
    json!({
        "$schema": DIALECT,
        "title": "A line of a native export",
        "description": "One record. What is null may be left out.",
        "$comment": format!("{} {TRIMMED}", BEYOND.join(" ")),
        "type": "object",
        "required": ["kind"],
        "properties": { "kind": { "enum": words } },
        "oneOf": kinds,
        "$defs": definitions,
    })
}

fn record(outline: &Outline) -> Value {
    let descriptions = Descriptions::of(outline.kind);
    Value::Object(object(&outline.fields, 0, false, &descriptions))
}

/// An object, which may also be null if `may_be_null`. Its fields are those whose paths have one key
/// more than `depth`; their own members stand between them.
fn object(
    fields: &[Field],
    depth: usize,
    may_be_null: bool,
    about: &Descriptions,
) -> Map<String, Value> {
    let mut properties = Map::new();
    let mut required = Vec::new();
    for (place, field) in fields.iter().enumerate() {
        if field.path.len() != depth + 1 {
            continue;
        }
        let Some(key) = field.path.last() else {
            continue;
        };
        if field.is_required {
            required.push(key.as_str());
        }
        properties.insert(key.clone(), value(field, &fields[place + 1..], about));
    }
    let mut schema = typed("object", may_be_null);
    if !required.is_empty() {
        schema.insert("required".to_owned(), required.into());
    }
    schema.insert("properties".to_owned(), properties.into());
    let private = format!("^{PRIVATE_PREFIX}");
    schema.insert("patternProperties".to_owned(), json!({ private: true }));
    schema.insert("additionalProperties".to_owned(), false.into());
    schema
}

/// The value of a field. `after` begins with its own members.
fn value(field: &Field, after: &[Field], about: &Descriptions) -> Value {
    let depth = field.path.len();
    let end = after.iter().position(|other| other.path.len() <= depth);
    let within = &after[..end.unwrap_or(after.len())];
    let may_be_null = !field.is_required;
    let mut schema = match &field.shape {
        Shape::Object | Shape::Part => object(within, depth, may_be_null, about),
        Shape::List { max } => {
            let mut schema = typed("array", may_be_null);
            schema.insert("maxItems".to_owned(), (*max).into());
            let items = within.split_first();
            let items = items.map(|(member, after)| value(member, after, about));
            schema.insert("items".to_owned(), items.unwrap_or(Value::Bool(true)));
            schema
        }
        shape => scalar(shape, may_be_null),
    };
    let description = match &field.shape {
        Shape::Derived { from } => Some(format!("Derived from {from}: leave it out.")),
        _ => about.at(&field.path),
    };
    if let Some(description) = description {
        schema.insert("description".to_owned(), description.into());
    }
    Value::Object(schema)
}

fn scalar(shape: &Shape, may_be_null: bool) -> Map<String, Value> {
    let mut schema = match shape {
        Shape::Flag => typed("boolean", may_be_null),
        Shape::Word(words) => return one_of(words, may_be_null),
        Shape::Text { .. } => text(None, may_be_null),
        Shape::RowText { max } => with(text(None, may_be_null), "maxLength", *max),
        Shape::Timestamp => with(text(Some(TIMESTAMP), may_be_null), "format", "date-time"),
        Shape::Address { max } => with(
            with(text(Some(ADDRESS), may_be_null), "format", "iri"),
            "maxLength",
            *max,
        ),
        Shape::Pattern { pattern, max, .. } => match max {
            Some(max) => with(text(Some(pattern), may_be_null), "maxLength", *max),
            None => text(Some(pattern), may_be_null),
        },
        Shape::Reference { pattern, max, .. } => {
            with(text(Some(pattern), may_be_null), "maxLength", *max)
        }
        Shape::Length { max } => with(
            with(typed("number", may_be_null), "exclusiveMinimum", 0),
            "maximum",
            *max,
        ),
        Shape::Number {
            is_signed: true, ..
        } => typed("number", may_be_null),
        Shape::Number { .. } => with(typed("number", may_be_null), "minimum", 0),
        Shape::Integer { min, max, .. } => with(
            with(typed("integer", may_be_null), "minimum", *min),
            "maximum",
            *max,
        ),
        Shape::Derived { .. } => with(Map::new(), "type", "null"),
        Shape::Object | Shape::Part | Shape::List { .. } => Map::new(),
    };
    if let Some(unit) = shape.unit() {
        schema.insert("x-unit".to_owned(), unit.into());
    }
    schema
}

fn typed(name: &str, may_be_null: bool) -> Map<String, Value> {
    let name = if may_be_null {
        json!([name, "null"])
    } else {
        json!(name)
    };
    with(Map::new(), "type", name)
}

fn one_of(words: &[&str], may_be_null: bool) -> Map<String, Value> {
    let mut words: Vec<Value> = words.iter().map(|word| (*word).into()).collect();
    if may_be_null {
        words.push(Value::Null);
    }
    with(Map::new(), "enum", words)
}

/// A text that matches `pattern`, blanks around it aside. It may be blank if `may_be_blank`.
fn text(pattern: Option<&str>, may_be_blank: bool) -> Map<String, Value> {
    let schema = with(Map::new(), "$ref", "#/$defs/text");
    let pattern = match (pattern, may_be_blank) {
        (None, true) => return schema,
        (None, false) => NOT_BLANK.to_owned(),
        (Some(pattern), _) => {
            let inner = pattern.trim_start_matches('^').trim_end_matches('$');
            let optional = if may_be_blank { "?" } else { "" };
            format!(r"^\s*({inner}){optional}\s*$")
        }
    };
    let schema = with(schema, "pattern", pattern);
    if may_be_blank {
        schema
    } else {
        with(schema, "type", "string")
    }
}

pub(super) fn with(
    mut schema: Map<String, Value>,
    key: &str,
    value: impl Into<Value>,
) -> Map<String, Value> {
    schema.insert(key.to_owned(), value.into());
    schema
}
