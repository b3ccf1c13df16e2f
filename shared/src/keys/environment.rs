//! The environment that a key is issued for: a server serves one of them.

use std::fmt;
use std::str::FromStr;

/// Test or live. Both serve the same data but accept different keys.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Environment {
    /// For production traffic.
    Live,
    /// For trying things out.
    Test,
}

/// A text that names no environment.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("must be live or test")]
pub struct UnknownEnvironment;

impl Environment {
    /// All of them.
    pub const ALL: [Self; 2] = [Self::Live, Self::Test];

    /// The name, as in a key.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Live => "live",
            Self::Test => "test",
        }
    }
}

impl fmt::Display for Environment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

impl FromStr for Environment {
    type Err = UnknownEnvironment;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let named = Self::ALL
            .into_iter()
            .find(|environment| environment.as_str() == text);
        named.ok_or(UnknownEnvironment)
    }
}
