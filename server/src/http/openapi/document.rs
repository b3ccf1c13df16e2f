//! The document as a type. The documentation and `/llms.txt` read it.
//!
//! `document.json` is written by hand, in the form of the document: what an operation is for, an
//! answer of it, what headers mean. It must not say what the service knows: members that are
//! `skip_deserializing` here are filled in, and refused in the file.

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use super::in_order::{InOrder, on_many_lines};
use super::parameters::Parameter;
use super::schemas::Schemas;
use crate::api_tables::routes::PathPattern;

/// The whole document.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Document {
    openapi: String,
    pub(crate) info: Info,
    servers: Box<RawValue>,
    pub(crate) tags: Vec<Tag>,
    pub(super) paths: InOrder<Path>,
    pub(crate) components: Components,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Info {
    pub(crate) title: String,
    pub(crate) summary: String,
    #[serde(skip_deserializing)]
    pub(crate) description: String,
    contact: Box<RawValue>,
    license: Box<RawValue>,
    #[serde(skip_deserializing)]
    pub(super) version: &'static str,
}

/// A group of operations.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Tag {
    pub(crate) name: String,
    pub(crate) description: String,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Path {
    pub(super) get: Operation,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct Operation {
    #[serde(rename = "operationId")]
    pub(crate) id: String,
    pub(crate) summary: String,
    pub(crate) description: String,
    pub(crate) tags: Vec<String>,
    #[serde(skip_deserializing)]
    pub(super) security: Vec<Security>,
    #[serde(skip_deserializing, skip_serializing_if = "Vec::is_empty")]
    pub(crate) parameters: Vec<Parameter>,
    /// Its 200, then the others.
    pub(crate) responses: InOrder<Response>,
}

/// The scopes that a key needs.
#[derive(Serialize)]
pub(super) struct Security {
    #[serde(rename = "apiKey")]
    pub(super) scopes: Vec<&'static str>,
}

/// A response, or a reference to one of the components.
#[derive(Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct Response {
    #[serde(
        rename = "$ref",
        skip_deserializing,
        skip_serializing_if = "Option::is_none"
    )]
    pub(super) reference: Option<String>,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub(crate) description: String,
    #[serde(skip_deserializing, skip_serializing_if = "InOrder::is_empty")]
    pub(super) headers: InOrder<Reference>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) content: Option<InOrder<Media>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) links: Option<Box<RawValue>>,
}

/// A reference to a component of the document.
#[derive(Serialize)]
pub(super) struct Reference {
    #[serde(rename = "$ref")]
    pub(super) to: String,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Media {
    pub(super) schema: Box<RawValue>,
    #[serde(default, skip_serializing_if = "InOrder::is_empty")]
    pub(super) examples: InOrder<Box<RawValue>>,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct Components {
    #[serde(skip_deserializing)]
    pub(crate) schemas: Schemas,
    #[serde(skip_deserializing)]
    pub(super) responses: InOrder<Response>,
    #[serde(skip_deserializing)]
    pub(super) examples: InOrder<ErrorExample>,
    pub(crate) headers: InOrder<Header>,
    pub(crate) security_schemes: SecuritySchemes,
}

#[derive(Serialize)]
pub(crate) struct ErrorExample {
    pub(super) value: Box<RawValue>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Header {
    pub(crate) description: String,
    /// A list without rows has no links, an uncompressed body has no encoding, and the draft on
    /// limits is a setting.
    required: bool,
    schema: Box<RawValue>,
    example: Box<RawValue>,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct SecuritySchemes {
    pub(crate) api_key: ApiKey,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct ApiKey {
    #[serde(rename = "type")]
    kind: String,
    scheme: String,
    pub(crate) bearer_format: String,
    pub(crate) description: String,
}

impl Document {
    /// Every operation with its path.
    pub(crate) fn operations(&self) -> impl Iterator<Item = (&str, &Operation)> {
        let paths = self.paths.iter();
        paths.map(|(path, it)| (path.as_str(), &it.get))
    }

    /// The operation at a path of the table of routes.
    pub(crate) fn operation(&self, path: PathPattern) -> &Operation {
        let path = path.to_string();
        let found = self.paths.get(&path);
        &found
            .unwrap_or_else(|| unreachable!("openapi/document.json lacks the path {path}"))
            .get
    }
}

impl Operation {
    pub(crate) const fn needs_key(&self) -> bool {
        !self.security.is_empty()
    }

    /// What it asks of a key.
    pub(crate) fn key_in_words(&self) -> String {
        let scope = |scope: &&str| format!("`{scope}`");
        let all = |needed: &Security| needed.scopes.iter().map(scope).collect::<Vec<_>>();
        let either = self.security.iter().map(|needed| all(needed).join(" and "));
        match &self.security[..] {
            [] => "no key".to_owned(),
            [any] if any.scopes.is_empty() => "any key".to_owned(),
            _ => either.collect::<Vec<_>>().join(" or "),
        }
    }

    /// Its 200.
    pub(crate) fn answer(&self) -> &Response {
        &self.responses[0]
    }

    /// Its statuses other than 200.
    pub(crate) fn other_statuses(&self) -> Vec<&str> {
        self.responses.keys().skip(1).map(String::as_str).collect()
    }
}

impl Response {
    /// Its body, in the one form that each response has.
    fn media(&self) -> Option<&Media> {
        let (_media_type, media) = self.content.as_ref()?.first()?;
        Some(media)
    }

    /// The schema of its body.
    pub(crate) fn schema(&self) -> Option<&RawValue> {
        self.media().map(|media| &*media.schema)
    }

    /// The example of its body, as JSON on many lines.
    pub(crate) fn example(&self) -> Option<String> {
        #[derive(Serialize, Deserialize)]
        struct Example {
            value: Box<RawValue>,
        }
        let (_, example) = self.media()?.examples.first()?;
        let example: Option<Example> = serde_json::from_str(example.get()).ok();
        example.map(|example| on_many_lines(&example.value))
    }
}
