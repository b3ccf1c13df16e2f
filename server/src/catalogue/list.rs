//! List responses: from a typed query to a plan, from its statements to ordinals, from ordinals to
//! the exact bytes of the envelope.

use std::collections::HashMap;
use std::sync::Arc;

use bytes::Bytes;
use serde::Serialize;
use shared::base::etag::ETag;
use shared::base::ids::Slug;
use shared::release::reader::{Dictionaries, DictionaryEntry};
use shared::release::{Record, ReleaseError};

use super::pool::{QueryError, integers};
use super::sql::{Condition, ListPlan, Statement, integer};
use super::tables::Terms;
use super::totals::Totals;
use super::{Catalogue, Records};
use crate::params::{Kind, ListQuery, Page, Value, Vocabulary};

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

/// A term in a filter that no boat has.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct UnknownTerm {
    /// The filter.
    pub parameter: &'static str,
    /// Its value.
    pub slug: String,
    /// The slugs that find boats, the most similar first, at most 20.
    pub known: Vec<String>,
}

/// Most slugs suggested in place of one that finds nothing.
const KNOWN_MAX: usize = 20;

impl UnknownTerm {
    fn beside(parameter: &'static str, slug: &Slug, known: &HashMap<Box<str>, i64>) -> Self {
        let slug = slug.as_str();
        let mut known: Vec<&str> = known.keys().map(|other| &**other).collect();
        // If equally similar, by name. There is no NaN.
        known.sort_by(|one, other| {
            let likeness = |known| strsim::jaro_winkler(known, slug);
            let most_like = likeness(other).total_cmp(&likeness(one));
            most_like.then_with(|| one.cmp(other))
        });
        known.truncate(KNOWN_MAX);
        Self {
            parameter,
            slug: slug.to_owned(),
            known: known.into_iter().map(ToOwned::to_owned).collect(),
        }
    }
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

/// An id that no row has, for an unknown slug.
const UNKNOWN: i64 = -1;

/// The dictionary ids of slugs and words.
#[derive(Debug)]
pub(super) struct DictionaryIds {
    manufacturers: HashMap<Box<str>, i64>,
    types: HashMap<Box<str>, i64>,
    categories: HashMap<Box<str>, i64>,
    activities: HashMap<Box<str>, i64>,
    words: Vec<Box<str>>,
}

impl DictionaryIds {
    /// The dictionaries of a release; manufacturers are known by their ordinals.
    pub(super) fn new(makers: &[Record], terms: Dictionaries, words: Vec<Box<str>>) -> Self {
        let by_slug = |terms: Vec<DictionaryEntry>| {
            terms
                .into_iter()
                .map(|(slug, id)| (slug, i64::from(id)))
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

    /// The plan for `query`.
    pub(super) fn plan(&self, query: &ListQuery) -> ListPlan {
        let mut conditions = Vec::new();
        let mut lengths = query.length_ranges();
        for (parameter, value) in query.given() {
            match (&parameter.kind, value) {
                (&Kind::Slug(vocabulary), Value::Slug(slug)) => {
                    conditions.push(self.slug(vocabulary, slug));
                }
                (&Kind::AtLeast(measure, _), Value::Integer(least)) => {
                    conditions.push(Condition::AtLeast(measure, integer(*least)));
                }
                (&Kind::AtLeast(measure, _), Value::Decimal(least)) => {
                    conditions.push(Condition::AtLeast(measure, least.ceil(measure.decimals)));
                }
                (&Kind::AtMost(measure, _), Value::Integer(most)) => {
                    conditions.push(Condition::AtMost(measure, integer(*most)));
                }
                (&Kind::AtMost(measure, _), Value::Decimal(most)) => {
                    conditions.push(Condition::AtMost(measure, most.floor(measure.decimals)));
                }
                // Both bounds and their unit are one condition.
                (Kind::LengthMin | Kind::LengthMax, _) => {
                    conditions.extend(lengths.take().map(Condition::Length));
                }
                (Kind::Search, Value::Search(words)) => {
                    conditions.extend(words.iter().map(|prefix| self.word(prefix)));
                }
                (
                    Kind::LengthUnit | Kind::Limit | Kind::Offset | Kind::Sort(_) | Kind::Order,
                    _,
                ) => {}
                (Kind::Slug(_) | Kind::AtLeast(..) | Kind::AtMost(..) | Kind::Search, _) => {
                    unreachable!("a value of {} is of its kind", parameter.name)
                }
            }
        }
        ListPlan {
            list: query.list(),
            conditions,
            sort: query.sort(),
            order: query.order(),
        }
    }

    /// The terms in the filters of `query` that no boat has.
    fn unknown_terms(&self, query: &ListQuery) -> Vec<UnknownTerm> {
        let of_term = query.given().filter_map(|(parameter, value)| {
            let (&Kind::Slug(vocabulary), Value::Slug(slug)) = (&parameter.kind, value) else {
                return None;
            };
            let known = self.ids(vocabulary);
            let is_unknown =
                vocabulary != Vocabulary::Manufacturers && !known.contains_key(slug.as_str());
            is_unknown.then(|| UnknownTerm::beside(parameter.name, slug, known))
        });
        of_term.collect()
    }

    const fn ids(&self, vocabulary: Vocabulary) -> &HashMap<Box<str>, i64> {
        match vocabulary {
            Vocabulary::Manufacturers => &self.manufacturers,
            Vocabulary::Types => &self.types,
            Vocabulary::Categories => &self.categories,
            Vocabulary::Activities => &self.activities,
        }
    }

    /// That a boat has this slug of a vocabulary.
    fn slug(&self, vocabulary: Vocabulary, slug: &Slug) -> Condition {
        let id = self.ids(vocabulary).get(slug.as_str()).copied();
        let id = id.unwrap_or(UNKNOWN);
        match vocabulary {
            Vocabulary::Manufacturers => Condition::Equals("manufacturer", id),
            Vocabulary::Types => Condition::Equals("type", id),
            Vocabulary::Categories => Condition::Has(Terms::Categories, id),
            Vocabulary::Activities => Condition::Has(Terms::Activities, id),
        }
    }

    /// The ids of all words that begin with `prefix`.
    fn word(&self, prefix: &str) -> Condition {
        let first = self.words.partition_point(|word| **word < *prefix);
        let matching = self.words[first..].partition_point(|word| word.starts_with(prefix));
        let id = |place: usize| i64::try_from(place).unwrap_or(i64::MAX);
        // Without any word the range is empty: its end precedes its start.
        Condition::Word(id(first), id(first + matching) - 1)
    }
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
        bytes.extend_from_slice(&records.read(ordinal)?[row]);
        bytes.push(b'}');
    }
    let Page { limit, offset } = page;
    let end = format!(r#"],"pagination":{{"total":{total},"limit":{limit},"offset":{offset}}}}}"#);
    bytes.extend_from_slice(end.as_bytes());
    Ok(bytes.into())
}

#[cfg(test)]
mod tests;
