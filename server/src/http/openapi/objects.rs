//! The objects of OpenAPI 3.1 that the document uses, in the order in which it shows their
//! members. They know nothing of this API.

use std::borrow::Cow;

use schemars::Schema;
use serde::{Serialize, Serializer};
use serde_json::Value;
use serde_json::value::RawValue;

use super::shapes::ObjectSchema;

/// Named members that keep their order.
pub(super) struct Members<T>(Vec<(Cow<'static, str>, T)>);

impl<T> Members<T> {
    /// Members in this order.
    pub(super) fn of<K: Into<Cow<'static, str>>>(
        members: impl IntoIterator<Item = (K, T)>,
    ) -> Self {
        let named = members.into_iter();
        Self(named.map(|(name, member)| (name.into(), member)).collect())
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = (&str, &T)> {
        self.0.iter().map(|(name, member)| (name.as_ref(), member))
    }

    fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl<T> Default for Members<T> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<T: Serialize> Serialize for Members<T> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.collect_map(self.0.iter().map(|(name, member)| (name, member)))
    }
}

/// The whole document.
#[derive(Serialize)]
pub(super) struct Document {
    pub(super) openapi: &'static str,
    pub(super) info: Info,
    pub(super) servers: [Server; 1],
    pub(super) tags: Vec<Tag>,
    pub(super) paths: Members<PathItem>,
    pub(super) components: Components,
}

/// What the API is.
#[derive(Serialize)]
pub(super) struct Info {
    pub(super) title: &'static str,
    pub(super) summary: &'static str,
    pub(super) description: String,
    pub(super) contact: Contact,
    pub(super) license: License,
    pub(super) version: &'static str,
}

/// Whom to ask.
#[derive(Serialize)]
pub(super) struct Contact {
    pub(super) name: &'static str,
}

/// Under which licence the API is.
#[derive(Serialize)]
pub(super) struct License {
    pub(super) name: &'static str,
    /// As an SPDX expression.
    pub(super) identifier: &'static str,
}

/// Where the API is.
#[derive(Serialize)]
pub(super) struct Server {
    pub(super) url: &'static str,
    pub(super) description: &'static str,
}

/// A group of operations.
#[derive(Serialize)]
pub(super) struct Tag {
    pub(super) name: &'static str,
    pub(super) description: &'static str,
}

/// The operations of a path.
#[derive(Serialize)]
pub(super) struct PathItem {
    pub(super) get: Operation,
}

/// An operation.
#[derive(Serialize)]
pub(super) struct Operation {
    #[serde(rename = "operationId")]
    pub(super) id: &'static str,
    pub(super) summary: &'static str,
    pub(super) description: &'static str,
    pub(super) tags: [&'static str; 1],
    pub(super) security: Vec<Members<Vec<&'static str>>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) parameters: Vec<Parameter>,
    pub(super) responses: Members<OrReference<Response>>,
}

/// A parameter.
#[derive(Serialize)]
pub(super) struct Parameter {
    pub(super) name: &'static str,
    #[serde(rename = "in")]
    pub(super) location: Location,
    pub(super) description: Cow<'static, str>,
    pub(super) required: bool,
    pub(super) schema: Schema,
    pub(super) example: Value,
}

/// Where a parameter is given.
#[derive(Clone, Copy, Serialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Location {
    Path,
    Query,
    Header,
}

impl Location {
    /// As the document writes it.
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Path => "path",
            Self::Query => "query",
            Self::Header => "header",
        }
    }
}

/// An answer.
#[derive(Serialize)]
pub(super) struct Response {
    pub(super) description: String,
    pub(super) headers: Members<OrReference<Header>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) content: Option<Members<MediaType>>,
    #[serde(skip_serializing_if = "Members::is_empty")]
    pub(super) links: Members<Link>,
}

/// A header of an answer.
#[derive(Serialize)]
pub(super) struct Header {
    pub(super) description: &'static str,
    pub(super) required: bool,
    pub(super) schema: Schema,
    pub(super) example: Value,
}

/// A body.
#[derive(Serialize)]
pub(super) struct MediaType {
    pub(super) schema: Schema,
    #[serde(skip_serializing_if = "Members::is_empty")]
    pub(super) examples: Members<Example>,
}

/// An example of a body.
#[derive(Serialize)]
pub(super) struct Example {
    pub(super) summary: &'static str,
    pub(super) value: Box<RawValue>,
}

/// An operation that can follow on an answer.
#[derive(Serialize)]
pub(super) struct Link {
    #[serde(rename = "operationId")]
    pub(super) id: &'static str,
    pub(super) parameters: Members<&'static str>,
    pub(super) description: &'static str,
}

/// What several operations refer to.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Components {
    pub(super) schemas: Members<ObjectSchema>,
    pub(super) responses: Members<Response>,
    pub(super) headers: Members<Header>,
    pub(super) security_schemes: Members<SecurityScheme>,
}

/// How callers authenticate.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct SecurityScheme {
    #[serde(rename = "type")]
    pub(super) kind: &'static str,
    pub(super) scheme: &'static str,
    pub(super) bearer_format: &'static str,
    pub(super) description: &'static str,
}

/// An object, or the place in the components where it stands.
#[derive(Serialize)]
#[serde(untagged)]
pub(super) enum OrReference<T> {
    Here(T),
    There {
        #[serde(rename = "$ref")]
        reference: String,
    },
}
