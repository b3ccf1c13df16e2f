//! What the endpoints of the catalogue share: the surroundings of a look-up, and what one finds.

use std::sync::Arc;

use bytes::Bytes;
use shared::base::clock::{Clock, Moment};
use shared::base::etag::ETag;
use shared::base::ids::IdOrSlug;

use super::error::ApiError;
use crate::cache::{CacheError, Freshness, ListCache, ListKey, ListKind};
use crate::catalogue::{Body, BodyError, Catalogue, ListBody, ListError, QueryError};
use crate::metrics::Queries;
use crate::params::{self, NoParams, Page, ParamIssue, QueryString, page_links};

/// The surroundings of a look-up: one release, one moment, one address.
pub(crate) struct LookUp<'a> {
    pub(crate) catalogue: &'a Arc<Catalogue>,
    pub(crate) lists: &'a ListCache,
    pub(crate) metrics: &'a Queries,
    pub(crate) clock: &'a dyn Clock,
    pub(crate) path: &'a str,
    pub(crate) query: &'a QueryString,
    pub(crate) now: Moment,
}

/// An answer of the catalogue.
pub(crate) struct Found {
    pub(crate) body: Bytes,
    pub(crate) etag: ETag,
    pub(crate) freshness: Freshness,
    /// Value of the `Link` header.
    pub(crate) link: Option<String>,
}

impl LookUp<'_> {
    /// What the answer of a list is remembered by.
    pub(crate) fn key(&self, list: ListKind, canonical_query: String) -> ListKey {
        ListKey {
            release: self.catalogue.release_id().to_owned(),
            list,
            query: canonical_query,
        }
    }

    /// A page of a list, remembered or queried.
    pub(crate) async fn list(
        &self,
        list: ListKind,
        canonical_query: String,
        page: Page,
        query: impl Future<Output = Result<ListBody, ListError>>,
    ) -> Result<Found, ApiError> {
        let key = self.key(list, canonical_query);
        let waiting = self.catalogue.queue_limits().longest();
        let query = self.measured(query);
        let asked = self.lists.get_or_query(&key, self.now, waiting, query);
        let (body, freshness) = asked.await.inspect_err(|refused| {
            if matches!(refused, CacheError::WaitedTooLong { .. }) {
                self.metrics.refuse_identical();
            }
        })?;
        let link = page_links(self.path, self.query, page, body.total);
        Ok(Found {
            body: body.bytes,
            etag: body.etag,
            freshness,
            link,
        })
    }

    /// A record whose body was asked for.
    pub(crate) fn record(&self, body: Result<Body, BodyError>) -> Result<Found, ApiError> {
        if let Err(BodyError::Queue(refused)) = &body {
            self.metrics.refuse(refused);
        }
        let Body { bytes, etag } = body?;
        Ok(Found::precomputed(bytes, etag))
    }

    /// The same query, measured: those that are answered, by their time, and those that a queue
    /// refuses.
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

impl Found {
    /// A body that the import made.
    fn precomputed(body: Bytes, etag: ETag) -> Self {
        Self {
            body,
            etag,
            freshness: Freshness::Hit { age_seconds: 0 },
            link: None,
        }
    }
}

/// Reads the path of one record, which takes no query parameters.
pub(crate) fn parse_record(
    segment: &str,
    query: &QueryString,
) -> Result<IdOrSlug, Vec<ParamIssue>> {
    parse_nested(segment, NoParams::parse(query)).map(|(id_or_slug, ())| id_or_slug)
}

/// Reads the path of one record beside a parsed query; the issue of the path comes first.
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
