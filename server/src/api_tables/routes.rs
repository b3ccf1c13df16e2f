//! The route tables: every path the service answers, and the scopes a key needs for it.
//!
//! [`ROUTES`] is the API, all of which the OpenAPI document describes. [`FILES`] is what documents
//! it, for people and their tools: no part of the contract, so that it may change at any time.
//!
//! Paths are compared as the client sent them, byte for byte: no decoding, no dropping of empty
//! or trailing segments. So `/v1/boats/` and `//v1/boats` are other paths, and unknown ones.

use std::{fmt, ptr};

use shared::keys::scope::Scope;
use shared::release::Kind;

use crate::params::{BOATS, List, MANUFACTURERS};

/// One endpoint.
#[derive(Debug, PartialEq, Eq)]
pub struct Route<O = Operation> {
    /// Which paths it answers.
    pub path: PathPattern,
    /// What it does.
    pub operation: O,
}

/// A path, with at most one parameter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PathPattern {
    /// Exactly this path.
    Fixed(&'static str),
    /// A path of one record: what precedes the segment `idOrSlug`, and what follows it.
    OfRecord(&'static str, &'static str),
}

/// What an endpoint does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operation {
    /// Responses about the service: no key, no limits.
    Service(ServiceOperation),
    /// What a key may do: for any key that works, counted in its minute only.
    DescribeKey,
    /// Responses from the catalogue, for a key that has all of these scopes; or one of them, where
    /// that suffices.
    Catalogue(CatalogueOperation, &'static [Scope]),
}

/// The operations that need no key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ServiceOperation {
    /// The version descriptor.
    DescribeVersion,
    /// The uptime check.
    CheckHealth,
    /// The OpenAPI document.
    DescribeApi,
}

/// The operations of the catalogue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CatalogueOperation {
    /// A page of a list.
    GetPage(&'static List),
    /// One record of a kind.
    GetRecord(Kind),
    /// A page of one manufacturer's boats.
    ListManufacturerBoats,
    /// The terms that boats are found by.
    GetTerms,
    /// How many boats the filters of boats would find.
    GetFacets,
    /// A page of what changed since another release.
    ListChanges,
    /// All records of a kind, in a format.
    GetWhole(Kind, WholeFormat),
}

impl CatalogueOperation {
    /// Whether a header of its answers names the release that they are from. A single record is the
    /// same in many releases.
    pub(crate) const fn names_release(self) -> bool {
        !matches!(self, Self::GetRecord(_))
    }

    /// Whether one of its scopes suffices: the answer leaves out what the others are for.
    pub(crate) const fn takes_any_scope(self) -> bool {
        matches!(self, Self::ListChanges)
    }
}

/// How all records of a kind are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WholeFormat {
    /// One record a line.
    Ndjson,
    /// A column for each field.
    Parquet,
}

/// The files of the documentation: no key, no limits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum File {
    /// The page itself.
    Page,
    /// Another address for the page, which leads to it.
    ToPage,
    /// The style sheet of the page.
    PageStyle,
    /// The script of the page.
    PageScript,
    /// A client in TypeScript.
    TypeScript,
    /// A client in Python.
    Python,
    /// A client in Rust.
    Rust,
    /// A converter of the OpenAPI document to version 3.0, for the generator of the Rust client.
    Converter,
    /// The icon of the page.
    Icon,
    /// The API as text for language models.
    Llms,
}

use CatalogueOperation::{
    GetFacets, GetPage, GetRecord, GetTerms, GetWhole, ListChanges, ListManufacturerBoats,
};
use Kind::{Boats, Manufacturers};
use Operation::{Catalogue, DescribeKey, Service};
use PathPattern::{Fixed, OfRecord};
use Scope::{BoatsRead, CatalogueExport, ManufacturersRead};
use ServiceOperation::{CheckHealth, DescribeApi, DescribeVersion};
use WholeFormat::{Ndjson, Parquet};

/// Every endpoint. All of them answer `GET` and `HEAD`, and nothing else.
#[rustfmt::skip]
pub static ROUTES: [Route; 16] = [
    Route { path: Fixed("/v1/boats"),                      operation: Catalogue(GetPage(&BOATS), &[BoatsRead]) },
    Route { path: OfRecord("/v1/boats/", ""),              operation: Catalogue(GetRecord(Boats), &[BoatsRead]) },
    Route { path: Fixed("/v1/manufacturers"),              operation: Catalogue(GetPage(&MANUFACTURERS), &[ManufacturersRead]) },
    Route { path: OfRecord("/v1/manufacturers/", ""),      operation: Catalogue(GetRecord(Manufacturers), &[ManufacturersRead]) },
    Route { path: OfRecord("/v1/manufacturers/", "/boats"), operation: Catalogue(ListManufacturerBoats, &[ManufacturersRead, BoatsRead]) },
    Route { path: Fixed("/v1/terms"),                      operation: Catalogue(GetTerms, &[BoatsRead]) },
    Route { path: Fixed("/v1/facets"),                     operation: Catalogue(GetFacets, &[BoatsRead]) },
    Route { path: Fixed("/v1/changes"),                    operation: Catalogue(ListChanges, &[BoatsRead, ManufacturersRead]) },
    Route { path: Fixed("/v1/key"),                        operation: DescribeKey },
    Route { path: Fixed("/v1/boats.ndjson"),               operation: Catalogue(GetWhole(Boats, Ndjson), &[CatalogueExport, BoatsRead]) },
    Route { path: Fixed("/v1/boats.parquet"),              operation: Catalogue(GetWhole(Boats, Parquet), &[CatalogueExport, BoatsRead]) },
    Route { path: Fixed("/v1/manufacturers.ndjson"),       operation: Catalogue(GetWhole(Manufacturers, Ndjson), &[CatalogueExport, ManufacturersRead]) },
    Route { path: Fixed("/v1/manufacturers.parquet"),      operation: Catalogue(GetWhole(Manufacturers, Parquet), &[CatalogueExport, ManufacturersRead]) },
    Route { path: Fixed("/v1"),                            operation: Service(DescribeVersion) },
    Route { path: Fixed("/health"),                        operation: Service(CheckHealth) },
    Route { path: Fixed("/openapi.json"),                  operation: Service(DescribeApi) },
];

/// The names of the paths of both tables, in their order.
pub(crate) fn names() -> Vec<String> {
    let endpoints = ROUTES.iter().map(|route| route.path);
    let files = FILES.iter().map(|file| file.path);
    endpoints
        .chain(files)
        .map(|path| path.to_string())
        .collect()
}

/// The path of the page that documents the API.
pub(crate) const PAGE: &str = "/docs";

/// Every file of the documentation, answered like an endpoint.
#[rustfmt::skip]
pub static FILES: [Route<File>; 11] = [
    Route { path: Fixed(PAGE),                   operation: File::Page },
    Route { path: Fixed("/docs/"),               operation: File::ToPage },
    Route { path: Fixed("/"),                    operation: File::ToPage },
    Route { path: Fixed("/docs/page.css"),       operation: File::PageStyle },
    Route { path: Fixed("/docs/page.js"),        operation: File::PageScript },
    Route { path: Fixed("/docs/typescript"),     operation: File::TypeScript },
    Route { path: Fixed("/docs/python"),         operation: File::Python },
    Route { path: Fixed("/docs/rust"),           operation: File::Rust },
    Route { path: Fixed("/docs/openapi_3_0.py"), operation: File::Converter },
    Route { path: Fixed("/docs/icon.svg"),       operation: File::Icon },
    Route { path: Fixed("/llms.txt"),            operation: File::Llms },
];

/// What a path leads to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MatchedPath<'a> {
    /// An endpoint of the API, with the raw segment of its record, empty if the route has none.
    Endpoint(&'static Route, &'a str),
    /// A file of the documentation.
    File(&'static Route<File>),
}

impl MatchedPath<'_> {
    /// The path as written in its table.
    pub const fn pattern(self) -> PathPattern {
        match self {
            Self::Endpoint(route, _) => route.path,
            Self::File(route) => route.path,
        }
    }

    /// The index of the path among [`names`].
    pub(crate) fn index(self) -> Option<usize> {
        match self {
            Self::Endpoint(found, _) => ROUTES.iter().position(|route| ptr::eq(route, found)),
            Self::File(found) => {
                let place = FILES.iter().position(|file| ptr::eq(file, found));
                place.map(|place| ROUTES.len() + place)
            }
        }
    }
}

/// What a path leads to. `None`: an unknown path.
pub fn find(path: &str) -> Option<MatchedPath<'_>> {
    let endpoint = |route: &'static Route| {
        let segment = route.path.segment_of(path)?;
        Some(MatchedPath::Endpoint(route, segment))
    };
    let is_at = |route: &&'static Route<File>| route.path.segment_of(path).is_some();
    let file = || FILES.iter().find(is_at).map(MatchedPath::File);
    ROUTES.iter().find_map(endpoint).or_else(file)
}

impl PathPattern {
    fn segment_of<'a>(&self, path: &'a str) -> Option<&'a str> {
        match self {
            Self::Fixed(fixed) => (path == *fixed).then_some(""),
            Self::OfRecord(before, after) => {
                let mut segment = path.strip_prefix(before)?;
                // To compare nothing takes the C library 100 ns on some processors, 1 % of an
                // answer: it loads from the address of the empty text, which is none.
                if !after.is_empty() {
                    segment = segment.strip_suffix(after)?;
                }
                (!segment.is_empty() && !segment.contains('/')).then_some(segment)
            }
        }
    }
}

impl fmt::Display for PathPattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Fixed(path) => f.write_str(path),
            Self::OfRecord(before, after) => write!(f, "{before}{{idOrSlug}}{after}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(path: &str, expected: Option<(&str, &str)>) {
        let found = find(path).map(|found| match found {
            MatchedPath::Endpoint(route, segment) => (route.path.to_string(), segment),
            MatchedPath::File(route) => (route.path.to_string(), ""),
        });
        let found = found
            .as_ref()
            .map(|(template, segment)| (template.as_str(), *segment));
        assert_eq!(found, expected, "{path}");
    }

    #[test]
    fn any_non_empty_segment_is_a_record_to_look_for() {
        for segment in ["..", ".", "%2F", "%", "a%20b", "boats", "~", "a;b"] {
            check(
                &format!("/v1/boats/{segment}"),
                Some(("/v1/boats/{idOrSlug}", segment)),
            );
            let nested = format!("/v1/manufacturers/{segment}/boats");
            check(
                &nested,
                Some(("/v1/manufacturers/{idOrSlug}/boats", segment)),
            );
        }
        check(
            "/v1/manufacturers/boats",
            Some(("/v1/manufacturers/{idOrSlug}", "boats")),
        );
    }

    #[test]
    fn every_other_spelling_is_an_unknown_path() {
        for path in [
            "",
            "//",
            "*",
            "/v1/",
            "//v1",
            "/V1",
            "/v2",
            "/v1/boats/",
            "//v1/boats",
            "/v1//boats",
            "/v1/./boats",
            "/v1/x/../boats",
            "/v1/Boats",
            "/v1/terms/",
            "/v1/boats.csv",
            "/v1/boats.ndjson.gz",
            "/v1/terms/types",
            "/v1/bo%61ts",
            "/v1/boats/a/",
            "/v1/boats/a/b",
            "/v1/boats//a",
            "/v1/manufacturers/",
            "/v1/manufacturers//boats",
            "/v1/manufacturers/a/boats/",
            "/v1/manufacturers/a/Boats",
            "/v1/manufacturers/a/b/boats",
            "/health/",
            "/healthz",
            "/docs//",
            "/docs/index.html",
            "/docs/../docs",
            "/postman.json",
            "v1/boats",
        ] {
            check(path, None);
        }
    }
}
