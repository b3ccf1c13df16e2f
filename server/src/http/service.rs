//! `GET /v1`, `GET /health` and `GET /openapi.json`: no key, no limits.

use bytes::Bytes;
use shared::base::etag::ETag;

use super::bodies::{
    Health, ServedRelease, VersionDescriptor, VersionEnvelope, VersionLinks, written,
};
use super::error::ApiError;
use super::headers::{CachePolicy, ResponseMeta};
use super::openapi;
use crate::api_tables::routes::{PAGE, ServiceOperation};
use crate::app::App;
use crate::catalogue::Catalogue;
use crate::params::{NoParams, QueryString};

/// The body of a service endpoint, and its tag if it has one.
pub(crate) fn answer(
    app: &App,
    operation: ServiceOperation,
    query: &QueryString,
    meta: &mut ResponseMeta,
) -> Result<(Bytes, Option<ETag>), ApiError> {
    NoParams::parse(query).map_err(ApiError::Validation)?;
    match operation {
        ServiceOperation::DescribeVersion => {
            meta.cache_policy = CachePolicy::NoStore;
            let catalogue = app.catalogue();
            meta.release = Some(catalogue.release_id().to_owned());
            Ok((describe_version(&catalogue), None))
        }
        ServiceOperation::CheckHealth => {
            meta.cache_policy = CachePolicy::NoStore;
            Ok((check_health(app), None))
        }
        ServiceOperation::DescribeApi => {
            let document = openapi::served();
            meta.cache_policy = CachePolicy::Public;
            Ok((document.body.clone(), Some(document.etag)))
        }
    }
}

/// Describes this version of the API and the release that it serves. It has no counts of records,
/// since anyone may read it.
fn describe_version(catalogue: &Catalogue) -> Bytes {
    written(&VersionEnvelope {
        data: VersionDescriptor {
            version: "v1",
            status: "current",
            deprecated_at: None,
            sunset_at: None,
            catalogue: ServedRelease {
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
    written(&Health {
        status: "ok",
        version,
        uptime_seconds: app.uptime_seconds(),
    })
}

const LINKS: VersionLinks = VersionLinks {
    own: "/v1",
    boats: "/v1/boats",
    manufacturers: "/v1/manufacturers",
    terms: "/v1/terms",
    facets: "/v1/facets",
    health: "/health",
    openapi: "/openapi.json",
    docs: PAGE,
};
