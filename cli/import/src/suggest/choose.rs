//! Chooses the likeliest source key of each field: by the name of the key, provided that its values
//! are of the right kind.

use std::collections::BTreeSet;

use super::named::{Named, find_measures, names_of};
use super::names::{Reading, WANTED, Wanted};
use super::status::Publication;
use super::survey::{Key, Shape, Surveyed};
use super::values::is_read;

/// A field with its source.
#[derive(Debug)]
pub(super) struct Choice<'s> {
    pub(super) wanted: &'static Wanted,
    pub(super) key: &'s Key,
    /// The unit that the name of the key ends with.
    pub(super) unit: Option<&'static str>,
    /// Keys that mean the same by their names, with other values.
    pub(super) others: Vec<&'s Key>,
    /// Whether it is in an object that is not known, beside other measures.
    pub(super) is_within_unknown: bool,
}

/// The sources of the fields of a file.
#[derive(Debug, Default)]
pub(super) struct Choices<'s> {
    /// The fields that have a likely source.
    pub(super) made: Vec<Choice<'s>>,
    /// Fields that have several: their names differ only in how they are written.
    pub(super) unsettled: Vec<(&'static Wanted, Vec<&'s Key>)>,
    /// Measures that have none, though a key is called like them: not all of its values are numbers.
    pub(super) unfit: Vec<(&'static Wanted, &'s Key)>,
}

/// The sources of the fields that have a likely one. Each key is the source of only one field,
/// except that a slug may also serve as the record key; one that says what is public is of none.
pub(super) fn choose<'s>(file: &'s Surveyed, publication: &Publication<'s>) -> Choices<'s> {
    let free = file.keys.iter().filter(|key| !publication.reads(key));
    let mut named: Vec<Named<'s>> = free.map(Named::new).collect();
    find_measures(&mut named);
    let mut taken = BTreeSet::new();
    let mut choices: Vec<Option<Choice<'s>>> = WANTED.iter().map(|_| None).collect();
    let mut unsettled: Vec<(&'static Wanted, Vec<&Key>)> = Vec::new();
    let ways: [fn(&Named<'s>, &str) -> bool; 3] = [
        Named::is_called,
        Named::is_called_within,
        Named::is_measure_called,
    ];
    for (way, is_found) in ways.into_iter().enumerate() {
        let is_within_unknown = way == 2;
        for (wanted, choice) in WANTED.iter().zip(&mut choices) {
            if choice.is_some() || unsettled.iter().any(|(of, _)| of.field == wanted.field) {
                continue;
            }
            let found = names_of(wanted).find_map(|name| {
                let fits = |(place, named): &(usize, &Named<'s>)| {
                    !taken.contains(place)
                        && is_found(named, &name)
                        && is_read(wanted.reading, named.key)
                };
                let found: Vec<_> = named.iter().enumerate().filter(fits).collect();
                // Beside a key that names its unit, one without may be in any.
                let with_unit = found.iter().find(|(_, named)| named.unit.is_some());
                let first = *with_unit.or_else(|| found.first())?;
                let differs = |(_, other): &(usize, &Named<'s>)| {
                    other.unit.is_none_or(|unit| first.1.unit == Some(unit))
                        && other.key.samples != first.1.key.samples
                };
                Some((first, found.into_iter().filter(differs).collect::<Vec<_>>()))
            });
            let Some(((place, named), others)) = found else {
                continue;
            };
            let alike = others
                .iter()
                .filter(|(_, other)| is_within_unknown || other.is_written_like(named));
            let alike: Vec<usize> = alike.map(|(place, _)| *place).collect();
            if alike.is_empty() {
                taken.extend((wanted.reading != Reading::Id).then_some(place));
                *choice = Some(Choice {
                    wanted,
                    key: named.key,
                    unit: named.unit,
                    others: others.iter().map(|(_, other)| other.key).collect(),
                    is_within_unknown,
                });
            } else {
                let others = others.iter().map(|(_, other)| other.key);
                unsettled.push((wanted, [named.key].into_iter().chain(others).collect()));
                taken.extend([place].into_iter().chain(alike));
            }
        }
    }
    let open = WANTED.iter().zip(&choices).filter(|(wanted, choice)| {
        choice.is_none() && unsettled.iter().all(|(of, _)| of.field != wanted.field)
    });
    let free = named.iter().enumerate();
    let free = free.filter(|(place, _)| !taken.contains(place));
    let free: Vec<&Named<'s>> = free.map(|(_, named)| named).collect();
    let open = open.map(|(wanted, _)| wanted);
    Choices {
        unfit: unfit(open, &free),
        made: choices.into_iter().flatten().collect(),
        unsettled,
    }
}

/// The measures among these fields that one of these keys is called like, though it does not fit.
fn unfit<'s>(
    open: impl Iterator<Item = &'static Wanted>,
    free: &[&Named<'s>],
) -> Vec<(&'static Wanted, &'s Key)> {
    let measures = open.filter(|wanted| wanted.reading.is_number());
    let unfit = measures.filter_map(|wanted| {
        let called = free.iter().find(|named| {
            let is_value = !matches!(named.key.shape, Shape::Deep | Shape::List);
            is_value
                && !named.key.samples.is_empty()
                && names_of(wanted).any(|name| named.is_called(&name))
        })?;
        Some((wanted, called.key))
    });
    unfit.collect()
}
