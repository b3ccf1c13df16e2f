//! How much of a quota is used, as a bar and in words.

use crate::terminal::share::Share;
use crate::terminal::style::Style;
use crate::terminal::table::Cell;

/// Width of a bar, in columns.
const WIDTH: u64 = 10;
/// The part of a quota, in percent, from which the operator may want to act.
const MUCH: u64 = 75;

/// A bar that shows how much of the quota is used; full only if nothing is left, empty only if
/// nothing is used.
pub(super) fn bar(used: u64, quota: u64) -> Cell {
    let full = share(used, quota).drawn(WIDTH);
    let count = |number| usize::try_from(number).unwrap_or(usize::MAX);
    let (full, empty) = (count(full), count(WIDTH - full));
    let text = format!("{}{}", "█".repeat(full), "░".repeat(empty));
    Cell::new(text, style(used, quota))
}

/// Whole percent; 100 only if nothing is left, and 0 only if nothing is used.
pub(super) fn percent(used: u64, quota: u64) -> String {
    format!("{} %", share(used, quota))
}

/// The style for so much use.
pub(super) fn style(used: u64, quota: u64) -> Style {
    if quota <= used && used != 0 {
        Style::Bad
    } else if MUCH <= share(used, quota).parts(100) {
        Style::Notice
    } else {
        Style::Good
    }
}

/// A number with thousands separators, such as `100,000`.
pub(super) fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut grouped = String::new();
    for (place, digit) in digits.char_indices() {
        if place != 0 && (digits.len() - place).is_multiple_of(3) {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    grouped
}

/// The part that is used; all if the quota is zero.
fn share(used: u64, quota: u64) -> Share {
    match quota {
        0 => Share::of(1, 1),
        quota => Share::of(used, quota),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_quota_is_shown_by_its_share() {
        let table = [
            (0, 1000, 0, "0 %", Style::Good),
            (1, 1000, 1, "<1 %", Style::Good),
            (500, 1000, 5, "50 %", Style::Good),
            (750, 1000, 7, "75 %", Style::Notice),
            (999, 1000, 9, "99 %", Style::Notice),
            (1000, 1000, 10, "100 %", Style::Bad),
            (2000, 1000, 10, "100 %", Style::Bad),
            (u64::MAX, u64::MAX, 10, "100 %", Style::Bad),
            (0, 0, 10, "100 %", Style::Notice),
        ];
        for (used, quota, full, percentage, meaning) in table {
            let drawn = format!("{:?}", bar(used, quota));
            assert_eq!(drawn.matches('█').count(), full, "{used} of {quota}");
            assert_eq!(percent(used, quota), percentage, "{used} of {quota}");
            assert_eq!(style(used, quota), meaning, "{used} of {quota}");
        }
    }

    #[test]
    fn digits_stand_in_groups_of_three() {
        let table = [
            (0, "0"),
            (999, "999"),
            (1000, "1,000"),
            (1_234_567, "1,234,567"),
        ];
        for (number, text) in table {
            assert_eq!(grouped(number), text);
        }
    }
}
