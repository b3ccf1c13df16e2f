//! From a socket to whole, strictly valid requests, and their end: accepting, limits of connections,
//! heads, and clients that are slow, leave, or do not take their answer.
//!
//! What is refused here is answered by a function that comes from outside. Nothing here knows what a
//! request asks for.

mod acceptor;
mod admission;
mod connection;
mod library;
mod refusing;
mod socket;

pub(crate) use acceptor::Connections;
pub use admission::ConnectionLimits;
pub(crate) use connection::{BadHead, HEAD_MAX, Phase, Refusal, check};
#[cfg(test)]
pub(crate) use connection::{Connection, LastAnswer};
pub(crate) use library::server_of;
pub use socket::Socket;
