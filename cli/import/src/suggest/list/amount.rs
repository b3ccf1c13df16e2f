//! Amounts of money as people write them, with their currencies, and the thousands separators of
//! numbers.
//!
//! A value that is not certainly an amount is left to become an error, never a different amount; and
//! so is one in a currency that is not foreseen.

use std::collections::{BTreeMap, BTreeSet};

use crate::mapping::UNDECIDED;
use crate::suggest::survey::{Key, Shape};
use crate::suggest::text::words;

/// Codes of currencies, with the sign that catalogues show.
pub(super) const CURRENCIES: [(&str, &str); 10] = [
    ("EUR", "€"),
    ("GBP", "£"),
    ("USD", "$"),
    ("PLN", "zł"),
    ("SEK", "kr"),
    ("NOK", "kr"),
    ("DKK", "kr"),
    ("AUD", "A$"),
    ("NZD", "NZ$"),
    ("CHF", "Fr."),
];

/// How people write currencies besides their codes, without full stops. Which one some mean, a
/// person has to say.
const SIGNS: [(&str, &str); 11] = [
    ("€", "EUR"),
    ("£", "GBP"),
    ("zł", "PLN"),
    ("US$", "USD"),
    ("A$", "AUD"),
    ("AU$", "AUD"),
    ("NZ$", "NZD"),
    ("Fr", "CHF"),
    ("SFr", "CHF"),
    ("$", UNDECIDED),
    ("kr", UNDECIDED),
];

/// Where the currency of each price comes from.
pub(super) struct Currency {
    /// The expression for its code.
    pub(super) code: String,
    /// How prices have it beside the number, and the codes that this stands for; nothing if they do
    /// not.
    pub(super) signs: BTreeMap<String, String>,
    /// The codes that are foreseen.
    pub(super) codes: BTreeSet<String>,
}

impl Currency {
    /// Where the currency of each price comes from: from a key of its own, from the name of the
    /// price's key, or from each price. It is never that of other prices.
    pub(super) fn of(price: &Key, own: Option<&Key>) -> Option<Self> {
        let named = named_currency(price);
        let is_text = price.shape != Shape::Number;
        let mut shown: Vec<String> = Vec::new();
        if is_text {
            let amounts = price.samples.iter().filter(|price| has_digit(price));
            shown.extend(amounts.map(|amount| sign(amount)));
        }
        let has_all = !shown.is_empty() && shown.iter().all(|sign| code_of(sign).is_some());
        let code = |sign: &String| Some((sign.clone(), code_of(sign)?));
        let mut signs: BTreeMap<String, String> = shown.iter().filter_map(code).collect();
        let (path, price) = (own.map(|own| &own.path), &price.path);
        let code = match (path, named) {
            (Some(own), _) if signs.is_empty() => own.clone(),
            (Some(own), _) => format!("{price} | currency($record{own})"),
            (None, Some(named)) if !is_text => format!("\"{named}\""),
            (None, Some(named)) => {
                let spellings = SIGNS.iter().filter(|(_, code)| *code == named);
                let spellings = spellings.map(|(sign, _)| *sign).chain([named]);
                signs.extend(spellings.map(|sign| (sign.to_owned(), named.to_owned())));
                format!("{price} | currency(\"{named}\")")
            }
            (None, None) if has_all => format!("{price} | currency(null)"),
            (None, None) => return None,
        };
        let of_column = own.into_iter().flat_map(|own| own.samples.clone());
        let of_name = named.map(str::to_owned);
        let mut codes: BTreeSet<String> = of_column.chain(of_name).collect();
        for code in signs.values() {
            if code == UNDECIDED {
                codes.extend(CURRENCIES.map(|(code, _)| code.to_owned()));
            } else {
                codes.insert(code.clone());
            }
        }
        Some(Self { code, signs, codes })
    }

    /// The signs of which a person has to say what they mean.
    pub(super) fn undecided(&self) -> impl Iterator<Item = &str> {
        let undecided = self.signs.iter().filter(|(_, code)| *code == UNDECIDED);
        undecided.map(|(sign, _)| sign.as_str())
    }
}

/// The currency in the name of a key, such as `Price (EUR)` or `Preis in €`.
pub(super) fn named_currency(price: &Key) -> Option<&'static str> {
    let name = price.steps.last()?;
    let words = words(name);
    let of_code = CURRENCIES.iter().map(|(code, _)| *code).find(|code| {
        name.to_uppercase().ends_with(code) || words.contains(&code.to_ascii_lowercase())
    });
    let of_sign = || {
        let signs = SIGNS.iter().filter(|(sign, _)| !sign.is_ascii());
        let mut found = signs.filter(|(sign, _)| name.contains(sign));
        found.next().map(|(_, code)| *code)
    };
    of_code.or_else(of_sign)
}

/// What is left of an amount without its number.
fn sign(amount: &str) -> String {
    let is_of_number = |c: char| c.is_ascii_digit() || c.is_whitespace() || "-+.,'’".contains(c);
    amount.chars().filter(|c| !is_of_number(*c)).collect()
}

/// The code that a sign stands for, or [`UNDECIDED`]; `None` if it stands for no currency.
fn code_of(sign: &str) -> Option<String> {
    let known = SIGNS.iter().find(|(known, _)| *known == sign);
    let is_code = sign.len() == 3 && sign.bytes().all(|byte| byte.is_ascii_uppercase());
    known
        .map(|(_, code)| (*code).to_owned())
        .or_else(|| is_code.then(|| sign.to_owned()))
}

fn has_digit(text: &str) -> bool {
    text.bytes().any(|byte| byte.is_ascii_digit())
}

/// A mark within the numbers of a key that may part thousands or stand before decimals.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Mark {
    pub(super) sign: char,
    /// Whether it parts thousands; decimals otherwise.
    pub(super) parts_thousands: bool,
    /// Whether the numbers of the file leave no doubt about it.
    pub(super) is_certain: bool,
    /// A number with it.
    pub(super) example: String,
}

impl Mark {
    /// The mark in the numbers of a key, if some of them could be read in two ways. One column has
    /// one convention, and a file one decimal mark; where neither shows, thousands are more likely,
    /// since few people write three decimals.
    pub(super) fn of(key: &Key, decimal_of_file: Option<char>) -> Option<Self> {
        let numbers: Vec<&str> = numbers(key).collect();
        ['.', ','].into_iter().find_map(|mark| {
            let other = if mark == '.' { ',' } else { '.' };
            let example = numbers.iter().find(|number| is_parted(number, mark))?;
            let shows = |mark| numbers.iter().any(|number| is_decimal(number, mark));
            let is_proven = |number: &&str| {
                is_parted(number, mark)
                    && (number.contains(other) || 1 < number.matches(mark).count())
            };
            let (parts_thousands, is_certain) = if numbers.iter().any(is_proven) {
                (true, true)
            } else if shows(mark) {
                (false, true)
            } else if shows(other) || decimal_of_file == Some(other) {
                (true, true)
            } else if decimal_of_file == Some(mark) {
                (false, true)
            } else {
                (true, false)
            };
            Some(Self {
                sign: mark,
                parts_thousands,
                is_certain,
                example: (*example).to_owned(),
            })
        })
    }

    /// What a person should know about it.
    pub(super) fn why(&self) -> String {
        let (mark, example) = (self.sign, &self.example);
        let read = if self.parts_thousands {
            example.replace(mark, "")
        } else {
            let read = example.replace(mark, ".");
            let read = read.trim_end_matches('0').trim_end_matches('.');
            read.to_owned()
        };
        let look = if self.is_certain {
            ""
        } else {
            ": a guess, as no other number of the file tells"
        };
        format!("{example} is taken for {read}{look}")
    }

    /// What stands before decimals.
    pub(super) fn decimal(&self) -> char {
        match (self.sign, self.parts_thousands) {
            ('.', true) | (',', false) => ',',
            _ => '.',
        }
    }
}

/// The numbers in the values of a key, without what stands around them.
fn numbers(key: &Key) -> impl Iterator<Item = &str> {
    let is_text = key.shape != Shape::Number;
    let values = key
        .samples
        .iter()
        .filter(move |value| is_text && has_digit(value));
    values.map(|value| value.trim_matches(|c: char| !c.is_ascii_digit()))
}

/// The only mark that surely stands before decimals in these keys.
pub(super) fn decimal_mark<'k>(keys: impl Iterator<Item = &'k Key>) -> Option<char> {
    let numbers: Vec<&str> = keys.flat_map(numbers).collect();
    let shows = |mark| numbers.iter().any(|number| is_decimal(number, mark));
    match (shows('.'), shows(',')) {
        (true, false) => Some('.'),
        (false, true) => Some(','),
        _ => None,
    }
}

/// Whether a number has decimals after this mark, and not by chance three of them.
fn is_decimal(number: &str, mark: char) -> bool {
    let other = if mark == '.' { ',' } else { '.' };
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let parts = number.split_once(mark);
    parts.is_some_and(|(whole, decimals)| {
        (is_number(whole) || is_parted(whole, other))
            && is_number(decimals)
            && !is_parted(number, mark)
    })
}

/// Whether `separator` divides a number into groups of three digits, with at most two decimals.
fn is_parted(number: &str, separator: char) -> bool {
    let point = if separator == '.' { ',' } else { '.' };
    let (whole, decimals) = number.split_once(point).unwrap_or((number, ""));
    let is_number = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    let mut groups = whole.split(separator);
    let first = groups.next().unwrap_or_default();
    let mut is_any = false;
    let all_three = groups.all(|group| {
        is_any = true;
        group.len() == 3 && is_number(group)
    });
    let has_first = (1..=3).contains(&first.len()) && is_number(first) && !first.starts_with('0');
    is_any && all_three && has_first && decimals.len() <= 2 && is_number(decimals)
}
