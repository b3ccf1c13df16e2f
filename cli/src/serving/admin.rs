//! The administration address of a server: which one was requested, and binding it.
//!
//! The server defines the responses. This can never be the public address, since that is bound
//! first, and an address can be bound only once.

use std::io;
use std::net::{Ipv4Addr, SocketAddr, TcpListener};
use std::str::FromStr;
use std::sync::Arc;

use anyhow::Context as _;
use server::app::App;
use server::ops::admin;
use tokio::task::JoinHandle;

use super::listening::parse_address;

/// The default administration address, which only this machine can reach.
const USUAL: SocketAddr = SocketAddr::new(std::net::IpAddr::V4(Ipv4Addr::LOCALHOST), 9090);

/// The requested administration address.
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
    /// There is none, as requested.
    Off,
    /// The address is bound.
    On(TcpListener),
    /// None was requested, and the default one cannot be bound.
    Missing(io::Error),
}

impl Admin {
    /// Binds the address. A requested address must succeed; the default one may fail.
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

    /// Serves there until the returned value is dropped or the runtime ends. Logs the address.
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

/// Stops serving on the administration address when it is dropped.
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
