//! The address of a Redis, or of the sentinels that know its master. It is parsed once, and shown
//! without user and password.

use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use redis::{ConnectionInfo, IntoConnectionInfo};
use url::Url;

/// The schemes of addresses; the second uses TLS.
const SCHEMES: [&str; 2] = ["redis", "rediss"];
/// Follows the scheme if the hosts are sentinels.
const OF_SENTINELS: &str = "+sentinel";
/// The ports of servers and sentinels that name none.
const SERVER_PORT: u16 = 6379;
const SENTINEL_PORT: u16 = 26379;
/// More than anybody runs.
const SENTINELS_MAX: usize = 15;
/// Most characters of the name of a master, and of a host.
const NAME_CHARS_MAX: usize = 255;

/// The address of a Redis or Valkey, or of sentinels. It is shown without user and password.
#[derive(Clone)]
pub struct RedisAddress {
    target: Arc<Target>,
    shown: Arc<str>,
}

/// What an address leads to.
pub(super) enum Target {
    /// The server itself.
    Server(ConnectionInfo),
    /// Sentinels, which name the server.
    Sentinels {
        /// How to connect to each: the user and the password are those of the server.
        sentinels: Vec<ConnectionInfo>,
        /// The name under which they watch it.
        master: String,
    },
}

/// Why a text is not such an address. The text is not repeated, since it may hold a password.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "must be redis://HOST:PORT/DATABASE, or redis+sentinel://HOST:PORT,HOST:PORT/MASTER/DATABASE, or rediss for TLS, with USER:PASSWORD@ before the host where it needs one"
)]
pub struct NotAnAddress;

impl RedisAddress {
    /// What it leads to.
    pub(super) fn target(&self) -> &Target {
        &self.target
    }

    fn of_sentinels(scheme: &str, rest: &str) -> Result<Self, NotAnAddress> {
        let (authority, path) = rest.split_once('/').ok_or(NotAnAddress)?;
        let (owner, hosts) = match authority.rsplit_once('@') {
            Some((owner, hosts)) => (format!("{owner}@"), hosts),
            None => (String::new(), authority),
        };
        let (master, database) = path.split_once('/').unwrap_or((path, ""));
        let (mut sentinels, mut shown) = (Vec::new(), Vec::new());
        for host in hosts.split(',') {
            let (info, url) = parse(
                &format!("{scheme}://{owner}{host}/{database}"),
                SENTINEL_PORT,
            )?;
            let host = url.host_str().ok_or(NotAnAddress)?;
            let host = format!("{host}:{}", url.port().unwrap_or(SENTINEL_PORT));
            if shown.contains(&host) || shown.len() == SENTINELS_MAX {
                return Err(NotAnAddress);
            }
            sentinels.push(info);
            shown.push(host);
        }
        if !is_name(master) {
            return Err(NotAnAddress);
        }
        let database = sentinels[0].redis_settings().db();
        let hosts = shown.join(",");
        let shown = format!("{scheme}{OF_SENTINELS}://{hosts}/{master}/{database}");
        let master = master.to_owned();
        Ok(Self {
            target: Arc::new(Target::Sentinels { sentinels, master }),
            shown: shown.into(),
        })
    }
}

impl FromStr for RedisAddress {
    type Err = NotAnAddress;

    fn from_str(text: &str) -> Result<Self, NotAnAddress> {
        let of_sentinels = text.split_once("://").and_then(|(scheme, rest)| {
            let scheme = scheme.strip_suffix(OF_SENTINELS)?;
            Some((scheme, rest))
        });
        if let Some((scheme, rest)) = of_sentinels {
            return Self::of_sentinels(scheme, rest);
        }
        let (info, url) = parse(text, SERVER_PORT)?;
        Ok(Self {
            target: Arc::new(Target::Server(info)),
            shown: shown(url).ok_or(NotAnAddress)?.into(),
        })
    }
}

/// How to connect to one host, and its URL. `port` is the port of addresses without one.
fn parse(text: &str, port: u16) -> Result<(ConnectionInfo, Url), NotAnAddress> {
    let url = Url::parse(text).map_err(|_why| NotAnAddress)?;
    // The library has a fragment that turns certificate verification off.
    let has_more = url.fragment().is_some()
        || url.query().is_some()
        || url.host_str().is_some_and(is_more_than_a_name);
    if has_more || !SCHEMES.contains(&url.scheme()) {
        return Err(NotAnAddress);
    }
    let mut reached = url.clone();
    if url.port().is_none() {
        reached.set_port(Some(port)).map_err(|()| NotAnAddress)?;
    }
    let info = reached
        .into_connection_info()
        .map_err(|_why| NotAnAddress)?;
    if info.redis_settings().db() < 0 {
        return Err(NotAnAddress);
    }
    Ok((info, url))
}

/// Whether sentinels may watch a server under this name.
fn is_name(name: &str) -> bool {
    let is_of_name = |c: char| c.is_ascii_alphanumeric() || "-._".contains(c);
    !name.is_empty() && name.len() <= NAME_CHARS_MAX && name.chars().all(is_of_name)
}

/// Whether settings follow the host name, as a password does in other notations.
fn is_more_than_a_name(host: &str) -> bool {
    host.contains(['=', ';', '&'])
}

fn shown(mut shown: Url) -> Option<String> {
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
            (
                "redis+sentinel://ana:s%40cret@one.example,[::1]:7000/boats/1",
                "redis+sentinel://one.example:26379,[::1]:7000/boats/1",
            ),
            (
                "rediss+sentinel://:secret@one.example/boats",
                "rediss+sentinel://one.example:26379/boats/0",
            ),
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
            "redis+sentinel://one.example",
            "redis+sentinel://one.example/",
            "redis+sentinel:///boats",
            "redis+sentinel://one.example,/boats",
            "redis+sentinel://one.example,one.example:26379/boats",
            "redis+sentinel://one.example/my boats",
            "redis+sentinel://one.example/boats/one",
            "redis+sentinel://one.example/boats/0/1",
            "redis+sentinel://one.example/boats?password=s3cret",
            "redis+sentinel://u:s3cret/@one.example/boats",
            "redis+sentinel+sentinel://one.example/boats",
            "http+sentinel://one.example/boats",
        ] {
            assert_eq!(
                RedisAddress::from_str(text).err(),
                Some(NotAnAddress),
                "{text}"
            );
        }
    }

    #[test]
    fn as_many_sentinels_may_be_named_as_anybody_runs() {
        let named = |count: usize| {
            let hosts: Vec<_> = (0..count).map(|number| format!("host-{number}")).collect();
            format!("redis+sentinel://{}/boats", hosts.join(","))
        };
        assert!(RedisAddress::from_str(&named(SENTINELS_MAX)).is_ok());
        assert!(RedisAddress::from_str(&named(SENTINELS_MAX + 1)).is_err());
    }
}
