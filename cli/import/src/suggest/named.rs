//! Which keys are called like the source of a field, in any order of words and with any unit.
//!
//! Several keys may be called like one. None of them is chosen here.

use std::collections::HashSet;
use std::sync::LazyLock;

use super::names::{GROUPS, WANTED, Wanted};
use super::survey::Key;
use super::text::words;
use super::values::is_read;

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
    /// The unit that they end with.
    pub(super) unit: Option<&'static str>,
}

impl<'s> Named<'s> {
    pub(super) fn new(key: &'s Key) -> Self {
        Self::called(key, &key.steps)
    }

    fn called(key: &'s Key, steps: &[String]) -> Self {
        let names: Vec<Vec<String>> = steps.iter().map(|name| words(name)).collect();
        let all: Vec<String> = names.concat();
        let (whole, unit) = without_unit(&all);
        let only_groups = |name: &[String]| name.iter().all(|word| GROUPS.contains(&word.as_str()));
        let groups = names.iter().take(names.len() - 1);
        let groups = groups.take_while(|name| only_groups(name)).count();
        let inner = (0 < groups).then(|| {
            let inner = names[groups..].concat();
            canonical(without_unit(&inner).0.iter().map(String::as_str))
        });
        Self {
            key,
            whole: canonical(whole.iter().map(String::as_str)),
            inner,
            unit,
        }
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
    NAMES.contains(&canonical(whole.iter().map(String::as_str)))
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
