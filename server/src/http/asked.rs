//! A request of the catalogue, understood: which list or record is asked for, and how it is looked
//! up.
//!
//! Whether the request may be answered at all is decided in `pipeline`.

use shared::base::ids::IdOrSlug;

use super::error::ApiError;
use super::look_up::{Found, LookUp, parse_nested, parse_record};
use super::routes::CatalogueOperation;
use super::{boats, manufacturers};
use crate::params::{BoatList, BoatQuery, ManufacturerQuery, ParamIssue, QueryString};

/// A request of the catalogue, understood.
pub(crate) enum Asked {
    Boats(Box<BoatQuery>),
    Boat(IdOrSlug),
    Manufacturers(ManufacturerQuery),
    Manufacturer(IdOrSlug),
    ManufacturerBoats(IdOrSlug, Box<BoatQuery>),
}

impl Asked {
    /// Reads the path and the query, or every issue they have.
    pub(crate) fn parse(
        operation: CatalogueOperation,
        segment: &str,
        query: &QueryString,
    ) -> Result<Self, Vec<ParamIssue>> {
        Ok(match operation {
            CatalogueOperation::ListBoats => {
                Self::Boats(Box::new(BoatQuery::parse(query, BoatList::All)?))
            }
            CatalogueOperation::GetBoat => Self::Boat(parse_record(segment, query)?),
            CatalogueOperation::ListManufacturers => {
                Self::Manufacturers(ManufacturerQuery::parse(query)?)
            }
            CatalogueOperation::GetManufacturer => {
                Self::Manufacturer(parse_record(segment, query)?)
            }
            CatalogueOperation::ListManufacturerBoats => {
                let query = BoatQuery::parse(query, BoatList::OfManufacturer);
                let (manufacturer, query) = parse_nested(segment, query)?;
                Self::ManufacturerBoats(manufacturer, Box::new(query))
            }
        })
    }

    /// Looks up what was asked for.
    pub(crate) async fn look_up(self, look_up: &LookUp<'_>) -> Result<Found, ApiError> {
        match self {
            Self::Boats(query) => boats::list(look_up, &query).await,
            Self::Boat(id_or_slug) => boats::get(look_up, &id_or_slug).await,
            Self::Manufacturers(query) => manufacturers::list(look_up, &query).await,
            Self::Manufacturer(id_or_slug) => manufacturers::get(look_up, &id_or_slug).await,
            Self::ManufacturerBoats(id_or_slug, query) => {
                manufacturers::list_boats(look_up, &id_or_slug, *query).await
            }
        }
    }
}
