//! The listening socket. Who owns it decides what happens to the connections in its queue when the
//! server stops.

use std::io;
use std::net::{SocketAddr, TcpListener};

/// A socket that listens.
#[derive(Debug)]
pub enum Socket {
    /// Bound by this process, and closed with it: connections in its queue at the end are still
    /// accepted.
    Own(TcpListener),
    /// Passed by another process, which keeps it: connections in its queue at the end are left to
    /// the next server that gets the socket.
    Passed(TcpListener),
}

impl Socket {
    /// The address that it listens on; for port 0, with the port that was chosen.
    pub fn local_addr(&self) -> io::Result<SocketAddr> {
        match self {
            Self::Own(listener) | Self::Passed(listener) => listener.local_addr(),
        }
    }
}
