//! Reads measures, which are numbers with units as people type them, exactly and in the requested
//! unit, and numbers without units.
//!
//! A wrong factor is worse than an error, so anything ambiguous is rejected. A value in the
//! requested unit is taken as it is, but for a length with more decimals than the catalogue takes,
//! as formulas make it; otherwise, only a conversion between systems of units is rounded.

mod lexemes;
mod number;
mod parser;
mod units;
mod why;

use std::str::FromStr as _;

use bigdecimal::{BigDecimal, RoundingMode};

use self::number::Written;
pub(in crate::mapping) use self::number::{Convention, DecimalMark};
use self::parser::Measure;
pub(in crate::mapping) use self::units::Unit;
use self::why::TEXT_MAX;
pub(super) use self::why::Why;
use super::quoted;

/// The decimals of a converted value; halves are rounded up.
const DECIMALS: i64 = 2;

/// The decimals of a length that is not converted.
const DECIMALS_OF_LENGTH: i64 = 3;
/// The most decimals of a length that is rounded: far more than any program writes.
const DECIMALS_MAX: i64 = 100;

/// A number that was read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::mapping) struct ReadNumber {
    /// Its shortest spelling.
    pub(in crate::mapping) spelled: String,
    /// What it shows of the convention by which it is written, if nothing else does.
    pub(in crate::mapping) convention: Option<Convention>,
    /// What it shows of the unit of the numbers of its column.
    pub(in crate::mapping) unit: Option<Convention>,
}

impl ReadNumber {
    fn new(value: &BigDecimal, convention: Option<Convention>) -> Self {
        Self {
            spelled: value.normalized().to_plain_string(),
            convention,
            unit: None,
        }
    }
}

/// The number in `text` in the unit `wanted`; `None` if the text is blank.
///
/// A text may spell the same measure several times, as in `34.58' / 10.54m` and `10.54 m (34'7")`.
/// The spelling in the wanted unit is taken. Without one, the first spelling is converted: exactly
/// if that only moves the decimal point (`cm` to `m`, `t` to `kg`), otherwise rounded to two
/// decimals, halves up. Spellings that are further apart than their last digits allow are rejected.
/// A number without a unit is in the wanted unit.
///
/// Unless `decimal` says what stands before decimals, a single point is the decimal point, even
/// before exactly three digits: `4.763 kg` is less than five kilograms, and `10.500 kg` is ten and a
/// half. A single comma before exactly three
/// digits is rejected, because `1,234 kg` may be 1234 or 1.234. It is accepted if the unit is
/// imperial, as the comma then separates thousands, or if another spelling agrees with only one of
/// the two values. An apostrophe separates the thousands of a mass, as in `10'500 kg`; elsewhere it
/// is the sign of feet.
pub(in crate::mapping) fn measure(
    text: &str,
    wanted: Unit,
    decimal: Option<DecimalMark>,
) -> Result<Option<ReadNumber>, String> {
    if text.trim().is_empty() {
        return Ok(None);
    }
    let read = read(text, wanted, decimal).map_err(|why| {
        let (text, unit) = (quoted(text), wanted.name());
        format!("could not read {text:?} as a measure in {unit}: {why}")
    })?;
    Ok(Some(read))
}

/// The number without a unit in `text`; `None` if the text is blank.
///
/// `1 234`, `1'234`, `1,234.5`, `1.234,5`, `16,6` and `-3 ½` are read. As in a measure, a single
/// point is the decimal point, and `1,234` is rejected, unless `decimal` says otherwise.
pub(in crate::mapping) fn number(
    text: &str,
    decimal: Option<DecimalMark>,
) -> Result<Option<ReadNumber>, String> {
    if text.trim().is_empty() {
        return Ok(None);
    }
    let read = read_number(text, decimal).map_err(|why| {
        let text = quoted(text);
        format!("could not read {text:?} as a number: {why}")
    })?;
    Ok(Some(read))
}

/// The number in the text of an amount of money. As nobody writes three decimals of money after a
/// comma, one before three digits parts thousands, and is refused where a comma stands before
/// decimals. A point may do either there, and is refused unless it surely stands before decimals.
pub(super) fn amount(text: &str, decimal: Option<DecimalMark>) -> Result<ReadNumber, Why> {
    if let Ok(alone) = parser::number(text, None) {
        let is_point_of_three = alone.written.convention == Some(Convention::PointOfThree);
        if is_point_of_three && decimal.is_none_or(DecimalMark::is_guessed_point) {
            let decimals = alone.written.value;
            let thousands = (&decimals * BigDecimal::from(1000)).normalized();
            return Err(Why::Ambiguous {
                thousands,
                decimals,
            });
        }
        if let Some(mark) = decimal.filter(|mark| mark.is_comma() && alone.or_thousands.is_some()) {
            return Err(mark.refuses(text));
        }
    }
    let written = parser::number(text, decimal)?.in_thousands();
    Ok(ReadNumber::new(&written.value, written.convention))
}

fn read_number(text: &str, decimal: Option<DecimalMark>) -> Result<ReadNumber, Why> {
    if TEXT_MAX < text.len() {
        return Err(Why::TooLong);
    }
    let number = parser::number(text, decimal).map_err(|why| match why {
        Why::Unexpected { found } => Why::NotDigits { found },
        why => why,
    })?;
    let written = number.unambiguous()?;
    Ok(ReadNumber::new(&written.value, written.convention))
}

fn read(text: &str, wanted: Unit, decimal: Option<DecimalMark>) -> Result<ReadNumber, Why> {
    if TEXT_MAX < text.len() {
        return Err(Why::TooLong);
    }
    let measures = parser::measures(text, wanted, decimal)?;
    if let Some(other) = measures.iter().find(|measure| !measure.is_like(wanted)) {
        return Err(Why::OtherQuantity {
            found: other.unit,
            wanted,
        });
    }
    let chosen = measures
        .iter()
        .position(|measure| measure.unit == wanted)
        .unwrap_or_default();
    let mut others = measures;
    let chosen = others.swap_remove(chosen);
    let settled = settle(&chosen, &others)?;
    // Several spellings of a measure settle what their marks mean.
    let convention = settled.convention.filter(|_| others.is_empty());
    let convention = convention.and_then(|shown| match shown {
        _ if chosen.unit.reaches_thousands() => Some(shown),
        Convention::PointOfThree => Some(Convention::Point),
        Convention::Guessed => None,
        shown => Some(shown),
    });
    let value = convert(&settled.value, chosen.unit, wanted);
    let value = shortened(&value, wanted).unwrap_or(value);
    let is_zero = value == 0;
    let unit = match chosen.has_unit {
        false if !is_zero => Some(Convention::NoUnit),
        true if !chosen.unit.goes_with(wanted) => Some(Convention::OtherUnit),
        _ => None,
    };
    Ok(ReadNumber {
        unit,
        ..ReadNumber::new(&value, convention)
    })
}

/// The only value of `chosen` that all other spellings agree with, provided that these agree with
/// each other.
fn settle(chosen: &Measure, others: &[Measure]) -> Result<Written, Why> {
    let mut agreed = chosen.values();
    for (place, other) in others.iter().enumerate() {
        agreed.retain(|value| fits(value, chosen.unit, other));
        if agreed.is_empty() {
            return Err(different(chosen, other));
        }
        let is_apart = |one: &&Measure| {
            one.values()
                .iter()
                .all(|value| !is_near(value, one.unit, other))
        };
        if let Some(one) = others[..place].iter().find(is_apart) {
            return Err(different(one, other));
        }
    }
    match agreed.as_slice() {
        [only] => Ok((*only).clone()),
        _ => chosen.number.clone().unambiguous(),
    }
}

/// Whether a value can be what another spelling means. In the same unit, nothing is rounded, so the
/// values must be equal.
fn fits(value: &Written, unit: Unit, other: &Measure) -> bool {
    if unit == other.unit {
        return other.values().iter().any(|near| near.value == value.value);
    }
    is_near(value, unit, other)
}

/// Whether a value can be what another spelling means if each was rounded or cut off after its last
/// digit.
fn is_near(value: &Written, unit: Unit, other: &Measure) -> bool {
    let (factor, other_factor) = (unit.factor(), other.unit.factor());
    other.values().iter().any(|near| {
        let difference = (&value.value * &factor - &near.value * &other_factor).abs();
        difference <= &value.step * &factor + &near.step * &other_factor
    })
}

fn different(one: &Measure, other: &Measure) -> Why {
    let converted = match other.values().as_slice() {
        [written] if one.unit != other.unit => {
            let value = convert(&written.value, other.unit, one.unit).normalized();
            format!(
                ": {other} is {} {}",
                value.to_plain_string(),
                one.unit.name()
            )
        }
        _ => String::new(),
    };
    Why::Different {
        one: one.to_string(),
        other: other.to_string(),
        converted,
    }
}

fn convert(value: &BigDecimal, from: Unit, to: Unit) -> BigDecimal {
    if from == to {
        return value.clone();
    }
    let converted = value * from.factor() / to.factor();
    if from.shifts_to(to) {
        return converted;
    }
    converted.with_scale_round(DECIMALS, RoundingMode::HalfUp)
}

/// A length with fewer decimals, if it has too many.
fn shortened(value: &BigDecimal, unit: Unit) -> Option<BigDecimal> {
    let decimals = DECIMALS_OF_LENGTH + 1..=DECIMALS_MAX;
    let is_long = unit.is_length() && decimals.contains(&value.fractional_digit_count());
    is_long.then(|| value.with_scale_round(DECIMALS_OF_LENGTH, RoundingMode::HalfUp))
}

/// A number of JSON that is a measure in this unit, if it is a length with too many decimals.
pub(in crate::mapping) fn rounded(number: &str, unit: Unit) -> Option<String> {
    // Nearly every number is short, and is not taken apart.
    let (_, decimals) = number.split_once('.')?;
    let may_be_long = DECIMALS_OF_LENGTH < decimals.len().try_into().ok()?;
    let value = may_be_long.then(|| BigDecimal::from_str(number).ok())??;
    let value = shortened(&value, unit)?;
    Some(value.normalized().to_plain_string())
}

#[cfg(test)]
mod tests;
