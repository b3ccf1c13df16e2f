//! Quantities as people type them: a whole number, perhaps with a unit, such as `100k`, `24h` or
//! `512MiB`, within the bounds of their option. There is one parser, and one form of error.
//!
//! Libraries accept more than the documentation promises, such as `1month` or `1h 5m`, and show 24h
//! as a day.

use std::fmt;
use std::ops::RangeInclusive;
use std::time::Duration;

/// How a quantity is typed.
#[derive(Clone, Copy, Debug)]
pub struct Scale {
    /// The units, the largest first, and what each is worth. An empty one need not be typed.
    units: &'static [(&'static str, u64)],
    /// What is to be typed, for errors.
    form: &'static str,
}

/// A number of things.
const COUNT: Scale = Scale::new(
    &[("M", 1_000_000), ("k", 1_000), ("", 1)],
    "a whole number, such as 500, 100k or 2M",
);
/// A duration, in seconds.
const DURATION: Scale = Scale::new(
    &[("d", 24 * 60 * 60), ("h", 60 * 60), ("m", 60), ("s", 1)],
    "a whole number and s, m, h or d, such as 2s, 24h or 90d",
);
/// An amount of memory, in bytes.
pub const MEMORY: Scale = Scale::new(
    &[("GiB", 1 << 30), ("MiB", 1 << 20), ("KiB", 1 << 10)],
    "a whole number and KiB, MiB or GiB, such as 512MiB or 2GiB",
);

/// Longest duration: ten years of 365 days.
const DURATION_MAX: Duration = Duration::from_hours(3650 * 24);
/// Any duration but zero.
pub const POSITIVE: RangeInclusive<Duration> = Duration::from_secs(1)..=DURATION_MAX;
/// Any amount of memory, up to more than any machine has.
pub const ANY_MEMORY: RangeInclusive<u64> = 0..=1 << 50;

/// Why a text is not a quantity for an option.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum InvalidQuantity {
    /// Not a number, or not with a unit of the scale.
    #[error("must be {0}")]
    Form(&'static str),
    /// Too small or too large for the option.
    #[error("must be from {least} to {most}")]
    Bounds {
        /// The smallest, as typed.
        least: String,
        /// The largest, as typed.
        most: String,
    },
}

impl Scale {
    /// A scale with these units, whose errors ask for this form.
    pub const fn new(units: &'static [(&'static str, u64)], form: &'static str) -> Self {
        Self { units, form }
    }

    /// The same, for an option that takes something else too.
    #[must_use]
    pub const fn described(self, form: &'static str) -> Self {
        Self { form, ..self }
    }

    /// Reads a quantity within these bounds; zero needs no unit.
    pub fn read(self, text: &str, bounds: &RangeInclusive<u64>) -> Result<u64, InvalidQuantity> {
        let with_unit = |&(unit, worth)| Some((text.strip_suffix(unit)?, worth));
        let found = self.units.iter().find_map(with_unit);
        let found = found.or((text == "0").then_some((text, 0)));
        let is_number =
            |digits: &str| !digits.is_empty() && digits.bytes().all(|digit| digit.is_ascii_digit());
        let found = found.filter(|(digits, _)| is_number(digits));
        let (digits, worth) = found.ok_or(InvalidQuantity::Form(self.form))?;
        // Digits that do not fit the type are still a number, but too large.
        let number = digits.parse::<u64>().ok();
        let quantity = number.and_then(|number| number.checked_mul(worth));
        let quantity = quantity.filter(|quantity| bounds.contains(quantity));
        quantity.ok_or_else(|| self.outside(bounds))
    }

    /// A quantity as it is typed: in the largest unit of which there are at least two, since 24h is
    /// clearer than 1d; without a unit where none is needed.
    pub fn show(self, quantity: u64) -> String {
        let fits =
            |&&(_, worth): &&(&str, u64)| quantity.is_multiple_of(worth) && 2 <= quantity / worth;
        let smallest = self.units.last().copied().unwrap_or(("", 1));
        let (unit, worth) = match smallest {
            ("", _) => smallest,
            _ => self.units.iter().find(fits).copied().unwrap_or(smallest),
        };
        format!("{}{unit}", quantity / worth)
    }

    fn outside(self, bounds: &RangeInclusive<u64>) -> InvalidQuantity {
        InvalidQuantity::Bounds {
            least: self.show(*bounds.start()),
            most: self.show(*bounds.end()),
        }
    }
}

/// The parser for an option that is a count within these bounds, which `T` can hold.
pub fn count<T: TryFrom<u64>>(
    bounds: RangeInclusive<u64>,
) -> impl Fn(&str) -> Result<T, InvalidQuantity> + Clone {
    move |text| {
        let count = COUNT.read(text, &bounds)?;
        T::try_from(count).map_err(|_too_large| COUNT.outside(&bounds))
    }
}

/// The parser for an option that is a duration of whole seconds within these bounds.
pub fn duration(
    bounds: RangeInclusive<Duration>,
) -> impl Fn(&str) -> Result<Duration, InvalidQuantity> + Clone {
    let bounds = bounds.start().as_secs()..=bounds.end().as_secs();
    move |text| DURATION.read(text, &bounds).map(Duration::from_secs)
}

/// A duration in the form in which it is typed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TypedDuration(pub Duration);

impl fmt::Display for TypedDuration {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&DURATION.show(self.0.as_secs()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_quantity_is_a_whole_number_and_perhaps_a_unit() {
        let most = u64::MAX;
        for (scale, text, expected) in [
            (COUNT, "0", 0),
            (COUNT, "500", 500),
            (COUNT, "007", 7),
            (COUNT, "100k", 100_000),
            (COUNT, "2M", 2_000_000),
            (COUNT, "18446744073709551615", most),
            (DURATION, "0", 0),
            (DURATION, "0s", 0),
            (DURATION, "2s", 2),
            (DURATION, "15m", 900),
            (DURATION, "24h", 86_400),
            (DURATION, "90d", 7_776_000),
            (MEMORY, "0", 0),
            (MEMORY, "64KiB", 65_536),
            (MEMORY, "512MiB", 536_870_912),
            (MEMORY, "17179869183GiB", most - (1 << 30) + 1),
        ] {
            assert_eq!(scale.read(text, &(0..=most)), Ok(expected), "{text}");
        }
    }

    #[test]
    fn other_forms_are_refused() {
        let other = ["", "-1", "+1", "1.5", "1,000", "1e3", "٣", "é", "1é"];
        let counts = ["k", "1 k", "100kk", "2m", "1K"];
        let durations = [
            "s", "24", "1.5h", "-1h", " 1h", "1h ", "1 h", "1w", "1H", "00",
        ];
        let memory = ["512", "MiB", "1.5GiB", "+1GiB", "1 GiB", "1GB", "1gib"];
        for (scale, own) in [
            (COUNT, &counts[..]),
            (DURATION, &durations),
            (MEMORY, &memory),
        ] {
            for text in other.iter().chain(own) {
                let refused = Err(InvalidQuantity::Form(scale.form));
                assert_eq!(scale.read(text, &(0..=u64::MAX)), refused, "{text:?}");
            }
        }
    }

    #[test]
    fn a_quantity_outside_its_bounds_is_told_them_as_they_are_typed() {
        let refused = |result: Result<u64, InvalidQuantity>| result.unwrap_err().to_string();
        let rate = count::<u64>(1..=1_000_000);
        for text in ["0", "1000001", "2M", "18446744073709551616"] {
            assert_eq!(refused(rate(text)), "must be from 1 to 1000000", "{text}");
        }
        let narrow = count::<u8>(0..=u64::MAX);
        let expected = "must be from 0 to 18446744073709551615";
        assert_eq!(narrow("300").unwrap_err().to_string(), expected);
        let positive = duration(POSITIVE);
        assert_eq!(positive("3650d"), Ok(DURATION_MAX));
        for text in ["0", "0d", "3651d", "315360001s", "18446744073709551615d"] {
            let outside = positive(text).unwrap_err().to_string();
            assert_eq!(outside, "must be from 1s to 3650d", "{text}");
        }
        let memory = refused(MEMORY.read("17179869184GiB", &ANY_MEMORY));
        assert_eq!(memory, "must be from 0KiB to 1048576GiB");
    }

    #[test]
    fn a_duration_is_shown_as_it_could_be_typed() {
        for text in [
            "0s", "1s", "60s", "2m", "90m", "24h", "36h", "2d", "365d", "3650d",
        ] {
            let seconds = DURATION.read(text, &(0..=u64::MAX)).unwrap();
            let typed = TypedDuration(Duration::from_secs(seconds));
            assert_eq!(typed.to_string(), text);
        }
        assert_eq!(TypedDuration(Duration::from_hours(48)).to_string(), "2d");
    }
}
