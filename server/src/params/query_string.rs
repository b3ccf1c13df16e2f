//! The raw query string as pairs in request order, with what is wrong with each pair kept.
//!
//! It also finds credentials, which are refused whatever else is wrong (specification section 5).
//! Values may be secrets, so the debug form shows none.

use std::fmt;

use shared::keys::secret::PlainKey;

use super::decode::{self, BadEncoding};

/// Names that announce a credential, in any case.
const CREDENTIAL_NAMES: [&str; 10] = [
    "api_key",
    "apikey",
    "api-key",
    "key",
    "token",
    "access_token",
    "auth",
    "authorization",
    "bearer",
    "secret",
];

/// A query string, split and decoded.
#[derive(Clone)]
pub struct QueryString {
    pairs: Vec<Pair>,
    has_credential: bool,
}

/// One parameter as given.
#[derive(Clone)]
pub(super) struct Pair {
    /// The decoded name, or why there is none.
    pub(super) name: Result<String, BadName>,
    /// The decoded value, empty if the pair has no `=`.
    pub(super) value: Result<String, BadEncoding>,
}

/// A name that cannot be decoded.
#[derive(Clone)]
pub(super) struct BadName {
    /// The name as given.
    pub(super) raw: String,
    /// Why it cannot be decoded.
    pub(super) problem: BadEncoding,
}

impl QueryString {
    /// Splits what follows the `?`, if there is one. Empty segments (`&&`) are skipped.
    pub fn parse(raw: Option<&str>) -> Self {
        let mut query = Self {
            pairs: Vec::new(),
            has_credential: false,
        };
        for segment in raw
            .unwrap_or_default()
            .split('&')
            .filter(|segment| !segment.is_empty())
        {
            let (name, value) = segment.split_once('=').unwrap_or((segment, ""));
            query.has_credential |= is_credential(name, value);
            query.pairs.push(Pair::decode(name, value));
        }
        query
    }

    /// Whether some parameter has the name of a credential, or some name or value has the form of
    /// one of our keys.
    pub const fn has_credential(&self) -> bool {
        self.has_credential
    }

    /// The names that can be decoded, in request order.
    pub(crate) fn names(&self) -> impl Iterator<Item = &str> {
        let names = self.pairs.iter().map(|pair| pair.name.as_deref().ok());
        names.flatten()
    }

    /// The pairs in request order.
    pub(super) fn pairs(&self) -> &[Pair] {
        &self.pairs
    }
}

impl fmt::Debug for QueryString {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("QueryString")
            .field("pairs", &self.pairs.len())
            .finish_non_exhaustive()
    }
}

impl Pair {
    fn decode(name: &str, value: &str) -> Self {
        let bad_name = |problem| BadName {
            raw: name.to_owned(),
            problem,
        };
        Self {
            name: decode::component(name).map_err(bad_name),
            value: decode::component(value),
        }
    }
}

/// Bad escapes do not hide a credential: everything around them is still decoded.
fn is_credential(raw_name: &str, raw_value: &str) -> bool {
    let name = decode::component_lossy(raw_name);
    let is_key = |text: &str| PlainKey::parse(text).is_ok();
    CREDENTIAL_NAMES
        .iter()
        .any(|credential| credential.eq_ignore_ascii_case(&name))
        || is_key(&name)
        || is_key(&decode::component_lossy(raw_value))
}
