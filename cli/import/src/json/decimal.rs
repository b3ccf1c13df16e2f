//! The exact value of a number of JSON, taken from its spelling alone.
//!
//! A spelling may have a million digits, or an exponent that stands for as many: nothing here
//! takes longer than reading the spelling once.

/// Digits that a double always keeps.
const DIGITS_KEPT: usize = 15;
/// No double has more significant digits.
const DIGITS_OF_A_DOUBLE: usize = 767;
/// Most digits of an integer that fits into 64 bits.
const U64_DIGITS: i64 = 20;

/// A number: its significant digits, without zeros at either end, times a power of ten.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Decimal {
    is_minus: bool,
    /// Empty for zero.
    digits: String,
    exponent: i64,
}

impl Decimal {
    /// The value of `spelling`, which must be a number in JSON's grammar.
    pub(crate) fn new(spelling: &str) -> Self {
        let (is_minus, spelling) = match spelling.strip_prefix('-') {
            Some(rest) => (true, rest),
            None => (false, spelling),
        };
        let (mantissa, exponent) = spelling.split_once(['e', 'E']).unwrap_or((spelling, "0"));
        let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
        let all = format!("{whole}{fraction}");
        let digits = all.trim_end_matches('0');
        let shift = signed_length(&all[digits.len()..]) - signed_length(fraction);
        Self {
            is_minus,
            digits: digits.trim_start_matches('0').to_owned(),
            exponent: read_exponent(exponent).saturating_add(shift),
        }
    }

    /// How many significant digits it has.
    pub(crate) const fn digits(&self) -> usize {
        self.digits.len()
    }

    /// Whether it is zero, of either sign.
    pub(crate) const fn is_zero(&self) -> bool {
        self.digits.is_empty()
    }

    /// Whether it is less than zero.
    pub(crate) const fn is_negative(&self) -> bool {
        self.is_minus && !self.digits.is_empty()
    }

    /// Whether it has no fraction, however small.
    pub(crate) const fn is_integer(&self) -> bool {
        self.digits.is_empty() || 0 <= self.exponent
    }

    /// Its value, if it is an integer of at least 0 that fits.
    pub(crate) fn to_u64(&self) -> Option<u64> {
        if self.digits.is_empty() {
            return Some(0);
        }
        let length = self.exponent.saturating_add(signed_length(&self.digits));
        if self.is_minus || !self.is_integer() || U64_DIGITS < length {
            return None;
        }
        let digits: u64 = self.digits.parse().ok()?;
        digits.checked_mul(10_u64.checked_pow(u32::try_from(self.exponent).ok()?)?)
    }
}

/// The exponent, clamped to 64 bits: one that does not fit is as far out of range as one that just
/// fits.
fn read_exponent(spelling: &str) -> i64 {
    let beyond = if spelling.starts_with('-') {
        i64::MIN
    } else {
        i64::MAX
    };
    spelling.parse().unwrap_or(beyond)
}

fn signed_length(text: &str) -> i64 {
    i64::try_from(text.len()).unwrap_or(i64::MAX)
}

/// Whether `value` equals `spelling` to as many digits as that has, and every reader of JSON keeps
/// it. A program that prints 17 digits of a double means exactly that double.
pub(crate) fn is_exact(spelling: &str, value: f64) -> bool {
    // Nearly all numbers are this short, and a double keeps that many digits.
    if spelling.len() <= DIGITS_KEPT && !spelling.contains(['e', 'E']) {
        return true;
    }
    let decimal = Decimal::new(spelling);
    if value == 0.0 {
        return decimal.is_zero();
    }
    let digits = decimal.digits().clamp(1, DIGITS_OF_A_DOUBLE);
    f64::MIN_POSITIVE <= value.abs()
        && (decimal == Decimal::new(&format!("{value:e}"))
            || decimal == Decimal::new(&format!("{value:.*e}", digits - 1)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_exact_whatever_their_spelling() {
        let table = [
            ("0", false, Some(0)),
            ("-0.00e9", false, Some(0)),
            ("0e-99999999999999999999", false, Some(0)),
            ("4.0", false, Some(4)),
            ("40e-1", false, Some(4)),
            ("0.04E+2", false, Some(4)),
            ("1200", false, Some(1200)),
            ("18446744073709551615", false, Some(u64::MAX)),
            ("18446744073709551616", false, None),
            ("1e99999999999999999999", false, None),
            ("-1e-400", true, None),
            ("-3", true, None),
        ];
        for (spelling, is_negative, integer) in table {
            let decimal = Decimal::new(spelling);
            assert_eq!(decimal.is_negative(), is_negative, "{spelling}");
            assert_eq!(decimal.to_u64(), integer, "{spelling}");
        }
    }

    #[test]
    fn no_fraction_is_too_small_to_count() {
        for spelling in ["4.0000000000000000000001", "1e-400", "2.5", "-0.1", "15e-1"] {
            assert!(!Decimal::new(spelling).is_integer(), "{spelling}");
        }
        for spelling in ["4.0", "0.0", "1e400", "-20e-1"] {
            assert!(Decimal::new(spelling).is_integer(), "{spelling}");
        }
    }

    #[test]
    fn every_integer_is_itself_in_every_spelling() {
        proptest::proptest!(|(integer: u64, zeros in 0_usize..30)| {
            let zeros = "0".repeat(zeros);
            for spelling in [
                format!("{integer}.{zeros}0"),
                format!("{integer}{zeros}e-{}", zeros.len()),
            ] {
                proptest::prop_assert_eq!(Decimal::new(&spelling).to_u64(), Some(integer));
            }
        });
    }
}
