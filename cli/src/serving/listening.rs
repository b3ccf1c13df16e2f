//! Where a server listens: on the socket that it was passed, or at an address of its own.

use std::net::{Ipv4Addr, SocketAddr, TcpListener};

use anyhow::Context as _;
use server::Socket;

use crate::hints::Hinted;
use crate::process::service_manager::{PassedSocketError, ServiceManager};

/// A text is no address to listen on.
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
    /// At an address, which is not taken yet.
    At(SocketAddr),
    /// On a socket that another process keeps.
    On(TcpListener),
}

impl Listening {
    /// On the socket that `manager` passes, which has to listen at the `typed` address, if
    /// there is one; without a socket, at `address`.
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

    /// The socket; the address is taken now.
    pub fn socket(self) -> anyhow::Result<Socket> {
        match self {
            Self::On(listener) => Ok(Socket::Passed(listener)),
            Self::At(address) => {
                let bound = TcpListener::bind(address);
                let bound = bound.with_context(|| format!("could not listen on {address}"))?;
                Ok(Socket::Own(bound))
            }
        }
    }
}

fn unfit(error: PassedSocketError) -> anyhow::Error {
    let hint = "the socket unit needs exactly one ListenStream=ADDRESS:PORT, and Accept=no";
    Hinted::wrong_usage(error.into(), hint).into()
}

/// A server that listens elsewhere than its operator expects would be found out late.
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
