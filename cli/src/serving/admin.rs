//! The administration address of a server: which one is wanted, and taking it.
//!
//! What is answered there is the server's. Nothing here can be the public address: that is taken
//! first, and an address can be taken once.

use std::io;
use std::net::{Ipv4Addr, SocketAddr, TcpListener};
use std::str::FromStr;
use std::sync::Arc;

use anyhow::Context as _;
use server::app::App;
use server::ops::admin;
use tokio::task::JoinHandle;

use super::listening::parse_address;

/// Where the administration address is unless set otherwise: only this machine reaches it there.
const USUAL: SocketAddr = SocketAddr::new(std::net::IpAddr::V4(Ipv4Addr::LOCALHOST), 9090);

/// What was asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AdminAddress {
    /// None.
    Off,
    /// Exactly this one.
    At(SocketAddr),
}

impl FromStr for AdminAddress {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if text == "off" {
            return Ok(Self::Off);
        }
        let address = parse_address(text).map(Self::At);
        address
            .map_err(|_unreadable| "neither `off` nor an address such as 127.0.0.1:9090".to_owned())
    }
}

/// The administration address of one server.
#[derive(Debug)]
pub enum Admin {
    /// There is none, as was asked for.
    Off,
    /// It was taken.
    On(TcpListener),
    /// None was asked for, and the usual one cannot be taken.
    Missing(io::Error),
}

impl Admin {
    /// Takes the address. One that was asked for has to be there; the usual one may be missing.
    pub fn take(wanted: Option<AdminAddress>) -> anyhow::Result<Self> {
        match wanted {
            Some(AdminAddress::Off) => Ok(Self::Off),
            Some(AdminAddress::At(address)) => {
                let listener = TcpListener::bind(address);
                let listener = listener.with_context(|| {
                    format!("could not take the administration address {address}")
                })?;
                Ok(Self::On(listener))
            }
            None => Ok(TcpListener::bind(USUAL).map_or_else(Self::Missing, Self::On)),
        }
    }

    /// Answers there, as long as what is returned is kept and the runtime runs. Says in the log
    /// where.
    pub fn start(self, app: &Arc<App>) -> anyhow::Result<Option<Answering>> {
        let listener = match self {
            Self::Off => return Ok(None),
            Self::On(listener) => listener,
            Self::Missing(why) => {
                tracing::warn!(
                    "no metrics and no readiness: could not take {USUAL}, the usual administration \
                     address: {why}; name another with --admin ADDRESS, or none with --admin off"
                );
                return Ok(None);
            }
        };
        let address = listener.local_addr();
        let address = address.context("could not see the administration address")?;
        tracing::info!(
            admin.address = %address,
            "readiness and metrics are at http://{address}/ready and /metrics"
        );
        let serving = admin::serve(Arc::clone(app), listener, std::future::pending());
        Ok(Some(Answering(tokio::spawn(async move {
            if let Err(error) = serving.await {
                tracing::error!("could not serve on the administration address: {error}");
            }
        }))))
    }
}

/// Ends the answers on the administration address when it is dropped.
#[derive(Debug)]
pub struct Answering(JoinHandle<()>);

impl Drop for Answering {
    fn drop(&mut self) {
        self.0.abort();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_or_off_is_read_and_nothing_else() {
        assert_eq!("off".parse(), Ok(AdminAddress::Off));
        let loopback = SocketAddr::from(([127, 0, 0, 1], 9090));
        for written in ["127.0.0.1:9090", "localhost:9090"] {
            assert_eq!(written.parse(), Ok(AdminAddress::At(loopback)));
        }
        let every: SocketAddr = "[::]:0".parse().unwrap();
        assert_eq!("[::]:0".parse(), Ok(AdminAddress::At(every)));
        for wrong in [
            "",
            "OFF",
            "9090",
            "127.0.0.1",
            "example.com:9090",
            "http://127.0.0.1:9090",
        ] {
            assert!(wrong.parse::<AdminAddress>().is_err(), "{wrong}");
        }
    }

    #[test]
    fn the_usual_address_is_of_this_machine_only() {
        assert!(USUAL.ip().is_loopback());
    }

    #[test]
    fn an_address_that_was_asked_for_has_to_be_free() {
        let taken = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = taken.local_addr().unwrap();
        let error = Admin::take(Some(AdminAddress::At(address))).unwrap_err();
        let expected = format!("could not take the administration address {address}");
        assert_eq!(error.to_string(), expected);
    }
}
