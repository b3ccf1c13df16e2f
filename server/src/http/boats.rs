//! `GET /v1/boats` and `GET /v1/boats/{idOrSlug}`.

use shared::base::ids::IdOrSlug;

use super::error::ApiError;
use super::look_up::{Found, LookUp};
use crate::cache::ListKind;
use crate::params::BoatQuery;

/// A page of boats: all of them, or those of the manufacturer that the query names.
pub(crate) async fn list(look_up: &LookUp<'_>, query: &BoatQuery) -> Result<Found, ApiError> {
    let answer = look_up.catalogue.list_boats(query);
    look_up
        .list(ListKind::Boats, query.canonical(), query.page, answer)
        .await
}

/// One boat.
pub(crate) async fn get(look_up: &LookUp<'_>, id_or_slug: &IdOrSlug) -> Result<Found, ApiError> {
    let catalogue = look_up.catalogue;
    let boat = catalogue
        .find_boat(id_or_slug)
        .ok_or(ApiError::NoRecord("boat"))?;
    look_up.record(catalogue.boat_body(boat).await)
}
