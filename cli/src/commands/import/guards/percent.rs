//! The share that a guard lets pass, as it is typed.

use std::fmt;
use std::str::FromStr;

/// A share from 0 to 100 %, exact to four decimals.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Percent {
    ten_thousandths: u32,
}

/// Not a share.
#[derive(Debug, thiserror::Error)]
#[error("must be a number from 0 to 100 with at most 4 decimals")]
pub struct NotAPercentage;

impl Percent {
    /// One of ten records may be removed.
    pub const REMOVALS: Self = Self::whole(10);
    /// A field may lose its value in one of ten records.
    pub const LOST_VALUES: Self = Self::whole(10);
    /// A field may have another value in half of all records.
    pub const CHANGES: Self = Self::whole(50);
    /// One of ten images may be left out.
    pub(super) const LOST_IMAGES: Self = Self::whole(10);
    const DECIMALS: usize = 4;

    const fn whole(percent: u32) -> Self {
        Self {
            ten_thousandths: percent * 10_000,
        }
    }

    /// Whether nothing is allowed.
    pub(super) const fn is_none(self) -> bool {
        self.ten_thousandths == 0
    }

    /// Whether `part` is more than this share of `whole`.
    pub(super) fn is_less_than(self, part: u64, whole: u64) -> bool {
        let most = u128::from(self.ten_thousandths) * u128::from(whole);
        most < u128::from(part) * 1_000_000
    }
}

impl FromStr for Percent {
    type Err = NotAPercentage;

    fn from_str(text: &str) -> Result<Self, NotAPercentage> {
        let (whole, decimals) = match text.split_once('.') {
            Some((whole, decimals)) if !decimals.is_empty() => (whole, decimals),
            Some(_) => return Err(NotAPercentage),
            None => (text, ""),
        };
        let is_number = !whole.is_empty()
            && [whole, decimals]
                .iter()
                .all(|digits| digits.bytes().all(|byte| byte.is_ascii_digit()));
        if !is_number || Self::DECIMALS < decimals.len() {
            return Err(NotAPercentage);
        }
        let digits = format!("{whole}{decimals:0<width$}", width = Self::DECIMALS);
        let percent = digits
            .parse()
            .ok()
            .map(|ten_thousandths| Self { ten_thousandths });
        percent
            .filter(|percent| percent.ten_thousandths <= Self::whole(100).ten_thousandths)
            .ok_or(NotAPercentage)
    }
}

impl fmt::Display for Percent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (whole, rest) = (self.ten_thousandths / 10_000, self.ten_thousandths % 10_000);
        if rest == 0 {
            return write!(f, "{whole}");
        }
        let decimals = format!("{rest:04}");
        write!(f, "{whole}.{}", decimals.trim_end_matches('0'))
    }
}
