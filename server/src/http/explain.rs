//! What the service would answer to an address, and how it gets there: for people who inspect a
//! catalogue without a server.
//!
//! The checks, the lookup and the mapping of errors are those of real requests. Keys and limits are
//! not checked, since there is no key. A credential in the address is never repeated.

mod explanation;

use std::sync::Arc;

use salvo::http::uri::Scheme;
use salvo::http::{ReqBody, Request, StatusCode};
use salvo::hyper;
use shared::base::clock::Clock;
use shared::base::error_chain::chain;
use shared::base::etag::Coding;
use shared::base::ids::IdOrSlug;
use shared::keys::scope::Scope;
use shared::release::Kind;

use super::catalogue_request::CatalogueRequest;
use super::error::ApiError;
use super::look_up::{LookUp, Resource, boats_of};
use super::openapi;
use super::pipeline::{Target, target};
use crate::api_tables::routes::{self, MatchedPath, Operation, Route};
use crate::cache::{CacheError, Freshness, ListCache};
use crate::catalogue::{Catalogue, SentFile};
use crate::comparisons::{Comparisons, OtherReleases};
use crate::metrics::Queries;
use crate::params::{NoParams, QueryString};
use crate::wire::{BadHead, check};

pub use self::explanation::{
    Endpoint, ExplainedBody, ExplainedList, Explanation, NamedRecord, Refused,
};

/// Explains what `catalogue` would answer to a `GET` of that path and query, also where it is
/// compared with `others`.
pub async fn explain(
    catalogue: &Arc<Catalogue>,
    others: OtherReleases,
    address: &str,
    clock: &Arc<dyn Clock>,
) -> Explanation {
    let mut explanation = Explanation {
        address: without_credential(address),
        release: catalogue.release_id().to_owned(),
        status: StatusCode::OK.as_u16(),
        ..Explanation::default()
    };
    let comparisons = Arc::new(Comparisons::new(others));
    let filled = explanation.fill(catalogue, &comparisons, address, clock);
    if let Err(error) = filled.await {
        explanation.status = error.status().as_u16();
        explanation.error = Some(refused(error));
    }
    explanation
}

impl Explanation {
    async fn fill(
        &mut self,
        catalogue: &Arc<Catalogue>,
        comparisons: &Arc<Comparisons>,
        address: &str,
        clock: &Arc<dyn Clock>,
    ) -> Result<(), ApiError> {
        let request = request(address)?;
        let matched = routes::find(request.uri().path());
        self.endpoint = matched.and_then(endpoint);
        let Target {
            path,
            matched,
            query,
        } = target(&request, matched)?;
        let (operation, segment) = match matched {
            MatchedPath::Endpoint(
                Route {
                    operation: Operation::Catalogue(operation, _scopes),
                    ..
                },
                segment,
            ) => (*operation, segment),
            MatchedPath::File(_) => return Ok(()),
            MatchedPath::Endpoint(..) => {
                return NoParams::parse(&query).map_err(ApiError::Validation);
            }
        };
        let asked =
            CatalogueRequest::parse(operation, segment, &query).map_err(ApiError::Validation)?;
        let look_up = LookUp {
            catalogue,
            lists: &ListCache::default(),
            comparisons,
            scopes: Scope::ALL.into_iter().collect(),
            metrics: &Queries::new(),
            clock: &**clock,
            path,
            query: &query,
            now: clock.now(),
        };
        if let CatalogueRequest::Whole(whole) = asked {
            self.answer = Some(whole_body(&whole.file(catalogue, Coding::Identity)));
            return Ok(());
        }
        self.describe(&asked, &look_up, clock).await?;
        self.answer = Some(body(asked.look_up(&look_up).await?));
        Ok(())
    }

    /// Adds how the list or record is found.
    async fn describe(
        &mut self,
        asked: &CatalogueRequest,
        look_up: &LookUp<'_>,
        clock: &Arc<dyn Clock>,
    ) -> Result<(), ApiError> {
        let catalogue = look_up.catalogue;
        let query = match asked {
            CatalogueRequest::Record(kind, name) => {
                self.record = named(catalogue, *kind, name);
                return Ok(());
            }
            CatalogueRequest::Terms | CatalogueRequest::Changes(_) | CatalogueRequest::Whole(_) => {
                return Ok(());
            }
            CatalogueRequest::Facets(query) => {
                self.parameters = query.understood();
                self.unknown_terms = catalogue.unknown_terms(query);
                return Ok(());
            }
            CatalogueRequest::List(query) => query.clone(),
            CatalogueRequest::ManufacturerBoats(name, query) => {
                self.record = named(catalogue, Kind::Manufacturers, name);
                boats_of(catalogue, name, query.clone())?
            }
        };
        self.parameters = query.understood();
        self.unknown_terms = catalogue.unknown_terms(&query);
        let found = catalogue.explain(&query, clock).await;
        self.list = Some(ExplainedList {
            cache_key: look_up.key(&query),
            found: found.map_err(CacheError::Failed)?,
        });
        Ok(())
    }
}

/// The request that a client would send, unless its head would be refused.
fn request(address: &str) -> Result<Request, ApiError> {
    check(format!("GET {address} HTTP/1.1\r\nHost: localhost\r\n\r\n").as_bytes())?;
    let request = hyper::Request::builder().uri(address).body(ReqBody::None);
    let request = request.map_err(|_why| BadHead::Address)?;
    Ok(Request::from_hyper(request, Scheme::HTTP))
}

/// The address, without a query that contains a credential.
fn without_credential(address: &str) -> String {
    match address.split_once('?') {
        Some((path, query)) if QueryString::parse(Some(query)).has_credential() => {
            format!("{path}?…")
        }
        _ => address.to_owned(),
    }
}

/// The endpoint of a path; `None` for a file of the documentation.
fn endpoint(matched: MatchedPath<'_>) -> Option<Endpoint> {
    let MatchedPath::Endpoint(route, _) = matched else {
        return None;
    };
    let scopes = match route.operation {
        Operation::Catalogue(_, scopes) => scopes,
        Operation::Service(_) | Operation::DescribeKey => &[],
    };
    let operation = openapi::document().operation(route.path);
    Some(Endpoint {
        path: route.path.to_string(),
        operation: &operation.id,
        key: operation.key_in_words().replace('`', ""),
        scopes: scopes.iter().map(|scope| scope.as_str()).collect(),
    })
}

fn refused(error: ApiError) -> Refused {
    let (code, message) = (error.code(), error.message());
    let (issues, cause) = match error {
        ApiError::Validation(issues) => (issues, None),
        ApiError::Internal(cause)
        | ApiError::Overloaded(cause)
        | ApiError::Unavailable(cause)
        | ApiError::ReleaseGone(Some(cause)) => (Vec::new(), Some(chain(&*cause))),
        _ => (Vec::new(), None),
    };
    Refused {
        code,
        message,
        issues,
        cause,
    }
}

fn named(catalogue: &Catalogue, kind: Kind, name: &IdOrSlug) -> Option<NamedRecord> {
    let [id, slug] = catalogue.names(catalogue.find(kind, name)?);
    let name = name.as_str();
    Some(NamedRecord {
        kind: kind.singular(),
        id: id.to_owned(),
        slug: slug.to_owned(),
        found_by: match (name == id, name == slug) {
            (true, true) => "id and slug",
            (true, false) => "id",
            (false, _) => "slug",
        },
    })
}

fn body(found: Resource) -> ExplainedBody {
    ExplainedBody {
        bytes: found.body.len() as u64,
        etag: found.etag.in_coding(Coding::Identity).text(),
        cache: match found.freshness {
            Freshness::Hit { .. } => "HIT",
            Freshness::Miss => "MISS",
        },
        link: found.link,
    }
}

/// A file as it is sent uncompressed.
fn whole_body(file: &SentFile) -> ExplainedBody {
    ExplainedBody {
        bytes: file.bytes(),
        etag: file.etag.text(),
        cache: "HIT",
        link: None,
    }
}
