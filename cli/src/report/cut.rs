//! Cuts two long texts so that their difference stays visible.

use unicode_width::UnicodeWidthChar;

/// Marks where text is left out.
const ELLIPSIS: char = '…';
/// Most columns that are kept of the common beginning.
const CONTEXT_MAX: usize = 20;

/// Both texts, each in at most `columns`. If one is longer, their common beginning is left out
/// except for a few characters, and then as much of the end as does not fit.
pub fn cut([old, new]: [&str; 2], columns: usize) -> [String; 2] {
    if [old, new].iter().all(|text| width(text) <= columns) {
        return [old, new].map(str::to_owned);
    }
    let start = shared_length(old, new);
    let start = kept_from(&old[..start], CONTEXT_MAX.min(columns / 4));
    [old, new].map(|text| window(text, start, columns))
}

/// An upper bound of the columns that a text takes.
pub fn width(text: &str) -> usize {
    text.chars().map(char_width).sum()
}

/// At least one column, so that a text of zero-width marks is not endless.
fn char_width(c: char) -> usize {
    c.width().unwrap_or_default().max(1)
}

/// Length of the common beginning, in bytes.
fn shared_length(old: &str, new: &str) -> usize {
    let differ = |((_, a), b): &((usize, char), char)| a != b;
    let differs_at = old.char_indices().zip(new.chars()).find(differ);
    differs_at.map_or(old.len().min(new.len()), |((at, _), _)| at)
}

/// Byte offset at which the last `columns` of a text begin.
fn kept_from(text: &str, columns: usize) -> usize {
    let mut room = columns;
    let mut start = text.len();
    for (at, c) in text.char_indices().rev() {
        match room.checked_sub(char_width(c)) {
            Some(rest) => (room, start) = (rest, at),
            None => return start,
        }
    }
    0
}

fn window(text: &str, start: usize, columns: usize) -> String {
    let mut shown = String::new();
    let mut room = columns;
    if start != 0 {
        shown.push(ELLIPSIS);
        room = room.saturating_sub(1);
    }
    let text = &text[start..];
    if width(text) <= room {
        shown.push_str(text);
        return shown;
    }
    room = room.saturating_sub(1);
    for c in text.chars() {
        match room.checked_sub(char_width(c)) {
            Some(rest) => room = rest,
            None => break,
        }
        shown.push(c);
    }
    shown.push(ELLIPSIS);
    shown
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(texts: [&str; 2], columns: usize, expected: [&str; 2]) {
        let shown = cut(texts, columns);
        assert_eq!(shown, expected);
        assert!(shown.iter().all(|text| width(text) <= columns));
    }

    #[test]
    fn texts_that_fit_are_whole() {
        check(["abc", "abx"], 3, ["abc", "abx"]);
        check(["", "日本"], 4, ["", "日本"]);
    }

    #[test]
    fn of_long_texts_the_place_where_they_differ_is_shown() {
        check(
            ["abcdefghijXlmnop", "abcdefghijYlmnop"],
            8,
            ["…ijXlmn…", "…ijYlmn…"],
        );
        check(["abcdefghijklm", "abcdefghijklX"], 8, ["…klm", "…klX"]);
        check(["abcdefghijkl", "Xbc"], 8, ["abcdefg…", "Xbc"]);
        check(["abcdefghijkl", "abcdefghijklm"], 8, ["…kl", "…klm"]);
        check(["日本日本日本a", "日本日本日本b"], 8, ["…本a", "…本b"]);
        check(["abcdefghijkl", "abcdefghijkl"], 4, ["…l", "…l"]);
    }

    #[test]
    fn what_does_not_fit_at_the_end_is_left_out() {
        check(["abcdef", ""], 6, ["abcdef", ""]);
        check(["abcdef", ""], 5, ["abcd…", ""]);
        check(["日本日本", ""], 4, ["日…", ""]);
        check(["abc", ""], 1, ["…", ""]);
    }

    #[test]
    fn marks_without_a_width_take_room_too() {
        let marks = "\u{301}".repeat(100);
        let [shown, _] = cut([&marks, ""], 10);
        assert_eq!(shown.chars().count(), 10);
        let [shown, _] = cut([&"\n".repeat(100), ""], 10);
        assert_eq!(shown.chars().count(), 10);
    }
}
