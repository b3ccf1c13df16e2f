//! `GET /v1` and `GET /health`: no key, no limits, no conditional requests.

use bytes::Bytes;
use serde::Serialize;

use super::error::ApiError;
use super::headers::Facts;
use super::routes::ServiceOperation;
use crate::app::App;
use crate::params::{NoParams, QueryString};

/// Answers a service endpoint.
pub(crate) fn answer(
    app: &App,
    operation: ServiceOperation,
    query: &QueryString,
    facts: &mut Facts,
) -> Result<Bytes, ApiError> {
    NoParams::parse(query).map_err(ApiError::Validation)?;
    match operation {
        ServiceOperation::DescribeVersion => Ok(describe_version(app)),
        ServiceOperation::CheckHealth => {
            facts.no_store = true;
            Ok(check_health(app))
        }
    }
}

/// What this version of the API is and which release it serves. No counts of records: anyone may
/// read this.
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

/// That the server runs. It checks nothing else: a key store that is away is not the server's
/// health.
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

#[derive(Serialize)]
struct Data<'a> {
    data: Descriptor<'a>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Descriptor<'a> {
    version: &'static str,
    status: &'static str,
    deprecated_at: Option<&'static str>,
    sunset_at: Option<&'static str>,
    catalogue: Served<'a>,
    links: Links,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Served<'a> {
    release: &'a str,
    published_at: &'a str,
}

#[derive(Serialize)]
struct Links {
    #[serde(rename = "self")]
    own: &'static str,
    boats: &'static str,
    manufacturers: &'static str,
    health: &'static str,
    openapi: &'static str,
    docs: &'static str,
}

const LINKS: Links = Links {
    own: "/v1",
    boats: "/v1/boats",
    manufacturers: "/v1/manufacturers",
    health: "/health",
    openapi: "/openapi.json",
    docs: "/docs",
};

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Health {
    status: &'static str,
    version: &'static str,
    uptime_seconds: u64,
}
