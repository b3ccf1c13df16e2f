//! A request of the catalogue, understood: which list or record is asked for, and how it is looked
//! up.
//!
//! Whether the request may be answered at all is decided in `pipeline`.

use shared::base::ids::IdOrSlug;

use super::error::ApiError;
use super::look_up::{LookUp, Resource, boats_of, parse_nested, parse_record};
use crate::contract::routes::CatalogueOperation;
use crate::params::{
    BOATS, BOATS_OF_MANUFACTURER, ListQuery, MANUFACTURERS, NoParams, ParamIssue, QueryString,
};

/// A request of the catalogue, understood.
pub(crate) enum CatalogueRequest {
    List(ListQuery),
    Boat(IdOrSlug),
    Manufacturer(IdOrSlug),
    ManufacturerBoats(IdOrSlug, ListQuery),
    Terms,
}

impl CatalogueRequest {
    /// Reads the path and the query, or every issue they have.
    pub(crate) fn parse(
        operation: CatalogueOperation,
        segment: &str,
        query: &QueryString,
    ) -> Result<Self, Vec<ParamIssue>> {
        Ok(match operation {
            CatalogueOperation::ListBoats => Self::List(ListQuery::parse(query, &BOATS)?),
            CatalogueOperation::GetBoat => Self::Boat(parse_record(segment, query)?),
            CatalogueOperation::ListManufacturers => {
                Self::List(ListQuery::parse(query, &MANUFACTURERS)?)
            }
            CatalogueOperation::GetManufacturer => {
                Self::Manufacturer(parse_record(segment, query)?)
            }
            CatalogueOperation::ListManufacturerBoats => {
                let query = ListQuery::parse(query, &BOATS_OF_MANUFACTURER);
                let (manufacturer, query) = parse_nested(segment, query)?;
                Self::ManufacturerBoats(manufacturer, query)
            }
            CatalogueOperation::GetTerms => {
                NoParams::parse(query)?;
                Self::Terms
            }
        })
    }

    /// Looks up what was asked for. Lists are boxed: where one is made, much is kept meanwhile, and
    /// each request for a record would have its room moved about with it.
    pub(crate) async fn look_up(self, look_up: &LookUp<'_>) -> Result<Resource, ApiError> {
        match self {
            Self::List(query) => Box::pin(look_up.list(&query)).await,
            Self::Boat(id_or_slug) => look_up.boat(&id_or_slug).await,
            Self::Manufacturer(id_or_slug) => look_up.manufacturer(&id_or_slug).await,
            Self::ManufacturerBoats(id_or_slug, query) => {
                let query = boats_of(look_up.catalogue, &id_or_slug, query)?;
                Box::pin(look_up.list(&query)).await
            }
            Self::Terms => Ok(look_up.terms()),
        }
    }
}
