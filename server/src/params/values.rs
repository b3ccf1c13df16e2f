//! Parsers of single values, from decoded text to types, with the message a caller reads.
//!
//! Forms are narrow on purpose: no sign, exponent, white space or second spelling, so that a
//! caller's mistake is never taken for a number.

use std::ops::RangeInclusive;

use shared::base::ids::Slug;
use shared::base::units::{LengthBound, LengthUnit};

/// A parameter with a fixed set of words.
pub trait Choice: Copy + 'static {
    /// All values, in the order in which messages name them.
    const VALUES: &'static [Self];

    /// The word used in queries.
    fn word(self) -> &'static str;
}

impl Choice for LengthUnit {
    const VALUES: &'static [Self] = &Self::ALL;

    fn word(self) -> &'static str {
        self.as_str()
    }
}

/// One of the words of `T`, case-sensitive.
pub(super) fn choice<T: Choice>(text: &str) -> Result<T, String> {
    let found = T::VALUES.iter().copied().find(|value| value.word() == text);
    found.ok_or_else(|| {
        let words: Vec<_> = T::VALUES.iter().map(|value| value.word()).collect();
        format!("must be one of: {}", words.join(", "))
    })
}

/// An integer `[0-9]+` within `range`. However many digits there are, they never overflow.
pub(super) fn integer<T: TryFrom<u64>>(
    text: &str,
    range: &RangeInclusive<u64>,
) -> Result<T, String> {
    // The standard parser would accept a leading plus.
    let value: Option<u64> = is_digits(text).then(|| text.parse().ok()).flatten();
    let in_range = value.filter(|value| range.contains(value));
    in_range
        .and_then(|value| T::try_from(value).ok())
        .ok_or_else(|| {
            format!(
                "must be an integer from {} to {}, in digits",
                range.start(),
                range.end()
            )
        })
}

/// A length bound `[0-9]+(\.[0-9]+)?`, above 0 and at most 1000.
pub(super) fn length_bound(text: &str) -> Result<LengthBound, String> {
    let (whole, fraction) = text.split_once('.').unwrap_or((text, "0"));
    if !is_digits(whole) || !is_digits(fraction) {
        return Err("must be a number such as 12 or 12.5, without sign or exponent".to_owned());
    }
    LengthBound::parse(text).map_err(|invalid| invalid.to_string())
}

/// A slug of a manufacturer or a term.
pub(super) fn slug(text: &str) -> Result<Slug, String> {
    Slug::parse(text).map_err(|invalid| invalid.to_string())
}

fn is_digits(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}
