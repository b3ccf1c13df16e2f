//! Numbers as people write them: with a decimal point or comma, with groups of thousands.
//!
//! A single point is always the decimal point: `4.763 kg` is less than five kilograms. A single
//! comma before exactly three digits can be either, which is for the caller to settle.

use std::str::FromStr;

use bigdecimal::BigDecimal;

use super::lexemes::APOSTROPHES;

/// Most characters of a number: far more than any measure has, few enough for exact arithmetic.
const LENGTH_MAX: usize = 30;

/// What a number can mean.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Reading {
    /// One thing.
    Clear(BigDecimal),
    /// Two things, as in `1,234`.
    Ambiguous {
        thousands: BigDecimal,
        decimals: BigDecimal,
    },
}

impl Reading {
    /// The same below zero.
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

/// Reads digits with points, commas, blanks and apostrophes between them, as the lexer cuts them;
/// none if they make no number.
pub(super) fn read(spelling: &str) -> Option<Reading> {
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
                Some(thousands) => Some(Reading::Ambiguous {
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

/// The digits of `whole` if `mark` cuts them into groups of three, of which the first may be
/// shorter and begins with no zero.
fn grouped(whole: &str, mark: char) -> Option<String> {
    let (first, others) = whole.split_once(mark)?;
    let is_grouped = (1..=3).contains(&first.len())
        && !first.starts_with('0')
        && others.split(mark).all(|group| group.len() == 3);
    let digits: String = whole.chars().filter(|c| *c != mark).collect();
    is_grouped.then_some(digits)
}

fn clear(whole: &str, fraction: &str) -> Option<Reading> {
    decimal(whole, fraction).map(Reading::Clear)
}

fn decimal(whole: &str, fraction: &str) -> Option<BigDecimal> {
    let are_digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    if !are_digits(whole) || !are_digits(fraction) || whole.len() + fraction.len() == 0 {
        return None;
    }
    let point = if fraction.is_empty() { "" } else { "." };
    BigDecimal::from_str(&format!("0{whole}{point}{fraction}")).ok()
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
            let meant = Reading::Clear(BigDecimal::from_str(meant).unwrap());
            assert_eq!(read(spelling), Some(meant), "{spelling}");
        }
    }

    #[test]
    fn a_comma_before_three_digits_can_mean_either() {
        let expected = Reading::Ambiguous {
            thousands: BigDecimal::from(1234),
            decimals: BigDecimal::from_str("1.234").unwrap(),
        };
        assert_eq!(read("1,234"), Some(expected));
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
