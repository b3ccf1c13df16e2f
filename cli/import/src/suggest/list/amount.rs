//! The currencies of prices, and the thousands separators of numbers.
//!
//! A price in a currency that is not foreseen has no symbol, and so is an error.

use std::collections::BTreeSet;

use serde_json::Number;

use crate::mapping::codes_of;
use crate::mapping::folded::words;
use crate::suggest::survey::Key;

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

/// Where the currency of each price comes from.
pub(super) struct Currency {
    /// What the price is piped into, but for what stands before decimals.
    pub(super) read: String,
    /// The codes that are foreseen.
    pub(super) codes: BTreeSet<String>,
    /// The first sign that may be of several currencies, which nothing settles.
    pub(super) unsettled: Option<String>,
}

impl Currency {
    /// Where the currency of each price comes from: from a key of its own, from the name of the
    /// price's key, or from each price. It is never that of other prices.
    pub(super) fn of(price: &Key, own: Option<&Key>) -> Option<Self> {
        let named = named_currency(price);
        let amounts = price.samples.iter().filter(|price| has_digit(price));
        let signs: Vec<String> = amounts.map(|amount| sign(amount)).collect();
        let are_told = !signs.is_empty() && signs.iter().all(|sign| !meanings(sign).is_empty());
        let read = match (own, named) {
            (Some(own), _) if own.path.starts_with('(') => format!("($record | {})", own.path),
            (Some(own), _) => format!("$record{}", own.path),
            (None, Some(named)) => format!("\"{named}\""),
            (None, None) if are_told => "null".to_owned(),
            (None, None) => return None,
        };
        let is_open = |sign: &&String| 1 < meanings(sign).len() && own.is_none() && named.is_none();
        let of_column = own.into_iter().flat_map(|own| own.samples.clone());
        let of_name = named.map(str::to_owned);
        let of_signs = signs.iter().flat_map(|sign| meanings(sign));
        Some(Self {
            read,
            unsettled: signs.iter().find(is_open).cloned(),
            codes: of_column.chain(of_name).chain(of_signs).collect(),
        })
    }
}

/// The currency in the name of a key, such as `Price (EUR)` or `Preis in €`.
pub(super) fn named_currency(price: &Key) -> Option<&'static str> {
    let name = price.steps.last()?;
    let words = words(name);
    let of_code = CURRENCIES.iter().map(|(code, _)| *code).find(|code| {
        name.to_uppercase().ends_with(code) || words.contains(&code.to_ascii_lowercase())
    });
    // A short word may be another one.
    let is_sign = |text: &&str| !text.is_ascii() || text.contains('$') || 3 < text.len();
    let mut texts = name.split(|c: char| c.is_whitespace() || "()[]/_".contains(c));
    of_code.or_else(|| {
        texts.find_map(|text| match Some(text).filter(is_sign).map(codes_of) {
            Some([code]) => Some(*code),
            _ => None,
        })
    })
}

/// The currencies that a sign or a code beside an amount may stand for.
fn meanings(sign: &str) -> Vec<String> {
    let is_code = sign.len() == 3 && sign.bytes().all(|byte| byte.is_ascii_uppercase());
    let codes = codes_of(sign).iter().map(|code| (*code).to_owned());
    codes.chain(is_code.then(|| sign.to_owned())).collect()
}

/// What is left of an amount without its number.
fn sign(amount: &str) -> String {
    let is_of_number = |c: char| c.is_ascii_digit() || c.is_whitespace() || "-+.,'’".contains(c);
    amount.chars().filter(|c| !is_of_number(*c)).collect()
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
    /// Whether the numbers of its key leave no doubt about it, or two signs agree.
    pub(super) is_certain: bool,
    /// A number with it.
    pub(super) example: String,
}

impl Mark {
    /// The mark in the numbers of a key, if some of them could be read in two ways. One column has
    /// one convention. Where it does not show, thousands are more likely, since few people write
    /// three decimals, least of all in a price: there, only a program writes them, in every price.
    /// Commas between the thousands of prices are read without a mark, which would make 255 of 255.000.
    /// That other columns have this mark before decimals makes measures with decimals likelier, but
    /// proves nothing: people type lengths, and programs print prices.
    pub(super) fn of(key: &Key, is_price: bool, decimal_of_file: Option<char>) -> Option<Self> {
        let numbers: Vec<&str> = numbers(key).collect();
        let found = ['.', ','].into_iter().find_map(|mark| {
            let other = if mark == '.' { ',' } else { '.' };
            let example = numbers.iter().find(|number| is_parted(number, mark))?;
            let shows =
                |mark| numbers.iter().any(|number| is_decimal(number, mark)) || has_dash(key, mark);
            let is_proven = |number: &&str| {
                is_parted(number, mark)
                    && (number.contains(other) || 1 < number.matches(mark).count())
            };
            let (parts_thousands, is_certain) = if numbers.iter().any(is_proven) {
                (true, true)
            } else if shows(mark) {
                if is_price && !numbers.iter().all(|number| has_three(number, mark)) {
                    return None;
                }
                (false, true)
            } else if shows(other) || decimal_of_file == Some(other) {
                (true, true)
            } else {
                (is_price || decimal_of_file != Some(mark), false)
            };
            Some(Self {
                sign: mark,
                parts_thousands,
                is_certain,
                example: (*example).to_owned(),
            })
        });
        let is_read_without = |found: &Self| found.parts_thousands && found.sign == ',';
        found.filter(|found| !is_price || !found.is_certain || !is_read_without(found))
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
            ": a guess, as no other number of its key tells"
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

/// The numbers in the texts of a key, without what stands around them. What may be a number itself
/// says nothing of how texts are written.
fn numbers(key: &Key) -> impl Iterator<Item = &str> {
    let is_number = |value: &str| {
        serde_json::from_str(value).is_ok_and(|read: Number| read.to_string() == value)
    };
    let is_text = move |value: &&String| !key.has_numbers || !is_number(value);
    let values = key.samples.iter().filter(is_text);
    let values = values.filter(|value| has_digit(value));
    values.map(|value| value.trim_matches(|c: char| !c.is_ascii_digit()))
}

/// Whether a number has exactly three decimals after this mark, if any.
fn has_three(number: &str, mark: char) -> bool {
    let decimals = number.rsplit_once(mark).map(|(_, decimals)| decimals);
    decimals.is_none_or(|decimals| decimals.len() == 3)
}

/// Whether a dash stands for the decimals of some value, as in `4.500,-`.
fn has_dash(key: &Key, mark: char) -> bool {
    let is_dashed = |end: &str| end.starts_with(['-', '–', '—']);
    let mut ends = key
        .samples
        .iter()
        .flat_map(|value| value.split(mark).skip(1));
    ends.any(is_dashed)
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
