//! What one parameter with any value at all must give: the contract's words, and plain loops.

use shared::base::fold::{fold, words};
use shared::base::units::Unit;

use super::super::ask::{Ask, names};
use super::super::world::{MAKERS, Plain, TAGS, TYPES, world};

/// What a request must be answered with.
pub(super) enum Expected {
    /// A page with the records of these ids, and how many there are in all.
    Rows(Vec<String>, usize),
    /// The record of this id.
    Record(String),
    /// 400
    Refused,
    /// 404
    Unknown,
    /// 414
    TooLong,
}

impl Expected {
    pub(super) const fn status(&self) -> u16 {
        match self {
            Self::Rows(..) | Self::Record(_) => 200,
            Self::Refused => 400,
            Self::Unknown => 404,
            Self::TooLong => 414,
        }
    }
}

/// The decoded text, where every `%` has two hexadecimal digits and the bytes are UTF-8.
pub(super) fn decode(raw: &str, plus_is_space: bool) -> Option<String> {
    let mut bytes = Vec::new();
    let mut rest = raw.bytes();
    while let Some(byte) = rest.next() {
        let mut digit = || char::from(rest.next()?).to_digit(16);
        let decoded = match byte {
            b'%' => digit()? * 16 + digit()?,
            b'+' if plus_is_space => u32::from(b' '),
            other => u32::from(other),
        };
        bytes.push(u8::try_from(decoded).unwrap());
    }
    String::from_utf8(bytes).ok()
}

fn is_identifier(value: &str, max: usize, inner: &str) -> bool {
    let is_good = |letter: char| letter.is_ascii_alphanumeric() || inner.contains(letter);
    value.len() <= max
        && value.starts_with(|first: char| first.is_ascii_alphanumeric())
        && value.chars().all(is_good)
}

/// The place in a list of slugs, one past its end for a slug that nothing has.
fn place(value: &str, slugs: &[&str]) -> Option<usize> {
    let known = slugs.iter().position(|slug| *slug == value);
    is_identifier(value, 120, "_-").then(|| known.unwrap_or(slugs.len()))
}

fn integer(value: &str, range: std::ops::RangeInclusive<u128>) -> Option<usize> {
    let is_digits = !value.is_empty() && value.bytes().all(|byte| byte.is_ascii_digit());
    let significant = value.trim_start_matches('0');
    // Thirty digits are beyond every range.
    if !is_digits || 30 < significant.len() {
        return None;
    }
    let number = format!("0{significant}").parse().unwrap();
    let is_within = range.contains(&number);
    is_within.then(|| usize::try_from(number).unwrap())
}

/// How many of the oracle's smallest units are a metre: 26 decimals, of which the last says
/// whether there are more.
const METRE: i128 = 100_000_000_000_000_000_000_000_000;

/// A bound above 0 and at most 1000 metres. Rounded so that it compares with every boat's length
/// as the exact value does, because those have seven decimals.
fn bound(value: &str) -> Option<i128> {
    let (whole, fraction) = value.split_once('.').unwrap_or((value, "0"));
    let is_digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let whole_digits = whole.trim_start_matches('0');
    if !is_digits(whole) || !is_digits(fraction) || 4 < whole_digits.len() {
        return None;
    }
    let (kept, rest) = fraction.split_at(fraction.len().min(25));
    let more = i32::from(rest.bytes().any(|byte| byte != b'0'));
    let number: i128 = format!("0{whole_digits}{kept:0<25}{more}").parse().unwrap();
    (0 < number && number <= 1000 * METRE).then_some(number)
}

/// Whether the length is at least, or at most, the bound: exactly in metres, and to within five
/// millimetres for a boat in feet.
fn is_within(boat: &Plain, bound: i128, is_min: bool) -> bool {
    let length = i128::from(boat.physical()) * (METRE / 10_000_000);
    let slack = match boat.unit {
        Unit::Metric => 0,
        Unit::Imperial => METRE / 200,
    };
    if is_min {
        bound - slack <= length
    } else {
        length <= bound + slack
    }
}

fn is_search(value: &str) -> bool {
    (2..=100).contains(&value.chars().count()) && words(&fold(value)).next().is_some()
}

/// A list of boats with one parameter, of all makers or of one.
pub(super) fn boats(name: &str, value: &str, maker: Option<usize>) -> Expected {
    let mut ask = Ask {
        maker,
        ..Ask::page(0, 20)
    };
    let rows = |ask: &Ask, has: &dyn Fn(&Plain) -> bool| {
        let (ids, total) = ask.answer_among(&world().0, has);
        Expected::Rows(ids.into_iter().map(str::to_owned).collect(), total)
    };
    if matches!(name, "lengthMin" | "lengthMax") {
        let has = |bound| rows(&ask, &|boat| is_within(boat, bound, name == "lengthMin"));
        return bound(value).map_or(Expected::Refused, has);
    }
    match set(&mut ask, name, value) {
        Some(()) => rows(&ask, &|_| true),
        None => Expected::Refused,
    }
}

/// Sets one parameter, where the value may be one.
fn set(ask: &mut Ask, name: &str, value: &str) -> Option<()> {
    let year = || integer(value, 1800..=2100).map(|year| u16::try_from(year).unwrap());
    let one_of = |all: &[&'static str]| all.iter().copied().find(|word| *word == value);
    match name {
        "manufacturer" if ask.maker.is_none() => {
            ask.maker = Some(place(value, &MAKERS.map(|(slug, _)| slug))?);
        }
        "type" => ask.boat_type = Some(place(value, &TYPES)?),
        "category" => ask.category = Some(place(value, &TAGS)?),
        "activity" => ask.activity = Some(place(value, &TAGS)?),
        "yearFrom" => ask.years.0 = Some(year()?),
        "yearTo" => ask.years.1 = Some(year()?),
        "lengthUnit" => ask.in_feet = one_of(&["m", "ft"])? == "ft",
        "search" if is_search(value) => ask.search = Some(value.to_owned()),
        "limit" => ask.limit = integer(value, 1..=100)?,
        "offset" => ask.offset = integer(value, 0..=9_007_199_254_740_991)?,
        "sort" => ask.sort = one_of(&["model", "year", "length", "manufacturer"])?,
        "order" => ask.descending = one_of(&["asc", "desc"])? == "desc",
        _ => return None,
    }
    Some(())
}

/// The list of manufacturers with one parameter.
pub(super) fn manufacturers(name: &str, value: &str) -> Expected {
    let mut ask = Ask::page(0, 20);
    let is_sort = matches!((name, value), ("sort", "name" | "updatedAt"));
    if !is_sort && (name == "sort" || set(&mut ask, name, value).is_none()) {
        return Expected::Refused;
    }
    let search = ask.search.as_deref();
    let mut rows: Vec<(String, String)> = MAKERS
        .iter()
        .enumerate()
        .filter(|(_, (_, name))| search.is_none_or(|search| names(search, name)))
        .map(|(number, (_, name))| (fold(name), format!("m{number}")))
        .collect();
    // All were updated at the same instant, so that ids decide.
    rows.sort_by(|a, b| match value {
        "updatedAt" => a.1.cmp(&b.1),
        _ => a.cmp(b),
    });
    if ask.descending {
        rows.reverse();
    }
    let page = rows.iter().skip(ask.offset).take(ask.limit);
    Expected::Rows(page.map(|(_, id)| id.clone()).collect(), rows.len())
}

/// One boat by id or slug.
pub(super) fn one_boat(value: &str) -> Expected {
    let ids = world().0.iter().map(|boat| boat.id.clone());
    one(value, ids.map(|id| (format!("slug-{id}"), id)))
}

/// One manufacturer by id or slug.
pub(super) fn one_maker(value: &str) -> Expected {
    let makers = MAKERS.iter().enumerate();
    one(
        value,
        makers.map(|(number, (slug, _))| ((*slug).to_owned(), format!("m{number}"))),
    )
}

fn one(value: &str, mut records: impl Iterator<Item = (String, String)>) -> Expected {
    if !is_identifier(value, 200, "._-") {
        return Expected::Refused;
    }
    match records.find(|(slug, id)| slug == value || id == value) {
        Some((_, id)) => Expected::Record(id),
        None => Expected::Unknown,
    }
}

/// The boats of one manufacturer by id or slug.
pub(super) fn of_maker(value: &str) -> Expected {
    match one_maker(value) {
        Expected::Record(id) => boats("order", "asc", Some(id[1..].parse().unwrap())),
        other => other,
    }
}
