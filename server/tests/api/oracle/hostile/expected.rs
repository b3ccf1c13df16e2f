//! The expected response to one parameter with any value at all, from the contract and plain loops.

use shared::base::fold::fold;

use super::super::ask::Ask;
use super::super::filters::{FILTERS, SORTS, integer, is_identifier, names};
use super::super::world::{MAKERS, world};

/// The expected response.
pub(super) enum Expected {
    /// A page with the records with these ids, and how many match in all.
    Rows(Vec<String>, usize),
    /// The record with this id.
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

/// The decoded text; `None` unless every `%` has two hexadecimal digits and the bytes are UTF-8.
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

/// The list of boats with one parameter, of all makers or of one.
pub(super) fn boats(name: &str, value: &str, maker: Option<usize>) -> Expected {
    let mut ask = Ask::page(0, 20);
    let maker = maker.map(|maker| ("manufacturer", MAKERS[maker].0.to_owned()));
    let is_named_twice = maker.is_some() && name == "manufacturer";
    ask.filters.extend(maker);
    let answer = match set(&mut ask, name, value) {
        Some(()) if !is_named_twice => ask.answer(&world().0),
        _ => None,
    };
    answer.map_or(Expected::Refused, |(ids, total)| {
        Expected::Rows(ids.into_iter().map(str::to_owned).collect(), total)
    })
}

/// Sets one parameter, or returns `None` if the value is invalid. Values of filters are checked
/// later.
fn set(ask: &mut Ask, name: &str, value: &str) -> Option<()> {
    let one_of = |all: &[&'static str]| all.iter().copied().find(|word| *word == value);
    match name {
        "lengthUnit" => ask.in_feet = one_of(&["m", "ft"])? == "ft",
        "limit" => ask.limit = integer(value, 1..=100)?,
        "offset" => ask.offset = integer(value, 0..=9_007_199_254_740_991)?,
        "sort" => ask.sort = one_of(&SORTS.map(|(name, _)| name))?,
        "order" => ask.descending = one_of(&["asc", "desc"])? == "desc",
        filter => {
            let filter = FILTERS.iter().find(|other| other.name == filter)?;
            ask.filters.push((filter.name, value.to_owned()));
        }
    }
    Some(())
}

/// The list of manufacturers with one parameter.
pub(super) fn manufacturers(name: &str, value: &str) -> Expected {
    let mut ask = Ask::page(0, 20);
    let is_sort = matches!((name, value), ("sort", "name" | "updatedAt"));
    let is_good = |ask: &mut Ask| set(ask, name, value).is_some() && ask.all(&[]).is_some();
    if !is_sort && (name == "sort" || !is_good(&mut ask)) {
        return Expected::Refused;
    }
    let search = ask.filters.first().map(|(_, search)| search.as_str());
    let mut rows: Vec<(String, String)> = MAKERS
        .iter()
        .enumerate()
        .filter(|(_, (_, name))| search.is_none_or(|search| names(search, name)))
        .map(|(number, (_, name))| (fold(name), format!("m{number}")))
        .collect();
    // All were updated at the same instant, so their ids decide.
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
