//! From a socket to whole, strictly valid requests: accepting, limits of connections, heads, and
//! clients that are slow, leave, or do not read their response.
//!
//! A function from outside answers what is refused here. Nothing here knows what a request asks
//! for.
//!
//! # The states of a connection
//!
//! A connection that `admission` does not admit gets its response from `refusing`, and is closed.
//! For every other one the HTTP library reads and writes through `connection::Connection`, which is
//! in one of the states of `connection::state::State`:
//!
//! | State | Begins when | Ends when | Deadline, and what comes then |
//! |---|---|---|---|
//! | `Receiving`, idle | it is accepted; an answer was flushed | a byte comes that is no line end | `IDLE_MAX`, 75 s: ending, without a word |
//! | `Receiving`, a head | that byte comes, or an answer is flushed after which a head had begun | the whole head is given on | `HEAD_MAX`, 10 s, or `Phase::Closing`: ending, with 408 |
//! | `Due` | the whole head is given on | the library begins to write | none; a client that has closed its side is gone after `GONE_AFTER`, 1 s, and the library drops the request |
//! | `Answering` | the library begins to write | it flushes | `STALLED_MAX`, 30 s for a byte, `ANSWER_MAX`, 5 min for all from the first wait: closed |
//! | `Ending` | a head is bad or late; the idle time is over; the library shuts down | the client has closed its side, or was not sending | `LINGER_MAX`, 2 s: closed |
//!
//! The first four follow each other for every request. While an answer is due, later heads are read
//! ahead and held, up to a bound, and a client that has closed its side is noticed within that
//! bound; while it is sent, nothing is read. A bad head is refused after the answers before it.
//! `Ending` is never left. A client that closes its side before an answer is due ends the
//! connection.

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
