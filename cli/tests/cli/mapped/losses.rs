//! The parts of records that a content system cannot store. The system's own export must be equal,
//! to the byte, to the native export without them.
//!
//! Nothing else may differ. A system that is not named here stores everything.

use std::collections::{BTreeMap, BTreeSet};

use any_ascii::any_ascii;
use import::mapping::Shipped;
use serde_json::{Map, Value};

/// The references of a boat to other records, with the kind or vocabulary of these.
const REFERENCES: [(&str, &str); 9] = [
    ("manufacturer", "manufacturer"),
    ("type", "type"),
    ("categories", "category"),
    ("activities", "activity"),
    ("hull/type", "hullType"),
    ("hull/material", "hullMaterial"),
    ("designers/naval", "designer"),
    ("designers/interior", "designer"),
    ("designers/exterior", "designer"),
];

type Record = Map<String, Value>;

/// The differences between the native records and those of a system.
#[derive(Default)]
pub(crate) struct Losses {
    /// Kinds and vocabularies for which the system only has names. Their ids are slugs of the
    /// names, and only those that a boat names exist, except for boats themselves.
    named: &'static [&'static str],
    /// Members that the records of a kind lack.
    without: &'static [(&'static str, &'static [&'static str])],
    /// The time at which manufacturers changed, if the system does not store it.
    updated_at: Option<&'static str>,
    /// The first of all images of a boat is its main image, even if it is the only one.
    first_image_is_main: bool,
}

/// The losses of a system.
pub(crate) fn of(shipped: Shipped) -> Losses {
    match shipped {
        Shipped::Shopify => Losses {
            named: &[
                "boat",
                "manufacturer",
                "designer",
                "type",
                "category",
                "activity",
                "hullType",
                "hullMaterial",
            ],
            without: &[
                ("manufacturer", &["website", "logo", "description"]),
                ("designer", &["website"]),
            ],
            updated_at: Some("2026-01-01T00:00:00Z"),
            first_image_is_main: true,
        },
        Shipped::Minimal => Losses {
            named: &["manufacturer", "type", "category"],
            without: &[
                ("manufacturer", &["website", "logo", "description"]),
                (
                    "boat",
                    &[
                        "activities",
                        "gallery",
                        "hull",
                        "dimensions",
                        "accommodation",
                        "steering",
                        "performance",
                        "rig",
                        "sails",
                        "tanks",
                        "engines",
                        "designers",
                        "ceClassification",
                    ],
                ),
            ],
            ..Losses::default()
        },
        _ => Losses::default(),
    }
}

impl Losses {
    /// The native export without the losses.
    pub(crate) fn reduce(&self, native: &str) -> String {
        let records = native
            .lines()
            .map(|line| serde_json::from_str(line).unwrap());
        let mut records: Vec<Record> = records.filter(is_held).collect();
        let mut referred = BTreeSet::new();
        for boat in &mut records {
            visit_references(boat, &mut |space, id| _ = referred.insert(key(space, id)));
        }
        records.retain(|record| {
            !self.is_named(record) || is_boat(record) || referred.contains(&key_of(record))
        });
        let with_slugs = records.iter().filter(|record| self.is_named(record));
        let slugs: BTreeMap<String, Value> = with_slugs
            .map(|record| (key_of(record), slug(record)))
            .collect();
        for record in &mut records {
            self.leave_out(record);
            if let Some(slug) = slugs.get(&key_of(record)) {
                record["id"] = slug.clone();
            }
            visit_references(record, &mut |space, id| {
                *id = slugs.get(&key(space, id)).unwrap_or(id).clone();
            });
        }
        let lines = records.into_iter().map(Value::from);
        lines.map(|record| record.to_string() + "\n").collect()
    }

    fn is_named(&self, record: &Record) -> bool {
        self.named.contains(&space(record))
    }

    fn leave_out(&self, record: &mut Record) {
        let kind = record["kind"].clone();
        let lost = self.without.iter().filter(|(of, _)| kind == *of);
        for member in lost.flat_map(|(_, members)| *members) {
            record.remove(*member);
        }
        if self.first_image_is_main
            && !record.contains_key("image")
            && let Some(Value::Array(gallery)) = record.get_mut("gallery")
        {
            let first = gallery.remove(0);
            record.insert("image".to_owned(), first);
        }
        if let (Some(time), "manufacturer") = (self.updated_at, space(record)) {
            record["updatedAt"] = time.into();
        }
    }
}

/// The scope in which an id is unique.
fn space(record: &Record) -> &str {
    let vocabulary = record.get("vocabulary").unwrap_or(&record["kind"]);
    vocabulary.as_str().unwrap()
}

/// The slug of a record. Designers have no slug, so it is made from their names.
fn slug(record: &Record) -> Value {
    let of_name = || any_ascii(record["name"].as_str().unwrap()).to_lowercase();
    let slug = record.get("slug").cloned();
    slug.unwrap_or_else(|| of_name().replace(' ', "-").into())
}

/// The key to look a record up.
fn key(space: &str, id: &Value) -> String {
    format!("{space} {id}")
}

fn key_of(record: &Record) -> String {
    key(space(record), &record["id"])
}

fn is_boat(record: &Record) -> bool {
    space(record) == "boat"
}

/// Whether a record should be the same from any system: the counts and unpublished records differ.
fn is_held(record: &Record) -> bool {
    let is_draft = is_boat(record) && record.get("published") == Some(&false.into());
    space(record) != "catalogue" && !is_draft
}

/// Hands the references of a boat to `visit`, each with the scope in which its id is unique.
fn visit_references(record: &mut Record, visit: &mut dyn FnMut(&'static str, &mut Value)) {
    if !is_boat(record) {
        return;
    }
    for (pointer, space) in REFERENCES {
        let mut names = pointer.split('/');
        let first = names.next().and_then(|name| record.get_mut(name));
        match names.fold(first, |value, name| value?.get_mut(name)) {
            Some(Value::Array(ids)) => ids.iter_mut().for_each(|id| visit(space, id)),
            Some(id) => visit(space, id),
            None => {}
        }
    }
}
