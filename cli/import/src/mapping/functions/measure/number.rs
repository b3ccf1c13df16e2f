//! Reads numbers as people write them, with a decimal point or comma and with groups of thousands.
//!
//! A single point is always the decimal point: `4.763 kg` is less than five kilograms. A single
//! comma before exactly three digits is ambiguous; the caller must decide.

use std::ops::Neg;
use std::str::FromStr;

use bigdecimal::BigDecimal;

use super::lexemes::APOSTROPHES;

/// The most characters of a number: far more than any measure has, but few enough for exact
/// arithmetic.
const LENGTH_MAX: usize = 30;

/// The leading digits of a whole number that are taken as exact. If the number is long enough,
/// zeros after them may come from rounding.
const EXACT_DIGITS: usize = 2;
/// The fewest digits of a whole number that may have been rounded.
const ROUNDED_DIGITS: usize = 4;

/// A number and how exactly it is written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Written {
    pub(super) value: BigDecimal,
    /// The most it may be off by: one unit of its last digit or of its fraction, because it may
    /// have been cut off after that, or half of what its zeros may have rounded away.
    pub(super) step: BigDecimal,
}

impl Neg for Written {
    type Output = Self;

    fn neg(self) -> Self {
        Self {
            value: -self.value,
            step: self.step,
        }
    }
}

/// What a number can mean.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum SpelledNumber {
    /// One thing.
    Clear(Written),
    /// Two things, as in `1,234`.
    Ambiguous {
        thousands: Written,
        decimals: Written,
    },
}

impl SpelledNumber {
    /// The same number with the opposite sign.
    pub(super) fn negated(self) -> Self {
        match self {
            Self::Clear(value) => Self::Clear(-value),
            Self::Ambiguous {
                thousands,
                decimals,
            } => Self::Ambiguous {
                thousands: -thousands,
                decimals: -decimals,
            },
        }
    }
}

/// Reads digits with points, commas, blanks and apostrophes between them, as the lexer splits them
/// off; `None` if they are not a number.
pub(super) fn read(spelling: &str) -> Option<SpelledNumber> {
    if LENGTH_MAX < spelling.len() {
        return None;
    }
    let is_gap = |c: &char| c.is_whitespace() || APOSTROPHES.contains(c);
    let bare: String = spelling.chars().filter(|c| !is_gap(c)).collect();
    let is_spaced = bare.len() < spelling.len();
    let count = |mark: char| bare.chars().filter(|c| *c == mark).count();
    match (count('.'), count(',')) {
        (0, 0) => clear(&bare, ""),
        (1, 0) => {
            let (whole, fraction) = bare.split_once('.')?;
            clear(whole, fraction)
        }
        (0, 1) => {
            let (whole, fraction) = bare.split_once(',')?;
            match grouped(&bare, ',').filter(|_| !is_spaced) {
                None => clear(whole, fraction),
                Some(thousands) => Some(SpelledNumber::Ambiguous {
                    thousands: decimal(&thousands, "")?,
                    decimals: decimal(whole, fraction)?,
                }),
            }
        }
        _ if is_spaced => None,
        (_, 0) => clear(&grouped(&bare, '.')?, ""),
        (0, _) => clear(&grouped(&bare, ',')?, ""),
        _ => {
            let (whole, fraction) = bare.rsplit_once(['.', ','])?;
            let group = if bare[whole.len()..].starts_with('.') {
                ','
            } else {
                '.'
            };
            clear(&grouped(whole, group)?, fraction)
        }
    }
}

/// The digits of `whole` if `mark` separates them into groups of three. The first group may be
/// shorter and must not begin with zero.
fn grouped(whole: &str, mark: char) -> Option<String> {
    let (first, others) = whole.split_once(mark)?;
    let is_grouped = (1..=3).contains(&first.len())
        && !first.starts_with('0')
        && others.split(mark).all(|group| group.len() == 3);
    let digits: String = whole.chars().filter(|c| *c != mark).collect();
    is_grouped.then_some(digits)
}

fn clear(whole: &str, fraction: &str) -> Option<SpelledNumber> {
    decimal(whole, fraction).map(SpelledNumber::Clear)
}

fn decimal(whole: &str, fraction: &str) -> Option<Written> {
    let are_digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    if !are_digits(whole) || !are_digits(fraction) || whole.len() + fraction.len() == 0 {
        return None;
    }
    let point = if fraction.is_empty() { "" } else { "." };
    let value = BigDecimal::from_str(&format!("0{whole}{point}{fraction}")).ok()?;
    Some(Written {
        value,
        step: step(whole, fraction),
    })
}

/// How much a number may be off by. `20,000 lbs` may be rounded to a thousand pounds, so it may be
/// off by 500.
fn step(whole: &str, fraction: &str) -> BigDecimal {
    let decimals = i64::try_from(fraction.len()).unwrap_or(i64::MAX);
    let zeros = whole.len() - whole.trim_end_matches('0').len();
    let rounded = zeros.min(whole.len().saturating_sub(EXACT_DIGITS));
    match i64::try_from(rounded) {
        Ok(rounded @ 1..) if fraction.is_empty() && ROUNDED_DIGITS <= whole.len() => {
            BigDecimal::new(5.into(), 1 - rounded)
        }
        _ => BigDecimal::new(1.into(), decimals),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_is_read_as_it_is_meant() {
        for (spelling, meant) in [
            ("12", "12"),
            ("4.763", "4.763"),
            (".5", "0.5"),
            ("10,54", "10.54"),
            ("1,2345", "1.2345"),
            ("0,123", "0.123"),
            ("1234,567", "1234.567"),
            ("1,234.5", "1234.5"),
            ("1.234,5", "1234.5"),
            ("1.234.567", "1234567"),
            ("1,234,567", "1234567"),
            ("1,234,567.891", "1234567.891"),
            ("1 234", "1234"),
            ("1 234 567,25", "1234567.25"),
            ("1 234,567", "1234.567"),
            ("1'234", "1234"),
            ("1’234'567.25", "1234567.25"),
        ] {
            let Some(SpelledNumber::Clear(read)) = read(spelling) else {
                panic!("{spelling} is not one number");
            };
            assert_eq!(
                read.value,
                BigDecimal::from_str(meant).unwrap(),
                "{spelling}"
            );
        }
    }

    #[test]
    fn a_comma_before_three_digits_can_mean_either() {
        let written = |value: &str, step: &str| Written {
            value: BigDecimal::from_str(value).unwrap(),
            step: BigDecimal::from_str(step).unwrap(),
        };
        let expected = SpelledNumber::Ambiguous {
            thousands: written("1234", "1"),
            decimals: written("1.234", "0.001"),
        };
        assert_eq!(read("1,234"), Some(expected));
    }

    #[test]
    fn a_number_is_as_exact_as_it_is_written() {
        for (spelling, step) in [
            ("12", "1"),
            ("10", "1"),
            ("100", "1"),
            ("1000", "50"),
            ("1200", "50"),
            ("1230", "5"),
            ("22 000", "500"),
            ("10.50", "0.01"),
            ("1.234,5", "0.1"),
            ("1000.0", "0.1"),
            (".125", "0.001"),
        ] {
            let Some(SpelledNumber::Clear(read)) = read(spelling) else {
                panic!("{spelling} is not one number");
            };
            assert_eq!(read.step, BigDecimal::from_str(step).unwrap(), "{spelling}");
        }
    }

    #[test]
    fn what_is_grouped_by_no_rule_is_refused() {
        let long = "1".repeat(31);
        for spelling in [
            "1.2.3",
            "1,23,456",
            "1,234,5",
            "1.234.5,6",
            "1,2.3,4",
            "0.123.456",
            "1 234,567,890",
            "",
            ".",
            &long,
        ] {
            assert_eq!(read(spelling), None, "{spelling}");
        }
    }
}
