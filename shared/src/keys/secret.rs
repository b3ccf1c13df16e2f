//! The key as its caller holds it, and the two things that are kept of it: its hash and its prefix.
//!
//! `boat_<live|test>_<32 characters of base 62><6 characters of checksum>`: the checksum is the
//! CRC-32 of everything before it, so a mistyped key is distinguished from an unknown one without a
//! look-up. Only the SHA-256 of the whole key is stored. A slow hash would add nothing: the key
//! has 190 random bits.

use std::fmt;
use std::hash::{Hash, Hasher};

use rand::RngCore;
use sha2::{Digest, Sha256};
use subtle::ConstantTimeEq;

use crate::keys::base62;
use crate::keys::environment::Environment;

/// Random characters of a key.
const RANDOM_LENGTH: usize = 32;
/// Random characters that the prefix shows.
pub const PREFIX_RANDOM_LENGTH: usize = 6;

/// A whole key in plain text. It must not be stored or logged, so it has no `Display`, and its
/// `Debug` shows only the prefix.
#[derive(Clone, PartialEq, Eq)]
pub struct PlainKey {
    text: String,
    environment: Environment,
}

/// A text that is not a key: another form, or a wrong checksum. The text is not repeated, as it
/// may be a key with a typing error.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("is not an API key: the form or the checksum is wrong")]
pub struct MalformedKey;

impl PlainKey {
    /// A new key.
    pub fn generate(environment: Environment, random: &mut dyn RngCore) -> Self {
        let secret = base62::random(RANDOM_LENGTH, random);
        let mut text = format!("boat_{environment}_{secret}");
        text.extend(checksum(&text).map(char::from));
        Self { text, environment }
    }

    /// Reads a key that a caller presents, exactly: no white space, no other case.
    pub fn parse(text: &str) -> Result<Self, MalformedKey> {
        let environment = environment_of(text, RANDOM_LENGTH + base62::U32_DIGITS)?;
        let (checked, sum) = text.split_at(text.len() - base62::U32_DIGITS);
        if checksum(checked) != sum.as_bytes() {
            return Err(MalformedKey);
        }
        Ok(Self {
            text: text.to_owned(),
            environment,
        })
    }

    /// The environment it is for.
    pub const fn environment(&self) -> Environment {
        self.environment
    }

    /// The hash that is stored and looked up.
    pub fn hash(&self) -> KeyHash {
        KeyHash::of(&self.text)
    }

    /// The part that is shown after it was issued.
    pub fn prefix(&self) -> KeyPrefix {
        let end = self.text.len() - base62::U32_DIGITS - RANDOM_LENGTH + PREFIX_RANDOM_LENGTH;
        KeyPrefix(self.text[..end].into())
    }

    /// The whole key, for the one moment when it is shown to its owner.
    pub fn expose(&self) -> &str {
        &self.text
    }
}

impl fmt::Debug for PlainKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "PlainKey({}…)", self.prefix())
    }
}

/// Whether `text` may hold a key, perhaps with typing errors: for code that logs what callers send.
pub fn may_hold_key(text: &str) -> bool {
    let text = text.to_ascii_lowercase();
    let start_of = |environment: Environment| format!("boat_{environment}_");
    Environment::ALL
        .into_iter()
        .any(|environment| text.contains(&start_of(environment)))
}

/// The environment in a key or a prefix, after which there must be so many characters.
fn environment_of(text: &str, length: usize) -> Result<Environment, MalformedKey> {
    let start = text.len().checked_sub(length).ok_or(MalformedKey)?;
    let (start, random) = text.split_at_checked(start).ok_or(MalformedKey)?;
    let environment = start
        .strip_prefix("boat_")
        .and_then(|rest| rest.strip_suffix('_'));
    match environment.ok_or(MalformedKey)?.parse() {
        Ok(environment) if base62::is_base62(random) => Ok(environment),
        _ => Err(MalformedKey),
    }
}

fn checksum(text: &str) -> [u8; base62::U32_DIGITS] {
    base62::encode(crc32fast::hash(text.as_bytes()))
}

/// SHA-256 of a whole key. Equality takes the same time wherever two hashes differ.
#[derive(Clone, Copy)]
pub struct KeyHash([u8; Self::LENGTH]);

impl KeyHash {
    /// Length in bytes.
    pub const LENGTH: usize = 32;

    /// The hash of a text, which need not be a key: no other than the key itself has its hash.
    pub fn of(text: &str) -> Self {
        Self(Sha256::digest(text).into())
    }

    /// The hash made of these bytes, as a store keeps them.
    pub const fn from_bytes(bytes: [u8; Self::LENGTH]) -> Self {
        Self(bytes)
    }

    /// The bytes, for storing.
    pub const fn as_bytes(&self) -> &[u8; Self::LENGTH] {
        &self.0
    }
}

impl PartialEq for KeyHash {
    fn eq(&self, other: &Self) -> bool {
        self.0.ct_eq(&other.0).into()
    }
}

impl Eq for KeyHash {}

impl Hash for KeyHash {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.0.hash(state);
    }
}

impl fmt::Debug for KeyHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("KeyHash(…)")
    }
}

/// `boat_<env>_` and the first 6 random characters: names a key to people, opens nothing.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct KeyPrefix(Box<str>);

impl KeyPrefix {
    /// Reads a prefix.
    pub fn parse(text: &str) -> Result<Self, MalformedKey> {
        environment_of(text, PREFIX_RANDOM_LENGTH)?;
        Ok(Self(text.into()))
    }

    /// The prefix as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for KeyPrefix {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use rand::SeedableRng;
    use rand::rngs::StdRng;

    use super::*;

    const VECTOR: &str = "boat_test_789ABCDEFGHIJKLMNOPQRSTUVWXYZabc2uHPRw";

    #[test]
    fn the_published_test_vector_holds() {
        let key = PlainKey::parse(VECTOR).unwrap();
        assert_eq!(key.environment(), Environment::Test);
        assert_eq!(key.prefix().as_str(), "boat_test_789ABC");
        assert_eq!(key.expose(), VECTOR);
    }

    #[test]
    fn other_texts_are_malformed() {
        let no_sum = &VECTOR[..VECTOR.len() - 6];
        for text in [
            "",
            "boat_",
            "boat_test_",
            no_sum,
            &format!("{VECTOR} "),
            &format!(" {VECTOR}"),
            &format!("{VECTOR}\n"),
            &VECTOR.to_uppercase(),
            &VECTOR.replace("test", "live"),
            &VECTOR.replace("test", "prod"),
            &VECTOR.replace("boat", "ship"),
            &VECTOR.replace('7', "é"),
            &VECTOR.replace("789", "_89"),
            &VECTOR.replace("89", "98"),
        ] {
            assert_eq!(PlainKey::parse(text), Err(MalformedKey), "{text:?}");
        }
    }

    #[test]
    fn debug_output_shows_the_prefix_only() {
        let key = PlainKey::parse(VECTOR).unwrap();
        assert_eq!(format!("{key:?}"), "PlainKey(boat_test_789ABC…)");
        assert_eq!(format!("{:?}", key.hash()), "KeyHash(…)");
        assert!(!format!("{:?} {MalformedKey}", PlainKey::parse("boat_secret")).contains("secret"));
    }

    #[test]
    fn a_prefix_has_its_own_form() {
        assert!(KeyPrefix::parse("boat_live_0aZ9bY").is_ok());
        for text in [
            "",
            "boat_live_",
            "boat_live_0aZ9b",
            "boat_prod_0aZ9bY",
            "boat_live_0aZ9b_",
            VECTOR,
        ] {
            assert!(KeyPrefix::parse(text).is_err(), "{text:?}");
        }
    }

    proptest! {
        #[test]
        fn a_generated_key_is_read_back(seed: u64, is_live: bool) {
            let environment = if is_live { Environment::Live } else { Environment::Test };
            let key = PlainKey::generate(environment, &mut StdRng::seed_from_u64(seed));
            prop_assert_eq!(key.expose().len(), "boat_live_".len() + 32 + 6);
            prop_assert_eq!(PlainKey::parse(key.expose()), Ok(key.clone()));
            prop_assert_eq!(KeyPrefix::parse(key.prefix().as_str()), Ok(key.prefix()));
            prop_assert!(key.expose().starts_with(key.prefix().as_str()));
        }

        #[test]
        fn any_one_wrong_character_is_noticed(seed: u64, place in 10_usize..48, wrong in "[0-9A-Za-z]") {
            let key = PlainKey::generate(Environment::Live, &mut StdRng::seed_from_u64(seed));
            let mut text = key.expose().to_owned();
            prop_assume!(text[place..=place] != wrong);
            text.replace_range(place..=place, &wrong);
            prop_assert_eq!(PlainKey::parse(&text), Err(MalformedKey));
        }

        #[test]
        fn no_text_makes_the_parser_fail(text in ".*") {
            prop_assert_eq!(PlainKey::parse(&text), Err(MalformedKey));
        }
    }
}
