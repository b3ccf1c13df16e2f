//! Identifiers that can only be built by parsing: a value of these types is valid.
//!
//! Two grammars, both from the specification: filter slugs (section 4.1, at most 120 characters)
//! and what a path accepts as id or slug (section 4.2, at most 200, dots allowed). Both are
//! case-sensitive. This module must not normalise anything: a different spelling is another name.

use std::borrow::Borrow;
use std::fmt;

use schemars::JsonSchema;
use serde::Serialize;

/// Longest [`Slug`], in characters.
pub const SLUG_MAX: usize = 120;
/// Longest [`IdOrSlug`], in characters.
pub const ID_OR_SLUG_MAX: usize = 200;

/// Why a text is not an identifier.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum InvalidIdentifier {
    /// No character at all.
    #[error("must not be empty")]
    Empty,
    /// More characters than the grammar allows.
    #[error("must have at most {max} characters, has {length}")]
    TooLong {
        /// The longest allowed, in characters.
        max: usize,
        /// The length found, in characters.
        length: usize,
    },
    /// A character outside the grammar.
    #[error("must match {pattern}")]
    Pattern {
        /// The regular expression of the grammar, as the specification writes it.
        pattern: &'static str,
    },
}

/// Slug of a manufacturer or a term: `^[a-zA-Z0-9][a-zA-Z0-9_-]*$`, 1 to 120 characters.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, JsonSchema)]
#[serde(transparent)]
#[schemars(inline)]
pub struct Slug(
    #[schemars(length(min = 1, max = SLUG_MAX), regex(pattern = Self::PATTERN))] Box<str>,
);

/// Id of any record, or slug of a boat: `^[a-zA-Z0-9][a-zA-Z0-9._-]*$`, 1 to 200 characters.
/// Also what the path parameter `idOrSlug` accepts.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, JsonSchema)]
#[serde(transparent)]
#[schemars(inline)]
pub struct IdOrSlug(
    #[schemars(length(min = 1, max = ID_OR_SLUG_MAX), regex(pattern = Self::PATTERN))] Box<str>,
);

impl Slug {
    /// The grammar as a regular expression.
    pub const PATTERN: &str = "^[a-zA-Z0-9][a-zA-Z0-9_-]*$";

    /// Checks `text` against the grammar.
    pub fn parse(text: &str) -> Result<Self, InvalidIdentifier> {
        check(text, SLUG_MAX, Self::PATTERN, |byte| {
            matches!(byte, b'_' | b'-')
        })?;
        Ok(Self(text.into()))
    }
}

impl IdOrSlug {
    /// The grammar as a regular expression.
    pub const PATTERN: &str = "^[a-zA-Z0-9][a-zA-Z0-9._-]*$";

    /// Checks `text` against the grammar.
    pub fn parse(text: &str) -> Result<Self, InvalidIdentifier> {
        check(text, ID_OR_SLUG_MAX, Self::PATTERN, |byte| {
            matches!(byte, b'.' | b'_' | b'-')
        })?;
        Ok(Self(text.into()))
    }
}

/// The characters are counted before the pattern is looked at, so that a long text is called
/// long whatever it is made of.
fn check(
    text: &str,
    max: usize,
    pattern: &'static str,
    is_inner: fn(u8) -> bool,
) -> Result<(), InvalidIdentifier> {
    let length = text.chars().count();
    if length == 0 {
        return Err(InvalidIdentifier::Empty);
    }
    if max < length {
        return Err(InvalidIdentifier::TooLong { max, length });
    }
    let bytes = text.as_bytes();
    let starts_well = bytes[0].is_ascii_alphanumeric();
    let continues_well = bytes
        .iter()
        .all(|&byte| byte.is_ascii_alphanumeric() || is_inner(byte));
    if !starts_well || !continues_well {
        return Err(InvalidIdentifier::Pattern { pattern });
    }
    Ok(())
}

macro_rules! text_access {
    ($name:ident) => {
        impl $name {
            /// The identifier as text.
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl Borrow<str> for $name {
            fn borrow(&self) -> &str {
                &self.0
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.0)
            }
        }
    };
}

text_access!(Slug);
text_access!(IdOrSlug);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slug_has_1_to_120_characters_of_its_alphabet() {
        let longest = "a".repeat(120);
        for good in ["a", "0", "a-b_c", "A", "9_", longest.as_str()] {
            assert_eq!(Slug::parse(good).unwrap().as_str(), good);
        }
        let too_long = "a".repeat(121);
        assert_eq!(
            Slug::parse(&too_long),
            Err(InvalidIdentifier::TooLong {
                max: 120,
                length: 121
            })
        );
        assert_eq!(Slug::parse(""), Err(InvalidIdentifier::Empty));
        for bad in ["-a", "_a", "a.b", "a b", "é", "a\n", "a/b", "a\0"] {
            assert_eq!(
                Slug::parse(bad),
                Err(InvalidIdentifier::Pattern {
                    pattern: Slug::PATTERN
                }),
                "{bad:?}"
            );
        }
    }

    #[test]
    fn an_id_also_allows_inner_dots_and_200_characters() {
        let longest = "a".repeat(200);
        for good in ["a.b", "boat.1-2", longest.as_str()] {
            assert_eq!(IdOrSlug::parse(good).unwrap().as_str(), good);
        }
        for bad in [".", "..", ".a", "a..b/", "a%20"] {
            assert!(IdOrSlug::parse(bad).is_err(), "{bad:?}");
        }
        assert!(IdOrSlug::parse(&"a".repeat(201)).is_err());
    }

    #[test]
    fn length_counts_characters_and_not_bytes() {
        let text = "é".repeat(120);
        assert_eq!(
            Slug::parse(&text),
            Err(InvalidIdentifier::Pattern {
                pattern: Slug::PATTERN
            })
        );
    }
}
