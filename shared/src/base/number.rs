//! A finite number that prints in its shortest decimal form: `12`, `12.19`, never `12.0` or `1e3`.
//!
//! Bodies are hashed, so the text of a number is part of the contract (numbers, shortest form).

use schemars::JsonSchema;
use serde::Serialize;
use serde::ser::{Error, Serializer};
use serde_json::value::RawValue;

/// The largest integer that every JSON reader represents exactly.
pub const INTEGER_MAX: u64 = 9_007_199_254_740_991;

/// A finite number of a record. Negative zero is zero.
#[derive(Clone, Copy, Debug, Default, PartialEq, PartialOrd, JsonSchema)]
#[schemars(inline)]
pub struct Number(f64);

impl Number {
    /// A number, unless `value` is infinite or not a number.
    pub fn new(value: f64) -> Option<Self> {
        // Adding zero turns -0.0 into 0.0 and changes nothing else.
        value.is_finite().then_some(Self(value + 0.0))
    }

    /// The value.
    pub const fn get(self) -> f64 {
        self.0
    }

    /// The value as an integer that JSON readers represent exactly, if it is one.
    #[expect(
        clippy::cast_possible_truncation,
        reason = "the range is checked first"
    )]
    pub fn as_integer(self) -> Option<i64> {
        let is_exact = self.0.fract() == 0.0 && self.0.abs() <= 9_007_199_254_740_991.0;
        is_exact.then_some(self.0 as i64)
    }
}

impl Serialize for Number {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if let Some(integer) = self.as_integer() {
            return serializer.serialize_i64(integer);
        }
        let size = self.0.abs();
        if (1e-5..1e15).contains(&size) {
            return serializer.serialize_f64(self.0);
        }
        // serde_json would write an exponent here; the standard library writes all the digits.
        let digits = RawValue::from_string(self.0.to_string()).map_err(S::Error::custom)?;
        digits.serialize(serializer)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_print_in_their_shortest_decimal_form() {
        let table = [
            (12.0, "12"),
            (12.19, "12.19"),
            (-0.0, "0"),
            (-4.5, "-4.5"),
            (0.1 + 0.2, "0.30000000000000004"),
            (1e15, "1000000000000000"),
            (9_007_199_254_740_991.0, "9007199254740991"),
            (1e21, "1000000000000000000000"),
            (0.000_001, "0.000001"),
            (123_456_789_012_345.6, "123456789012345.6"),
            (0.000_012_3, "0.0000123"),
        ];
        for (value, text) in table {
            let number = Number::new(value).unwrap();
            assert_eq!(serde_json::to_string(&number).unwrap(), text);
        }
    }

    #[test]
    fn infinite_values_and_nan_are_not_numbers() {
        assert_eq!(Number::new(f64::INFINITY), None);
        assert_eq!(Number::new(f64::NAN), None);
    }

    #[test]
    fn every_printed_number_reads_back_as_itself() {
        proptest::proptest!(|(value: f64)| {
            if let Some(number) = Number::new(value) {
                let text = serde_json::to_string(&number).unwrap();
                proptest::prop_assert!(!text.contains(['e', 'E']) && !text.ends_with(".0"));
                let back: f64 = text.parse().unwrap();
                proptest::prop_assert_eq!(back.to_bits(), number.get().to_bits());
            }
        });
    }
}
