//! Names of subscriptions, keys and users: safe to print in a terminal and a log.

use std::fmt;

use serde::Serialize;

/// Longest name, in characters.
pub const NAME_MAX: usize = 80;

/// A name of 1 to [`NAME_MAX`] characters, all of them printable, no white space at either end.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
pub struct Name(Box<str>);

/// Why a text is not a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum InvalidName {
    /// No character at all.
    #[error("must not be empty")]
    Empty,
    /// More characters than allowed.
    #[error("must have at most {NAME_MAX} characters, has {length}")]
    TooLong {
        /// The length found, in characters.
        length: usize,
    },
    /// A character that moves the cursor, hides or reorders text.
    #[error("must not contain control characters or invisible characters")]
    Control,
    /// White space at the beginning or the end.
    #[error("must not begin or end with white space")]
    Untrimmed,
}

impl Name {
    /// Checks `text`.
    pub fn parse(text: &str) -> Result<Self, InvalidName> {
        let length = text.chars().count();
        if length == 0 {
            return Err(InvalidName::Empty);
        }
        if NAME_MAX < length {
            return Err(InvalidName::TooLong { length });
        }
        if text.chars().any(is_unprintable) {
            return Err(InvalidName::Control);
        }
        if text.trim() != text {
            return Err(InvalidName::Untrimmed);
        }
        Ok(Self(text.into()))
    }

    /// The name as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// Controls, line and paragraph separators, and the marks that hide or reorder what follows.
fn is_unprintable(character: char) -> bool {
    let is_invisible = matches!(
        character,
        '\u{ad}'
            | '\u{61c}'
            | '\u{180e}'
            | '\u{200b}'..='\u{200f}'
            | '\u{2028}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}'
            | '\u{feff}'
            | '\u{e0000}'..='\u{e007f}'
    );
    character.is_control() || is_invisible
}

impl fmt::Display for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_1_to_80_printable_characters() {
        let longest = "é".repeat(80);
        for good in ["a", "Acme Boats & Söhne", "船", "a  b", longest.as_str()] {
            assert_eq!(Name::parse(good).unwrap().as_str(), good);
        }
        let table = [
            ("", InvalidName::Empty),
            (&"é".repeat(81), InvalidName::TooLong { length: 81 }),
            ("a\nb", InvalidName::Control),
            ("\u{1b}[31mred", InvalidName::Control),
            ("a\0", InvalidName::Control),
            ("a\u{85}b", InvalidName::Control),
            ("a\u{202e}b", InvalidName::Control),
            ("a\u{200b}b", InvalidName::Control),
            (" a", InvalidName::Untrimmed),
            ("a\u{a0}", InvalidName::Untrimmed),
        ];
        for (text, error) in table {
            assert_eq!(Name::parse(text), Err(error), "{text:?}");
        }
    }
}
