//! The terms of a release's boats: counted while boats are written, rendered once as the body of
//! `GET /v1/terms`.
//!
//! Releases of former formats do not hold that body; it is made of the bodies of their boats, the
//! same byte for byte. Nothing here writes a file.

use std::collections::HashMap;
use std::fmt;
use std::path::Path;

use serde::Deserialize;

use super::ReleaseError;
use super::bodies::Bodies;
use super::tables::int;
use crate::base::fold::fold;
use crate::base::ids::{IdOrSlug, InvalidIdentifier, Slug};
use crate::base::model::{Reference, Term, Terms};
use crate::base::render::{self, BodyTooLarge};
use crate::release::throttle::{Throttle, throttled};

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

/// The terms of one vocabulary that boats refer to, each with a code, which is its place in the
/// order in which they first appear.
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

    /// Those of the boats with these bodies, which are read at `path`.
    fn of(bodies: &Bodies, path: &Path, throttle: &dyn Throttle) -> Result<Self, ReleaseError> {
        let mut all = Self::default();
        for boat in throttled(0..bodies.count(), throttle) {
            let body = bodies.read(boat)?;
            let damaged = |why: &dyn fmt::Display| {
                ReleaseError::damaged(path, format!("its body {boat} cannot be read: {why}"))
            };
            let body: Body = serde_json::from_slice(&body).map_err(|why| damaged(&why))?;
            let WrittenBoat {
                boat_type,
                categories,
                activities,
            } = body.data;
            let boat = int(boat);
            let vocabularies = [
                (&mut all.types, vec![boat_type]),
                (&mut all.categories, categories),
                (&mut all.activities, activities),
            ];
            for (vocabulary, terms) in vocabularies {
                for term in terms {
                    let term = BoatTerm::try_from(term).map_err(|why| damaged(&why))?;
                    vocabulary.count(term, boat);
                }
            }
        }
        Ok(all)
    }
}

/// The body of `GET /v1/terms` for a release that does not hold it: made of the bodies of its boats,
/// which are read at `path`.
pub(super) fn body_of(
    bodies: &Bodies,
    path: &Path,
    throttle: &dyn Throttle,
) -> Result<Vec<u8>, ReleaseError> {
    let body = Vocabularies::of(bodies, path, throttle)?.body();
    // What publishes a release does not let that happen.
    body.map_err(|_too_large| ReleaseError::damaged(path, "its terms do not fit into one body"))
}

/// What is read of the body of a boat.
#[derive(Deserialize)]
struct Body {
    data: WrittenBoat,
}

#[derive(Deserialize)]
struct WrittenBoat {
    #[serde(rename = "type")]
    boat_type: WrittenTerm,
    categories: Vec<WrittenTerm>,
    activities: Vec<WrittenTerm>,
}

#[derive(Deserialize)]
struct WrittenTerm {
    id: String,
    name: String,
    slug: String,
}

impl TryFrom<WrittenTerm> for BoatTerm {
    type Error = InvalidIdentifier;

    fn try_from(term: WrittenTerm) -> Result<Self, InvalidIdentifier> {
        Ok(Self {
            id: IdOrSlug::parse(&term.id)?,
            name: term.name.into(),
            slug: Slug::parse(&term.slug)?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::render::BODY_MAX;
    use crate::release::throttle::Unthrottled;

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

    #[test]
    fn bodies_with_more_terms_than_a_body_holds_are_damaged() {
        let (mut contents, mut offsets) = (Vec::new(), vec![0]);
        for number in 0..3 {
            let name = "x".repeat(BODY_MAX / 3);
            let term = format!(r#"{{"id":"t{number}","name":"{name}","slug":"t{number}"}}"#);
            let body = format!(r#"{{"data":{{"type":{term},"categories":[],"activities":[]}}}}"#);
            contents.extend_from_slice(body.as_bytes());
            offsets.push(contents.len() as u64);
        }
        let path = Path::new("boats.bodies");
        let of = |offsets: &[u64]| {
            let bodies = Bodies::in_memory(offsets.to_vec(), contents.clone().into());
            body_of(&bodies, path, &Unthrottled)
        };
        assert!(of(&offsets[..3]).is_ok());
        let error = of(&offsets).unwrap_err();
        assert!(error.is_damage());
        let message = "boats.bodies is damaged: its terms do not fit into one body";
        assert!(error.to_string().starts_with(message), "{error}");
    }
}
