//! What the filters of boats would find: how many boats have each of their values, under all filters
//! of a request but the value's own.
//!
//! The filters are those of lists, with their SQL. Each vocabulary is counted by one statement or
//! two, and names come from the release.

use std::borrow::Cow;
use std::cmp::Reverse;
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
    /// Id of the manufacturer or of the term.
    id: String,
    /// The value of the filter.
    slug: String,
    /// Name for people.
    name: String,
    /// Boats that the filter would find with it, besides the others of the request.
    #[schemars(range(min = 1))]
    count: u64,
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

/// A record or a term, as far as facets show it.
#[derive(Deserialize)]
struct Named<'a> {
    #[serde(borrow)]
    id: Cow<'a, str>,
    #[serde(borrow)]
    slug: Cow<'a, str>,
    #[serde(borrow)]
    name: Cow<'a, str>,
}

/// The terms of all boats, as `GET /v1/terms` lists them.
#[derive(Deserialize)]
struct NamedTerms<'a> {
    #[serde(borrow)]
    types: Vec<Named<'a>>,
    #[serde(borrow)]
    categories: Vec<Named<'a>>,
    #[serde(borrow)]
    activities: Vec<Named<'a>>,
}

/// How many boats have each id of a vocabulary; ids that none has are left out.
pub(super) type Counts = HashMap<i64, u64>;

impl Catalogue {
    /// What the filters would find under those of `query`, envelope included.
    pub async fn facets(self: &Arc<Self>, query: &ListQuery) -> Result<ListBody, ListError> {
        let all = self.dictionaries.plan(query);
        let plans = Vocabulary::ALL.map(|vocabulary| {
            let plan = self.dictionaries.plan(&query.without(vocabulary));
            (vocabulary, plan)
        });
        let catalogue = Arc::clone(self);
        let answer = self.pool.run(move |connection| {
            let data = catalogue.count_facets(connection, &all, &plans)?;
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
        all: &ListPlan,
        plans: &[(Vocabulary, ListPlan); 4],
    ) -> Result<Facets, ListError> {
        let mut values = HashMap::new();
        for (vocabulary, plan) in plans {
            values.insert(*vocabulary, counts(connection, plan, *vocabulary)?);
        }
        let mut counts_of = |vocabulary| values.remove(&vocabulary).unwrap_or_default();
        let terms: Enveloped<NamedTerms<'_>> = serde_json::from_slice(&self.terms.bytes)?;
        let terms = terms.data;
        let mut of_terms = |vocabulary, named: Vec<Named<'_>>| {
            let counts: Counts = counts_of(vocabulary);
            let count = |named: &Named<'_>| {
                let id = self.dictionaries.id(vocabulary, &named.slug)?;
                counts.get(&id).copied()
            };
            let counted = named
                .into_iter()
                .filter_map(|named| Some((count(&named)?, named)));
            let mut counted: Vec<_> = counted.collect();
            sort_and_cut(&mut counted, |named| &named.slug);
            let values = counted.into_iter();
            values
                .map(|(count, named)| FacetValue::of(named, count))
                .collect()
        };
        let types = of_terms(Vocabulary::Types, terms.types);
        let categories = of_terms(Vocabulary::Categories, terms.categories);
        let activities = of_terms(Vocabulary::Activities, terms.activities);
        let manufacturers =
            manufacturers(&self.manufacturers, counts_of(Vocabulary::Manufacturers))?;
        let (total, ranges) = summary(connection, all)?;
        let (year, length_metres) = ranges.unzip();
        Ok(Facets {
            total,
            types,
            categories,
            activities,
            manufacturers,
            year,
            length_metres,
        })
    }
}

impl FacetValue {
    fn of(named: Named<'_>, count: u64) -> Self {
        Self {
            id: named.id.into(),
            slug: named.slug.into(),
            name: named.name.into(),
            count,
        }
    }
}

/// How many rows of `plan` have each id of a vocabulary.
pub(super) fn counts(
    connection: &Connection,
    plan: &ListPlan,
    vocabulary: Vocabulary,
) -> Result<Counts, QueryError> {
    let grouped = |column| rows_of(connection, &plan.grouped(column, ""));
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
    for (bits, boats) in grouped("terms")?.into_iter().map(pair) {
        for id in terms.ids(bits) {
            *counts.entry(id).or_default() += boats;
        }
    }
    Ok(counts)
}

/// The values of the filter by manufacturer, whose ids are ordinals.
fn manufacturers(records: &Records, counts: Counts) -> Result<Vec<FacetValue>, ListError> {
    let slug = |ordinal| records.index.names(ordinal)[1];
    let counted = counts.into_iter().map(|(id, count)| {
        let ordinal = u32::try_from(id).unwrap_or(u32::MAX);
        (count, (slug(ordinal), ordinal))
    });
    let mut counted: Vec<_> = counted.collect();
    sort_and_cut(&mut counted, |(slug, _)| slug);
    let value = |(count, (_, ordinal)): (u64, (&str, u32))| {
        let body = records.read(ordinal)?;
        let mut row = body[records.index.entry(ordinal).head.row()].to_vec();
        row.push(b'}');
        let named: Named<'_> = serde_json::from_slice(&row)?;
        Ok(FacetValue::of(named, count))
    };
    counted.into_iter().map(value).collect()
}

/// The greatest counts first, then by slug; no more than a filter shows.
fn sort_and_cut<T>(counted: &mut Vec<(u64, T)>, slug: impl Fn(&T) -> &str) {
    counted.sort_unstable_by(|(one, a), (other, b)| {
        let greatest_first = Reverse(one).cmp(&Reverse(other));
        greatest_first.then_with(|| slug(a).cmp(slug(b)))
    });
    counted.truncate(FACET_VALUES_MAX);
}

/// How many rows there are, and between what their first years and lengths lie.
fn summary(
    connection: &Connection,
    plan: &ListPlan,
) -> Result<(u64, Option<(YearRange, LengthRange)>), QueryError> {
    let year = Measure::FIRST_YEAR.name;
    let others = format!(", min({year}), max({year}), min(length), max(length)");
    let (mut total, mut ranges) = (0, None);
    // One row for each system of units that boats are measured in.
    for [system, boats, first, last, shortest, longest] in
        rows_of(connection, &plan.grouped("unit", &others))?
    {
        total += boats.unsigned_abs();
        let system = Unit::ALL.into_iter().find(|known| unit(*known) == system);
        let metres = |length| shown_metres(length, system.unwrap_or_default());
        let (shortest, longest) = (metres(shortest), metres(longest));
        let (years, lengths) = ranges.get_or_insert((
            YearRange {
                min: first,
                max: last,
            },
            LengthRange {
                min: shortest,
                max: longest,
            },
        ));
        (years.min, years.max) = (years.min.min(first), years.max.max(last));
        if shortest < lengths.min {
            lengths.min = shortest;
        }
        if lengths.max < longest {
            lengths.max = longest;
        }
    }
    Ok((total, ranges))
}
