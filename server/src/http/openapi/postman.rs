//! `/postman.json`: the document as a collection of Postman, version 2.1 of its format.
//!
//! Two variables are the importer's to set: `baseUrl` and `key`. Optional parameters are there,
//! described and switched off, so that every request works as it is imported.

mod objects;

use super::listing::{self, Listed};
use super::objects::{Document, Location, Parameter, Response, Tag};
use super::responses::reason;
use objects::{Auth, Collection, Folder, Info, Item, Named, Request, Saved, Secret, Url};

const FORMAT: &str = "https://schema.getpostman.com/json/collection/v2.1.0/collection.json";
/// Where `catalogue serve` listens unless told otherwise.
const BASE_URL: &str = "http://127.0.0.1:8080";

/// The document as a collection.
pub(super) fn collection(document: &Document) -> Collection<'_> {
    let operations = listing::operations(document);
    let folders = document.tags.iter().map(|tag| folder(tag, &operations));
    Collection {
        info: Info {
            name: document.info.title,
            description: &document.info.description,
            version: document.info.version,
            schema: FORMAT,
        },
        auth: with_key(),
        variable: [
            variable(
                "baseUrl",
                BASE_URL,
                "Where the service is, without a slash at its end.",
            ),
            variable(
                "key",
                "",
                "An API key. Keep it in the current value, which is not shared.",
            ),
        ],
        item: folders.collect(),
    }
}

fn folder<'a>(tag: &Tag, operations: &[Listed<'a>]) -> Folder<'a> {
    let tagged = operations.iter();
    let tagged = tagged.filter(|listed| listed.operation.tags.contains(&tag.name));
    Folder {
        name: tag.name,
        description: tag.description,
        item: tagged.map(item).collect(),
    }
}

fn item<'a>(listed: &Listed<'a>) -> Item<'a> {
    let request = request(listed);
    let answers = listed.responses.iter();
    let saved = answers.filter_map(|(status, response)| saved(status, response, &request));
    Item {
        name: listed.operation.summary,
        response: saved.collect(),
        request,
    }
}

fn request<'a>(listed: &Listed<'a>) -> Request<'a> {
    let operation = listed.operation;
    let (auth, needs) = match listed.scopes.as_slice() {
        [] => (Some(without_key()), "No key is needed.".to_owned()),
        scopes => {
            let scopes = scopes.join("`, `");
            (None, format!("Scopes that the key needs: `{scopes}`."))
        }
    };
    Request {
        method: "GET",
        description: format!("{} {needs}", operation.description),
        auth,
        header: parameters(listed, Location::Header),
        url: url(listed),
    }
}

fn url<'a>(listed: &Listed<'a>) -> Url<'a> {
    let segments = listed.path.split('/').skip(1);
    let path: Vec<String> = segments
        .map(|segment| match segment.strip_prefix('{') {
            Some(name) => format!(":{}", name.trim_end_matches('}')),
            None => segment.to_owned(),
        })
        .collect();
    Url {
        raw: format!("{{{{baseUrl}}}}/{}", path.join("/")),
        host: ["{{baseUrl}}"],
        path,
        query: parameters(listed, Location::Query),
        variable: parameters(listed, Location::Path),
    }
}

fn parameters<'a>(listed: &Listed<'a>, location: Location) -> Vec<Named<'a>> {
    let all = listed.operation.parameters.iter();
    all.filter(|parameter| parameter.location == location)
        .map(|parameter| Named {
            key: parameter.name,
            value: value(parameter),
            description: &parameter.description,
            disabled: !parameter.required,
        })
        .collect()
}

/// A value that works: the example, as it is typed.
fn value(parameter: &Parameter) -> String {
    let example = &parameter.example;
    let text = example.as_str().map(str::to_owned);
    text.unwrap_or_else(|| example.to_string())
}

/// The first example of a status, if it has a body.
fn saved<'a>(status: &'a str, response: &'a Response, request: &Request<'a>) -> Option<Saved<'a>> {
    let (media_type, content) = response.content.as_ref()?.iter().next()?;
    let (name, example) = content.examples.iter().next()?;
    let code = status.parse().ok()?;
    Some(Saved {
        name: if code == 200 {
            response.description.as_str()
        } else {
            name
        },
        original_request: request.without_options(),
        status: reason(code),
        code,
        language: "json",
        header: [Named {
            key: "Content-Type",
            value: media_type.to_owned(),
            description: "",
            disabled: false,
        }],
        body: example.value.get().trim_ascii_end(),
    })
}

fn variable(key: &'static str, value: &str, description: &'static str) -> Named<'static> {
    Named {
        key,
        value: value.to_owned(),
        description,
        disabled: false,
    }
}

fn with_key() -> Auth {
    Auth {
        kind: "bearer",
        bearer: vec![Secret {
            key: "token",
            value: "{{key}}",
            kind: "string",
        }],
    }
}

fn without_key() -> Auth {
    Auth {
        kind: "noauth",
        bearer: Vec::new(),
    }
}
