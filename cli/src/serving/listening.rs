//! Where a server listens: on the socket that it was passed, or at an address of its own.

use std::io::{self, ErrorKind};
use std::net::{Ipv4Addr, SocketAddr, TcpListener};

use anyhow::Context as _;
use server::Socket;

use crate::exit_status::ExitStatus;
use crate::hints::Hinted;
use crate::process::service_manager::{PassedSocketError, ServiceManager};

/// A text is not an address to listen on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "must be an address of this machine and a port, such as 127.0.0.1:8080, localhost:8080, \
     0.0.0.0:8080 or [::]:8080"
)]
pub struct NoListenAddress;

/// Reads an address and a port. No name is looked up: `localhost` is 127.0.0.1.
pub fn parse_address(text: &str) -> Result<SocketAddr, NoListenAddress> {
    let port = text.strip_prefix("localhost:").map(str::parse);
    let loopback = port.map(|port| port.map(|port| (Ipv4Addr::LOCALHOST, port).into()));
    let address = match loopback {
        Some(address) => address.ok(),
        None => text.parse().ok(),
    };
    address.ok_or(NoListenAddress)
}

/// Where to listen, before the release is opened.
#[derive(Debug)]
pub enum Listening {
    /// At an address, which is not bound yet.
    At(SocketAddr),
    /// On a socket that another process keeps.
    On(TcpListener),
}

impl Listening {
    /// Decides where to listen: on the socket that `manager` passes, which must be at the `typed`
    /// address, if there is one; without a socket, at `address`.
    pub fn decide(
        manager: &mut ServiceManager,
        address: SocketAddr,
        typed: Option<SocketAddr>,
    ) -> anyhow::Result<Self> {
        let Some(socket) = manager.take_socket().map_err(unfit)? else {
            return Ok(Self::At(address));
        };
        let passed = socket.local_addr();
        let passed = passed.context("could not see where the socket that was passed listens")?;
        match typed {
            Some(typed) if typed != passed => Err(contradicted(typed, passed)),
            _ => Ok(Self::On(socket)),
        }
    }

    /// The socket; binds the address if necessary.
    pub fn socket(self) -> anyhow::Result<Socket> {
        match self {
            Self::On(listener) => Ok(Socket::Passed(listener)),
            Self::At(address) => {
                let bound = TcpListener::bind(address);
                Ok(Socket::Own(
                    bound.map_err(|error| not_bound(address, error))?,
                ))
            }
        }
    }
}

/// The error of an address that could not be bound, and what to do about it.
fn not_bound(address: SocketAddr, error: io::Error) -> anyhow::Error {
    let hint = match error.kind() {
        ErrorKind::AddrInUse => Some(
            "another program listens there: stop it, or name another port with --listen; port 0 is \
             one that is free",
        ),
        ErrorKind::AddrNotAvailable => {
            Some("this machine has no such address; --listen 0.0.0.0:PORT is all that it has")
        }
        ErrorKind::PermissionDenied => Some(
            "ports below 1024 are not for every user: name a higher one with --listen, or have a \
             service manager pass the socket",
        ),
        _ => None,
    };
    let error = anyhow::Error::new(error).context(format!("could not listen on {address}"));
    match hint {
        Some(hint) => Hinted::new(error, hint, ExitStatus::Failure).into(),
        None => error,
    }
}

fn unfit(error: PassedSocketError) -> anyhow::Error {
    let hint = "the socket unit needs exactly one ListenStream=ADDRESS:PORT, and Accept=no";
    Hinted::wrong_usage(error.into(), hint).into()
}

/// The error that a passed socket has another address than the typed one, which would otherwise be
/// noticed late.
fn contradicted(typed: SocketAddr, passed: SocketAddr) -> anyhow::Error {
    let error = anyhow::anyhow!(
        "the server is set to listen on {typed}, but the socket that was passed to it listens on {passed}"
    );
    let hint = "leave `listen` out of its options and settings, or change ListenStream= of the socket unit";
    Hinted::wrong_usage(error, hint).into()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hints;

    #[test]
    fn an_address_that_cannot_be_taken_is_an_error_that_says_what_to_do() {
        let taken = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = taken.local_addr().unwrap();
        for (address, hint) in [
            (address, "another program listens there"),
            // Documentation addresses (RFC 5737) belong to no machine.
            (
                "192.0.2.1:8080".parse().unwrap(),
                "this machine has no such address",
            ),
        ] {
            let error = Listening::At(address).socket().err().unwrap();
            let said = hints::hint(&error).unwrap().to_string();
            assert!(said.starts_with(hint), "{said}");
            assert!(error.to_string().contains("could not listen on"), "{error}");
        }
    }

    #[test]
    fn an_address_and_a_port_are_read_and_localhost_is_this_machine() {
        for (text, expected) in [
            ("127.0.0.1:8080", Some("127.0.0.1:8080")),
            ("localhost:8080", Some("127.0.0.1:8080")),
            ("localhost:0", Some("127.0.0.1:0")),
            ("[::]:80", Some("[::]:80")),
            ("localhost", None),
            ("localhost:", None),
            ("localhost:65536", None),
            ("8080", None),
            (":8080", None),
            ("example.com:8080", None),
            ("http://localhost:8080", None),
            ("", None),
        ] {
            let address = parse_address(text).ok().map(|address| address.to_string());
            assert_eq!(address.as_deref(), expected, "{text}");
        }
    }
}
