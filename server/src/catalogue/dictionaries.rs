//! The dictionaries of a release: from the slugs and words of a typed query to their ids, which is
//! its plan. Nothing here runs a query.

use std::collections::HashMap;

use serde::Serialize;
use shared::base::ids::Slug;
use shared::release::Record;
use shared::release::reader::{Dictionaries, DictionaryEntry};

use super::sql::{Condition, ListPlan, integer};
use super::tables::Terms;
use crate::params::{ListQuery, Role, Value, Vocabulary};

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
            match (&parameter.role, value) {
                (&Role::Slug(vocabulary), Value::Slug(slug)) => {
                    conditions.push(self.slug(vocabulary, slug));
                }
                (&Role::AtLeast(measure, _), Value::Integer(least)) => {
                    conditions.push(Condition::AtLeast(measure, integer(*least)));
                }
                (&Role::AtLeast(measure, _), Value::Decimal(least)) => {
                    conditions.push(Condition::AtLeast(measure, least.ceil(measure.decimals)));
                }
                (&Role::AtMost(measure, _), Value::Integer(most)) => {
                    conditions.push(Condition::AtMost(measure, integer(*most)));
                }
                (&Role::AtMost(measure, _), Value::Decimal(most)) => {
                    conditions.push(Condition::AtMost(measure, most.floor(measure.decimals)));
                }
                // Both bounds and their unit are one condition.
                (Role::LengthMin | Role::LengthMax, _) => {
                    conditions.extend(lengths.take().map(Condition::Length));
                }
                (Role::Search, Value::Search(words)) => {
                    conditions.extend(words.iter().map(|prefix| self.word(prefix)));
                }
                (
                    Role::LengthUnit
                    | Role::Limit { .. }
                    | Role::Offset
                    | Role::Sort(_)
                    | Role::Order
                    | Role::Release,
                    _,
                ) => {}
                (Role::Slug(_) | Role::AtLeast(..) | Role::AtMost(..) | Role::Search, _) => {
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
    pub(super) fn unknown_terms(&self, query: &ListQuery) -> Vec<UnknownTerm> {
        let of_term = query.given().filter_map(|(parameter, value)| {
            let (&Role::Slug(vocabulary), Value::Slug(slug)) = (&parameter.role, value) else {
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

    /// The id of this slug of a vocabulary, if it is known.
    pub(super) fn id(&self, vocabulary: Vocabulary, slug: &str) -> Option<i64> {
        self.ids(vocabulary).get(slug).copied()
    }

    /// That a boat has this slug of a vocabulary.
    fn slug(&self, vocabulary: Vocabulary, slug: &Slug) -> Condition {
        let id = self.id(vocabulary, slug.as_str()).unwrap_or(UNKNOWN);
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
