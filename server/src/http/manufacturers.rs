//! `GET /v1/manufacturers`, `GET /v1/manufacturers/{idOrSlug}` and the boats of one.

use shared::base::ids::IdOrSlug;

use super::boats;
use super::error::ApiError;
use super::look_up::{Found, LookUp};
use crate::cache::ListKind;
use crate::catalogue::Catalogue;
use crate::params::{BoatQuery, ManufacturerQuery};

const UNKNOWN: ApiError = ApiError::NoRecord("manufacturer");

/// A page of manufacturers.
pub(crate) async fn list(
    look_up: &LookUp<'_>,
    query: &ManufacturerQuery,
) -> Result<Found, ApiError> {
    let answer = look_up.catalogue.list_manufacturers(query);
    look_up
        .list(
            ListKind::Manufacturers,
            query.canonical(),
            query.page,
            answer,
        )
        .await
}

/// One manufacturer.
pub(crate) async fn get(look_up: &LookUp<'_>, id_or_slug: &IdOrSlug) -> Result<Found, ApiError> {
    let catalogue = look_up.catalogue;
    let manufacturer = catalogue.find_manufacturer(id_or_slug).ok_or(UNKNOWN)?;
    look_up.record(catalogue.manufacturer_body(manufacturer).await)
}

/// A page of one manufacturer's boats.
pub(crate) async fn list_boats(
    look_up: &LookUp<'_>,
    id_or_slug: &IdOrSlug,
    query: BoatQuery,
) -> Result<Found, ApiError> {
    let query = boats_of(look_up.catalogue, id_or_slug, query)?;
    boats::list(look_up, &query).await
}

/// The list of boats with one manufacturer's slug as filter, so that the rows, and even the
/// remembered answers, are the same from either endpoint.
pub(crate) fn boats_of(
    catalogue: &Catalogue,
    id_or_slug: &IdOrSlug,
    query: BoatQuery,
) -> Result<BoatQuery, ApiError> {
    let manufacturer = catalogue.find_manufacturer(id_or_slug).ok_or(UNKNOWN)?;
    Ok(BoatQuery {
        manufacturer: Some(catalogue.manufacturer_slug(manufacturer)),
        ..query
    })
}
