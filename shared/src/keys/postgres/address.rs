//! The address of a PostgreSQL store, as typed. Only host, port and database are ever shown.

use std::fmt;
use std::net::IpAddr;
use std::str::FromStr;

use tokio_postgres::Config;
use tokio_postgres::config::{Host, SslMode};

use crate::base::loopback::is_loopback;
use crate::keys::store::Location;

/// How an address begins, in both ways that PostgreSQL's own programs know.
const SCHEMES: [&str; 2] = ["postgres://", "postgresql://"];
/// The setting of an address that says how the connection is protected.
const SSL_MODE: &str = "sslmode";
/// The modes that mean TLS with a fully checked certificate: nothing less is done, whatever each of
/// these means elsewhere.
const VERIFIED: [&str; 4] = ["prefer", "require", "verify-ca", "verify-full"];
/// The port of an address that names none.
pub(super) const PORT_USUAL: u16 = 5432;

/// Characters that end a name in other notations of connection settings, so that a password may
/// follow. In a name they are written as %XX.
const SEPARATORS: [char; 4] = ['=', ';', '&', '#'];
/// The settings of an address that are shown.
const SHOWN: [&str; 2] = ["host", "dbname"];

/// The address of a database, with everything that is needed to reach it.
///
/// Connections to anything but this machine use TLS and check the certificate, unless the address
/// itself says `sslmode=disable`.
#[derive(Clone, PartialEq, Eq)]
pub struct PostgresAddress {
    config: Box<Config>,
}

/// Why a text is not the address of a database. The text is not repeated, since it may hold a
/// password.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum AddressError {
    /// It begins with something else.
    #[error("must begin with postgres://")]
    Scheme,
    /// It says that the connection is to be protected in an unknown way.
    #[error("sslmode must be disable, require or verify-full")]
    SslMode,
    /// It names no host.
    #[error("must name a host, such as postgres://user@host/database")]
    NoHost,
    /// It names no database.
    #[error("must name a database, such as postgres://user@host/database")]
    NoDatabase,
    /// It cannot be read.
    #[error("must be postgres://USER:PASSWORD@HOST:PORT/DATABASE, special characters as %XX")]
    Form,
}

impl FromStr for PostgresAddress {
    type Err = AddressError;

    fn from_str(text: &str) -> Result<Self, AddressError> {
        if !SCHEMES.iter().any(|scheme| text.starts_with(scheme)) {
            return Err(AddressError::Scheme);
        }
        // Otherwise part of a password could be taken for a host or a user, and shown.
        let (user, host) = text.split_once('@').unwrap_or(("", text));
        let user = user.split_once("://").map_or(user, |(_scheme, user)| user);
        if user.contains('/') || host.contains('@') || shown(host).any(is_more_than_a_name) {
            return Err(AddressError::Form);
        }
        let (text, ssl_mode) = without_ssl_mode(text)?;
        let config: Config = text.parse().map_err(|_why| AddressError::Form)?;
        let config = Box::new(config);
        let mut address = Self { config };
        if address.config.get_hosts().is_empty() {
            return Err(AddressError::NoHost);
        }
        if address.config.get_dbname().is_none() {
            return Err(AddressError::NoDatabase);
        }
        let usual = if address.is_local() {
            SslMode::Disable
        } else {
            SslMode::Require
        };
        address.config.ssl_mode(ssl_mode.unwrap_or(usual));
        Ok(address)
    }
}

/// The parts of what comes after the user that are shown, as they were typed.
fn shown(rest: &str) -> impl Iterator<Item = &str> {
    let (place, query) = rest.split_once('?').unwrap_or((rest, ""));
    let settings = query.split('&').filter_map(|it| it.split_once('='));
    let settings = settings.filter(|(name, _value)| SHOWN.contains(name));
    std::iter::once(place).chain(settings.map(|(_name, value)| value))
}

fn is_more_than_a_name(part: &str) -> bool {
    part.contains(|c: char| c.is_whitespace() || SEPARATORS.contains(&c))
}

/// The address without `sslmode`, and its value.
fn without_ssl_mode(text: &str) -> Result<(String, Option<SslMode>), AddressError> {
    // A password may have a question mark.
    let host = text.find('@').unwrap_or(0);
    let Some(query) = text[host..].find('?') else {
        return Ok((text.to_owned(), None));
    };
    let (before, query) = text.split_at(host + query);
    let mut mode = None;
    let mut rest = Vec::new();
    for setting in query[1..].split('&').filter(|setting| !setting.is_empty()) {
        match setting.split_once('=') {
            Some((SSL_MODE, "disable")) => mode = Some(SslMode::Disable),
            Some((SSL_MODE, word)) if VERIFIED.contains(&word) => mode = Some(SslMode::Require),
            Some((SSL_MODE, _)) => return Err(AddressError::SslMode),
            _ => rest.push(setting),
        }
    }
    Ok((format!("{before}?{}", rest.join("&")), mode))
}

impl PostgresAddress {
    /// What the library takes.
    pub(super) fn config(&self) -> &Config {
        &self.config
    }

    /// Whether connections use TLS.
    pub fn uses_tls(&self) -> bool {
        self.config.get_ssl_mode() != SslMode::Disable
    }

    /// The store there, for people.
    pub(super) fn location(&self) -> Location {
        Location::Database(self.to_string())
    }

    /// Whether all traffic stays on this machine.
    fn is_local(&self) -> bool {
        let is_local = |host: &Host| match host {
            Host::Tcp(name) => is_loopback(name),
            Host::Unix(_) => true,
        };
        let mut addresses = self.config.get_hostaddrs().iter();
        self.config.get_hosts().iter().all(is_local) && addresses.all(IpAddr::is_loopback)
    }
}

/// Leaves the user out too: a password is easily typed in its place.
impl fmt::Display for PostgresAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("postgres://")?;
        let ports = self.config.get_ports();
        for (place, host) in self.config.get_hosts().iter().enumerate() {
            f.write_str(if place == 0 { "" } else { "," })?;
            match host {
                Host::Tcp(name) if name.contains(':') => write!(f, "[{name}]")?,
                Host::Tcp(name) => f.write_str(name)?,
                // The way to write a path where a host is expected.
                Host::Unix(path) => {
                    f.write_str(&path.display().to_string().replace('/', "%2F"))?;
                }
            }
            // One port may stand for all hosts.
            let port = ports.get(place).or(ports.first());
            match port {
                Some(&port) if port != PORT_USUAL => write!(f, ":{port}")?,
                _ => {}
            }
        }
        write!(f, "/{}", self.config.get_dbname().unwrap_or_default())
    }
}

impl fmt::Debug for PostgresAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "PostgresAddress({self})")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Result<PostgresAddress, AddressError> {
        text.parse()
    }

    #[test]
    fn what_is_shown_has_no_password() {
        for (text, shown) in [
            (
                "postgres://boats:s3cret@db.example:5432/boats",
                "postgres://db.example/boats",
            ),
            (
                "postgresql://boats:s3cret@db.example:6432/boats?password=s3cret",
                "postgres://db.example:6432/boats",
            ),
            (
                "postgres://boats:p%40s3cret?&@[::1]/boats?sslmode=disable",
                "postgres://[::1]/boats",
            ),
            (
                "postgres://one,two:7/boats?target_session_attrs=read-write",
                "postgres://one,two:7/boats",
            ),
            (
                "postgres:///boats?host=/run/postgresql&user=boats&password=s3cret",
                "postgres://%2Frun%2Fpostgresql/boats",
            ),
            (
                "postgres://u:#s3cret;=@h/a%20b%3D?password=s3cret;",
                "postgres://h/a b=",
            ),
        ] {
            let address = parse(text).unwrap();
            assert_eq!(address.to_string(), shown, "{text}");
            assert!(!format!("{address:?}").contains("s3cret"), "{address:?}");
        }
    }

    #[test]
    fn what_leaves_this_machine_is_encrypted_and_checked_unless_told_otherwise() {
        for (text, expected) in [
            ("postgres://db.example/boats", true),
            ("postgres://db.example/boats?sslmode=prefer", true),
            ("postgres://db.example/boats?sslmode=require", true),
            ("postgres://db.example/boats?sslmode=verify-full", true),
            ("postgres://db.example/boats?sslmode=disable", false),
            ("postgres://10.0.0.1/boats", true),
            ("postgres://127.0.0.1/boats", false),
            ("postgres://localhost/boats", false),
            ("postgres://[::1]/boats", false),
            ("postgres:///boats?host=/run/postgresql", false),
            ("postgres://127.0.0.1/boats?sslmode=require", true),
            ("postgres://localhost,db.example/boats", true),
            ("postgres://localhost/boats?hostaddr=10.0.0.1", true),
        ] {
            assert_eq!(parse(text).unwrap().uses_tls(), expected, "{text}");
        }
    }

    #[test]
    fn what_is_no_address_is_refused_without_being_repeated() {
        for (text, error) in [
            ("mysql://u:s3cret@h/db", AddressError::Scheme),
            ("./keys.sqlite", AddressError::Scheme),
            (
                "postgres://u:s3cret@h/db?sslmode=allow",
                AddressError::SslMode,
            ),
            ("postgres://u:s3cret@h/db?s3cret=1", AddressError::Form),
            ("postgres://u:s3cret@h:port/db", AddressError::Form),
            ("postgres://u:pa@s3cret@h/db", AddressError::Form),
            ("postgres://u:pa@x/s3cret@h/db", AddressError::Form),
            ("postgres://h/db?password=a@s3cret/db", AddressError::Form),
            (
                "postgres://h:5432/db?password=a@s3cret/db",
                AddressError::Form,
            ),
            ("postgres://h/db password=s3cret", AddressError::Form),
            ("postgres://h/db\u{2003}s3cret", AddressError::Form),
            ("postgres://u:s3cret@h/db;s3cret", AddressError::Form),
            ("postgres://h/db&password=s3cret", AddressError::Form),
            ("postgres://h/db=s3cret", AddressError::Form),
            ("postgres://h/db#s3cret", AddressError::Form),
            ("postgres://h;s3cret:1/db", AddressError::Form),
            ("postgres://h/?dbname=db s3cret", AddressError::Form),
            ("postgres:///db?host=/run;s3cret", AddressError::Form),
            ("postgres:///db", AddressError::NoHost),
            ("postgres://u:s3cret@h", AddressError::NoDatabase),
        ] {
            let refused = parse(text).unwrap_err();
            assert_eq!(refused, error, "{text}");
            assert!(!refused.to_string().contains("s3cret"));
        }
    }
}
