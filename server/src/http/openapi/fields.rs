//! The fields of a body's schema, as a tree for people to read.

use schemars::{Schema, SchemaGenerator};
use serde_json::{Map, Value};

use super::{form, shapes};

/// A field of a body.
pub(crate) struct Field {
    pub(crate) name: String,
    /// What its value may be, in words.
    pub(crate) form: String,
    pub(crate) meaning: String,
    /// The fields of its value, or of each element of it.
    pub(crate) fields: Vec<Self>,
}

/// The fields of a body of this schema, in its order.
pub(super) fn of(schema: fn(&mut SchemaGenerator) -> Schema) -> Vec<Field> {
    let mut generator = shapes::generator();
    let root = schema(&mut generator).to_value();
    Definitions(generator.take_definitions(true)).fields(&root)
}

/// The schemas that others refer to, by name.
struct Definitions(Map<String, Value>);

impl Definitions {
    /// Every field is required, so `required` lists all of them, in the order of the type.
    fn fields(&self, object: &Value) -> Vec<Field> {
        let object = self.resolved(object);
        let names = object["required"].as_array().into_iter().flatten();
        let names = names.filter_map(Value::as_str);
        names
            .map(|name| self.field(name, &object["properties"][name]))
            .collect()
    }

    fn field(&self, name: &str, schema: &Value) -> Field {
        let (value, null) = match &schema["anyOf"] {
            Value::Array(either) => (&either[0], " or null"),
            _ => (schema, ""),
        };
        let value = self.resolved(value);
        let (form, holder) = match &value["items"] {
            Value::Null => (form(value), value),
            element => {
                let element = self.resolved(element);
                (format!("array of {}", form(element)), element)
            }
        };
        Field {
            name: name.to_owned(),
            form: form + null,
            meaning: schema["description"]
                .as_str()
                .unwrap_or_default()
                .to_owned(),
            fields: self.fields(holder),
        }
    }

    /// The schema that this one refers to, or itself.
    fn resolved<'a>(&'a self, schema: &'a Value) -> &'a Value {
        let name = schema["$ref"].as_str().and_then(|to| to.rsplit('/').next());
        name.and_then(|name| self.0.get(name)).unwrap_or(schema)
    }
}

fn form(schema: &Value) -> String {
    Schema::try_from(schema.clone())
        .map_or_else(|_| String::new(), |schema| form::in_words(&schema))
}
