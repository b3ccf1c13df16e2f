//! The lists of the service, with each of their parameters and sorts declared once (specification
//! sections 4.1, 4.3 and 4.5).
//!
//! A new filter is an entry here, with its [`Measure`] if it compares a number. `parameter` defines
//! what a parameter is.

use shared::base::model::{YEAR_MAX, YEAR_MIN};
use shared::release::Kind;
use shared::release::reader::Measure;

use super::parameter::{
    Bounds, LIMIT_DEFAULT, LIMIT_MAX, List, Parameter, Range, Role, Sort, Vocabulary, names,
};

/// The list of boats.
pub static BOATS: List = List {
    kind: Kind::Boats,
    parameters: BOAT_PARAMETERS,
    refused: None,
    ranges: BOAT_RANGES,
    sorts: &BOAT_SORTS,
};

/// The list of the boats of the manufacturer that the path names.
pub static BOATS_OF_MANUFACTURER: List = List {
    // All but the first, `manufacturer`.
    parameters: BOAT_PARAMETERS.split_at(1).1,
    refused: Some((
        BOAT_PARAMETERS[0].name,
        "not accepted here, because the path already names the manufacturer",
    )),
    kind: Kind::Boats,
    ranges: BOAT_RANGES,
    sorts: &BOAT_SORTS,
};

/// What facets are counted under: the filters of boats.
pub static FACETS: List = List {
    // All but the last four, which are of a page.
    parameters: BOAT_PARAMETERS.split_at(BOAT_PARAMETERS.len() - 4).0,
    kind: Kind::Boats,
    refused: None,
    ranges: BOAT_RANGES,
    sorts: &BOAT_SORTS,
};

/// The list of manufacturers.
pub static MANUFACTURERS: List = List {
    kind: Kind::Manufacturers,
    parameters: MANUFACTURER_PARAMETERS,
    refused: None,
    ranges: &[],
    sorts: &MANUFACTURER_SORTS,
};

const YEARS: Bounds = (YEAR_MIN as u64, YEAR_MAX as u64);

const BOAT_PARAMETERS: &[Parameter] = &[
    Parameter {
        name: "manufacturer",
        role: Role::Slug(Vocabulary::Manufacturers),
        description: "Slug of the manufacturer. One that no manufacturer has finds nothing: the list is empty.",
        example: "beneteau",
    },
    Parameter {
        name: "type",
        role: Role::Slug(Vocabulary::Types),
        description: "Slug of the boat type.",
        example: "sailing-yacht",
    },
    Parameter {
        name: "category",
        role: Role::Slug(Vocabulary::Categories),
        description: "Slug of a category.",
        example: "cruiser",
    },
    Parameter {
        name: "activity",
        role: Role::Slug(Vocabulary::Activities),
        description: "Slug of an activity.",
        example: "cruising",
    },
    Parameter {
        name: "yearFrom",
        role: Role::AtLeast(Measure::LAST_YEAR, YEARS),
        description: "Still built in or after this year. Where the last year of production is not known, \
                      a boat counts as still built.",
        example: "1975",
    },
    Parameter {
        name: "yearTo",
        role: Role::AtMost(Measure::FIRST_YEAR, YEARS),
        description: "First built in or before this year; not before `yearFrom`.",
        example: "1990",
    },
    Parameter {
        name: "lengthMin",
        role: Role::LengthMin,
        description: "Least length overall, in `lengthUnit`, inclusive. Exact for boats declared \
                      in that unit, within 0.005 m for the others. Digits with at most one point, \
                      no exponent.",
        example: "9.5",
    },
    Parameter {
        name: "lengthMax",
        role: Role::LengthMax,
        description: "Greatest length overall, in `lengthUnit`, inclusive; not less than \
                      `lengthMin`. Compared as `lengthMin` is.",
        example: "12.5",
    },
    Parameter {
        name: "lengthUnit",
        role: Role::LengthUnit,
        description: "Unit of `lengthMin` and `lengthMax`: metres or feet. It changes neither the \
                      rows nor the units of the answer.",
        example: "ft",
    },
    Parameter {
        name: "search",
        role: Role::Search,
        description: "Words of which each begins some word of the model's name, whatever the case \
                      and the accents. At least one letter or digit.",
        example: "first 36",
    },
    LIMIT,
    OFFSET,
    Parameter {
        name: "sort",
        role: Role::Sort(&names(&BOAT_SORTS)),
        description: "What boats are sorted by",
        example: "length",
    },
    ORDER,
];

const BOAT_RANGES: &[Range] = &[
    Range {
        low: "yearFrom",
        high: "yearTo",
        message: "must not be before yearFrom",
    },
    Range {
        low: "lengthMin",
        high: "lengthMax",
        message: "must not be less than lengthMin",
    },
];

const BOAT_SORTS: [Sort; 4] = [
    Sort {
        name: "model",
        description: "name of the model",
        rank: |listing, boat| listing.boats[boat].model_rank,
    },
    Sort {
        name: "year",
        description: "first year of production",
        rank: |listing, boat| listing.boats[boat].year_rank,
    },
    Sort {
        name: "length",
        description: "length",
        rank: |listing, boat| listing.boats[boat].length_rank,
    },
    Sort {
        name: "manufacturer",
        description: "name of the manufacturer",
        rank: |listing, boat| listing.boats[boat].manufacturer_rank,
    },
];

const MANUFACTURER_PARAMETERS: &[Parameter] = &[
    Parameter {
        name: "search",
        role: Role::Search,
        description: "Words of which each begins some word of the name, whatever the case and the \
                      accents. At least one letter or digit.",
        example: "ben",
    },
    LIMIT,
    OFFSET,
    Parameter {
        name: "sort",
        role: Role::Sort(&names(&MANUFACTURER_SORTS)),
        description: "What manufacturers are sorted by",
        example: "updatedAt",
    },
    ORDER,
];

const MANUFACTURER_SORTS: [Sort; 2] = [
    Sort {
        name: "name",
        description: "name",
        rank: |listing, maker| listing.manufacturers[maker].name_rank,
    },
    Sort {
        name: "updatedAt",
        description: "when the record last changed",
        rank: |listing, maker| listing.manufacturers[maker].updated_rank,
    },
];

const LIMIT: Parameter = Parameter {
    name: "limit",
    role: Role::Limit {
        default: LIMIT_DEFAULT,
        max: LIMIT_MAX,
    },
    description: "Most rows on the page.",
    example: "50",
};
pub(super) const OFFSET: Parameter = Parameter {
    name: "offset",
    role: Role::Offset,
    description: "Rows to skip. Past the end the page is empty.",
    example: "100",
};
const ORDER: Parameter = Parameter {
    name: "order",
    role: Role::Order,
    description: "Direction of every sort, the default one included; `desc` is the exact reverse.",
    example: "desc",
};
