//! Describes each operation in words: its name, what it does, what it takes and what it returns.
//! Its path and scopes are in the route table.

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::Serialize;
use shared::base::model::{BoatSummary, ManufacturerSummary, Terms};

use super::fields::{self, Field};
use super::parameters::{self, ID_OR_SLUG, Parameter};
use super::shapes::{Boat, Envelope, List, Manufacturer, ThisDocument};
use crate::contract::routes::{self, CatalogueOperation, ROUTES, Route, ServiceOperation};
use crate::http::bodies::{Health, VersionEnvelope};
use crate::params;

/// A group of operations.
#[derive(Serialize)]
pub(crate) struct Tag {
    pub(crate) name: &'static str,
    pub(crate) description: &'static str,
}

const BOATS: &str = "Boats";
const MANUFACTURERS: &str = "Manufacturers";
const SERVICE: &str = "Service";

pub(crate) const TAGS: [Tag; 3] = [
    Tag {
        name: BOATS,
        description: "Boat models.",
    },
    Tag {
        name: MANUFACTURERS,
        description: "Who builds them.",
    },
    Tag {
        name: SERVICE,
        description: "The service itself. No key, no limits.",
    },
];

/// The description of an operation.
pub(crate) struct About {
    pub(crate) id: &'static str,
    pub(crate) tag: &'static str,
    pub(crate) summary: &'static str,
    pub(crate) description: &'static str,
    /// The kind of record in its path, and an example.
    record: Option<(&'static str, &'static str)>,
    /// The list whose parameters it takes.
    list: Option<&'static params::List>,
    pub(crate) answer: Answer,
}

/// A 200 of an operation.
pub(crate) struct Answer {
    pub(crate) description: &'static str,
    pub(super) schema: fn(&mut SchemaGenerator) -> Schema,
    /// A real body; a test compares it with the service's.
    pub(crate) example: Option<&'static str>,
    pub(super) link: Option<Link>,
}

/// An operation that can follow a response.
pub(super) struct Link {
    pub(super) name: &'static str,
    pub(super) operation: &'static str,
    /// The parameter whose value comes from the response.
    pub(super) parameter: &'static str,
    /// Where the response has that value.
    pub(super) from: &'static str,
    pub(super) description: &'static str,
}

static LIST_BOATS: About = About {
    id: "list_boats",
    tag: BOATS,
    summary: "List boats",
    description: "A page of the boats that match all filters. A slug that nothing has finds nothing. \
                  Rows have a total order, so that pages neither lose nor repeat one.",
    record: None,
    list: Some(&params::BOATS),
    answer: Answer {
        description: "A page of boats.",
        schema: schema::<List<BoatSummary<'static>>>,
        example: Some(include_str!("examples/list_boats.json")),
        link: Some(Link {
            name: "boat",
            operation: "get_boat",
            parameter: ID_OR_SLUG,
            from: "$response.body#/data/0/slug",
            description: "The first of these boats.",
        }),
    },
};

static GET_BOAT: About = About {
    id: "get_boat",
    tag: BOATS,
    summary: "Get one boat",
    description: "The full boat. It takes no query parameters.",
    record: Some(("Slug or id of the boat, case-sensitive.", "first-36")),
    list: None,
    answer: Answer {
        description: "The boat.",
        schema: schema::<Envelope<Boat<'static>>>,
        example: Some(include_str!("examples/get_boat.json")),
        link: Some(Link {
            name: "manufacturer",
            operation: "get_manufacturer",
            parameter: ID_OR_SLUG,
            from: "$response.body#/data/manufacturer/slug",
            description: "Who builds it.",
        }),
    },
};

static LIST_MANUFACTURERS: About = About {
    id: "list_manufacturers",
    tag: MANUFACTURERS,
    summary: "List manufacturers",
    description: "A page of the manufacturers that match the search.",
    record: None,
    list: Some(&params::MANUFACTURERS),
    answer: Answer {
        description: "A page of manufacturers.",
        schema: schema::<List<ManufacturerSummary<'static>>>,
        example: Some(include_str!("examples/list_manufacturers.json")),
        link: Some(Link {
            name: "manufacturer",
            operation: "get_manufacturer",
            parameter: ID_OR_SLUG,
            from: "$response.body#/data/0/slug",
            description: "The first of these manufacturers.",
        }),
    },
};

const MANUFACTURER: (&str, &str) = (
    "Slug or id of the manufacturer, case-sensitive.",
    "beneteau",
);

static GET_MANUFACTURER: About = About {
    id: "get_manufacturer",
    tag: MANUFACTURERS,
    summary: "Get one manufacturer",
    description: "The full manufacturer. It takes no query parameters.",
    record: Some(MANUFACTURER),
    list: None,
    answer: Answer {
        description: "The manufacturer.",
        schema: schema::<Envelope<Manufacturer<'static>>>,
        example: Some(include_str!("examples/get_manufacturer.json")),
        link: Some(Link {
            name: "boats",
            operation: "list_manufacturer_boats",
            parameter: ID_OR_SLUG,
            from: "$response.body#/data/slug",
            description: "The boats of this manufacturer.",
        }),
    },
};

static LIST_MANUFACTURER_BOATS: About = About {
    id: "list_manufacturer_boats",
    tag: MANUFACTURERS,
    summary: "List the boats of one manufacturer",
    description: "As the list of boats with the filter `manufacturer`, which is not accepted here. An \
                  unknown manufacturer is a 404. The key needs both scopes.",
    record: Some(MANUFACTURER),
    list: Some(&params::BOATS_OF_MANUFACTURER),
    answer: Answer {
        description: "A page of boats.",
        schema: schema::<List<BoatSummary<'static>>>,
        example: Some(include_str!("examples/list_manufacturer_boats.json")),
        link: Some(Link {
            name: "boat",
            operation: "get_boat",
            parameter: ID_OR_SLUG,
            from: "$response.body#/data/0/slug",
            description: "The first of these boats.",
        }),
    },
};

static GET_TERMS: About = About {
    id: "get_terms",
    tag: BOATS,
    summary: "List the terms that boats are found by",
    description: "Every slug that the filters `type`, `category` and `activity` find a boat by, with \
                  the number of boats that it finds on its own. Terms that no boat has are left \
                  out. It takes no query parameters.",
    record: None,
    list: None,
    answer: Answer {
        description: "The terms, by name.",
        schema: schema::<Envelope<Terms<'static>>>,
        example: Some(include_str!("examples/get_terms.json")),
        link: Some(Link {
            name: "boats",
            operation: "list_boats",
            parameter: "type",
            from: "$response.body#/data/types/0/slug",
            description: "The boats of the first type.",
        }),
    },
};

static DESCRIBE_VERSION: About = About {
    id: "describe_version",
    tag: SERVICE,
    summary: "Describe this version",
    description: "What this version of the API is, and which release of the catalogue it serves.",
    record: None,
    list: None,
    answer: Answer {
        description: "The version.",
        schema: schema::<VersionEnvelope<'static>>,
        example: Some(include_str!("examples/describe_version.json")),
        link: None,
    },
};

static CHECK_HEALTH: About = About {
    id: "check_health",
    tag: SERVICE,
    summary: "Check that the server runs",
    description: "A plain uptime check. It looks at nothing else.",
    record: None,
    list: None,
    answer: Answer {
        description: "The server runs.",
        schema: schema::<Health>,
        example: Some(include_str!("examples/check_health.json")),
        link: None,
    },
};

static DESCRIBE_API: About = About {
    id: "describe_api",
    tag: SERVICE,
    summary: "Describe the API",
    description: "This document.",
    record: None,
    list: None,
    answer: Answer {
        description: "This document.",
        schema: schema::<ThisDocument>,
        example: None,
        link: None,
    },
};

/// The description of this operation.
pub(super) const fn about(operation: routes::Operation) -> &'static About {
    match operation {
        routes::Operation::Catalogue(operation, _) => match operation {
            CatalogueOperation::ListBoats => &LIST_BOATS,
            CatalogueOperation::GetBoat => &GET_BOAT,
            CatalogueOperation::ListManufacturers => &LIST_MANUFACTURERS,
            CatalogueOperation::GetManufacturer => &GET_MANUFACTURER,
            CatalogueOperation::ListManufacturerBoats => &LIST_MANUFACTURER_BOATS,
            CatalogueOperation::GetTerms => &GET_TERMS,
        },
        routes::Operation::Service(operation) => match operation {
            ServiceOperation::DescribeVersion => &DESCRIBE_VERSION,
            ServiceOperation::CheckHealth => &CHECK_HEALTH,
            ServiceOperation::DescribeApi => &DESCRIBE_API,
        },
    }
}

/// An operation with its path.
pub(crate) struct Operation {
    pub(crate) route: &'static Route,
    pub(crate) about: &'static About,
}

/// Every operation, in the order of the route table.
pub(crate) fn all() -> impl Iterator<Item = Operation> {
    ROUTES.iter().map(|route| Operation {
        route,
        about: about(route.operation),
    })
}

impl Operation {
    /// The scopes that a key needs; empty if no key is needed.
    pub(crate) fn scopes(&self) -> Vec<&'static str> {
        match self.route.operation {
            routes::Operation::Service(_) => Vec::new(),
            routes::Operation::Catalogue(_, scopes) => {
                scopes.iter().map(|scope| scope.as_str()).collect()
            }
        }
    }

    /// Whether its responses have a tag for conditional requests.
    pub(super) const fn is_conditional(&self) -> bool {
        use routes::Operation::{Catalogue, Service};
        matches!(
            self.route.operation,
            Catalogue(..) | Service(ServiceOperation::DescribeApi)
        )
    }

    /// What it takes, in the order of the document.
    pub(crate) fn parameters(&self) -> Vec<Parameter> {
        let record = self.about.record.map(parameters::id_or_slug);
        let list = self.about.list.into_iter().flat_map(parameters::of_list);
        let tag = self.is_conditional().then(parameters::if_none_match);
        record.into_iter().chain(list).chain(tag).collect()
    }

    /// The fields of its 200.
    pub(crate) fn fields(&self) -> Vec<Field> {
        fields::of(self.about.answer.schema)
    }
}

fn schema<T: JsonSchema>(generator: &mut SchemaGenerator) -> Schema {
    generator.subschema_for::<T>()
}
