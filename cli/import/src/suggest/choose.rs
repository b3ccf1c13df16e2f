//! Chooses the likeliest source key of each field: by the name of the key, provided that its values
//! are of the right kind.

use std::collections::BTreeSet;

use super::names::{GROUPS, Reading, WANTED, Wanted};
use super::status::{Publication, flag_of};
use super::survey::{Key, Shape, Surveyed};
use super::text::words;

/// A field with its source.
#[derive(Debug)]
pub(super) struct Choice<'s> {
    pub(super) wanted: &'static Wanted,
    pub(super) key: &'s Key,
    /// The unit that the name of the key ends with.
    pub(super) unit: Option<&'static str>,
    /// Keys that mean the same by their names, with other values.
    pub(super) others: Vec<&'s Key>,
}

/// The sources of the fields of a file.
#[derive(Debug, Default)]
pub(super) struct Choices<'s> {
    /// The fields that have a likely source.
    pub(super) made: Vec<Choice<'s>>,
    /// Fields that have several: their names differ only in how they are written.
    pub(super) unsettled: Vec<(&'static Wanted, Vec<&'s Key>)>,
}

/// Words for units at the end of a name, and the units that they mean.
const UNITS: [(&str, &[&str]); 14] = [
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
    (
        "",
        &[
            "eur", "usd", "gbp", "sek", "nzd", "pln", "nok", "dkk", "aud", "chf",
        ],
    ),
];

/// Words that say nothing about what a key holds.
const NOISE: [&str; 13] = [
    "boat", "yacht", "vessel", "the", "of", "in", "no", "nr", "approx", "total", "s", "spec",
    "string",
];

/// The sources of the fields that have a likely one. Each key is the source of only one field,
/// except that a slug may also serve as the record key; one that says what is public is of none.
pub(super) fn choose<'s>(file: &'s Surveyed, publication: &Publication<'s>) -> Choices<'s> {
    let free = file.keys.iter().filter(|key| !publication.reads(key));
    let named: Vec<Named<'s>> = free.map(Named::new).collect();
    let mut taken = BTreeSet::new();
    let mut choices: Vec<Option<Choice<'s>>> = WANTED.iter().map(|_| None).collect();
    let mut unsettled: Vec<(&'static Wanted, Vec<&Key>)> = Vec::new();
    let ways: [fn(&Named<'s>, &str) -> bool; 2] = [Named::is_called, Named::is_called_within];
    for is_found in ways {
        for (wanted, choice) in WANTED.iter().zip(&mut choices) {
            if choice.is_some() || unsettled.iter().any(|(of, _)| of.field == wanted.field) {
                continue;
            }
            let found = names(wanted).find_map(|name| {
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
                .filter(|(_, other)| other.is_written_like(named));
            let alike: Vec<usize> = alike.map(|(place, _)| *place).collect();
            if alike.is_empty() {
                taken.extend((wanted.reading != Reading::Id).then_some(place));
                *choice = Some(Choice {
                    wanted,
                    key: named.key,
                    unit: named.unit,
                    others: others.iter().map(|(_, other)| other.key).collect(),
                });
            } else {
                let others = others.iter().map(|(_, other)| other.key);
                unsettled.push((wanted, [named.key].into_iter().chain(others).collect()));
                taken.extend([place].into_iter().chain(alike));
            }
        }
    }
    Choices {
        made: choices.into_iter().flatten().collect(),
        unsettled,
    }
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
            && names(wanted).any(|name| named.is_called(&name) || named.is_called_within(&name))
    };
    keys.iter().find(is_called)
}

/// Whether a key could be the source of a field, if it had these names.
pub(super) fn is_field(key: &Key, steps: &[String]) -> bool {
    let named = Named::called(key, steps);
    WANTED.iter().any(|wanted| {
        let is_called = |name: String| named.is_called(&name) || named.is_called_within(&name);
        is_read(wanted.reading, key) && names(wanted).any(is_called)
    })
}

/// The names that the source of a field may have: usual ones, and that of the field itself.
fn names(wanted: &Wanted) -> impl Iterator<Item = String> {
    let own = words(wanted.field);
    let own = canonical(own.iter().map(String::as_str));
    let usual = wanted.names.iter().map(|name| canonical(name.split(' ')));
    usual.chain([own])
}

/// A key with the words of its names.
struct Named<'s> {
    key: &'s Key,
    /// The words of all of its names.
    whole: String,
    /// The words of the last name, if the names before it only group.
    last: Option<String>,
    unit: Option<&'static str>,
}

impl<'s> Named<'s> {
    fn new(key: &'s Key) -> Self {
        Self::called(key, &key.steps)
    }

    fn called(key: &'s Key, steps: &[String]) -> Self {
        let names: Vec<Vec<String>> = steps.iter().map(|name| words(name)).collect();
        let all: Vec<String> = names.concat();
        let (whole, unit) = without_unit(&all);
        let last = names.split_last().and_then(|(last, before)| {
            let groups = before.iter().flatten();
            let is_within = !before.is_empty()
                && groups
                    .into_iter()
                    .all(|word| GROUPS.contains(&word.as_str()));
            is_within.then(|| canonical(without_unit(last).0.iter().map(String::as_str)))
        });
        Self {
            key,
            whole: canonical(whole.iter().map(String::as_str)),
            last,
            unit,
        }
    }

    /// Whether the names differ only in case, in signs, or in the form of letters in Unicode.
    fn is_written_like(&self, other: &Self) -> bool {
        self.key.words() == other.key.words()
    }

    fn is_called(&self, name: &str) -> bool {
        self.whole == name
    }

    fn is_called_within(&self, name: &str) -> bool {
        self.last.as_deref() == Some(name)
    }
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

/// Whether the values of a key can be read as `reading`.
pub(super) fn is_read(reading: Reading, key: &Key) -> bool {
    if key.shape == Shape::Deep || key.samples.is_empty() {
        return false;
    }
    let is_list = matches!(reading, Reading::Names | Reading::Texts | Reading::Prose);
    if key.shape == Shape::List && !is_list {
        return false;
    }
    let has_number = |value: &str| value.bytes().any(|byte| byte.is_ascii_digit());
    let begins_with_number = |value: &str| {
        let first = value.trim_start_matches(|c: char| !c.is_alphanumeric());
        first.starts_with(|c: char| c.is_ascii_digit())
    };
    match reading {
        Reading::Id => key.all(|value| value.len() <= 200),
        Reading::Slug => key.all(is_slug),
        Reading::Time => key.all(is_time) || key.all(is_day) || key.all(is_dotted_day),
        Reading::Text | Reading::Texts | Reading::Prose => key.shape != Shape::Flag,
        Reading::Name | Reading::Names => {
            key.shape >= Shape::Text && key.mostly(|value| value.len() <= 120)
        }
        Reading::Year => key.mostly(|value| year_of(value).is_some()),
        Reading::Unit => key.all(|value| system_of(value).is_some()),
        Reading::Number
        | Reading::Distance
        | Reading::Area
        | Reading::Weight
        | Reading::Speed
        | Reading::Angle => key.mostly(begins_with_number),
        Reading::Price => key.mostly(has_number),
        Reading::Currency => {
            key.all(|value| value.len() == 3 && value.bytes().all(|byte| byte.is_ascii_uppercase()))
        }
        Reading::Flag => key.all(|value| flag_of(value).is_some()),
        Reading::Image => key.mostly(|value| value.starts_with("http")),
    }
}

/// Whether a string can be used in a URL unchanged.
pub(super) fn is_slug(text: &str) -> bool {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"._-".contains(&byte);
    text.len() <= 200
        && text.starts_with(|c: char| c.is_ascii_alphanumeric())
        && text.bytes().all(is_plain)
}

/// Whether a string is a time with an offset (RFC 3339).
pub(super) fn is_time(text: &str) -> bool {
    let (day, time) = text.split_at_checked(10).unwrap_or((text, ""));
    let has_offset = time.ends_with('Z') || time.rfind(['+', '-']).is_some_and(|at| 8 < at);
    is_day(day) && time.starts_with('T') && has_offset
}

/// Whether a string is a date such as `2026-11-22`.
pub(super) fn is_day(text: &str) -> bool {
    has_shape(text, "0000-00-00")
}

/// Whether a string is a date such as `22.11.2026`. In dates with dots, the day comes first.
pub(super) fn is_dotted_day(text: &str) -> bool {
    has_shape(text, "00.00.0000")
}

/// Whether a string matches `shape`, in which `0` stands for any digit.
fn has_shape(text: &str, shape: &str) -> bool {
    let digit_or_same = |c: char| if c.is_ascii_digit() { '0' } else { c };
    text.chars().map(digit_or_same).eq(shape.chars())
}

/// Whether the name of an image contains its dimensions, as in `bow_1600x1067.jpg`.
pub(super) fn has_size(address: &str) -> bool {
    let plain = address.split('?').next().unwrap_or_default();
    let name = plain.rsplit_once('.').map_or("", |(name, _)| name);
    let parts = name.rsplit_once('x').and_then(|(before, height)| {
        let width = before.rsplit(|c: char| !c.is_ascii_digit()).next()?;
        Some((width, height))
    });
    let is_size = |text: &str| {
        (2..=5).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_digit())
    };
    parts.is_some_and(|(width, height)| is_size(width) && is_size(height))
}

fn year_of(text: &str) -> Option<u16> {
    let mut numbers = text.split(|c: char| !c.is_ascii_digit());
    let year = numbers.find(|number| number.len() == 4)?.parse().ok()?;
    (1800..=2100).contains(&year).then_some(year)
}

/// The unit system that a word means.
pub(super) fn system_of(word: &str) -> Option<&'static str> {
    match word.trim().to_ascii_lowercase().as_str() {
        "metric" | "m" | "si" | "metre" | "metres" | "meter" | "meters" => Some("metric"),
        "imperial" | "ft" | "feet" | "foot" | "us" => Some("imperial"),
        _ => None,
    }
}
