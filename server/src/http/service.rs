//! `GET /v1`, `GET /health` and `GET /openapi.json`: no key, no limits.

use bytes::Bytes;
use schemars::JsonSchema;
use serde::Serialize;
use shared::base::etag::Coding;

use super::error::ApiError;
use super::headers::{CachePolicy, ResponseMeta};
use super::openapi;
use crate::app::App;
use crate::contract::routes::ServiceOperation;
use crate::params::{NoParams, QueryString};

/// Answers a service endpoint.
pub(crate) fn answer(
    app: &App,
    operation: ServiceOperation,
    query: &QueryString,
    meta: &mut ResponseMeta,
) -> Result<Bytes, ApiError> {
    NoParams::parse(query).map_err(ApiError::Validation)?;
    match operation {
        ServiceOperation::DescribeVersion => {
            meta.cache_policy = CachePolicy::NoStore;
            Ok(describe_version(app))
        }
        ServiceOperation::CheckHealth => {
            meta.cache_policy = CachePolicy::NoStore;
            Ok(check_health(app))
        }
        ServiceOperation::DescribeApi => {
            let document = openapi::served();
            meta.cache_policy = CachePolicy::Public;
            meta.etag = Some(document.etag.in_coding(Coding::Identity));
            Ok(document.body.clone())
        }
    }
}

/// Describes this version of the API and the release that it serves. It has no counts of records,
/// since anyone may read it.
fn describe_version(app: &App) -> Bytes {
    let catalogue = app.catalogue();
    body(&Data {
        data: Descriptor {
            version: "v1",
            status: "current",
            deprecated_at: None,
            sunset_at: None,
            catalogue: Served {
                release: catalogue.release_id(),
                published_at: catalogue.published_at(),
            },
            links: LINKS,
        },
    })
}

/// Says that the server runs. It checks nothing else: an unreachable key store does not make the
/// server unhealthy.
fn check_health(app: &App) -> Bytes {
    let version = env!("CARGO_PKG_VERSION");
    body(&Health {
        status: "ok",
        version,
        uptime_seconds: app.uptime_seconds(),
    })
}

fn body(shape: &impl Serialize) -> Bytes {
    let written = serde_json::to_vec(shape);
    written
        .unwrap_or_else(|why| unreachable!("texts did not serialise: {why}"))
        .into()
}

/// The version descriptor.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "VersionEnvelope")]
pub(crate) struct Data<'a> {
    /// The version.
    data: Descriptor<'a>,
}

/// A version of the API.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Version")]
#[serde(rename_all = "camelCase")]
struct Descriptor<'a> {
    /// The prefix of its paths.
    version: &'static str,
    /// `current`, as long as no later version takes its place.
    status: &'static str,
    /// When it was deprecated, RFC 3339 in UTC; null as long as it is not.
    #[schemars(extend("format" = "date-time"))]
    deprecated_at: Option<&'static str>,
    /// When it will be switched off, RFC 3339 in UTC; null as long as that is not planned.
    #[schemars(extend("format" = "date-time"))]
    sunset_at: Option<&'static str>,
    /// The release of the catalogue that is served.
    catalogue: Served<'a>,
    /// Paths to begin with.
    links: Links,
}

/// The release of the catalogue that is served.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "ServedRelease")]
#[serde(rename_all = "camelCase")]
struct Served<'a> {
    /// Id of the release.
    release: &'a str,
    /// When it was published, RFC 3339 in UTC.
    #[schemars(extend("format" = "date-time"))]
    published_at: &'a str,
}

/// Paths to begin with, relative to the server.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "VersionLinks")]
struct Links {
    /// This version.
    #[serde(rename = "self")]
    own: &'static str,
    /// The list of boats.
    boats: &'static str,
    /// The list of manufacturers.
    manufacturers: &'static str,
    /// The terms that boats are found by.
    terms: &'static str,
    /// The uptime check.
    health: &'static str,
    /// The OpenAPI document.
    openapi: &'static str,
    /// The documentation for people.
    docs: &'static str,
}

const LINKS: Links = Links {
    own: "/v1",
    boats: "/v1/boats",
    manufacturers: "/v1/manufacturers",
    terms: "/v1/terms",
    health: "/health",
    openapi: "/openapi.json",
    docs: "/docs",
};

/// That the server runs.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Health {
    /// Always `ok`.
    status: &'static str,
    /// Version of the server.
    version: &'static str,
    /// For how long it has run, in whole seconds.
    uptime_seconds: u64,
}
