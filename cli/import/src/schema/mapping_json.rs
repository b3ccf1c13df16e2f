//! The language of mapping files as JSON Schema 2020-12, with which TOML editors complete them.

use serde_json::{Map, Value, json};

use super::json::{DIALECT, with};
use crate::mapping::file_keys::{Key, Table, Takes};
use crate::mapping::{list_of_objects, tables};

/// Names of variables: all words but `record`.
const VARIABLE: &str = "^(?!record$)[a-zA-Z_][a-zA-Z0-9_]*$";
/// The rules of mappings that this schema cannot express.
const BEYOND: &str = "Expressions compile as jq, patterns of files can be read, a `table` that is \
    named is there, `key` and `type` stand in each source or in [envelope], and `unlisted` only \
    beside `table`: `catalogue mapping check` says the rest.";

/// The schema of a mapping file.
pub(super) fn of_mappings() -> Value {
    let [root, .., value, list] = tables();
    let mut schema = table(&root);
    for (key, value) in [("$schema", json!(DIALECT)), ("$comment", json!(BEYOND))] {
        schema = with(schema, key, value);
    }
    let texts = json!({ "anyOf": [
        { "type": "string" },
        { "type": "array", "minItems": 1, "items": { "type": "string" } },
    ] });
    let definitions = json!({ "texts": texts, "fields": fields(), "field": field(&value, &list) });
    with(schema, "$defs", definitions).into()
}

fn table(table: &Table) -> Map<String, Value> {
    let properties: Map<String, Value> = table.keys.iter().map(property).collect();
    let is_required = |key: &&Key| key.is_required;
    let required = table.keys.iter().filter(is_required);
    let required: Vec<&str> = required.map(|key| key.name).collect();
    let mut schema = with(Map::new(), "type", "object");
    for (key, value) in [
        ("description", table.about.into()),
        ("properties", properties.into()),
        ("required", required.into()),
        ("additionalProperties", Value::Bool(false)),
    ] {
        schema = with(schema, key, value);
    }
    schema
}

fn property(key: &Key) -> (String, Value) {
    let schema = with(taken(&key.takes), "description", key.about);
    (key.name.to_owned(), schema.into())
}

fn taken(takes: &Takes) -> Map<String, Value> {
    let of_type = |name: &str| with(Map::new(), "type", name);
    match takes {
        Takes::Text | Takes::Expression => of_type("string"),
        Takes::Texts => with(Map::new(), "$ref", "#/$defs/texts"),
        Takes::Flag => of_type("boolean"),
        Takes::Count => with(of_type("integer"), "minimum", 1),
        Takes::TextOrCount => {
            let types = json!(["string", "integer"]);
            with(with(Map::new(), "type", types), "minimum", 1)
        }
        Takes::Word(words) => with(of_type("string"), "enum", words()),
        Takes::Any => Map::new(),
        Takes::Variables => with(
            of_type("object"),
            "propertyNames",
            json!({ "pattern": VARIABLE }),
        ),
        Takes::Vocabularies => with(
            of_type("object"),
            "additionalProperties",
            json!({ "type": "object" }),
        ),
        Takes::One(one) => table(&one()),
        Takes::Named(named) => with(of_type("object"), "additionalProperties", table(&named())),
        Takes::Many(members) => with(of_type("array"), "items", table(&members())),
        Takes::Records => with(of_type("array"), "items", json!({ "type": "object" })),
        Takes::Fields => with(Map::new(), "$ref", "#/$defs/fields"),
    }
}

fn fields() -> Value {
    json!({ "type": "object", "additionalProperties": { "$ref": "#/$defs/field" } })
}

/// A field is an expression, a table whose `from` or `each` says how to make it, or an object of
/// fields.
fn field(value: &Table, list: &Table) -> Value {
    let has = |key: &str| json!({ "required": [key] });
    let list = with(table(list), "not", has("fields"));
    let neither = json!({ "anyOf": [has("from"), has("each")] });
    json!({ "anyOf": [
        { "type": "string", "description": "An expression in jq." },
        table(value),
        table(&list_of_objects()),
        list,
        {
            "type": "object",
            "description": "An object of fields.",
            "not": neither,
            "additionalProperties": { "$ref": "#/$defs/field" },
        },
    ] })
}
