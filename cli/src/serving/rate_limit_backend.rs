//! Where minute limits are counted, as typed: `memory`, or the address of a Redis.

use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use anyhow::Context as _;
use server::limits::{MinuteStore, RateLimits, RedisAddress, RedisLimits};
use shared::base::clock::Clock;

/// The word for the memory of the server.
const MEMORY: &str = "memory";

/// Where minute limits are counted.
#[derive(Clone, Debug, Default)]
pub enum RateLimitBackend {
    /// In the memory of one server.
    #[default]
    Memory,
    /// In a Redis that servers share.
    Redis(RedisAddress),
}

impl FromStr for RateLimitBackend {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if text == MEMORY {
            return Ok(Self::Memory);
        }
        match text.parse() {
            Ok(address) => Ok(Self::Redis(address)),
            Err(not_an_address) => Err(format!("{not_an_address}; or {MEMORY}")),
        }
    }
}

impl fmt::Display for RateLimitBackend {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Memory => f.write_str(MEMORY),
            Self::Redis(address) => address.fmt(f),
        }
    }
}

impl RateLimitBackend {
    /// Opens the windows there; a task of this runtime keeps the connection.
    pub(crate) async fn open(self, clock: Arc<dyn Clock>) -> anyhow::Result<MinuteStore> {
        match self {
            Self::Memory => Ok(MinuteStore::Memory(RateLimits::default())),
            Self::Redis(address) => {
                let limits = RedisLimits::start(address, clock).await;
                let limits = limits.context("minute limits cannot be counted")?;
                Ok(MinuteStore::Redis(limits))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_are_counted_in_memory_or_where_an_address_leads() {
        assert!(matches!("memory".parse(), Ok(RateLimitBackend::Memory)));
        let redis: RateLimitBackend = "redis://cache.example".parse().unwrap();
        assert!(matches!(redis, RateLimitBackend::Redis(_)));
        for text in ["", "Memory", "cache.example:6379"] {
            let problem = RateLimitBackend::from_str(text).unwrap_err();
            assert!(problem.ends_with("; or memory"), "{problem}");
        }
    }
}
