//! The explanation of an address: its fields, which are shown as text and as JSON.

use serde::Serialize;

use crate::cache::ListKey;
use crate::catalogue::{ExplainedRows, UnknownTerm};
use crate::params::{ParamIssue, Understood};

/// What the service would answer, and why.
#[derive(Debug, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Explanation {
    /// The path and the query; `…` in place of a query that has a credential.
    pub address: String,
    /// The release that answers.
    pub release: String,
    /// The endpoint, if there is one.
    pub endpoint: Option<Endpoint>,
    /// The status, for a key with the scopes of the endpoint and within its limits.
    pub status: u16,
    /// Why there is no reply.
    pub error: Option<Refused>,
    /// The parameters of a list, as they were parsed.
    pub parameters: Vec<Understood>,
    /// The terms in filters that no boat has.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub unknown_terms: Vec<UnknownTerm>,
    /// The requested list.
    pub list: Option<ExplainedList>,
    /// The record that the path names.
    pub record: Option<NamedRecord>,
    /// The body of the response.
    pub answer: Option<ExplainedBody>,
}

/// An endpoint.
#[derive(Debug, Serialize)]
pub struct Endpoint {
    /// Its path.
    pub path: String,
    /// Its name in the OpenAPI document.
    pub operation: &'static str,
    /// What it asks of a key, in words.
    pub key: String,
    /// The scopes that it names; empty if it needs no key, or takes any.
    pub scopes: Vec<&'static str>,
}

/// An error of the service.
#[derive(Debug, Serialize)]
pub struct Refused {
    /// The code, for programs.
    pub code: &'static str,
    /// The message, for people.
    pub message: String,
    /// Every problem of a validation error.
    pub issues: Vec<ParamIssue>,
    /// The cause, which only a server's log would show.
    pub cause: Option<String>,
}

/// A page of a list.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ExplainedList {
    /// The key of the response in the cache.
    pub cache_key: ListKey,
    /// How its rows are found.
    #[serde(flatten)]
    pub found: ExplainedRows,
}

/// A record that a path names.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct NamedRecord {
    /// What it is.
    pub kind: &'static str,
    /// Its id.
    pub id: String,
    /// Its slug.
    pub slug: String,
    /// `id` or `slug`, by which it was found.
    pub found_by: &'static str,
}

/// A body and what its headers say.
#[derive(Debug, Serialize)]
pub struct ExplainedBody {
    /// Its size, uncompressed.
    pub bytes: u64,
    /// `ETag`, uncompressed.
    pub etag: String,
    /// `X-Cache` of the first such request.
    pub cache: &'static str,
    /// `Link`.
    pub link: Option<String>,
}
