//! The bodies that the server writes itself, of errors and of service endpoints, as types. Their
//! doc comments are the descriptions in the OpenAPI document.

use bytes::Bytes;
use schemars::JsonSchema;
use serde::Serialize;

use crate::api_tables::errors;
use crate::base::request_id::RequestId;
use crate::params::ParamIssue;

/// A body as JSON.
pub(crate) fn written(body: &impl Serialize) -> Bytes {
    let written = serde_json::to_vec(body);
    written
        .unwrap_or_else(|why| unreachable!("texts did not serialise: {why}"))
        .into()
}

/// The body of every refusal.
#[derive(Serialize, JsonSchema)]
pub(crate) struct ErrorEnvelope<'a> {
    /// What went wrong.
    pub(super) error: ErrorObject<'a>,
}

/// What went wrong.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ErrorObject<'a> {
    /// What went wrong, for programs. Codes may be added: take one that you do not know as its status says.
    #[schemars(extend("x-extensible-enum" = errors::codes(), "x-enumDescriptions" = errors::conditions()))]
    pub(super) code: &'static str,
    /// What went wrong and what to do, for people. The wording may change.
    pub(super) message: String,
    /// Id of this answer, as in `X-Request-Id`.
    #[schemars(regex(pattern = RequestId::PATTERN))]
    pub(super) request_id: String,
    /// Which parameters are wrong; only with `VALIDATION_ERROR`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "ErrorDetails<'a>")]
    pub(super) details: Option<ErrorDetails<'a>>,
}

/// Which parameters are wrong.
#[derive(Serialize, JsonSchema)]
pub(crate) struct ErrorDetails<'a> {
    /// The first wrong parameter, in the order of the request; of a malformed head, `request` or
    /// `address`.
    field: &'a str,
    /// Every problem, in the order of the request.
    issues: &'a [ParamIssue],
}

impl<'a> ErrorDetails<'a> {
    pub(super) fn of(issues: &'a [ParamIssue]) -> Self {
        Self {
            field: issues.first().map_or("", |first| &first.field),
            issues,
        }
    }
}

/// The version descriptor.
#[derive(Serialize, JsonSchema)]
pub(crate) struct VersionEnvelope<'a> {
    /// The version.
    pub(super) data: VersionDescriptor<'a>,
}

/// A version of the API.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Version")]
#[serde(rename_all = "camelCase")]
pub(crate) struct VersionDescriptor<'a> {
    /// The prefix of its paths.
    pub(super) version: &'static str,
    /// `current`, as long as no later version takes its place.
    pub(super) status: &'static str,
    /// When it was deprecated, RFC 3339 in UTC; null as long as it is not.
    #[schemars(extend("format" = "date-time"))]
    pub(super) deprecated_at: Option<&'static str>,
    /// When it will be switched off, RFC 3339 in UTC; null as long as that is not planned.
    #[schemars(extend("format" = "date-time"))]
    pub(super) sunset_at: Option<&'static str>,
    /// The release of the catalogue that is served.
    pub(super) catalogue: ServedRelease<'a>,
    /// Paths to begin with.
    pub(super) links: VersionLinks,
}

/// The release of the catalogue that is served.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ServedRelease<'a> {
    /// Id of the release.
    pub(super) release: &'a str,
    /// When it was published, RFC 3339 in UTC.
    #[schemars(extend("format" = "date-time"))]
    pub(super) published_at: &'a str,
}

/// Paths to begin with, relative to the server.
#[derive(Serialize, JsonSchema)]
pub(crate) struct VersionLinks {
    /// This version.
    #[serde(rename = "self")]
    pub(super) own: &'static str,
    /// The list of boats.
    pub(super) boats: &'static str,
    /// The list of manufacturers.
    pub(super) manufacturers: &'static str,
    /// The terms that boats are found by.
    pub(super) terms: &'static str,
    /// What the filters of boats would find.
    pub(super) facets: &'static str,
    /// The uptime check.
    pub(super) health: &'static str,
    /// The OpenAPI document.
    pub(super) openapi: &'static str,
    /// The documentation for people.
    pub(super) docs: &'static str,
}

/// That the server runs.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Health {
    /// Always `ok`.
    pub(super) status: &'static str,
    /// Version of the server.
    pub(super) version: &'static str,
    /// For how long it has run, in whole seconds.
    pub(super) uptime_seconds: u64,
}
