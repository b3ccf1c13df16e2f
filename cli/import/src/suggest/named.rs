//! Which keys are called like the source of a field, in any order of words and with any unit.
//!
//! Several keys may be called like one. None of them is chosen here.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::sync::LazyLock;

use super::names::{Reading, WANTED, Wanted};
use super::photos::list_of;
use super::survey::Key;
use super::values::is_read;
use crate::mapping::folded::words;
use crate::mapping::status::words::GROUPS;

/// Words for units at the end of a name, and the units that they mean.
const UNITS: [(&str, &[&str]); 15] = [
    ("mm", &["mm"]),
    ("cm", &["cm"]),
    ("ft", &["ft", "feet", "foot"]),
    ("in", &["in", "inch", "inches"]),
    (
        "m",
        &["m", "mt", "mtr", "metre", "metres", "meter", "meters"],
    ),
    ("kg", &["kg", "kgs", "kilos", "kilograms"]),
    ("lb", &["lb", "lbs", "pounds"]),
    ("t", &["t", "tons", "tonnes"]),
    ("m2", &["m2", "sqm", "qm"]),
    ("ft2", &["ft2", "sqft"]),
    ("kn", &["kn", "kt", "kts", "knots"]),
    ("deg", &["deg", "degrees"]),
    ("l", &["l", "ltr", "litres", "liters"]),
    ("cents", &["cents", "cent"]),
    (
        "",
        &[
            "eur", "euro", "usd", "gbp", "sek", "nzd", "pln", "nok", "dkk", "aud", "chf",
        ],
    ),
];

/// Words that say nothing about what a key holds.
const NOISE: [&str; 13] = [
    "boat", "yacht", "vessel", "the", "of", "in", "no", "nr", "approx", "total", "s", "spec",
    "string",
];

/// All names that the source of a field may have.
static NAMES: LazyLock<HashSet<String>> =
    LazyLock::new(|| WANTED.iter().flat_map(names_of).collect());

/// A key with the words of its names.
pub(super) struct Named<'s> {
    pub(super) key: &'s Key,
    /// The words of all of its names.
    whole: String,
    /// The words of the names after those that only group, if there are such.
    inner: Option<String>,
    /// The words of the last name, if it is a measure beside others in an object that is not known.
    measure: Option<String>,
    /// The unit that they end with.
    pub(super) unit: Option<&'static str>,
}

/// Words in names of objects with measures of their own.
const PARTS: [&str; 32] = [
    "anhanger",
    "anker",
    "berth",
    "cabin",
    "cockpit",
    "dealer",
    "dinghy",
    "engine",
    "engines",
    "image",
    "images",
    "keel",
    "kiel",
    "mast",
    "mooring",
    "moteur",
    "motor",
    "motoren",
    "motors",
    "package",
    "parcel",
    "photo",
    "picture",
    "remorque",
    "rig",
    "sail",
    "sails",
    "seller",
    "shipping",
    "tender",
    "thumbnail",
    "trailer",
];

impl<'s> Named<'s> {
    pub(super) fn new(key: &'s Key) -> Self {
        Self::called(key, &key.steps)
    }

    fn called(key: &'s Key, steps: &[String]) -> Self {
        let steps = list_of(steps);
        let names: Vec<Vec<String>> = steps.iter().map(|name| words(name)).collect();
        let all: Vec<String> = names.concat();
        let (whole, unit) = without_unit(&all);
        let is_group = |(step, name): &(&String, &Vec<String>)| {
            step.ends_with(':') || name.iter().all(|word| GROUPS.contains(&word.as_str()))
        };
        let groups = steps.iter().zip(&names).take(names.len() - 1);
        let groups = groups.take_while(is_group).count();
        let inner = (0 < groups).then(|| {
            let inner = names[groups..].concat();
            canonical(without_unit(&inner).0.iter().map(String::as_str))
        });
        Self {
            key,
            whole: canonical(whole.iter().map(String::as_str)),
            inner,
            measure: None,
            unit,
        }
    }

    /// The path of the object around it.
    fn around(&self) -> &'s [String] {
        self.key
            .steps
            .split_last()
            .map_or(&[], |(_, around)| around)
    }

    /// The measure that its last name is called like, and that name.
    fn last(&self) -> Option<(&'static str, String)> {
        let last = words(self.key.steps.last()?);
        let last = canonical(without_unit(&last).0.iter().map(String::as_str));
        let is_it = |wanted: &&Wanted| {
            is_measure(wanted.reading)
                && is_read(wanted.reading, self.key)
                && names_of(wanted).any(|name| name == last)
        };
        let wanted = WANTED.iter().find(is_it)?;
        Some((wanted.field, last))
    }

    pub(super) fn is_measure_called(&self, name: &str) -> bool {
        self.measure.as_deref() == Some(name)
    }

    /// Whether the names differ only in case, in signs, or in the form of letters in Unicode.
    pub(super) fn is_written_like(&self, other: &Self) -> bool {
        self.key.words() == other.key.words()
    }

    pub(super) fn is_called(&self, name: &str) -> bool {
        self.whole == name
    }

    pub(super) fn is_called_within(&self, name: &str) -> bool {
        self.inner.as_deref() == Some(name)
    }
}

/// Finds objects that hold measures of a boat, whatever they are called: at least two, and no part
/// of a boat or of anything else has so many.
pub(super) fn find_measures(all: &mut [Named<'_>]) {
    let lasts: Vec<_> = all.iter().map(Named::last).collect();
    let mut fields: BTreeMap<&[String], BTreeSet<&str>> = BTreeMap::new();
    for (named, last) in all.iter().zip(&lasts) {
        if let Some((field, _)) = last {
            fields.entry(named.around()).or_default().insert(field);
        }
    }
    let is_part = |around: &[String]| {
        let mut words = around.iter().flat_map(|name| words(name));
        words.any(|word| PARTS.contains(&word.as_str()))
    };
    fields.retain(|around, fields| 1 < fields.len() && !around.is_empty() && !is_part(around));
    for (named, last) in all.iter_mut().zip(lasts) {
        let is_in = fields.contains_key(named.around());
        named.measure = last.filter(|_| is_in).map(|(_, name)| name);
    }
}

/// Whether a key could be the source of a field, if it had these names.
pub(super) fn is_field(key: &Key, steps: &[String]) -> bool {
    let named = Named::called(key, steps);
    WANTED.iter().any(|wanted| {
        let is_called = |name: String| named.is_called(&name) || named.is_called_within(&name);
        is_read(wanted.reading, key) && names_of(wanted).any(is_called)
    })
}

/// Whether a column with this name could be the source of a field.
pub(super) fn is_name_of_field(name: &str) -> bool {
    let all = words(name);
    let (whole, _unit) = without_unit(&all);
    let whole = canonical(whole.iter().map(String::as_str));
    !whole.is_empty() && NAMES.contains(&whole)
}

/// The first key that is called like a time of change, though its form may not be known.
pub(super) fn time_of_change(keys: &[Key]) -> Option<&Key> {
    // As in `1/2/2026`. A number of days or of a stand has fewer.
    let has_digits = |value: &str| 6 <= value.bytes().filter(u8::is_ascii_digit).count();
    let wanted = WANTED.iter().find(|wanted| wanted.field == "updatedAt")?;
    let is_called = |key: &&Key| {
        let named = Named::new(key);
        !key.samples.is_empty()
            && key.mostly(has_digits)
            && names_of(wanted).any(|name| named.is_called(&name) || named.is_called_within(&name))
    };
    keys.iter().find(is_called)
}

/// The names that the source of a field may have: usual ones, and that of the field itself.
pub(super) fn names_of(wanted: &Wanted) -> impl Iterator<Item = String> {
    let own = words(wanted.field);
    let own = canonical(own.iter().map(String::as_str));
    let usual = wanted.names.iter().map(|name| canonical(name.split(' ')));
    usual.chain([own])
}

/// One spelling for the same words in any order. Noise is dropped unless nothing else remains.
fn canonical<'w>(words: impl Iterator<Item = &'w str>) -> String {
    let mut words: Vec<&str> = words.collect();
    words.sort_unstable();
    words.dedup();
    let telling: Vec<&str> = words
        .iter()
        .copied()
        .filter(|word| !NOISE.contains(word))
        .collect();
    if telling.is_empty() {
        words.join(" ")
    } else {
        telling.join(" ")
    }
}

/// Whether a value is a number of something.
const fn is_measure(reading: Reading) -> bool {
    use Reading::{Angle, Area, Distance, Number, Speed, Weight};
    matches!(reading, Angle | Area | Distance | Number | Speed | Weight)
}

/// The words before the unit, and the unit.
pub(super) fn without_unit(words: &[String]) -> (&[String], Option<&'static str>) {
    let Some((last, before)) = words.split_last().filter(|(_, before)| !before.is_empty()) else {
        return (words, None);
    };
    let unit = UNITS
        .iter()
        .find(|(_, spellings)| spellings.contains(&last.as_str()));
    match unit {
        Some((unit, _)) => (before, Some(*unit).filter(|unit| !unit.is_empty())),
        None => (words, None),
    }
}
