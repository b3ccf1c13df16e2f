//! The rules of identity across records: ids and slugs are unique, and no slug is another record's
//! id.
//!
//! If two records clash, the finding is about the later one and says where the earlier one is.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use shared::base::ids::IdOrSlug;

use super::reporter::{Problem, text_of};
use crate::finding::{Code, Place};
use crate::json::{Node, Value};

/// What identifies a record, as far as it is readable.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Identity {
    pub(crate) id: Option<IdOrSlug>,
    pub(crate) slug: Option<IdOrSlug>,
    pub(crate) is_published: bool,
}

impl Identity {
    /// The identity of a record; errors in its form are reported when the fields are read.
    pub(crate) fn of(record: &Node<'_>) -> Self {
        // Slugs of every kind also follow the grammar of ids.
        let valid = |text: &str| IdOrSlug::parse(text).ok();
        Self {
            id: text_of(record, "id").and_then(valid),
            slug: text_of(record, "slug").and_then(valid),
            is_published: record
                .member("published")
                .is_none_or(|published| published.value != Value::Bool(false)),
        }
    }
}

/// The ids and slugs of one kind seen so far.
#[derive(Debug, Default)]
pub(crate) struct Identities {
    ids: HashMap<IdOrSlug, Claim>,
    slugs: HashMap<IdOrSlug, Place>,
}

#[derive(Debug)]
struct Claim {
    place: Place,
    is_published: bool,
}

/// A problem with the value of one key.
pub(crate) struct Clash {
    pub(crate) key: &'static str,
    pub(crate) problem: Problem,
}

impl Identities {
    /// Records an identity and returns its clashes.
    pub(crate) fn claim(&mut self, identity: Identity, place: &Place) -> Vec<Clash> {
        let Identity {
            id,
            slug,
            is_published,
        } = identity;
        let slug = slug.filter(|_slug| is_published);
        let is_own_id = id == slug;
        let may_clash = is_published && !is_own_id;
        let mut clashes = Vec::new();
        if let Some(id) = id {
            let claim = Claim {
                place: place.clone(),
                is_published,
            };
            self.claim_id(id, claim, may_clash, &mut clashes);
        }
        if let Some(slug) = slug {
            self.claim_slug(slug, place, may_clash, &mut clashes);
        }
        clashes
    }

    fn claim_id(&mut self, id: IdOrSlug, claim: Claim, may_clash: bool, clashes: &mut Vec<Clash>) {
        if let Some(other) = self.slugs.get(&id).filter(|_other| may_clash) {
            let relation = "is the slug of the record";
            clashes.push(clash("id", Code::SlugIsAnId, &id, relation, other));
        }
        match self.ids.entry(id) {
            Entry::Occupied(other) => {
                let place = &other.get().place;
                clashes.push(clash("id", Code::DuplicateId, other.key(), TAKEN, place));
            }
            Entry::Vacant(free) => {
                free.insert(claim);
            }
        }
    }

    fn claim_slug(
        &mut self,
        slug: IdOrSlug,
        place: &Place,
        may_clash: bool,
        clashes: &mut Vec<Clash>,
    ) {
        let named_so = self
            .ids
            .get(&slug)
            .filter(|other| may_clash && other.is_published);
        if let Some(other) = named_so {
            let relation = "is the id of the record";
            clashes.push(clash(
                "slug",
                Code::SlugIsAnId,
                &slug,
                relation,
                &other.place,
            ));
        }
        match self.slugs.entry(slug) {
            Entry::Occupied(other) => {
                clashes.push(clash(
                    "slug",
                    Code::DuplicateSlug,
                    other.key(),
                    TAKEN,
                    other.get(),
                ));
            }
            Entry::Vacant(free) => {
                free.insert(place.clone());
            }
        }
    }
}

/// The words for a name that an earlier record already has.
const TAKEN: &str = "is already that of the record";

fn clash(key: &'static str, code: Code, name: &IdOrSlug, relation: &str, other: &Place) -> Clash {
    let message = format!("the {key} {name} {relation} at {other}");
    Clash {
        key,
        problem: Problem::new(code, message),
    }
}
