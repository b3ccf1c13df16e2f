//! What happened to the fields of records, told from how many records have them.

use std::collections::HashMap;

use serde::Serialize;

use crate::base::render::coverage::is_member;
use crate::release::fields::FieldCount;

/// What happened to fields that had a value in some record before. Of an object, only the object
/// itself is named where the same happened to its members.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct FieldsDiff {
    /// Null, or an empty list, in every record now. Not judged where there are no records now.
    pub null_now: Vec<String>,
    /// Not in the body of any record now.
    pub gone: Vec<String>,
    /// In every record before, and not in every one now. Of an object that may be null, the members
    /// are judged by the records that have it.
    pub optional_now: Vec<String>,
    /// Whole numbers only before, and fractions now.
    pub fractional_now: Vec<String>,
}

/// Compares fields, each side with its number of records.
pub(super) fn fields_diff(before: (&[FieldCount], u64), after: (&[FieldCount], u64)) -> FieldsDiff {
    let [before, after] = [before, after].map(Counts::new);
    let mut diff = FieldsDiff::default();
    for old in before.fields.iter().filter(|old| old.present != 0) {
        let Some(new) = after.by_path.get(&*old.path) else {
            name(&mut diff.gone, &old.path);
            continue;
        };
        if after.records == 0 {
            continue;
        }
        if new.present == 0 {
            name(&mut diff.null_now, &old.path);
        } else if before.is_everywhere(old) && !after.is_everywhere(new) {
            name(&mut diff.optional_now, &old.path);
        }
        if !old.fractional && new.fractional {
            name(&mut diff.fractional_now, &old.path);
        }
    }
    diff
}

/// The fields of one kind of record in one release.
struct Counts<'a> {
    fields: &'a [FieldCount],
    by_path: HashMap<&'a str, &'a FieldCount>,
    records: u64,
}

impl<'a> Counts<'a> {
    fn new((fields, records): (&'a [FieldCount], u64)) -> Self {
        let by_path = fields.iter().map(|field| (&*field.path, field)).collect();
        Self {
            fields,
            by_path,
            records,
        }
    }

    /// Whether each record has the field; of a member of an object that may be null, each record
    /// that has the object.
    fn is_everywhere(&self, field: &FieldCount) -> bool {
        let mut path = &*field.path;
        let mut might = self.records;
        while let Some((object, _)) = path.rsplit_once('.') {
            if let Some(object) = self.by_path.get(object) {
                might = object.present;
                break;
            }
            path = object;
        }
        field.present == might
    }
}

/// Adds a field, unless the object whose member it is stands there already.
fn name(list: &mut Vec<String>, path: &str) {
    if !list.iter().any(|named| is_member(path, named)) {
        list.push(path.to_owned());
    }
}
