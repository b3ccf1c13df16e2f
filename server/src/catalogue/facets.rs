//! What the filters of boats would find: how many boats have each of their values, under all filters
//! of a request but the value's own.
//!
//! The filters are those of lists, with their SQL. Each vocabulary is counted by one statement or
//! two, and names come from the release.

use std::collections::HashMap;
use std::sync::Arc;

use duckdb::Connection;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use shared::base::etag::ETag;
use shared::base::number::Number;
use shared::base::units::{Unit, shown_metres};
use shared::release::reader::Measure;

use super::list::{ListBody, ListError};
use super::pool::{QueryError, rows_of};
use super::sql::ListPlan;
use super::tables::{Terms, unit};
use super::{Catalogue, Records};
use crate::params::{ListQuery, Vocabulary};

/// Most values of a filter.
pub(crate) const FACET_VALUES_MAX: usize = 1000;

/// What the filters of boats would find.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Facets {
    /// Boats that match all filters.
    total: u64,
    /// Types, counted under all filters but `type`.
    #[serde(rename = "type")]
    #[schemars(length(max = FACET_VALUES_MAX))]
    types: Vec<FacetValue>,
    /// Categories, counted under all filters but `category`.
    #[serde(rename = "category")]
    #[schemars(length(max = FACET_VALUES_MAX))]
    categories: Vec<FacetValue>,
    /// Activities, counted under all filters but `activity`.
    #[serde(rename = "activity")]
    #[schemars(length(max = FACET_VALUES_MAX))]
    activities: Vec<FacetValue>,
    /// Manufacturers, counted under all filters but `manufacturer`.
    #[serde(rename = "manufacturer")]
    #[schemars(length(max = FACET_VALUES_MAX))]
    manufacturers: Vec<FacetValue>,
    /// First years of production of the boats that match; null where none does.
    year: Option<YearRange>,
    /// Lengths overall of the boats that match, in metres: their `lengthOverallMetres`; null where
    /// none does.
    length_metres: Option<LengthRange>,
}

/// A value of a filter.
#[derive(Serialize, JsonSchema)]
struct FacetValue {
    #[serde(flatten)]
    named: Named,
    /// Boats that the filter would find with it, besides the others of the request.
    #[schemars(range(min = 1))]
    count: u64,
}

/// A manufacturer or a term, as far as facets show it.
#[derive(Serialize, Deserialize, JsonSchema)]
struct Named {
    /// Id of the manufacturer or of the term.
    id: Box<str>,
    /// The value of the filter.
    slug: Box<str>,
    /// Name for people.
    name: Box<str>,
}

/// The first and the last of some years.
#[derive(Serialize, JsonSchema)]
struct YearRange {
    /// The first.
    min: i64,
    /// The last.
    max: i64,
}

/// The least and the greatest of some lengths.
#[derive(Serialize, JsonSchema)]
struct LengthRange {
    /// The least, in metres: rounded to two decimals where the boat is measured in feet.
    min: Number,
    /// The greatest, in metres: rounded to two decimals where the boat is measured in feet.
    max: Number,
}

/// A body with a single member, `data`.
#[derive(Serialize, Deserialize)]
struct Enveloped<T> {
    data: T,
}

/// The terms of all boats, as `GET /v1/terms` lists them.
#[derive(Deserialize)]
struct NamedTerms {
    types: Vec<Named>,
    categories: Vec<Named>,
    activities: Vec<Named>,
}

/// How many boats have each id of a vocabulary; ids that none has are left out.
pub(super) type Counts = HashMap<i64, u64>;

impl Catalogue {
    /// What the filters would find under those of `query`, envelope included.
    pub async fn facets(self: &Arc<Self>, query: &ListQuery) -> Result<ListBody, ListError> {
        let (catalogue, query) = (Arc::clone(self), query.clone());
        let answer = self.pool.run(move |connection| {
            let data = catalogue.count_facets(connection, &query)?;
            let total = data.total;
            let written = serde_json::to_vec(&Enveloped { data });
            let bytes =
                written.unwrap_or_else(|why| unreachable!("counts did not serialise: {why}"));
            Ok(ListBody {
                etag: ETag::of(&bytes),
                bytes: bytes.into(),
                rows: 0,
                total,
            })
        });
        answer.await
    }

    fn count_facets(
        &self,
        connection: &Connection,
        query: &ListQuery,
    ) -> Result<Facets, ListError> {
        let count = |vocabulary| {
            let plan = self.dictionaries.plan(&query.without(vocabulary));
            counts(connection, &plan, vocabulary)
        };
        let of_terms = |vocabulary, terms: Vec<Named>| {
            let counts = count(vocabulary)?;
            let boats = |term: &Named| {
                let id = self.dictionaries.id(vocabulary, &term.slug)?;
                counts.get(&id).copied()
            };
            let counted = terms
                .into_iter()
                .filter_map(|term| Some((boats(&term)?, term)));
            let counted = sorted_and_cut(counted, |term| &term.slug).into_iter();
            let values = counted.map(|(count, named)| FacetValue { named, count });
            Ok::<_, ListError>(values.collect())
        };
        let terms: Enveloped<NamedTerms> = serde_json::from_slice(&self.terms.bytes)?;
        let terms = terms.data;
        let (total, year, length_metres) = summary(connection, &self.dictionaries.plan(query))?;
        Ok(Facets {
            total,
            types: of_terms(Vocabulary::Types, terms.types)?,
            categories: of_terms(Vocabulary::Categories, terms.categories)?,
            activities: of_terms(Vocabulary::Activities, terms.activities)?,
            manufacturers: makers(&self.manufacturers, count(Vocabulary::Manufacturers)?)?,
            year,
            length_metres,
        })
    }
}

/// How many rows of `plan` have each id of a vocabulary.
pub(super) fn counts(
    connection: &Connection,
    plan: &ListPlan,
    vocabulary: Vocabulary,
) -> Result<Counts, QueryError> {
    let grouped = |column: &str| rows_of(connection, &plan.grouped(column, ""));
    let pair = |[id, boats]: [i64; 2]| (id, boats.unsigned_abs());
    let terms = match vocabulary {
        Vocabulary::Manufacturers => {
            return Ok(grouped("manufacturer")?.into_iter().map(pair).collect());
        }
        Vocabulary::Types => return Ok(grouped("type")?.into_iter().map(pair).collect()),
        Vocabulary::Categories => Terms::Categories,
        Vocabulary::Activities => Terms::Activities,
    };
    let without_bits = rows_of(connection, &plan.grouped_terms(terms))?;
    let mut counts: Counts = without_bits.into_iter().map(pair).collect();
    for (bits, boats) in grouped(&terms.column())?.into_iter().map(pair) {
        for id in terms.ids(bits) {
            *counts.entry(id).or_default() += boats;
        }
    }
    Ok(counts)
}

/// The values of the filter by manufacturer, whose ids are ordinals.
fn makers(records: &Records, counts: Counts) -> Result<Vec<FacetValue>, ListError> {
    let counted = counts.into_iter().map(|(id, count)| {
        let ordinal = u32::try_from(id).unwrap_or(u32::MAX);
        let [_id, slug] = records.index.names(ordinal);
        (count, (slug, ordinal))
    });
    let counted = sorted_and_cut(counted, |(slug, _)| slug).into_iter();
    let value = |(count, (_slug, ordinal)): (u64, (&str, u32))| {
        let (mut row, head) = (Vec::new(), records.index.entry(ordinal).head.row());
        records.with_line(ordinal, |line| row.extend_from_slice(&line[head]))?;
        row.push(b'}');
        let named = serde_json::from_slice(&row)?;
        Ok(FacetValue { named, count })
    };
    counted.map(value).collect()
}

/// The greatest counts first, then by slug; no more than a filter shows.
fn sorted_and_cut<T>(
    counted: impl Iterator<Item = (u64, T)>,
    slug: impl Fn(&T) -> &str,
) -> Vec<(u64, T)> {
    let mut counted: Vec<_> = counted.collect();
    counted.sort_unstable_by(|(one, a), (other, b)| {
        let greatest_first = other.cmp(one);
        greatest_first.then_with(|| slug(a).cmp(slug(b)))
    });
    counted.truncate(FACET_VALUES_MAX);
    counted
}

/// How many rows there are, and between what their first years and their lengths lie.
fn summary(
    connection: &Connection,
    plan: &ListPlan,
) -> Result<(u64, Option<YearRange>, Option<LengthRange>), QueryError> {
    let year = Measure::FIRST_YEAR.name;
    let others = format!(", min({year}), max({year}), min(length), max(length)");
    // One row for each system of units that boats are measured in.
    let rows: Vec<[i64; 6]> = rows_of(connection, &plan.grouped("unit", &others))?;
    let column = |place: usize| rows.iter().map(move |row| row[place]);
    let metres = |place: usize| {
        let system = Unit::ALL.map(|system| (unit(system), system));
        rows.iter().filter_map(move |row| {
            let (_, system) = system.iter().find(|(known, _)| *known == row[0])?;
            Some(shown_metres(row[place], *system))
        })
    };
    let shorter = |one: &Number, other: &Number| one.get().total_cmp(&other.get());
    let years = column(2).min().zip(column(3).max());
    let lengths = metres(4).min_by(shorter).zip(metres(5).max_by(shorter));
    Ok((
        column(1).sum::<i64>().unsigned_abs(),
        years.map(|(min, max)| YearRange { min, max }),
        lengths.map(|(min, max)| LengthRange { min, max }),
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_greatest_counts_come_first_then_slugs_and_no_more_than_a_thousand() {
        let sorted = |counted: &[(u64, &'static str)]| {
            let counted = counted.iter().copied();
            let slugs = sorted_and_cut(counted, |slug| slug).into_iter();
            slugs.map(|(_, slug)| slug).collect::<Vec<_>>()
        };
        assert_eq!(
            sorted(&[(1, "a"), (2, "b"), (2, "B"), (10, "z")]),
            ["z", "B", "b", "a"]
        );
        let many = vec![(1, "x"); FACET_VALUES_MAX + 1];
        assert_eq!(sorted(&many).len(), FACET_VALUES_MAX);
    }
}
