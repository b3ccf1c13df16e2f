//! List responses: from the statements of a plan to ordinals, from ordinals to the exact bytes of the
//! envelope.

use std::sync::Arc;

use bytes::Bytes;
use shared::base::etag::ETag;
use shared::release::ReleaseError;

use super::dictionaries::UnknownTerm;
use super::pool::{QueryError, integers};
use super::sql::{ListPlan, Statement};
use super::totals::Totals;
use super::{Catalogue, Records};
use crate::params::{ListQuery, Page};

/// The exact body of a list response.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ListBody {
    /// The body, envelope included.
    pub bytes: Bytes,
    /// Its hash.
    pub etag: ETag,
    /// Number of rows on the page.
    pub rows: u64,
    /// Number of rows that match, whatever the page.
    pub total: u64,
}

/// Why a list could not be answered.
#[derive(Debug, thiserror::Error)]
pub enum ListError {
    /// The query failed.
    #[error(transparent)]
    Query(#[from] QueryError),
    /// The bodies could not be read.
    #[error(transparent)]
    Read(#[from] ReleaseError),
    /// The bodies have no names.
    #[error("could not read the names of what boats are found by")]
    Names(#[from] serde_json::Error),
}

impl Catalogue {
    /// The terms in the filters of `query` that no boat has, which is why it finds nothing.
    pub fn unknown_terms(&self, query: &ListQuery) -> Vec<UnknownTerm> {
        self.dictionaries.unknown_terms(query)
    }

    /// A page of a list, envelope included.
    pub async fn list(self: &Arc<Self>, query: &ListQuery) -> Result<ListBody, ListError> {
        let (plan, page) = (self.dictionaries.plan(query), query.page());
        let catalogue = Arc::clone(self);
        // The bodies may be on disk, so they are read on the blocking thread too.
        let answer = self.pool.run(move |connection| {
            let ask = |asked: &Statement| integers(connection, asked);
            let (total, ordinals) = rows(&catalogue.totals, &plan, page, ask)?;
            let records = catalogue.records(plan.list.kind);
            let bytes = envelope(records, &ordinals, page, total)?;
            Ok(ListBody {
                etag: ETag::of(&bytes),
                bytes,
                rows: ordinals.len() as u64,
                total,
            })
        });
        answer.await
    }
}

/// The number of rows of `plan`, and the ordinals of those on `page`. `ask` runs a statement and
/// returns the first column of every row.
pub(super) fn rows(
    totals: &Totals,
    plan: &ListPlan,
    page: Page,
    mut ask: impl FnMut(&Statement) -> Result<Vec<i64>, QueryError>,
) -> Result<(u64, Vec<i64>), QueryError> {
    let first = |numbers: &[i64]| numbers.first().map_or(0, |number| number.unsigned_abs());
    let count = plan.total();
    let total = match (totals.known(plan, &count), plan.total_and_rows(page)) {
        (Some(total), _) => total,
        (None, Some(asked)) => {
            let numbers = ask(&asked)?;
            let total = first(&numbers);
            totals.remember(count, total);
            let before_page = usize::try_from(page.offset).unwrap_or(usize::MAX);
            let ordinals = numbers.iter().skip(1).skip(before_page).copied();
            return Ok((total, ordinals.collect()));
        }
        (None, None) => {
            let total = first(&ask(&count)?);
            totals.remember(count, total);
            total
        }
    };
    if total <= page.offset {
        return Ok((total, Vec::new()));
    }
    let page = plan.page(page, total);
    let mut ordinals = ask(&page.statement)?;
    if page.is_reversed {
        ordinals.reverse();
    }
    Ok((total, ordinals))
}

/// The rows as the release holds them, inside the list envelope (specification section 2.1).
fn envelope(
    records: &Records,
    ordinals: &[i64],
    page: Page,
    total: u64,
) -> Result<Bytes, ReleaseError> {
    let mut bytes = Vec::with_capacity(ordinals.len() * 1024 + 128);
    bytes.extend_from_slice(br#"{"data":["#);
    for (place, &ordinal) in ordinals.iter().enumerate() {
        if 0 < place {
            bytes.push(b',');
        }
        let ordinal = u32::try_from(ordinal).unwrap_or(u32::MAX);
        let row = records.index.entry(ordinal).head.row();
        records.with_line(ordinal, |line| bytes.extend_from_slice(&line[row]))?;
        bytes.push(b'}');
    }
    let Page { limit, offset } = page;
    let end = format!(r#"],"pagination":{{"total":{total},"limit":{limit},"offset":{offset}}}}}"#);
    bytes.extend_from_slice(end.as_bytes());
    Ok(bytes.into())
}

#[cfg(test)]
mod tests;
