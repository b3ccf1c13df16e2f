//! Reads numbers as people write them, with a decimal point or comma and with groups of thousands.
//!
//! Where the mapping does not say what stands before decimals, a single point is the decimal point:
//! `4.763 kg` is less than five kilograms. A single comma before exactly three digits is ambiguous;
//! the caller must decide. What a number shows of the convention by which it is written is told
//! beside it, because the other numbers of its column may show another one.

use std::ops::Neg;
use std::str::FromStr;

use bigdecimal::BigDecimal;

use super::super::quoted;
use super::lexemes::{APOSTROPHES, EXPONENT};
use super::why::Why;
use crate::mapping::UNDECIDED;

/// The most characters of a number: far more than any measure has, but few enough for exact
/// arithmetic.
const LENGTH_MAX: usize = 30;

/// The leading digits of a whole number that are taken as exact. If the number is long enough,
/// zeros after them may come from rounding.
const EXACT_DIGITS: usize = 2;
/// The fewest digits of a whole number that may have been rounded.
const ROUNDED_DIGITS: usize = 4;

/// What stands before decimals, if a mapping says so. The other mark then parts thousands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::mapping) struct DecimalMark {
    sign: char,
    /// Whether it is a guess of a draft, of which every import warns until a person decides.
    is_guess: bool,
}

impl DecimalMark {
    pub(in crate::mapping) const POINT: Self = Self {
        sign: '.',
        is_guess: false,
    };
    pub(in crate::mapping) const COMMA: Self = Self {
        sign: ',',
        is_guess: false,
    };

    /// The mark that is written as this, with `?` behind it if it is a guess.
    pub(in crate::mapping) fn parse(mark: &str) -> Option<Self> {
        let sure = mark.strip_suffix(UNDECIDED);
        let known = match sure.unwrap_or(mark) {
            "." => Self::POINT,
            "," => Self::COMMA,
            _ => return None,
        };
        let is_guess = sure.is_some();
        Some(Self { is_guess, ..known })
    }

    pub(super) const fn is_comma(self) -> bool {
        self.sign == ','
    }

    pub(super) const fn is_guessed_point(self) -> bool {
        self.sign == '.' && self.is_guess
    }

    const fn of_thousands(self) -> char {
        if self.sign == '.' { ',' } else { '.' }
    }

    /// Why a number is none by this mark.
    pub(super) fn refuses(self, spelling: &str) -> Why {
        Why::OtherConvention {
            spelling: quoted(spelling),
            mark: if self.sign == '.' { "point" } else { "comma" },
        }
    }

    /// What a number that is read by this shows of its own convention.
    fn shown_by(self, bare: &str) -> Option<Convention> {
        let may_be_either = |mark| bare.matches(mark).count() == 1 && grouped(bare, mark).is_some();
        if !self.is_guess || !bare.contains(['.', ',']) {
            None
        } else if may_be_either('.') || may_be_either(',') {
            Some(Convention::Guessed)
        } else if self.sign == '.' {
            Some(Convention::Point)
        } else {
            Some(Convention::Comma)
        }
    }
}

/// What a number shows of the convention by which it is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(in crate::mapping) enum Convention {
    /// Its decimals can only stand after a point, or its thousands be parted by commas.
    Point,
    /// Its decimals can only stand after a comma, or its thousands be parted by points.
    Comma,
    /// A single point before three digits was taken for the decimal point.
    PointOfThree,
    /// A single comma before three digits was taken to part thousands.
    CommaOfThree,
    /// A single mark before three digits was read by a guess of the mapping.
    Guessed,
    /// It has no unit, and is not zero, which is the same in every unit.
    NoUnit,
    /// It is in another unit than a number without one.
    OtherUnit,
}

/// A number and how exactly it is written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Written {
    pub(super) value: BigDecimal,
    /// What it shows of its convention; `None` if it has no mark, or the mapping says what marks
    /// mean.
    pub(super) convention: Option<Convention>,
    /// The most it may be off by: one unit of its last digit or of its fraction, because it may
    /// have been cut off after that, or half of what its zeros may have rounded away.
    pub(super) step: BigDecimal,
}

impl Neg for Written {
    type Output = Self;

    fn neg(self) -> Self {
        Self {
            value: -self.value,
            ..self
        }
    }
}

/// A number that was read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct SpelledNumber {
    pub(super) written: Written,
    /// What else it may mean, if its comma parts thousands as in `1,234`.
    pub(super) or_thousands: Option<Written>,
}

impl SpelledNumber {
    /// A number that means one thing.
    pub(super) const fn clear(written: Written) -> Self {
        Self {
            written,
            or_thousands: None,
        }
    }

    /// What it means, if that is one thing.
    pub(super) fn unambiguous(self) -> Result<Written, Why> {
        match self.or_thousands {
            None => Ok(self.written),
            Some(thousands) => Err(Why::Ambiguous {
                thousands: thousands.value,
                decimals: self.written.value,
            }),
        }
    }

    /// What it means if a comma before three digits parts thousands.
    pub(super) fn in_thousands(self) -> Written {
        self.or_thousands.unwrap_or(self.written)
    }

    /// The same number with the opposite sign.
    pub(super) fn negated(self) -> Self {
        Self {
            written: -self.written,
            or_thousands: self.or_thousands.map(Written::neg),
        }
    }
}

/// Reads digits with points, commas, blanks, apostrophes and an exponent, as the lexer splits them
/// off, of which `decimal` stands before decimals; `None` if they are not a number.
pub(super) fn read(spelling: &str, decimal: Option<DecimalMark>) -> Option<SpelledNumber> {
    if LENGTH_MAX < spelling.len() {
        return None;
    }
    let is_gap = |c: &char| c.is_whitespace() || APOSTROPHES.contains(c);
    let bare: String = spelling.chars().filter(|c| !is_gap(c)).collect();
    let is_spaced = bare.len() < spelling.len();
    if let Some((digits, exponent)) = bare.split_once(EXPONENT) {
        return scientific(digits, exponent, decimal).filter(|_| !is_spaced);
    }
    match decimal {
        Some(mark) => by_convention(&bare, is_spaced, mark),
        None => by_itself(&bare, is_spaced),
    }
}

/// Reads a number with an exponent of ten, before which no mark parts thousands.
fn scientific(digits: &str, exponent: &str, mark: Option<DecimalMark>) -> Option<SpelledNumber> {
    let found = digits.find(['.', ',']).map(|at| &digits[at..=at]);
    let (whole, fraction) = found
        .and_then(|sign| digits.split_once(sign))
        .unwrap_or((digits, ""));
    let convention = match found {
        Some(sign) if mark.is_some_and(|mark| !sign.starts_with(mark.sign)) => return None,
        Some(_) if mark.is_some_and(|mark| !mark.is_guess) => None,
        Some(".") => Some(Convention::Point),
        Some(_) => Some(Convention::Comma),
        None => None,
    };
    let written = decimal(whole, fraction, convention)?;
    let factor = BigDecimal::new(1.into(), -exponent.parse::<i64>().ok()?);
    Some(SpelledNumber::clear(Written {
        value: written.value * &factor,
        step: BigDecimal::new(1.into(), fraction.len().try_into().ok()?) * factor,
        convention,
    }))
}

/// Reads a number in which this mark stands before decimals.
fn by_convention(bare: &str, is_spaced: bool, decimal: DecimalMark) -> Option<SpelledNumber> {
    let (whole, fraction) = bare.split_once(decimal.sign).unwrap_or((bare, ""));
    let thousands = decimal.of_thousands();
    let shown = decimal.shown_by(bare).filter(|_| !is_spaced);
    if whole.contains(thousands) {
        let whole = grouped(whole, thousands).filter(|_| !is_spaced)?;
        return clear(&whole, fraction, shown);
    }
    clear(whole, fraction, shown)
}

/// Reads a number by its own marks.
fn by_itself(bare: &str, is_spaced: bool) -> Option<SpelledNumber> {
    use Convention::{Comma, CommaOfThree, Point, PointOfThree};
    let count = |mark: char| bare.chars().filter(|c| *c == mark).count();
    match (count('.'), count(',')) {
        (0, 0) => clear(bare, "", None),
        (1, 0) => {
            let (whole, fraction) = bare.split_once('.')?;
            let may_part = !is_spaced && grouped(bare, '.').is_some();
            clear(
                whole,
                fraction,
                Some(if may_part { PointOfThree } else { Point }),
            )
        }
        (0, 1) => {
            let (whole, fraction) = bare.split_once(',')?;
            match grouped(bare, ',').filter(|_| !is_spaced) {
                None => clear(whole, fraction, Some(Comma)),
                Some(thousands) => Some(SpelledNumber {
                    written: decimal(whole, fraction, Some(Comma))?,
                    or_thousands: Some(decimal(&thousands, "", Some(CommaOfThree))?),
                }),
            }
        }
        _ if is_spaced => None,
        (_, 0) => clear(&grouped(bare, '.')?, "", Some(Comma)),
        (0, _) => clear(&grouped(bare, ',')?, "", Some(Point)),
        _ => {
            let (whole, fraction) = bare.rsplit_once(['.', ','])?;
            let (group, convention) = if bare[whole.len()..].starts_with('.') {
                (',', Point)
            } else {
                ('.', Comma)
            };
            clear(&grouped(whole, group)?, fraction, Some(convention))
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

fn clear(whole: &str, fraction: &str, convention: Option<Convention>) -> Option<SpelledNumber> {
    decimal(whole, fraction, convention).map(SpelledNumber::clear)
}

fn decimal(whole: &str, fraction: &str, convention: Option<Convention>) -> Option<Written> {
    let are_digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    if !are_digits(whole) || !are_digits(fraction) || whole.len() + fraction.len() == 0 {
        return None;
    }
    let point = if fraction.is_empty() { "" } else { "." };
    let value = BigDecimal::from_str(&format!("0{whole}{point}{fraction}")).ok()?;
    Some(Written {
        value,
        convention,
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

    /// A number that means one thing.
    #[track_caller]
    fn read_one(spelling: &str, decimal: Option<DecimalMark>) -> Written {
        read(spelling, decimal).unwrap().unambiguous().unwrap()
    }

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
            let read = read_one(spelling, None);
            assert_eq!(
                read.value,
                BigDecimal::from_str(meant).unwrap(),
                "{spelling}"
            );
        }
    }

    #[test]
    fn a_comma_before_three_digits_can_mean_either() {
        let written = |value: &str, convention, step: &str| Written {
            value: BigDecimal::from_str(value).unwrap(),
            convention: Some(convention),
            step: BigDecimal::from_str(step).unwrap(),
        };
        let expected = SpelledNumber {
            written: written("1.234", Convention::Comma, "0.001"),
            or_thousands: Some(written("1234", Convention::CommaOfThree, "1")),
        };
        assert_eq!(read("1,234", None), Some(expected));
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
            let read = read_one(spelling, None);
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
            assert_eq!(read(spelling, None), None, "{spelling}");
        }
    }

    #[test]
    fn a_number_shows_by_its_marks_how_it_is_written() {
        use Convention::{Comma, Point, PointOfThree};
        for (spelling, expected) in [
            ("12", None),
            ("12 345", None),
            ("9.45", Some(Point)),
            ("0.500", Some(Point)),
            ("5300.500", Some(Point)),
            ("1 234.567", Some(Point)),
            ("1,234.5", Some(Point)),
            ("1,234,567", Some(Point)),
            ("9,45", Some(Comma)),
            ("0,500", Some(Comma)),
            ("8.750,5", Some(Comma)),
            ("1.234.567", Some(Comma)),
            ("5.300", Some(PointOfThree)),
            ("10.000", Some(PointOfThree)),
        ] {
            let read = read_one(spelling, None);
            assert_eq!(read.convention, expected, "{spelling}");
        }
    }

    #[test]
    fn a_mapping_may_say_what_stands_before_decimals() {
        let (point, comma) = (DecimalMark::POINT, DecimalMark::COMMA);
        for (spelling, mark, meant) in [
            ("5.300", comma, Some("5300")),
            ("5.300", point, Some("5.3")),
            ("5,300", comma, Some("5.3")),
            ("5,300", point, Some("5300")),
            ("8.750,5", comma, Some("8750.5")),
            ("1.234.567", comma, Some("1234567")),
            ("1 234,5", comma, Some("1234.5")),
            ("12", comma, Some("12")),
            (".5", point, Some("0.5")),
            ("8.750,5", point, None),
            ("9.45", comma, None),
            ("0.500", comma, None),
            ("9,45", point, None),
            ("1,2,3", comma, None),
            ("1 234.567", comma, None),
        ] {
            let read = read(spelling, Some(mark));
            let read = read.map(|read| read.unambiguous().unwrap().value);
            let meant = meant.map(|meant| BigDecimal::from_str(meant).unwrap());
            assert_eq!(read, meant, "{spelling} with {mark:?}");
        }
    }

    #[test]
    fn a_guess_about_decimals_is_told_of_numbers_that_do_not_prove_it() {
        use Convention::{Comma, Guessed};
        assert_eq!(DecimalMark::parse("?"), None);
        let guess = DecimalMark::parse(",?").unwrap();
        for (spelling, expected) in [
            ("5.300", ("5300", Some(Guessed))),
            ("5,300", ("5.3", Some(Guessed))),
            ("8.750,5", ("8750.5", Some(Comma))),
            ("9,5", ("9.5", Some(Comma))),
            ("12", ("12", None)),
        ] {
            let read = read_one(spelling, Some(guess));
            let value = read.value.normalized().to_plain_string();
            assert_eq!((value.as_str(), read.convention), expected, "{spelling}");
        }
        assert_eq!(read("9.45", Some(guess)), None);
    }
}
