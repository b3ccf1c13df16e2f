//! The socket that connections are accepted on: whose it is decides what becomes, when the server
//! stops, of those who wait in its queue.

use std::io;
use std::net::{SocketAddr, TcpListener};

/// A socket that listens.
#[derive(Debug)]
pub enum Socket {
    /// Bound by this process, and gone with it: what waits at the end is still accepted.
    Own(TcpListener),
    /// Passed by another process, which keeps it: what waits at the end waits for the next
    /// server that it is passed to.
    Passed(TcpListener),
}

impl Socket {
    /// The address that it listens on, port 0 resolved.
    pub fn local_addr(&self) -> io::Result<SocketAddr> {
        match self {
            Self::Own(listener) | Self::Passed(listener) => listener.local_addr(),
        }
    }
}
