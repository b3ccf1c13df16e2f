//! Counts as people type them: whole numbers, perhaps of thousands or millions, such as `500`,
//! `100k` or `2M`, within the bounds of their option.

use std::ops::RangeInclusive;

/// The factors that letters after a number stand for.
const LETTERS: [(char, u64); 2] = [('k', 1_000), ('M', 1_000_000)];

/// Why a text is not a count for an option.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum InvalidCount {
    /// Not a number.
    #[error("must be a whole number, such as 500, 100k or 2M")]
    Form,
    /// Too small or too large for the option.
    #[error("must be from {} to {}", .0.start(), .0.end())]
    Bounds(RangeInclusive<u64>),
}

/// The parser for an option that is a count within these bounds, which `T` can hold.
pub fn count<T: TryFrom<u64>>(
    bounds: RangeInclusive<u64>,
) -> impl Fn(&str) -> Result<T, InvalidCount> + Clone {
    move |text| {
        let number = parse(text)?;
        // Digits that do not fit the type are still a number, but too large.
        let number = number.filter(|number| bounds.contains(number));
        let count = number.and_then(|number| T::try_from(number).ok());
        count.ok_or_else(|| InvalidCount::Bounds(bounds.clone()))
    }
}

/// The number, unless it is too large for any count.
fn parse(text: &str) -> Result<Option<u64>, InvalidCount> {
    let with_letter = |(letter, times)| Some((text.strip_suffix(letter)?, times));
    let (digits, times) = LETTERS
        .into_iter()
        .find_map(with_letter)
        .unwrap_or((text, 1));
    if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return Err(InvalidCount::Form);
    }
    let number = digits.parse::<u64>().ok();
    Ok(number.and_then(|number| number.checked_mul(times)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_count_is_a_number_perhaps_of_thousands_or_millions() {
        let read = count::<u64>(0..=u64::MAX);
        for (text, expected) in [
            ("0", 0),
            ("500", 500),
            ("007", 7),
            ("100k", 100_000),
            ("2M", 2_000_000),
            ("18446744073709551615", u64::MAX),
        ] {
            assert_eq!(read(text), Ok(expected), "{text}");
        }
        for text in [
            "", "k", "-1", "+1", "1.5", "1,000", "1 k", "100kk", "2m", "1K", "1e3", "٣",
        ] {
            assert_eq!(read(text), Err(InvalidCount::Form), "{text}");
        }
    }

    #[test]
    fn a_count_outside_its_bounds_is_told_them() {
        let read = count::<u32>(1..=1_000_000);
        assert_eq!((read("1"), read("1M")), (Ok(1), Ok(1_000_000)));
        let outside = Err(InvalidCount::Bounds(1..=1_000_000));
        for text in [
            "0",
            "1000001",
            "2M",
            "18446744073709551616",
            "99999999999999999M",
        ] {
            assert_eq!(read(text), outside, "{text}");
        }
        let message = InvalidCount::Bounds(1..=1_000_000).to_string();
        assert_eq!(message, "must be from 1 to 1000000");
    }
}
