//! Names that people give to subscriptions and keys: safe to print in a terminal and a log.

use std::fmt;
use std::str::FromStr;

use crate::keys::environment::Environment;
use crate::keys::limits::NAME_MAX;
use crate::keys::secret::PREFIX_RANDOM_LENGTH;

/// A name of 1 to [`NAME_MAX`] characters, all of them printable, no white space at either end.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
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
    /// A key in place of a name: it would be stored and shown.
    #[error("must not contain a key")]
    Key,
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

/// Whether something in the text has the form of a key, valid or not.
fn contains_key(text: &str) -> bool {
    Environment::ALL.iter().any(|environment| {
        let start = format!("boat_{environment}_");
        let after = text
            .match_indices(&start)
            .map(|(at, _)| &text[at + start.len()..]);
        let length = |rest: &str| rest.bytes().take_while(u8::is_ascii_alphanumeric).count();
        after
            .map(length)
            .any(|length| PREFIX_RANDOM_LENGTH < length)
    })
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

/// A name as typed. Unlike one that is already stored, it must not contain a key.
impl FromStr for Name {
    type Err = InvalidName;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        if contains_key(text) {
            return Err(InvalidName::Key);
        }
        Self::parse(text)
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

    #[test]
    fn a_key_is_not_taken_for_a_name_that_is_typed_and_one_that_is_kept_stays() {
        let key = "boat_test_789ABCDEFGHIJKLMNOPQRSTUVWXYZabc2uHPRw";
        for text in [key, &format!("Acme {key}!"), "boat_live_1234567"] {
            assert_eq!(text.parse::<Name>(), Err(InvalidName::Key));
            Name::parse(text).unwrap();
        }
        for text in ["boat_live_123456", "boat_tested_by_Acme", "boat_live_"] {
            text.parse::<Name>().unwrap();
        }
    }
}
