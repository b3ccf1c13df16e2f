//! The fields of a body, as a tree for people to read, made of its schema.

use askama::Template;
use serde_json::Value;

use super::html::prose;
use crate::http::openapi::{Schemas, in_words};

/// The fields of an object, in its order.
#[derive(Template)]
#[template(path = "docs/fields.html")]
pub(super) struct Fields(Vec<Field>);

struct Field {
    id: String,
    name: String,
    /// What its value may be, in words.
    form: String,
    meaning: String,
    /// The fields of its value, or of each element of it.
    fields: Fields,
}

impl Fields {
    /// The fields of an object of this schema; their ids begin with `of`, the id of their owner.
    ///
    /// Every field is required, so `required` lists all of them, in the order of the type.
    pub(super) fn of(schemas: &Schemas, object: &Value, of: &str) -> Self {
        let object = schemas.resolved(object);
        let names = object["required"].as_array().into_iter().flatten();
        let names = names.filter_map(Value::as_str);
        let field = |name| Field::of(schemas, name, &object["properties"][name], of);
        Self(names.map(field).collect())
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl Field {
    fn of(schemas: &Schemas, name: &str, schema: &Value, of: &str) -> Self {
        let (value, null) = match &schema["anyOf"] {
            Value::Array(either) => (&either[0], " or null"),
            _ => (schema, ""),
        };
        let value = schemas.resolved(value);
        let (form, holder) = match &value["items"] {
            Value::Null => (in_words(value), value),
            element => {
                let element = schemas.resolved(element);
                (format!("array of {}", in_words(element)), element)
            }
        };
        let id = format!("{of}.{name}");
        let meaning = schema["description"].as_str().unwrap_or_default();
        Self {
            fields: Fields::of(schemas, holder, &id),
            id,
            name: name.to_owned(),
            form: form + null,
            meaning: meaning.to_owned(),
        }
    }
}
