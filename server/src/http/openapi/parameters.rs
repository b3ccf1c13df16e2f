//! The parameters of an operation. Those of a query and all bounds come from their declarations.

use std::borrow::Cow;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::Serialize;
use serde_json::Value;
use shared::base::ids::{IdOrSlug, Slug};
use shared::release::{Kind, ReleaseId};

use crate::api_tables::routes::{CatalogueOperation, Operation, Route, ServiceOperation};
use crate::params::{
    self, BOATS_OF_MANUFACTURER, CHANGES, FACETS, List, Role, SEARCH_MAX, SEARCH_MIN, Values,
};

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

/// What an operation takes: the record in its path, the parameters of its query, and the tag that a
/// client has.
pub(super) fn of(route: &Route) -> Vec<Parameter> {
    use CatalogueOperation::{
        GetFacets, GetPage, GetRecord, GetTerms, GetWhole, ListChanges, ListManufacturerBoats,
    };
    let mut all = match route.operation {
        Operation::Service(_)
        | Operation::DescribeKey
        | Operation::Catalogue(GetTerms | GetWhole(..), _) => Vec::new(),
        Operation::Catalogue(GetPage(list), _) => of_list(list),
        Operation::Catalogue(GetRecord(kind), _) => vec![id_or_slug(kind)],
        Operation::Catalogue(ListManufacturerBoats, _) => {
            let mut all = vec![id_or_slug(Kind::Manufacturers)];
            all.extend(of_list(&BOATS_OF_MANUFACTURER));
            all
        }
        Operation::Catalogue(GetFacets, _) => of_list(&FACETS),
        Operation::Catalogue(ListChanges, _) => {
            let declared = CHANGES.iter();
            declared
                .map(|one| of_query(one, one.description.into()))
                .collect()
        }
    };
    all.extend(is_conditional(route.operation).then(if_none_match));
    if is_whole(route.operation) {
        all.extend(of_ranges());
    }
    all
}

/// Whether it sends a whole file, of which a client may ask for a range.
pub(super) const fn is_whole(operation: Operation) -> bool {
    matches!(
        operation,
        Operation::Catalogue(CatalogueOperation::GetWhole(..), _)
    )
}

/// Whether its responses have a tag for conditional requests.
pub(super) const fn is_conditional(operation: Operation) -> bool {
    matches!(
        operation,
        Operation::Catalogue(..) | Operation::Service(ServiceOperation::DescribeApi)
    )
}

fn of_list(list: &'static List) -> Vec<Parameter> {
    let declared = list.parameters.iter();
    declared
        .map(|one| of_query(one, one.description_in(list)))
        .collect()
}

/// A declared parameter.
fn of_query(declared: &'static params::Parameter, description: Cow<'static, str>) -> Parameter {
    let values = declared.role.values();
    Parameter {
        name: declared.name,
        location: "query",
        description,
        required: matches!(declared.role, Role::Release),
        schema: schema(values),
        example: example(values, declared.example),
    }
}

fn id_or_slug(kind: Kind) -> Parameter {
    let example = match kind {
        Kind::Boats => "first-36",
        Kind::Manufacturers => "beneteau",
    };
    Parameter {
        name: "idOrSlug",
        location: "path",
        description: format!("Slug or id of the {}, case-sensitive.", kind.singular()).into(),
        required: true,
        schema: schema_of::<IdOrSlug>(),
        example: example.into(),
    }
}

fn if_none_match() -> Parameter {
    of_header(
        "If-None-Match",
        "ETags of earlier answers, or `*`. Where one of them is that of the current \
         body in any coding, the answer is 304. A malformed value is ignored.",
        "\"4e7e956141bc0310af3e8980cc89becc\"",
    )
}

/// What a request for a part of a file has.
fn of_ranges() -> [Parameter; 2] {
    [
        of_header(
            "Range",
            "One range of bytes of the uncompressed file, to go on with a download or to read a \
             part. Several ranges, and what is malformed, are ignored: the whole file is sent.",
            "bytes=1048576-",
        ),
        of_header(
            "If-Range",
            "The ETag of the uncompressed file that the first part came from: where the file is \
             another by now, all of it is sent, with status 200.",
            "\"4e7e956141bc0310af3e8980cc89becc\"",
        ),
    ]
}

fn of_header(name: &'static str, description: &'static str, example: &'static str) -> Parameter {
    Parameter {
        name,
        location: "header",
        description: description.into(),
        required: false,
        schema: json_schema!({ "type": "string" }),
        example: example.into(),
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
        Values::Release => json_schema!({
            "type": "string",
            "maxLength": ReleaseId::LENGTH,
            "pattern": ReleaseId::PATTERN
        }),
    }
}

/// An example value; numbers are numbers in the document, not strings.
fn example(values: Values, text: &'static str) -> Value {
    match values {
        Values::Integer(..) | Values::Decimal(_) => text
            .parse()
            .unwrap_or_else(|_| unreachable!("{text} is a number")),
        Values::Slug | Values::Search | Values::OneOf(_) | Values::Release => text.into(),
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
