//! Lengths, and the only unit conversion of the project.
//!
//! Lengths are integers, never floats: a boat's own length in thousandths of its unit, its
//! physical length in ten-millionths of a metre, where a foot is exactly 3,048,000. So no filter
//! result depends on floating-point noise (list semantics, "length bounds").

use std::borrow::Cow;
use std::fmt;
use std::num::IntErrorKind;
use std::ops::RangeInclusive;
use std::str::FromStr;

use bigdecimal::{BigDecimal, RoundingMode, ToPrimitive, Zero};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::Serialize;

use crate::base::number::Number;

/// Decimals of a metre that a physical length has.
pub const METRE_DECIMALS: u32 = 7;
/// Ten-millionths of a metre in one metre.
const METRE: i64 = 10_i64.pow(METRE_DECIMALS);
/// Ten-millionths of a metre in one foot: 0.3048 m exactly.
const FOOT: i64 = 3_048_000;
/// How far a bound in the other unit reaches: 0.005 m, so that a length shown with two decimals
/// finds its boat.
const TOLERANCE: i64 = METRE / 200;
/// The longest length and bound, in whole units of either system.
pub const LENGTH_MAX: i64 = 1000;
/// Longest text of a number that is parsed: exact arithmetic takes time with the digits.
const NUMBER_LENGTH_MAX: usize = 10_000;

/// A boat's own declared measurement system.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Unit {
    /// Metres, kilograms, square metres.
    #[default]
    Metric,
    /// Feet, pounds, square feet.
    Imperial,
}

impl Unit {
    /// Both systems, in the order in which messages name them.
    pub const ALL: [Self; 2] = [Self::Metric, Self::Imperial];

    /// The word used in exports and answers.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Metric => "metric",
            Self::Imperial => "imperial",
        }
    }

    /// The system called `word`.
    pub fn parse(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|unit| unit.as_str() == word)
    }

    const fn length_unit(self) -> i64 {
        match self {
            Self::Metric => METRE,
            Self::Imperial => FOOT,
        }
    }
}

impl JsonSchema for Unit {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "Unit".into()
    }

    fn json_schema(_generator: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "string", "enum": Self::ALL.map(Self::as_str) })
    }
}

/// Why a number is not a length.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum InvalidLength {
    /// Zero, negative, or above the limit.
    #[error("must be greater than 0 and at most {LENGTH_MAX}")]
    OutOfRange,
    /// More precise than a thousandth of the unit.
    #[error("must have at most 3 decimals")]
    TooPrecise,
    /// More characters than any sensible number has.
    #[error("must be written with at most {NUMBER_LENGTH_MAX} characters")]
    TooLong,
    /// Not a decimal number.
    #[error("must be a number")]
    NotANumber,
}

/// Length overall of a boat in its own declared system: above 0, at most 1000, at most 3 decimals.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Length {
    thousandths: i64,
    unit: Unit,
}

impl Length {
    /// Reads a JSON number.
    pub fn parse(number: &str, unit: Unit) -> Result<Self, InvalidLength> {
        let value = decimal(number)?;
        if !is_within_limits(&value) {
            return Err(InvalidLength::OutOfRange);
        }
        let thousandths = value * BigDecimal::from(1000);
        if !thousandths.is_integer() {
            return Err(InvalidLength::TooPrecise);
        }
        let thousandths = thousandths.to_i64().ok_or(InvalidLength::OutOfRange)?;
        Ok(Self { thousandths, unit })
    }

    /// The system the length is declared in.
    pub const fn unit(self) -> Unit {
        self.unit
    }

    /// The length in its own system, as answers show it.
    pub fn own(self) -> Number {
        fraction(self.thousandths, 1000)
    }

    /// The length in metres, as answers show it.
    pub fn metres(self) -> Number {
        shown_metres(self.physical(), self.unit)
    }

    /// The exact physical length in ten-millionths of a metre.
    pub const fn physical(self) -> i64 {
        self.thousandths * (self.unit.length_unit() / 1000)
    }
}

/// A physical length of a boat of that system in metres, as answers show it: a metric length
/// unchanged, feet rounded to two decimals, halves up.
pub fn shown_metres(physical: i64, unit: Unit) -> Number {
    match unit {
        Unit::Metric => fraction(physical, METRE),
        Unit::Imperial => {
            let centimetre = METRE / 100;
            fraction((physical + centimetre / 2) / centimetre, 100)
        }
    }
}

/// The unit of a caller's bounds (specification section 4.1, `lengthUnit`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum LengthUnit {
    /// `m`
    #[default]
    Metres,
    /// `ft`
    Feet,
}

impl LengthUnit {
    /// Both units, in the order in which messages name them.
    pub const ALL: [Self; 2] = [Self::Metres, Self::Feet];

    /// The word used in queries.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Metres => "m",
            Self::Feet => "ft",
        }
    }

    const fn system(self) -> Unit {
        match self {
            Self::Metres => Unit::Metric,
            Self::Feet => Unit::Imperial,
        }
    }
}

/// A caller's number, exact whatever its number of decimals.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Bound(BigDecimal);

impl Bound {
    /// Reads a decimal number.
    pub fn parse(number: &str) -> Result<Self, InvalidLength> {
        Ok(Self(decimal(number)?.normalized()))
    }

    /// The least integer that is not below it, once it has so many decimals fewer.
    pub fn ceil(&self, decimals: u32) -> i64 {
        self.scaled(10_i64.pow(decimals), 0, RoundingMode::Ceiling)
    }

    /// The greatest integer that is not above it, once it has so many decimals fewer.
    pub fn floor(&self, decimals: u32) -> i64 {
        self.scaled(10_i64.pow(decimals), 0, RoundingMode::Floor)
    }

    /// Rounding inward to the next integer is exact where it is compared with integers.
    fn scaled(&self, factor: i64, slack: i64, mode: RoundingMode) -> i64 {
        let exact = &self.0 * BigDecimal::from(factor) + BigDecimal::from(slack);
        exact.with_scale_round(0, mode).to_i64().unwrap_or(i64::MAX)
    }
}

impl From<u64> for Bound {
    fn from(integer: u64) -> Self {
        Self(BigDecimal::from(integer))
    }
}

impl fmt::Display for Bound {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.to_plain_string())
    }
}

/// The physical lengths that a caller's bounds admit, in ten-millionths of a metre: one range for
/// boats declared in the bounds' own unit (exact), one for the others (within 0.005 m).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LengthRanges {
    /// The system whose boats compare exactly.
    pub exact_system: Unit,
    /// Admitted lengths of boats declared in `exact_system`.
    pub exact: RangeInclusive<i64>,
    /// Admitted lengths of boats declared in the other system; always contains `exact`.
    pub tolerant: RangeInclusive<i64>,
}

impl LengthRanges {
    /// The ranges of optional bounds; a missing bound admits everything on its side.
    pub fn new(min: Option<&Bound>, max: Option<&Bound>, unit: LengthUnit) -> Self {
        use RoundingMode::{Ceiling, Floor};
        let factor = unit.system().length_unit();
        let low = |slack: i64| min.map_or(0, |min| min.scaled(factor, -slack, Ceiling));
        // No boat is longer.
        let longest = LENGTH_MAX * METRE;
        let high = |slack: i64| max.map_or(longest, |max| max.scaled(factor, slack, Floor));
        Self {
            exact_system: unit.system(),
            exact: low(0)..=high(0),
            tolerant: low(TOLERANCE)..=high(TOLERANCE),
        }
    }

    /// Whether a boat of this length is admitted. The list query must agree with this.
    pub fn admits(&self, length: Length) -> bool {
        let range = if length.unit() == self.exact_system {
            &self.exact
        } else {
            &self.tolerant
        };
        range.contains(&length.physical())
    }
}

fn is_within_limits(value: &BigDecimal) -> bool {
    let (zero, max) = (BigDecimal::zero(), BigDecimal::from(LENGTH_MAX));
    zero < *value && *value <= max
}

fn decimal(number: &str) -> Result<BigDecimal, InvalidLength> {
    if NUMBER_LENGTH_MAX < number.len() {
        return Err(InvalidLength::TooLong);
    }
    // An exponent could ask for a billion digits; no length needs one that large.
    let exponent = number
        .split_once(['e', 'E'])
        .map_or("0", |(_, exponent)| exponent);
    match exponent.parse::<i16>() {
        Ok(-400..=400) => {}
        Ok(_) => return Err(InvalidLength::OutOfRange),
        Err(error) => {
            let is_huge = matches!(
                error.kind(),
                IntErrorKind::PosOverflow | IntErrorKind::NegOverflow
            );
            let invalid = if is_huge {
                InvalidLength::OutOfRange
            } else {
                InvalidLength::NotANumber
            };
            return Err(invalid);
        }
    }
    BigDecimal::from_str(number).map_err(|_malformed| InvalidLength::NotANumber)
}

#[expect(clippy::cast_precision_loss, reason = "lengths are far below 2^53")]
fn fraction(numerator: i64, denominator: i64) -> Number {
    // Dividing two small integers gives the float nearest to the decimal, hence its short form.
    Number::new(numerator as f64 / denominator as f64).unwrap_or_else(|| unreachable!())
}

#[cfg(test)]
mod tests;
