//! A bound on the text that is shown of another service.

/// Most characters shown of a text from another service: something else may answer at its address,
/// or echo a whole statement.
pub const CHARS_MAX: usize = 2_000;

/// The beginning of a text, with a mark where more would follow.
pub fn shortened(mut text: String) -> String {
    if let Some((end, _)) = text.char_indices().nth(CHARS_MAX) {
        text.truncate(end);
        text.push('…');
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_that_is_too_long_is_cut_between_characters() {
        for (text, expected) in [
            (String::new(), String::new()),
            ("é".repeat(CHARS_MAX), "é".repeat(CHARS_MAX)),
            ("é".repeat(CHARS_MAX + 1), "é".repeat(CHARS_MAX) + "…"),
        ] {
            assert_eq!(shortened(text), expected);
        }
    }
}
