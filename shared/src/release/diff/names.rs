//! Names of records that lead elsewhere than before, or nowhere: a record is found by its slug and
//! by its id.

use std::collections::HashMap;

use serde::Serialize;

use super::Listed;
use crate::release::Record;

/// A slug that no longer leads to its record.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct MovedSlug {
    /// Id of the record.
    pub id: Box<str>,
    /// Its slug before.
    pub from: Box<str>,
    /// Its slug after.
    pub to: Box<str>,
    /// Id of the record to which the former slug leads now; null when it leads nowhere.
    pub taken_by: Option<Box<str>>,
}

/// A slug or an id that leads to another record than before.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct TakenName {
    /// The slug or the id.
    pub name: Box<str>,
    /// Id of the record to which it led, which is gone.
    pub from: Box<str>,
    /// Id of the record to which it leads now.
    pub to: Box<str>,
}

pub(super) fn moved(old: &Record, new: &Record) -> MovedSlug {
    MovedSlug {
        id: new.id.clone(),
        from: old.slug.clone(),
        to: new.slug.clone(),
        taken_by: None,
    }
}

/// Says where the former slugs lead now.
pub(super) fn name_takers(moved: &mut [MovedSlug], records: &[Record]) {
    let places = moved.iter().enumerate();
    let by_slug: HashMap<Box<str>, usize> = places
        .map(|(place, one)| (one.from.clone(), place))
        .collect();
    for record in records {
        for name in [&record.slug, &record.id] {
            if let Some(&place) = by_slug.get(name) {
                moved[place].taken_by = Some(record.id.clone());
            }
        }
    }
}

/// Which names of records that are gone lead to others now.
pub(super) fn taken_names(
    gone: &[&Record],
    records: &[Record],
    examples_max: usize,
) -> Listed<TakenName> {
    let names = gone.iter().flat_map(|record| [&*record.slug, &*record.id]);
    let mut taken_by: HashMap<&str, Option<&Record>> = names.map(|name| (name, None)).collect();
    for record in records {
        for name in [&*record.slug, &*record.id] {
            if let Some(taker) = taken_by.get_mut(name) {
                *taker = Some(record);
            }
        }
    }
    let mut taken = Listed::default();
    for record in gone {
        // Both may be one.
        let id = (record.slug != record.id).then_some(&record.id);
        for name in [Some(&record.slug), id].into_iter().flatten() {
            if let Some(&Some(taker)) = taken_by.get(&**name) {
                let taken_name = || TakenName {
                    name: name.clone(),
                    from: record.id.clone(),
                    to: taker.id.clone(),
                };
                taken.push(taken_name, examples_max);
            }
        }
    }
    taken
}
