//! What each operation is, in words: its name, what it does, what it takes and what it gives.
//! Where it is and which scopes it needs stands in the route table.

use schemars::{JsonSchema, Schema, SchemaGenerator};
use shared::base::model::{BoatSummary, ManufacturerSummary};

use super::objects::{Link, Members, Parameter, Tag};
use super::parameters;
use super::shapes::{Boat, Envelope, List, Manufacturer, ThisDocument};
use crate::contract::routes::{CatalogueOperation, Operation, ServiceOperation};
use crate::http::service::{Data, Health};
use crate::params;

pub(super) const TAGS: [Tag; 3] = [BOATS, MANUFACTURERS, SERVICE];

const BOATS: Tag = Tag {
    name: "Boats",
    description: "Boat models.",
};
const MANUFACTURERS: Tag = Tag {
    name: "Manufacturers",
    description: "Who builds them.",
};
const SERVICE: Tag = Tag {
    name: "Service",
    description: "The service itself. No key, no limits.",
};

/// What an operation is.
pub(super) struct Facts {
    pub(super) id: &'static str,
    pub(super) tag: Tag,
    pub(super) summary: &'static str,
    pub(super) description: &'static str,
    pub(super) parameters: Vec<Parameter>,
    pub(super) answer: Answer,
}

/// A 200 of an operation.
pub(super) struct Answer {
    pub(super) description: &'static str,
    pub(super) schema: fn(&mut SchemaGenerator) -> Schema,
    /// A real body, which a test compares with that of the service.
    pub(super) example: Option<&'static str>,
    pub(super) links: Members<Link>,
}

/// What the operation is.
pub(super) fn facts(operation: Operation) -> Facts {
    match operation {
        Operation::Catalogue(operation, _) => match operation {
            CatalogueOperation::ListBoats => list_boats(),
            CatalogueOperation::GetBoat => get_boat(),
            CatalogueOperation::ListManufacturers => list_manufacturers(),
            CatalogueOperation::GetManufacturer => get_manufacturer(),
            CatalogueOperation::ListManufacturerBoats => list_manufacturer_boats(),
        },
        Operation::Service(operation) => match operation {
            ServiceOperation::DescribeVersion => describe_version(),
            ServiceOperation::CheckHealth => check_health(),
            ServiceOperation::DescribeApi => describe_api(),
        },
    }
}

fn list_boats() -> Facts {
    Facts {
        id: "list_boats",
        tag: BOATS,
        summary: "List boats",
        description: "A page of the boats that match all filters. A slug that nothing has finds \
                      nothing. Rows have a total order, so that pages neither lose nor repeat \
                      one.",
        parameters: conditional(parameters::of_list(&params::BOATS)),
        answer: Answer {
            description: "A page of boats.",
            schema: schema::<List<BoatSummary<'static>>>,
            example: Some(include_str!("examples/list_boats.json")),
            links: Members::of([(
                "boat",
                to(
                    "get_boat",
                    "$response.body#/data/0/slug",
                    "The first of these boats.",
                ),
            )]),
        },
    }
}

fn get_boat() -> Facts {
    Facts {
        id: "get_boat",
        tag: BOATS,
        summary: "Get one boat",
        description: "The full boat. It takes no query parameters.",
        parameters: conditional(vec![parameters::id_or_slug(
            "Slug or id of the boat, case-sensitive.",
            "first-36",
        )]),
        answer: Answer {
            description: "The boat.",
            schema: schema::<Envelope<Boat<'static>>>,
            example: Some(include_str!("examples/get_boat.json")),
            links: Members::of([(
                "manufacturer",
                to(
                    "get_manufacturer",
                    "$response.body#/data/manufacturer/slug",
                    "Who builds it.",
                ),
            )]),
        },
    }
}

fn list_manufacturers() -> Facts {
    Facts {
        id: "list_manufacturers",
        tag: MANUFACTURERS,
        summary: "List manufacturers",
        description: "A page of the manufacturers that match the search.",
        parameters: conditional(parameters::of_list(&params::MANUFACTURERS)),
        answer: Answer {
            description: "A page of manufacturers.",
            schema: schema::<List<ManufacturerSummary<'static>>>,
            example: Some(include_str!("examples/list_manufacturers.json")),
            links: Members::of([(
                "manufacturer",
                to(
                    "get_manufacturer",
                    "$response.body#/data/0/slug",
                    "The first of these manufacturers.",
                ),
            )]),
        },
    }
}

fn get_manufacturer() -> Facts {
    Facts {
        id: "get_manufacturer",
        tag: MANUFACTURERS,
        summary: "Get one manufacturer",
        description: "The full manufacturer. It takes no query parameters.",
        parameters: conditional(vec![manufacturer()]),
        answer: Answer {
            description: "The manufacturer.",
            schema: schema::<Envelope<Manufacturer<'static>>>,
            example: Some(include_str!("examples/get_manufacturer.json")),
            links: Members::of([(
                "boats",
                to(
                    "list_manufacturer_boats",
                    "$response.body#/data/slug",
                    "The boats of this manufacturer.",
                ),
            )]),
        },
    }
}

fn list_manufacturer_boats() -> Facts {
    let mut parameters = vec![manufacturer()];
    parameters.extend(parameters::of_list(&params::BOATS_OF_MANUFACTURER));
    Facts {
        id: "list_manufacturer_boats",
        tag: MANUFACTURERS,
        summary: "List the boats of one manufacturer",
        description: "As the list of boats with the filter `manufacturer`, which is not accepted \
                      here. An unknown manufacturer is a 404. The key needs both scopes.",
        parameters: conditional(parameters),
        answer: Answer {
            description: "A page of boats.",
            schema: schema::<List<BoatSummary<'static>>>,
            example: Some(include_str!("examples/list_manufacturer_boats.json")),
            links: Members::of([(
                "boat",
                to(
                    "get_boat",
                    "$response.body#/data/0/slug",
                    "The first of these boats.",
                ),
            )]),
        },
    }
}

fn describe_version() -> Facts {
    Facts {
        id: "describe_version",
        tag: SERVICE,
        summary: "Describe this version",
        description: "What this version of the API is, and which release of the catalogue it \
                      serves.",
        parameters: Vec::new(),
        answer: Answer {
            description: "The version.",
            schema: schema::<Data<'static>>,
            example: Some(include_str!("examples/describe_version.json")),
            links: Members::default(),
        },
    }
}

fn check_health() -> Facts {
    Facts {
        id: "check_health",
        tag: SERVICE,
        summary: "Check that the server runs",
        description: "A plain uptime check. It looks at nothing else.",
        parameters: Vec::new(),
        answer: Answer {
            description: "The server runs.",
            schema: schema::<Health>,
            example: Some(include_str!("examples/check_health.json")),
            links: Members::default(),
        },
    }
}

fn describe_api() -> Facts {
    Facts {
        id: "describe_api",
        tag: SERVICE,
        summary: "Describe the API",
        description: "This document.",
        parameters: conditional(Vec::new()),
        answer: Answer {
            description: "This document.",
            schema: schema::<ThisDocument>,
            example: None,
            links: Members::default(),
        },
    }
}

fn manufacturer() -> Parameter {
    parameters::id_or_slug(
        "Slug or id of the manufacturer, case-sensitive.",
        "beneteau",
    )
}

fn conditional(mut parameters: Vec<Parameter>) -> Vec<Parameter> {
    parameters.push(parameters::if_none_match());
    parameters
}

/// A link to the operation that takes the value at `place` as its path.
fn to(id: &'static str, place: &'static str, description: &'static str) -> Link {
    Link {
        id,
        parameters: Members::of([("idOrSlug", place)]),
        description,
    }
}

fn schema<T: JsonSchema>(generator: &mut SchemaGenerator) -> Schema {
    generator.subschema_for::<T>()
}
