//! Where a Redis is: parsed once, and shown as host, port and database.

use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use redis::{ConnectionInfo, IntoConnectionInfo};
use url::Url;

/// What an address begins with; the second one speaks TLS.
const SCHEMES: [&str; 2] = ["redis", "rediss"];

/// The address of a Redis or Valkey. It is shown without user and password.
#[derive(Clone)]
pub struct RedisAddress {
    info: Arc<ConnectionInfo>,
    shown: Arc<str>,
}

/// Why a text is not such an address. The text is not repeated, since it may hold a password.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "must be redis://HOST:PORT/DATABASE, or rediss:// for TLS, with USER:PASSWORD@ before the host where it needs one"
)]
pub struct NotAnAddress;

impl RedisAddress {
    /// How to connect.
    pub(super) fn info(&self) -> &ConnectionInfo {
        &self.info
    }
}

impl FromStr for RedisAddress {
    type Err = NotAnAddress;

    fn from_str(text: &str) -> Result<Self, NotAnAddress> {
        let url = Url::parse(text).map_err(|_why| NotAnAddress)?;
        // The library has a fragment that turns certificate verification off.
        let has_more = url.fragment().is_some()
            || url.query().is_some()
            || url.host_str().is_some_and(is_more_than_a_name);
        if has_more || !SCHEMES.contains(&url.scheme()) {
            return Err(NotAnAddress);
        }
        let shown = shown(&url).ok_or(NotAnAddress)?;
        let info = url.into_connection_info().map_err(|_why| NotAnAddress)?;
        if info.redis_settings().db() < 0 {
            return Err(NotAnAddress);
        }
        Ok(Self {
            info: Arc::new(info),
            shown: shown.into(),
        })
    }
}

/// Whether settings follow the name of a host, as a password does in other notations.
fn is_more_than_a_name(host: &str) -> bool {
    host.contains(['=', ';', '&'])
}

fn shown(url: &Url) -> Option<String> {
    let mut shown = url.clone();
    // A password is easily typed in place of the user.
    shown.set_username("").ok()?;
    shown.set_password(None).ok()?;
    Some(shown.to_string())
}

impl fmt::Display for RedisAddress {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.shown)
    }
}

impl fmt::Debug for RedisAddress {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, formatter)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_shown_without_its_user_and_password() {
        for (text, expected) in [
            ("redis://127.0.0.1:6379", "redis://127.0.0.1:6379"),
            ("redis://cache.example/2", "redis://cache.example/2"),
            ("rediss://:secret@cache.example", "rediss://cache.example"),
            ("redis://ana:s%40cret@[::1]:7000/1", "redis://[::1]:7000/1"),
        ] {
            let address: RedisAddress = text.parse().unwrap();
            assert_eq!(address.to_string(), expected);
            assert_eq!(format!("{address:?}"), expected);
        }
    }

    #[test]
    fn what_would_not_be_asked_safely_is_no_address() {
        for text in [
            "",
            "memory",
            "127.0.0.1:6379",
            "redis://",
            "redis:///0",
            "http://cache.example",
            "unix:///run/redis.sock",
            "redis://cache.example/one",
            "redis://cache.example/-1",
            "redis://cache.example?protocol=resp3",
            "rediss://cache.example/#insecure",
            "redis://cache.example;password=s3cret/0",
            "redis://cache.example&s3cret",
            "redis://cache.example/0;s3cret",
            "redis://cache.example/0 s3cret",
        ] {
            assert_eq!(
                RedisAddress::from_str(text).err(),
                Some(NotAnAddress),
                "{text}"
            );
        }
    }
}
