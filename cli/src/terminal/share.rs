//! The part of a whole, as people read it: full only where nothing is missing, none only where
//! there is nothing.

use std::fmt;

/// A part of a whole.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Share {
    part: u64,
    whole: u64,
}

impl Share {
    /// `part` of `whole`; none of nothing.
    pub fn of(part: u64, whole: u64) -> Self {
        let part = part.min(whole);
        Self { part, whole }
    }

    /// How many of so many equal parts of the whole it is, rounded down.
    pub fn parts(self, parts: u64) -> u64 {
        let parts = u128::from(self.part) * u128::from(parts);
        let share = parts.checked_div(u128::from(self.whole)).unwrap_or(0);
        u64::try_from(share).unwrap_or(u64::MAX)
    }

    /// The same of a drawing, in which even a small part can be seen.
    pub fn drawn(self, parts: u64) -> u64 {
        self.parts(parts).max(u64::from(self.part != 0))
    }
}

/// Whole percent, rounded down.
impl fmt::Display for Share {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.parts(100) {
            0 if self.part != 0 => f.write_str("<1"),
            percent => percent.fmt(f),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_share_is_full_or_none_only_where_it_is() {
        let table = [
            (0, 3, "0", 0),
            (1, 3, "33", 3),
            (3, 3, "100", 10),
            (999, 1000, "99", 9),
            (1, 1000, "<1", 1),
            (0, 0, "0", 0),
            (7, 3, "100", 10),
            (u64::MAX, u64::MAX, "100", 10),
        ];
        for (part, whole, percent, tenths) in table {
            let share = Share::of(part, whole);
            assert_eq!(share.to_string(), percent, "{part} of {whole}");
            assert_eq!(share.drawn(10), tenths, "{part} of {whole}");
        }
    }
}
