//! The objects of Postman's collection format 2.1 that the collection uses. They know nothing of
//! this API.

use std::ops::Not;

use serde::Serialize;

/// The whole collection.
#[derive(Serialize)]
pub(in crate::http::openapi) struct Collection<'a> {
    pub(super) info: Info<'a>,
    pub(super) auth: Auth,
    pub(super) variable: [Named<'a>; 2],
    pub(super) item: Vec<Folder<'a>>,
}

/// What the collection is.
#[derive(Serialize)]
pub(super) struct Info<'a> {
    pub(super) name: &'a str,
    pub(super) description: &'a str,
    pub(super) version: &'a str,
    pub(super) schema: &'static str,
}

/// How requests authenticate; that of a request counts before that of the collection.
#[derive(Clone, Serialize)]
pub(super) struct Auth {
    #[serde(rename = "type")]
    pub(super) kind: &'static str,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) bearer: Vec<Secret>,
}

/// A member of a way to authenticate.
#[derive(Clone, Serialize)]
pub(super) struct Secret {
    pub(super) key: &'static str,
    pub(super) value: &'static str,
    #[serde(rename = "type")]
    pub(super) kind: &'static str,
}

/// A variable, a parameter or a header.
#[derive(Clone, Serialize)]
pub(super) struct Named<'a> {
    pub(super) key: &'a str,
    pub(super) value: String,
    #[serde(skip_serializing_if = "str::is_empty")]
    pub(super) description: &'a str,
    #[serde(skip_serializing_if = "Not::not")]
    pub(super) disabled: bool,
}

/// Requests that belong together.
#[derive(Serialize)]
pub(super) struct Folder<'a> {
    pub(super) name: &'a str,
    pub(super) description: &'a str,
    pub(super) item: Vec<Item<'a>>,
}

/// A request with saved answers.
#[derive(Serialize)]
pub(super) struct Item<'a> {
    pub(super) name: &'a str,
    pub(super) request: Request<'a>,
    pub(super) response: Vec<Saved<'a>>,
}

/// A request.
#[derive(Clone, Serialize)]
pub(super) struct Request<'a> {
    pub(super) method: &'static str,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub(super) description: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) auth: Option<Auth>,
    pub(super) header: Vec<Named<'a>>,
    pub(super) url: Url<'a>,
}

impl Request<'_> {
    /// The request that a saved answer is told to be of: without what is switched off.
    pub(super) fn without_options(&self) -> Self {
        let mut shorter = self.clone();
        shorter.description.clear();
        shorter.header.retain(|field| !field.disabled);
        shorter.url.query.retain(|parameter| !parameter.disabled);
        shorter
    }
}

/// An address, as a text and in its parts.
#[derive(Clone, Serialize)]
pub(super) struct Url<'a> {
    pub(super) raw: String,
    pub(super) host: [&'static str; 1],
    pub(super) path: Vec<String>,
    pub(super) query: Vec<Named<'a>>,
    pub(super) variable: Vec<Named<'a>>,
}

/// A saved answer.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Saved<'a> {
    pub(super) name: &'a str,
    pub(super) original_request: Request<'a>,
    pub(super) status: &'a str,
    pub(super) code: u16,
    #[serde(rename = "_postman_previewlanguage")]
    pub(super) language: &'static str,
    pub(super) header: [Named<'static>; 1],
    pub(super) body: &'a str,
}
