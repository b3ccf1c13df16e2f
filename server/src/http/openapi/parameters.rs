//! The parameters in the document. The parameters of a list and all bounds come from their
//! declarations.

use std::borrow::Cow;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::Serialize;
use serde_json::Value;
use shared::base::ids::{IdOrSlug, Slug};

use super::headers;
use crate::params::{List, SEARCH_MAX, SEARCH_MIN, Values};

/// The path parameter of one record.
pub(super) const ID_OR_SLUG: &str = "idOrSlug";

/// A parameter.
#[derive(Serialize)]
pub(crate) struct Parameter {
    pub(crate) name: &'static str,
    /// Where it is given: `path`, `query` or `header`.
    #[serde(rename = "in")]
    pub(crate) location: &'static str,
    pub(crate) description: Cow<'static, str>,
    pub(crate) required: bool,
    pub(crate) schema: Schema,
    pub(crate) example: Value,
}

/// The parameters of a list.
pub(super) fn of_list(list: &'static List) -> impl Iterator<Item = Parameter> {
    list.parameters.iter().map(|parameter| {
        let values = parameter.kind.values();
        Parameter {
            name: parameter.name,
            location: "query",
            description: parameter.description_in(list),
            required: false,
            schema: schema(values),
            example: example(values, parameter.example),
        }
    })
}

/// The path parameter of one record, with a description and an example.
pub(super) fn id_or_slug((description, example): (&'static str, &'static str)) -> Parameter {
    Parameter {
        name: ID_OR_SLUG,
        location: "path",
        description: description.into(),
        required: true,
        schema: schema_of::<IdOrSlug>(),
        example: example.into(),
    }
}

/// The header of a conditional request.
pub(super) fn if_none_match() -> Parameter {
    Parameter {
        name: "If-None-Match",
        location: "header",
        description: "ETags of earlier answers, or `*`. Where one of them is that of the current \
                      body in any coding, the answer is 304. A malformed value is ignored."
            .into(),
        required: false,
        schema: json_schema!({ "type": "string" }),
        example: headers::ETAG_EXAMPLE.into(),
    }
}

fn schema(values: Values) -> Schema {
    match values {
        Values::Slug => schema_of::<Slug>(),
        Values::Integer((min, max), default) => {
            let integer = integer(min, max);
            match default {
                Some(default) => with_default(integer, default),
                None => integer,
            }
        }
        Values::Decimal((min, max)) => {
            json_schema!({ "type": "number", "exclusiveMinimum": min, "maximum": max })
        }
        Values::Search => json_schema!({
            "type": "string",
            "minLength": SEARCH_MIN,
            "maxLength": SEARCH_MAX
        }),
        Values::OneOf(words) => {
            with_default(json_schema!({ "type": "string", "enum": words }), words[0])
        }
    }
}

/// An example value; numbers are numbers in the document, not strings.
fn example(values: Values, text: &'static str) -> Value {
    match values {
        Values::Integer(..) | Values::Decimal(_) => text
            .parse()
            .unwrap_or_else(|_| unreachable!("{text} is a number")),
        Values::Slug | Values::Search | Values::OneOf(_) => text.into(),
    }
}

fn integer(min: u64, max: u64) -> Schema {
    let format = if i32::try_from(max).is_ok() {
        "int32"
    } else {
        "int64"
    };
    json_schema!({ "type": "integer", "format": format, "minimum": min, "maximum": max })
}

fn with_default(mut schema: Schema, default: impl Into<Value>) -> Schema {
    schema.insert("default".to_owned(), default.into());
    schema
}

/// The schema of a type that refers to no other, without the description from its doc comment.
fn schema_of<T: JsonSchema>() -> Schema {
    let mut schema = T::json_schema(&mut SchemaGenerator::default());
    schema.remove("description");
    schema
}
