//! From a socket to whole, strictly valid requests, and their end: accepting, limits of connections,
//! heads, and clients that are slow, leave, or do not take their answer.
//!
//! What is refused here is answered by a function that comes from outside. Nothing here knows what a
//! request asks for.
//!
//! # The states of a connection
//!
//! The HTTP library reads and writes through `connection::Connection`, which is in one of these
//! states. There is no field for the state: it follows from what was read, given on and written.
//!
//! | State | Begins when | Ends when | Deadline, and what comes then |
//! |---|---|---|---|
//! | without a place | `admission` has none | its answer is read | `refusing::LINGER_MAX`, 1 s: closed |
//! | idle | it is accepted; an answer was flushed | a byte comes that is no line end | `IDLE_MAX`, 75 s: ended without a word |
//! | head | that byte comes | `head` finds the empty line | `HEAD_MAX`, 10 s, or `Phase::Closing`: ending, with 408 |
//! | due | a whole head is given on | the library begins to write | none; a client that has closed its side is gone after `GONE_AFTER`, 1 s: the request is dropped |
//! | answering | it begins to write | the library has flushed | `STALLED_MAX`, 30 s for a byte, `ANSWER_MAX`, 5 min for all: closed |
//! | ending | a head is bad or late; the idle time is over; the library shuts down | the client stops sending, or closes | `LINGER_MAX`, 2 s: closed |
//!
//! Idle, head, due and answering follow each other for every request. While an answer is due or
//! sent, later heads are held, up to a bound; a bad one is refused after that answer. Ending is
//! never left. A client that closes its side while the connection is idle or in a head ends it.

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
