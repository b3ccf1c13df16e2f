//! The program that runs this process as a service, such as systemd: the socket that it passes,
//! and the states it is notified of.
//!
//! Both protocols use environment variables: `LISTEN_FDS` with `LISTEN_PID`, and `NOTIFY_SOCKET`.
//! Only servers use them; other commands ignore them.

use std::io;
use std::net::TcpListener;

use listenfd::ListenFd;
use nix::sys::socket::{getsockopt, sockopt};
use sd_notify::NotifyState;

/// What runs this process as a service, if anything does.
pub struct ServiceManager {
    sockets: ListenFd,
    is_notified: bool,
}

/// Why a server cannot listen on what it was passed.
#[derive(Debug, thiserror::Error)]
pub enum PassedSocketError {
    /// One server has one socket.
    #[error("{0} sockets were passed to the server, which listens on one")]
    Several(usize),
    /// A Unix socket, UDP, or no socket at all.
    #[error("what was passed to the server is not a TCP socket")]
    NotTcp(#[source] io::Error),
    /// A connection, for example.
    #[error("the socket that was passed to the server does not listen")]
    NotListening,
    /// The operating system cannot say whether it listens.
    #[error("could not see whether the socket that was passed to the server listens")]
    Unknown(#[source] nix::Error),
}

impl ServiceManager {
    /// The service manager of this process. Removes the variables that name sockets from the
    /// environment, so no other thread may run yet.
    pub fn of_process() -> Self {
        Self {
            sockets: ListenFd::from_env(),
            is_notified: true,
        }
    }

    /// No service manager: no socket is passed, and nothing is notified.
    pub fn none() -> Self {
        Self {
            sockets: ListenFd::empty(),
            is_notified: false,
        }
    }

    /// The socket that was passed, if one was.
    pub fn take_socket(&mut self) -> Result<Option<TcpListener>, PassedSocketError> {
        match self.sockets.len() {
            0 | 1 => {}
            several => return Err(PassedSocketError::Several(several)),
        }
        let taken = self.sockets.take_tcp_listener(0);
        let Some(socket) = taken.map_err(PassedSocketError::NotTcp)? else {
            return Ok(None);
        };
        match getsockopt(&socket, sockopt::AcceptConn) {
            Ok(true) => Ok(Some(socket)),
            Ok(false) => Err(PassedSocketError::NotListening),
            Err(error) => Err(PassedSocketError::Unknown(error)),
        }
    }

    /// Notifies it of these states. Errors are ignored: serving does not depend on it.
    pub fn notify(&self, states: &[NotifyState<'_>]) {
        if !self.is_notified {
            return;
        }
        if let Err(error) = sd_notify::notify(states) {
            tracing::warn!("could not notify the service manager of {states:?}: {error}");
        }
    }
}
