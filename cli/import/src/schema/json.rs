//! The native format as JSON Schema 2020-12.
//!
//! Validation trims texts before it checks them, so patterns allow blanks around a value. A blank
//! text counts as null.

use serde_json::{Map, Value, json};
use shared::base::field_path::{FieldPath, Step};
use shared::base::units::LENGTH_MAX;

use super::descriptions::Descriptions;
use super::{Field, Kind, LIST_MAX, Shape, TEXT_MAX, beyond, fields};
use crate::format::PRIVATE_PREFIX;

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
pub(super) fn of_records() -> Value {
    let words = Kind::ALL.map(Kind::as_str);
    let kinds = words.map(|word| json!({ "$ref": format!("#/$defs/{word}") }));
    let definitions = Kind::ALL.map(|kind| (kind.as_str().to_owned(), record(kind)));
    let mut definitions: Map<String, Value> = definitions.into_iter().collect();
    let text = json!({ "type": ["string", "null"], "maxLength": TEXT_MAX, "pattern": TEXT });
    definitions.insert("text".to_owned(), text);
    json!({
        "$schema": DIALECT,
        "title": "A line of a native export",
        "description": "One record. What is null may be left out.",
        "$comment": format!("{} {TRIMMED}", beyond().join(" ")),
        "type": "object",
        "required": ["kind"],
        "properties": { "kind": { "enum": words } },
        "oneOf": kinds,
        "$defs": definitions,
    })
}

fn record(kind: Kind) -> Value {
    let mut place = Place {
        about: Descriptions::of(kind),
        path: FieldPath::record(),
    };
    place.object(fields(kind), false).into()
}

/// Where in a record of a kind the schema is being written.
struct Place {
    about: Descriptions,
    path: FieldPath<'static>,
}

impl Place {
    /// An object, which may also be null if `may_be_null`.
    fn object(&mut self, fields: &'static [Field], may_be_null: bool) -> Map<String, Value> {
        let required = fields.iter().filter(|field| field.is_required());
        let required: Vec<&str> = required.map(|field| field.key).collect();
        let properties = fields.iter().map(|field| {
            let schema = self.value(Step::key(field.key), &field.shape, !field.is_required());
            (field.key.to_owned(), described(schema, field))
        });
        let properties: Map<String, Value> = properties.collect();
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

    /// The value of a field or of a member of a list, with what responses say about it.
    fn value(
        &mut self,
        step: Step<'static>,
        shape: &'static Shape,
        may_be_null: bool,
    ) -> Map<String, Value> {
        self.path.push(step);
        let mut schema = match shape {
            Shape::Object(fields) | Shape::Part(fields) => self.object(fields, may_be_null),
            Shape::List(member) => {
                let schema = with(typed("array", may_be_null), "maxItems", LIST_MAX);
                with(schema, "items", self.value(Step::Each, member, false))
            }
            shape => scalar(shape, may_be_null),
        };
        if let Some(about) = self.about.at(&self.path) {
            schema.insert("description".to_owned(), about.into());
        }
        self.path.pop();
        schema
    }
}

/// The schema with what the table says about the field, if it does.
fn described(schema: Map<String, Value>, field: &Field) -> Value {
    let schema = match (&field.shape, field.about) {
        (Shape::Derived { from, .. }, _) => {
            let about = format!("Derived from {from}: leave it out.");
            with(schema, "description", about)
        }
        (_, Some(about)) => with(schema, "description", about),
        (_, None) => schema,
    };
    schema.into()
}

fn scalar(shape: &Shape, may_be_null: bool) -> Map<String, Value> {
    let number = |name| typed(name, may_be_null);
    let mut schema = match shape {
        Shape::Flag => typed("boolean", may_be_null),
        Shape::Word(_) | Shape::Format => return one_of(shape.words(), may_be_null),
        Shape::Timestamp => with(text(Some(TIMESTAMP), may_be_null), "format", "date-time"),
        Shape::Address => with(text(Some(ADDRESS), may_be_null), "format", "iri"),
        Shape::Length | Shape::SameLength => with(
            with(number("number"), "exclusiveMinimum", 0),
            "maximum",
            LENGTH_MAX,
        ),
        Shape::Number {
            is_signed: true, ..
        } => number("number"),
        Shape::Number { .. } => with(number("number"), "minimum", 0),
        Shape::Integer { min, max, .. } => {
            with(with(number("integer"), "minimum", *min), "maximum", *max)
        }
        Shape::Derived { .. } => return typed("null", false),
        shape => text(shape.pattern(), may_be_null),
    };
    if let Some(max) = shape.characters_max() {
        schema.insert("maxLength".to_owned(), max.into());
    }
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
