//! A parsed request to the catalogue: which list or record it asks for, and how that is looked up.
//!
//! `pipeline` decides whether the request may be answered at all.

use shared::base::ids::IdOrSlug;
use shared::release::Kind;

use super::error::ApiError;
use super::look_up::{LookUp, Resource, boats_of, parse_nested};
use super::whole_file::WholeRequest;
use crate::api_tables::routes::CatalogueOperation;
use crate::params::{
    BOATS_OF_MANUFACTURER, ChangesQuery, FACETS, ListQuery, NoParams, ParamIssue, QueryString,
};

/// A parsed request to the catalogue.
pub(crate) enum CatalogueRequest {
    List(ListQuery),
    Record(Kind, IdOrSlug),
    ManufacturerBoats(IdOrSlug, ListQuery),
    Terms,
    Changes(ChangesQuery),
    Facets(ListQuery),
    Whole(WholeRequest),
}

impl CatalogueRequest {
    /// Reads the path and the query, or every issue they have.
    pub(crate) fn parse(
        operation: CatalogueOperation,
        segment: &str,
        query: &QueryString,
    ) -> Result<Self, Vec<ParamIssue>> {
        Ok(match operation {
            CatalogueOperation::GetPage(list) => Self::List(ListQuery::parse(query, list)?),
            CatalogueOperation::GetRecord(kind) => {
                let (record, ()) = parse_nested(segment, NoParams::parse(query))?;
                Self::Record(kind, record)
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
            CatalogueOperation::GetFacets => Self::Facets(ListQuery::parse(query, &FACETS)?),
            CatalogueOperation::ListChanges => Self::Changes(ChangesQuery::parse(query)?),
            CatalogueOperation::GetWhole(kind, format) => {
                NoParams::parse(query)?;
                Self::Whole(WholeRequest { kind, format })
            }
        })
    }

    /// Looks up the list or record. The futures of lists are boxed: making a list keeps much state,
    /// and without the box every request for a record would reserve and move the same space.
    pub(crate) async fn look_up(self, look_up: &LookUp<'_>) -> Result<Resource, ApiError> {
        match self {
            Self::List(query) => Box::pin(look_up.list(&query)).await,
            Self::Record(kind, id_or_slug) => look_up.record(kind, &id_or_slug).await,
            Self::ManufacturerBoats(id_or_slug, query) => {
                let query = boats_of(look_up.catalogue, &id_or_slug, query)?;
                Box::pin(look_up.list(&query)).await
            }
            Self::Terms => Ok(look_up.terms()),
            Self::Facets(query) => Box::pin(look_up.facets(&query)).await,
            Self::Changes(query) => Box::pin(look_up.changes(&query)).await,
            Self::Whole(_) => unreachable!("a file is sent, not looked up"),
        }
    }
}
