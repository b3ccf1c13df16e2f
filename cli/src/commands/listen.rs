//! Where to listen: the arguments that `serve` and `demo` share.

use std::net::SocketAddr;

use clap::Args;

use crate::hints::LISTEN;
use crate::process::service_manager::ServiceManager;
use crate::serving::listening::{Listening, parse_address};

/// The address of a server.
#[derive(Debug, Args)]
pub struct ListenArgs {
    /// Address to listen on; port 0 picks a free one
    #[arg(
        long = "listen",
        value_name = "ADDRESS:PORT",
        env = "CATALOGUE_LISTEN",
        hide_env_values = true
    )]
    #[arg(default_value_t = LISTEN, value_parser = parse_address)]
    pub address: SocketAddr,
}

impl ListenArgs {
    /// Decides where to listen: on the socket that the service manager passed, or else at the
    /// address.
    pub fn decide(&self, manager: &mut ServiceManager) -> anyhow::Result<Listening> {
        let typed = Some(self.address).filter(|address| *address != LISTEN);
        Listening::decide(manager, self.address, typed)
    }
}
