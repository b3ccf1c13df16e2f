//! The terms of a release's boats: counted while boats are written, rendered once as the body of
//! `GET /v1/terms`.
//!
//! Nothing here writes a file.

use std::collections::HashMap;

use super::tables::{arrange, int, places};
use crate::base::fold::fold;
use crate::base::ids::{IdOrSlug, Slug};
use crate::base::model::{Reference, Term, Terms};
use crate::base::render::{self, BodyTooLarge};

/// A term as a boat refers to it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct BoatTerm {
    id: IdOrSlug,
    name: Box<str>,
    slug: Slug,
}

impl From<&Reference<'_>> for BoatTerm {
    fn from(reference: &Reference<'_>) -> Self {
        Self {
            id: reference.id.clone(),
            name: reference.name.into(),
            slug: reference.slug.clone(),
        }
    }
}

/// The terms of one vocabulary that boats refer to, each with a code, which is its place: first in
/// the order in which they appear, and in the end by how many boats have them.
#[derive(Default)]
pub(super) struct Vocabulary {
    codes: HashMap<Slug, i32>,
    terms: Vec<CountedTerm>,
}

struct CountedTerm {
    term: BoatTerm,
    boats: u64,
    /// Ordinal of the boat that was counted last: one that repeats a term is one boat.
    last_boat: i32,
}

impl Vocabulary {
    /// Counts the boat with that ordinal for a term, and returns the code of the term.
    pub(super) fn count(&mut self, term: BoatTerm, boat: i32) -> i32 {
        let next = self.terms.len();
        let Some(&code) = self.codes.get(term.slug.as_str()) else {
            self.codes.insert(term.slug.clone(), int(next));
            self.terms.push(CountedTerm {
                term,
                boats: 1,
                last_boat: boat,
            });
            return int(next);
        };
        let known = usize::try_from(code).ok();
        if let Some(known) = known.and_then(|code| self.terms.get_mut(code))
            && known.last_boat != boat
        {
            known.boats += 1;
            known.last_boat = boat;
        }
        code
    }

    /// Puts those that most boats have first, so that codes do not depend on the order of an export.
    /// Returns the code that each former code has become.
    pub(super) fn put_in_order(&mut self) -> Vec<i32> {
        let by_boats = |one: &CountedTerm, other: &CountedTerm| {
            let slugs = || one.term.slug.as_str().cmp(other.term.slug.as_str());
            other.boats.cmp(&one.boats).then_with(slugs)
        };
        let mut order: Vec<usize> = (0..self.terms.len()).collect();
        order.sort_unstable_by(|&one, &other| by_boats(&self.terms[one], &self.terms[other]));
        arrange(&mut self.terms, &order);
        let codes = places(&order);
        for code in self.codes.values_mut() {
            *code = codes[usize::try_from(*code).unwrap_or_default()];
        }
        codes
    }

    /// The slugs, in the order of their codes.
    pub(super) fn slugs(&self) -> impl Iterator<Item = &Slug> {
        self.terms.iter().map(|counted| &counted.term.slug)
    }

    /// By folded name, then id.
    fn sorted(&self) -> Vec<Term<'_>> {
        let mut terms: Vec<&CountedTerm> = self.terms.iter().collect();
        terms.sort_by_cached_key(|counted| (fold(&counted.term.name), counted.term.id.clone()));
        terms.into_iter().map(CountedTerm::shown).collect()
    }
}

impl CountedTerm {
    fn shown(&self) -> Term<'_> {
        Term {
            reference: Reference {
                id: &self.term.id,
                name: &self.term.name,
                slug: &self.term.slug,
            },
            boat_count: self.boats,
        }
    }
}

/// The three vocabularies that boats are found by.
#[derive(Default)]
pub(super) struct Vocabularies {
    pub(super) types: Vocabulary,
    pub(super) categories: Vocabulary,
    pub(super) activities: Vocabulary,
}

impl Vocabularies {
    /// The body of `GET /v1/terms`.
    pub(super) fn body(&self) -> Result<Vec<u8>, BodyTooLarge> {
        render::terms(&Terms {
            types: self.types.sorted(),
            categories: self.categories.sorted(),
            activities: self.activities.sorted(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn term(id: &str, name: &str, slug: &str) -> BoatTerm {
        BoatTerm {
            id: IdOrSlug::parse(id).unwrap(),
            name: name.into(),
            slug: Slug::parse(slug).unwrap(),
        }
    }

    #[test]
    fn a_boat_that_repeats_a_term_is_one_boat() {
        let mut categories = Vocabulary::default();
        let cruising = term("c1", "Cruising", "cruising");
        assert_eq!(categories.count(cruising.clone(), 0), 0);
        assert_eq!(categories.count(cruising.clone(), 0), 0);
        assert_eq!(categories.count(term("c2", "Racing", "racing"), 0), 1);
        assert_eq!(categories.count(cruising, 7), 0);
        let counts: Vec<u64> = categories
            .sorted()
            .iter()
            .map(|term| term.boat_count)
            .collect();
        assert_eq!(counts, [2, 1]);
    }

    #[test]
    fn terms_are_sorted_by_folded_name_then_id() {
        let mut types = Vocabulary::default();
        for (boat, (id, name)) in (0..).zip([("b", "Öl"), ("c", "ol"), ("a", "OL"), ("d", "Aa")]) {
            types.count(term(id, name, id), boat);
        }
        let sorted = types.sorted();
        let ids: Vec<&str> = sorted
            .iter()
            .map(|term| term.reference.id.as_str())
            .collect();
        assert_eq!(ids, ["d", "a", "b", "c"]);
    }

    #[test]
    fn more_terms_than_a_body_holds_are_refused() {
        let mut all = Vocabularies::default();
        for number in 0..10_000 {
            let name = "x".repeat(2_000);
            let id = format!("t{number}");
            all.types.count(term(&id, &name, &id), number);
        }
        assert_eq!(all.body(), Err(BodyTooLarge));
    }
}
