//! List answers: from a typed query to codes, from codes to ordinals, from ordinals to the exact
//! bytes of the envelope.

use std::collections::HashMap;
use std::sync::Arc;

use bytes::Bytes;
use shared::base::etag::ETag;
use shared::base::ids::Slug;
use shared::release::reader::{Coded, TermCodes};
use shared::release::{Record, ReleaseError};

use super::pool::{QueryError, integers};
use super::sql::{Condition, ListPlan, Statement};
use super::tables::Sort;
use super::totals::Totals;
use super::{Catalogue, Kind};
use crate::params::{BoatQuery, LengthFilter, ManufacturerQuery, Page, SearchWords};

/// The exact body of a list answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ListBody {
    /// The body, envelope included.
    pub bytes: Bytes,
    /// Its hash.
    pub etag: ETag,
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
}

/// A code that no row has: what an unknown slug becomes.
const UNKNOWN: i64 = -1;

/// The codes by which the tables know slugs and words.
#[derive(Debug)]
pub(super) struct Codes {
    manufacturers: HashMap<Box<str>, i64>,
    types: HashMap<Box<str>, i64>,
    categories: HashMap<Box<str>, i64>,
    activities: HashMap<Box<str>, i64>,
    words: Vec<Box<str>>,
}

impl Codes {
    /// The codes of a release; manufacturers are known by their ordinals.
    pub(super) fn new(makers: &[Record], terms: TermCodes, words: Vec<Box<str>>) -> Self {
        let by_slug = |terms: Vec<Coded>| {
            terms
                .into_iter()
                .map(|(slug, code)| (slug, i64::from(code)))
                .collect()
        };
        Self {
            manufacturers: makers
                .iter()
                .map(|maker| maker.slug.clone())
                .zip(0..)
                .collect(),
            types: by_slug(terms.types),
            categories: by_slug(terms.categories),
            activities: by_slug(terms.activities),
            words,
        }
    }

    pub(super) fn boat_plan(&self, query: &BoatQuery) -> ListPlan {
        let mut conditions = Vec::new();
        let mut slug = |slug: &Option<Slug>, codes: &HashMap<_, i64>, condition: fn(i64) -> _| {
            let code = slug.as_ref().map(|slug| codes.get(slug.as_str()).copied());
            conditions.extend(code.map(|code| condition(code.unwrap_or(UNKNOWN))));
        };
        slug(
            &query.manufacturer,
            &self.manufacturers,
            Condition::Manufacturer,
        );
        slug(&query.boat_type, &self.types, Condition::Type);
        slug(&query.category, &self.categories, Condition::Category);
        slug(&query.activity, &self.activities, Condition::Activity);
        conditions.extend(
            query
                .year_from
                .map(|year| Condition::BuiltFrom(i64::from(year))),
        );
        conditions.extend(
            query
                .year_to
                .map(|year| Condition::BuiltTo(i64::from(year))),
        );
        let length = query.length.as_ref().map(LengthFilter::ranges);
        conditions.extend(length.cloned().map(Condition::Length));
        conditions.extend(self.search(query.search.as_ref(), Condition::BoatWord));
        ListPlan {
            conditions,
            sort: Sort::Boats(query.sort),
            order: query.order,
        }
    }

    pub(super) fn manufacturer_plan(&self, query: &ManufacturerQuery) -> ListPlan {
        let conditions = self
            .search(query.search.as_ref(), Condition::ManufacturerWord)
            .collect();
        ListPlan {
            conditions,
            sort: Sort::Manufacturers(query.sort),
            order: query.order,
        }
    }

    /// One condition a word: the codes of all words that begin with it.
    fn search(
        &self,
        search: Option<&SearchWords>,
        condition: fn(i64, i64) -> Condition,
    ) -> impl Iterator<Item = Condition> {
        let prefixes = search.into_iter().flat_map(SearchWords::iter);
        prefixes.map(move |prefix| {
            let first = self.words.partition_point(|word| **word < *prefix);
            let matching = self.words[first..].partition_point(|word| word.starts_with(prefix));
            let code = |place: usize| i64::try_from(place).unwrap_or(i64::MAX);
            // No word at all makes an empty range, whose end precedes its start.
            condition(code(first), code(first + matching) - 1)
        })
    }
}

impl Catalogue {
    pub(super) async fn list(
        self: &Arc<Self>,
        plan: ListPlan,
        page: Page,
        kind: fn(&Self) -> &Kind,
    ) -> Result<ListBody, ListError> {
        let catalogue = Arc::clone(self);
        // The bodies may be on disk, so they too are read on the thread that may block.
        let answer = self.pool.run(move |connection| {
            let ask = |asked: &Statement| integers(connection, asked);
            let (total, ordinals) = rows(&catalogue.totals, &plan, page, ask)?;
            let bytes = envelope(kind(&catalogue), &ordinals, page, total)?;
            Ok(ListBody {
                etag: ETag::of(&bytes),
                bytes,
                total,
            })
        });
        answer.await
    }
}

/// How many rows `plan` asks for, and the ordinals of those on `page`. Statements are run by
/// `ask`, which gives the first column of every row.
pub(super) fn rows(
    totals: &Totals,
    plan: &ListPlan,
    page: Page,
    mut ask: impl FnMut(&Statement) -> Result<Vec<i64>, QueryError>,
) -> Result<(u64, Vec<i64>), QueryError> {
    let first = |numbers: &[i64]| numbers.first().map_or(0, |number| number.unsigned_abs());
    if let Some(asked) = plan.total_and_rows(page) {
        let numbers = ask(&asked)?;
        let before_page = usize::try_from(page.offset).unwrap_or(usize::MAX);
        let ordinals = numbers.iter().skip(1).skip(before_page).copied();
        return Ok((first(&numbers), ordinals.collect()));
    }
    let total = match totals.of(plan) {
        Some(total) => total,
        None => first(&ask(&plan.total())?),
    };
    let page = plan.page(page, total);
    let mut ordinals = ask(&page.statement)?;
    if page.is_reversed {
        ordinals.reverse();
    }
    Ok((total, ordinals))
}

/// The rows as the release holds them, inside the list envelope (specification section 2.1).
fn envelope(kind: &Kind, ordinals: &[i64], page: Page, total: u64) -> Result<Bytes, ReleaseError> {
    let mut bytes = Vec::with_capacity(ordinals.len() * 1024 + 128);
    bytes.extend_from_slice(br#"{"data":["#);
    for (place, &ordinal) in ordinals.iter().enumerate() {
        if 0 < place {
            bytes.push(b',');
        }
        let ordinal = u32::try_from(ordinal).unwrap_or(u32::MAX);
        let row = kind.index.entry(ordinal).head.row();
        bytes.extend_from_slice(&kind.read(ordinal)?[row]);
        bytes.push(b'}');
    }
    let Page { limit, offset } = page;
    let end = format!(r#"],"pagination":{{"total":{total},"limit":{limit},"offset":{offset}}}}}"#);
    bytes.extend_from_slice(end.as_bytes());
    Ok(bytes.into())
}

#[cfg(test)]
mod tests;
