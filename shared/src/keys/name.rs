//! Names that people give to subscriptions and keys, as they are typed: none is a key.

use std::str::FromStr;

pub use crate::base::name::{InvalidName, Name};
use crate::keys::environment::Environment;
use crate::keys::secret::PREFIX_RANDOM_LENGTH;

/// Why a text is not a name, as it is typed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NotAName {
    /// It is no name at all.
    #[error(transparent)]
    Invalid(#[from] InvalidName),
    /// A key in place of a name: it would be stored and shown.
    #[error("must not contain a key")]
    Key,
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

/// A name as typed. Unlike one that is already stored, it must not contain a key.
impl FromStr for Name {
    type Err = NotAName;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        if contains_key(text) {
            return Err(NotAName::Key);
        }
        Ok(Self::parse(text)?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_is_not_taken_for_a_name_that_is_typed_and_one_that_is_kept_stays() {
        let key = "boat_test_789ABCDEFGHIJKLMNOPQRSTUVWXYZabc2uHPRw";
        for text in [key, &format!("Acme {key}!"), "boat_live_1234567"] {
            assert_eq!(text.parse::<Name>(), Err(NotAName::Key));
            Name::parse(text).unwrap();
        }
        for text in ["boat_live_123456", "boat_tested_by_Acme", "boat_live_"] {
            text.parse::<Name>().unwrap();
        }
    }
}
