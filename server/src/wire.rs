//! Turns a socket into whole, strictly valid requests: accepts connections, limits their number,
//! checks heads, and handles clients that are slow, leave, or do not read their response.
//!
//! The caller passes a function that makes the responses to refused clients. Nothing here knows
//! what a request asks for.
//!
//! # The states of a connection
//!
//! A connection that `admission` does not admit gets a response from `refusing` and is closed. On
//! every other connection, the HTTP library reads and writes through `connection::Connection`,
//! which is always in one of the states of `connection::state::State`:
//!
//! | State | Begins when | Ends when | Deadline, and what happens then |
//! |---|---|---|---|
//! | `Receiving`, idle | the connection is accepted; a whole response is flushed | a byte other than a line end arrives | `IDLE_MAX`, 75 s: ending, without a response |
//! | `Receiving`, a head | that byte arrives; a response is flushed and the next head has already begun | the whole head is passed on | `HEAD_MAX`, 10 s, or `Phase::Closing`: ending, with 408 |
//! | `Due` | the whole head is passed on | the library begins to write | none; a client that has closed its side counts as gone after `GONE_AFTER`, 1 s, and the library drops the request |
//! | `Answering` | the library begins to write | it flushes the whole response, whose head says how long it is | `STALLED_MAX`, 30 s without a byte sent, or `ANSWER_MAX`, 5 min in all from the first wait and a second more for each 64 KiB: closed |
//! | `Ending` | a head is bad or late; the idle time is over; the library shuts down | the client has closed its side, or had sent nothing more | `LINGER_MAX`, 2 s: closed |
//!
//! Every request goes through the first four in this order. While a response is due, later heads
//! are read ahead and held, up to a bound; within that bound the server notices when the client
//! closes its side. While a response is being sent, nothing is read. A bad head is refused after
//! the responses to earlier requests. `Ending` is the last state. A client that closes its side
//! when no response is due ends the connection.

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
