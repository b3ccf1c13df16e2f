//! The lookups of the catalogue's endpoints.

use std::sync::Arc;

use bytes::Bytes;
use shared::base::clock::{Clock, Moment};
use shared::base::etag::ETag;
use shared::base::ids::{IdOrSlug, Slug};
use shared::keys::scope::Scopes;
use shared::release::{Kind, ReleaseId};

use super::bodies::written;
use super::changes::ChangesPage;
use super::error::ApiError;
use crate::cache::{CacheError, Freshness, ListCache, ListKey};
use crate::catalogue::{Body, BodyError, Catalogue, FoundRecord, ListBody, ListError, QueryError};
use crate::comparisons::{ComparisonError, Comparisons};
use crate::metrics::Queries;
use crate::params::{self, ChangesQuery, ListQuery, ParamIssue, QueryString, page_links};

/// The context of a lookup: one release, one moment, one URL.
pub(crate) struct LookUp<'a> {
    pub(crate) catalogue: &'a Arc<Catalogue>,
    pub(crate) lists: &'a ListCache,
    pub(crate) comparisons: &'a Arc<Comparisons>,
    /// What the caller may read.
    pub(crate) scopes: Scopes,
    pub(crate) metrics: &'a Queries,
    pub(crate) clock: &'a dyn Clock,
    pub(crate) path: &'a str,
    pub(crate) query: &'a QueryString,
    pub(crate) now: Moment,
}

/// The result of a lookup.
pub(crate) struct Resource {
    pub(crate) body: Bytes,
    pub(crate) etag: ETag,
    pub(crate) freshness: Freshness,
    /// Value of the `Link` header.
    pub(crate) link: Option<String>,
    /// Rows of the page, if it is one of a list.
    pub(crate) rows: Option<u64>,
}

impl LookUp<'_> {
    /// The key of a list in the cache.
    pub(crate) fn key(&self, query: &ListQuery) -> ListKey {
        ListKey {
            release: self.catalogue.release_id().to_owned(),
            list: query.list().kind.name(),
            query: query.canonical(),
        }
    }

    /// A page of a list, from the cache or from a query.
    pub(crate) async fn list(&self, query: &ListQuery) -> Result<Resource, ApiError> {
        let answer = self.catalogue.list(query);
        let (body, freshness) = self.remembered(&self.key(query), answer).await?;
        let link = page_links(self.path, self.query, query.page(), body.total);
        Ok(Resource {
            body: body.bytes,
            etag: body.etag,
            freshness,
            link,
            rows: Some(body.rows),
        })
    }

    /// What the filters of boats would find, from the cache or from queries.
    pub(crate) async fn facets(&self, query: &ListQuery) -> Result<Resource, ApiError> {
        let key = ListKey {
            list: "facets",
            ..self.key(query)
        };
        let answer = self.catalogue.facets(query);
        let (body, freshness) = self.remembered(&key, answer).await?;
        Ok(Resource {
            freshness,
            ..Resource::precomputed(body.bytes, body.etag)
        })
    }

    /// What the cache has of that key, or else `answer`.
    async fn remembered(
        &self,
        key: &ListKey,
        answer: impl Future<Output = Result<ListBody, ListError>>,
    ) -> Result<(ListBody, Freshness), ApiError> {
        let waiting = self.catalogue.queue_limits().longest();
        let answer = self.measured(answer);
        let asked = self.lists.get_or_query(key, self.now, waiting, answer);
        let answered = asked.await.inspect_err(|refused| {
            if matches!(refused, CacheError::WaitedTooLong { .. }) {
                self.metrics.refuse_identical();
            }
        })?;
        Ok(answered)
    }

    /// One record; counts it if a queue refused to read its body.
    pub(crate) async fn record(
        &self,
        kind: Kind,
        id_or_slug: &IdOrSlug,
    ) -> Result<Resource, ApiError> {
        let found = find(self.catalogue, kind, id_or_slug)?;
        let body = self.catalogue.body(found).await;
        if let Err(BodyError::Queue(refused)) = &body {
            self.metrics.refuse(refused);
        }
        let Body { bytes, etag } = body?;
        Ok(Resource::precomputed(bytes, etag))
    }

    /// The terms that boats are found by.
    pub(crate) fn terms(&self) -> Resource {
        let Body { bytes, etag } = self.catalogue.terms().clone();
        Resource::precomputed(bytes, etag)
    }

    /// A page of what changed since another release, of the kinds that the caller may read.
    pub(crate) async fn changes(&self, query: &ChangesQuery) -> Result<Resource, ApiError> {
        let since = ReleaseId::parse(&query.since).ok_or(ApiError::ReleaseGone(None))?;
        let compared = self.comparisons.since(&since, self.catalogue, self.now);
        let compared = compared.await;
        if let Err(CacheError::Failed(ComparisonError::Queue(refused))) = &compared {
            self.metrics.refuse(refused);
        }
        let (changes, is_new) = compared?;
        let page = ChangesPage::of(self.catalogue, &changes, self.scopes, query);
        let body = written(&page);
        Ok(Resource {
            etag: ETag::of(&body),
            body,
            freshness: if is_new {
                Freshness::Miss
            } else {
                Freshness::Hit { age_seconds: 0 }
            },
            link: page_links(self.path, self.query, query.page, page.total()),
            rows: Some(page.rows()),
        })
    }

    /// The same query, measured: its time if it succeeds, a counter if a queue refuses it.
    async fn measured(
        &self,
        query: impl Future<Output = Result<ListBody, ListError>>,
    ) -> Result<ListBody, ListError> {
        let begun = self.clock.monotonic();
        let answer = query.await;
        if let Err(ListError::Query(QueryError::Queue(refused))) = &answer {
            self.metrics.refuse(refused);
            return answer;
        }
        let ended = self.clock.monotonic();
        self.metrics.took(ended.saturating_sub(begun));
        answer
    }
}

impl Resource {
    /// A body that the import made.
    fn precomputed(body: Bytes, etag: ETag) -> Self {
        Self {
            body,
            etag,
            freshness: Freshness::Hit { age_seconds: 0 },
            link: None,
            rows: None,
        }
    }
}

/// The list of boats filtered by one manufacturer's slug, so that rows and cache entries are the
/// same from either endpoint.
pub(crate) fn boats_of(
    catalogue: &Catalogue,
    id_or_slug: &IdOrSlug,
    query: ListQuery,
) -> Result<ListQuery, ApiError> {
    let manufacturer = find(catalogue, Kind::Manufacturers, id_or_slug)?;
    let [_id, slug] = catalogue.names(manufacturer);
    let slug = Slug::parse(slug).unwrap_or_else(|_| unreachable!("the import checked every slug"));
    Ok(query.of_manufacturer(slug))
}

fn find(catalogue: &Catalogue, kind: Kind, id_or_slug: &IdOrSlug) -> Result<FoundRecord, ApiError> {
    let found = catalogue.find(kind, id_or_slug);
    found.ok_or(ApiError::NoRecord(kind.singular()))
}

/// Reads the path of one record, given a parsed query; the issue of the path comes first.
pub(crate) fn parse_nested<Q>(
    segment: &str,
    query: Result<Q, Vec<ParamIssue>>,
) -> Result<(IdOrSlug, Q), Vec<ParamIssue>> {
    match (params::parse_id_or_slug(segment), query) {
        (Ok(id_or_slug), Ok(query)) => Ok((id_or_slug, query)),
        (Ok(_), Err(issues)) => Err(issues),
        (Err(issue), query) => {
            let others = query.err().unwrap_or_default();
            Err(std::iter::once(issue).chain(others).collect())
        }
    }
}
