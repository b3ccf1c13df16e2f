//! What parameters mean and what they may be. Which ones an endpoint takes, and every bound, is
//! asked of those who read them.

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde_json::Value;
use shared::base::ids::{IdOrSlug, Slug};
use shared::base::model::{YEAR_MAX, YEAR_MIN};
use shared::base::units::{LENGTH_MAX, LengthUnit};

use super::headers;
use super::objects::{Parameter, Place};
use crate::params::{
    BoatList, BoatSort, Choice, LIMIT_DEFAULT, LIMIT_MAX, ManufacturerQuery, ManufacturerSort,
    OFFSET_MAX, Order, SEARCH_MAX, SEARCH_MIN,
};

/// The parameters of a list of boats.
pub(super) fn of_boats(list: BoatList) -> Vec<Parameter> {
    let names = list.parameters().iter();
    names.map(|name| of_boat_list(name)).collect()
}

/// The parameters of the list of manufacturers.
pub(super) fn of_manufacturers() -> Vec<Parameter> {
    let names = ManufacturerQuery::PARAMETERS.iter();
    names.map(|name| of_manufacturer_list(name)).collect()
}

/// The path parameter of one record.
pub(super) fn id_or_slug(description: &'static str, example: &'static str) -> Parameter {
    Parameter {
        name: "idOrSlug",
        place: Place::Path,
        description,
        required: true,
        schema: schema_of::<IdOrSlug>(),
        example: example.into(),
    }
}

/// The header of a conditional request.
pub(super) fn if_none_match() -> Parameter {
    Parameter {
        name: "If-None-Match",
        place: Place::Header,
        description: "ETags of earlier answers, or `*`. Where one of them is that of the current \
                      body in any coding, the answer is 304. A malformed value is ignored.",
        required: false,
        schema: json_schema!({ "type": "string" }),
        example: headers::ETAG_EXAMPLE.into(),
    }
}

fn of_boat_list(name: &'static str) -> Parameter {
    let (description, schema, example) = match name {
        "manufacturer" => return slug(name, "Slug of the manufacturer.", "beneteau"),
        "type" => return slug(name, "Slug of the boat type.", "sailing-yacht"),
        "category" => return slug(name, "Slug of a category.", "cruiser"),
        "activity" => return slug(name, "Slug of an activity.", "cruising"),
        "yearFrom" => (
            "Still built in or after this year. Boats without a last year of production still are.",
            year(),
            1975.into(),
        ),
        "yearTo" => (
            "First built in or before this year; not before `yearFrom`.",
            year(),
            1990.into(),
        ),
        "lengthMin" => (
            "Least length overall, in `lengthUnit`, inclusive. Exact for boats declared in that \
             unit, within 0.005 m for the others. Digits with at most one point, no exponent.",
            length(),
            9.5.into(),
        ),
        "lengthMax" => (
            "Greatest length overall, in `lengthUnit`, inclusive; not less than `lengthMin`. \
             Compared as `lengthMin` is.",
            length(),
            12.5.into(),
        ),
        "lengthUnit" => (
            "Unit of `lengthMin` and `lengthMax`: metres or feet. It changes neither the rows nor \
             the units of the answer.",
            choice::<LengthUnit>(),
            "ft".into(),
        ),
        "search" => (
            "Words of which each begins some word of the model's name, whatever the case and the \
             accents. At least one letter or digit.",
            search(),
            "first 36".into(),
        ),
        "sort" => (
            "What boats are sorted by: name of the model, first year of production, length, or \
             name of the manufacturer; then by id.",
            choice::<BoatSort>(),
            "length".into(),
        ),
        shared => return of_any_list(shared),
    };
    optional(name, description, schema, example)
}

fn of_manufacturer_list(name: &'static str) -> Parameter {
    let (description, schema, example) = match name {
        "search" => (
            "Words of which each begins some word of the name, whatever the case and the accents. \
             At least one letter or digit.",
            search(),
            "ben".into(),
        ),
        "sort" => (
            "What manufacturers are sorted by: name, or when the record last changed; then by id.",
            choice::<ManufacturerSort>(),
            "updatedAt".into(),
        ),
        shared => return of_any_list(shared),
    };
    optional(name, description, schema, example)
}

fn of_any_list(name: &'static str) -> Parameter {
    let (description, schema, example) = match name {
        "limit" => (
            "Most rows on the page.",
            with_default(integer(1, u64::from(LIMIT_MAX)), LIMIT_DEFAULT),
            50.into(),
        ),
        "offset" => (
            "Rows to skip. Past the end the page is empty.",
            with_default(integer(0, OFFSET_MAX), 0),
            100.into(),
        ),
        "order" => (
            "Direction of every sort, the default one included; `desc` is the exact reverse.",
            choice::<Order>(),
            "desc".into(),
        ),
        unknown => unreachable!("parameter {unknown} is not described"),
    };
    optional(name, description, schema, example)
}

fn optional(
    name: &'static str,
    description: &'static str,
    schema: Schema,
    example: Value,
) -> Parameter {
    Parameter {
        name,
        place: Place::Query,
        description,
        required: false,
        schema,
        example,
    }
}

fn slug(name: &'static str, description: &'static str, example: &'static str) -> Parameter {
    optional(name, description, schema_of::<Slug>(), example.into())
}

fn year() -> Schema {
    integer(u64::from(YEAR_MIN), u64::from(YEAR_MAX))
}

fn integer(min: u64, max: u64) -> Schema {
    let format = if i32::try_from(max).is_ok() {
        "int32"
    } else {
        "int64"
    };
    json_schema!({ "type": "integer", "format": format, "minimum": min, "maximum": max })
}

fn length() -> Schema {
    json_schema!({ "type": "number", "exclusiveMinimum": 0, "maximum": LENGTH_MAX })
}

fn search() -> Schema {
    json_schema!({
        "type": "string",
        "minLength": SEARCH_MIN,
        "maxLength": SEARCH_MAX
    })
}

fn choice<T: Choice + Default>() -> Schema {
    let words: Vec<&str> = T::VALUES.iter().map(|value| value.word()).collect();
    with_default(
        json_schema!({ "type": "string", "enum": words }),
        T::default().word(),
    )
}

fn with_default(mut schema: Schema, default: impl Into<Value>) -> Schema {
    schema.insert("default".to_owned(), default.into());
    schema
}

/// The schema of a type that refers to no other, without its comment for programmers.
fn schema_of<T: JsonSchema>() -> Schema {
    let mut schema = T::json_schema(&mut SchemaGenerator::default());
    schema.remove("description");
    schema
}
