//! Times for people: relative to now at a terminal, exact elsewhere.

use shared::base::clock::UnixMillis;
use shared::base::timestamp::Timestamp;

use crate::terminal::Terminal;

/// Units, the longest first: names and lengths in seconds.
const UNITS: [(&str, u64); 4] = [
    ("years", 365 * 86_400),
    ("days", 86_400),
    ("hours", 3600),
    ("minutes", 60),
];

/// A time in a list.
pub fn short(at: impl Into<UnixMillis>, now: i64, terminal: Terminal) -> String {
    let at = at.into();
    if terminal.out {
        relative(at.unix_seconds(), now)
    } else {
        exact(at)
    }
}

/// A time where there is more room: exact, and at a terminal also relative to now.
pub fn full(at: impl Into<UnixMillis>, now: i64, terminal: Terminal) -> String {
    let at = at.into();
    if terminal.out {
        format!("{}, {}", exact(at), relative(at.unix_seconds(), now))
    } else {
        exact(at)
    }
}

/// RFC 3339 in UTC; a fraction only where there is one.
pub fn exact(at: impl Into<UnixMillis>) -> String {
    Timestamp::from_unix_millis(at.into()).to_string()
}

/// `3 hours ago`, `in 2 days`: in the longest unit that fits at least twice.
pub fn relative(at: i64, now: i64) -> String {
    let seconds = at.abs_diff(now);
    if seconds < 2 {
        return "now".to_owned();
    }
    let fits = |(_, unit): &(&str, u64)| 2 <= seconds / unit;
    let (name, unit) = UNITS.into_iter().find(fits).unwrap_or(("seconds", 1));
    let number = seconds / unit;
    if at < now {
        format!("{number} {name} ago")
    } else {
        format!("in {number} {name}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_distance_is_shown_in_the_longest_unit_of_which_there_are_two() {
        let table = [
            (0, "now"),
            (1, "now"),
            (-119, "119 seconds ago"),
            (120, "in 2 minutes"),
            (-7199, "119 minutes ago"),
            (-7200, "2 hours ago"),
            (172_799, "in 47 hours"),
            (-172_800, "2 days ago"),
            (730 * 86_400 - 1, "in 729 days"),
            (-730 * 86_400, "2 years ago"),
        ];
        for (seconds, shown) in table {
            assert_eq!(relative(1000 + seconds, 1000), shown, "{seconds}");
        }
        assert_eq!(relative(i64::MIN, i64::MAX), "584942417355 years ago");
    }

    #[test]
    fn only_a_terminal_shows_a_distance() {
        let terminal = Terminal {
            out: true,
            ..Terminal::default()
        };
        assert_eq!(short(0, 7200, terminal), "2 hours ago");
        assert_eq!(short(0, 7200, Terminal::default()), "1970-01-01T00:00:00Z");
        let in_full = "1970-01-01T00:00:00Z, 2 hours ago";
        assert_eq!(full(0, 7200, terminal), in_full);
    }
}
