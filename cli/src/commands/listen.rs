//! Where to listen: what `serve` and `demo` ask alike.

use std::net::SocketAddr;

use clap::Args;

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
    #[arg(default_value = "127.0.0.1:8080")]
    pub address: SocketAddr,
}
