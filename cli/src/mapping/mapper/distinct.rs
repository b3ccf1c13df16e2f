//! Rules that make one native record of several, with `distinct`: the first counts, and what is
//! different about the others is to be known.
//!
//! Of a record that was made no more is kept than its place and a hash: what it was is made again
//! for the one difference that is shown.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;

use super::Mapper;
use super::followed::Followed;
use super::make::{Native, Unobserved};
use crate::findings::{Code, Finding, cut};
use crate::mapping::definition::Emit;

/// A field that may differ: records are rarely changed at the same time.
const UPDATED_AT: &str = "updatedAt";

/// Where a native record comes from: a record, and one of the inputs that a rule has of it.
#[derive(Clone, Copy)]
pub(super) struct MadeOf {
    pub(super) rule: usize,
    pub(super) place: usize,
    pub(super) input: usize,
}

/// The native records that were made by rules with `distinct`.
#[derive(Default)]
pub(super) struct Distinct {
    /// By rule and id; ids of terms are told apart by their vocabularies.
    made: HashMap<(usize, String), First>,
    /// How many records have another one merged into them that differs.
    differing: u64,
    first_difference: Option<Difference>,
}

/// The first of the records with an id.
struct First {
    made_of: MadeOf,
    hash: u64,
    is_told: bool,
}

/// A member in which two merged records differ, as JSON.
struct Difference {
    kept: MadeOf,
    kept_value: String,
    merged: MadeOf,
    merged_value: String,
    name: String,
}

impl Mapper {
    /// Merges a native record into the one with its id, if there is one.
    pub(super) fn merge(&mut self, made_of: MadeOf, native: &Native<'_>) -> bool {
        let hash = hash(native);
        let id = format!("{} {}", native.member("vocabulary"), native.member("id"));
        let first = self
            .distinct
            .made
            .entry((made_of.rule, id))
            .or_insert(First {
                made_of,
                hash,
                is_told: false,
            });
        if (first.made_of.place, first.made_of.input) == (made_of.place, made_of.input) {
            return false;
        }
        if first.hash != hash && !first.is_told {
            first.is_told = true;
            let kept = first.made_of;
            self.distinct.differing += 1;
            if self.distinct.first_difference.is_none() {
                self.distinct.first_difference = self.difference(kept, made_of, native);
            }
        }
        true
    }

    fn difference(&self, kept: MadeOf, merged: MadeOf, native: &Native<'_>) -> Option<Difference> {
        let definition = Arc::clone(&self.definition);
        let emit = &definition.emits[kept.rule];
        // Making it again follows its references again.
        let followed = self.followed.replace(Followed::default());
        let again = self.make_again(kept, emit);
        self.followed.replace(followed);
        let again = again?;
        let names = native.members.iter().chain(&again.members);
        let mut names = names
            .map(|(name, _)| *name)
            .filter(|name| *name != UPDATED_AT);
        let name = names.find(|name| native.member(name) != again.member(name))?;
        Some(Difference {
            kept,
            kept_value: cut(again.member(name)),
            merged,
            merged_value: cut(native.member(name)),
            name: name.to_owned(),
        })
    }

    fn make_again<'e>(&self, made_of: MadeOf, emit: &'e Emit) -> Option<Native<'e>> {
        self.followed.borrow_mut().begin(made_of.place);
        let document = self.documents.at(made_of.place);
        let record = self.documents.read(made_of.place).ok()?;
        let subject = self.subject(document, record);
        let inputs = self.inputs(emit, &subject).ok()?;
        let input = inputs.get(made_of.input)?;
        let native = self.native(
            made_of.rule,
            emit,
            document,
            (&subject, input),
            &mut Unobserved,
        );
        native.ok()
    }

    /// Tells of records that were merged although they differ.
    pub(super) fn differing(&self) -> Option<Finding> {
        let Difference {
            kept,
            kept_value,
            merged,
            merged_value,
            name,
        } = self.distinct.first_difference.as_ref()?;
        let (kept, merged) = (
            self.documents.at(kept.place),
            self.documents.at(merged.place),
        );
        let merged_into = match self.distinct.differing {
            1 => "1 record, and kept the first".to_owned(),
            count => format!("{count} records, and kept the first of each"),
        };
        let message = format!(
            "`distinct` merged records that differ into {merged_into}: `{name}` is {merged_value} here, and {kept_value} at {}:{}",
            kept.file.name, kept.line
        );
        Some(Finding::new(
            Code::MergedRecordsDiffer,
            Some(merged.whereabouts()),
            message,
        ))
    }
}

fn hash(native: &Native<'_>) -> u64 {
    let mut hasher = DefaultHasher::new();
    let members = native.members.iter();
    members
        .filter(|(name, _)| *name != UPDATED_AT)
        .for_each(|member| member.hash(&mut hasher));
    hasher.finish()
}
