//! What is said of records once all are made: how one that was kept differs from one merged into it,
//! and what an unpublished one is called. They are made again for it, because they were not kept.

use std::sync::Arc;

use super::Mapper;
use super::distinct::{MadeOf, UPDATED_AT};
use super::make::{inputs, named, native};
use crate::finding::cut;
use crate::mapping::index::Index;

/// A member in which two merged records differ, as JSON.
pub(in crate::mapping) struct Difference {
    pub(super) name: String,
    pub(super) kept_value: String,
    pub(super) merged_value: String,
}

/// The difference between a record that was kept and one merged into it. Both are made again.
pub(in crate::mapping) fn difference(
    mapper: &mut Mapper,
    index: Arc<Index>,
    (kept, merged): (MadeOf, MadeOf),
) -> Option<Difference> {
    mapper.index = index;
    let (kept, merged) = (made_again(mapper, kept)?, made_again(mapper, merged)?);
    let value = |members: &[(String, String)], of: &str| {
        let mut members = members.iter();
        let member = members.find(|(name, _)| name == of);
        member.map_or("null", |(_, value)| value).to_owned()
    };
    let names = merged.iter().chain(&kept).map(|(name, _)| name);
    let mut names = names.filter(|name| *name != UPDATED_AT);
    let name = names.find(|name| value(&kept, name) != value(&merged, name))?;
    Some(Difference {
        kept_value: cut(&value(&kept, name)),
        merged_value: cut(&value(&merged, name)),
        name: name.to_owned(),
    })
}

/// What people call the native record that an unpublished one would have become.
pub(in crate::mapping) fn name_of(
    mapper: &mut Mapper,
    index: Arc<Index>,
    made_of: MadeOf,
) -> Option<String> {
    mapper.index = index;
    let members = made_again(mapper, made_of)?;
    let key = mapper.definition.rules[made_of.rule].kind.name_key();
    let (_, name) = members.iter().find(|(member, _)| member == key)?;
    named(name)
}

/// The members of a native record with their JSON.
fn made_again(mapper: &Mapper, made_of: MadeOf) -> Option<Vec<(String, String)>> {
    mapper.noted.borrow_mut().begin(made_of.place);
    let document = mapper.index.documents.at(made_of.place);
    mapper.position.begin(&document.file, document.start.line);
    let rule = &mapper.definition.rules[made_of.rule];
    let record = mapper.index.documents.read(made_of.place).ok()?;
    let subject = mapper.subject(document, record);
    let inputs = inputs(mapper, rule, &subject).ok()?;
    let input = inputs.get(made_of.input)?;
    let native = native(mapper, (made_of.rule, rule), document, (&subject, input)).ok()?;
    let members = native.members.iter();
    let members = members.map(|(name, _)| ((*name).to_owned(), native.member(name).to_owned()));
    Some(members.collect())
}
