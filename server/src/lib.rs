//! Serves a release over HTTP: authentication, limits, lists, and bodies that the import made.
//!
//! The server never builds a record's JSON; it picks bytes of a release. Its rooms, lowest first;
//! each may know those before it:
//!
//! - `base`: periodic tasks, ids of requests and the like, for every room;
//! - [`contract`]: tables of routes and errors; [`cors`]: pages of other origins; [`params`]: what a
//!   query asks for;
//! - [`catalogue`]: the opened release, which answers; [`keyring`]: the keys;
//! - [`cache`]: answered lists; [`compressed`]: bodies in a coding; `metrics`: what is counted;
//! - [`limits`]: minute windows and quotas;
//! - `readiness`, `clock_watch` and [`threads`]: what a server depends on;
//! - [`app`]: all that requests share;
//! - `wire`: from a socket to whole, valid requests;
//! - [`http`]: from a request to its answer, in the order of checks;
//! - [`ops`]: following the active release, readiness, metrics;
//! - [`serve`]: all of it on a socket, until told to stop.
//!
//! Nothing but [`http`] and the administration address in [`ops`] decides a status code.
//!
//! # The way of a request for one boat
//!
//! [`http`] is the frame: `http::pipeline::answer` makes the checks in their order, on one page, and
//! calls the rooms below it. Read it first; then the rooms come in this order, each once:
//!
//! 1. `wire::acceptor::Connections` accepts a connection, if `wire::admission` has a place for it.
//! 2. `wire::connection::Connection` reads a head, judges it line by line (`RequestHeads::read`), and
//!    gives it to the HTTP library; nothing judges it again. It also sees that the answer is taken.
//! 3. `http::Endpoints::handle` takes the request, and is the net for panics around all that follows.
//! 4. [`contract::routes::find`] finds the route of the path.
//! 5. [`keyring::Keyring::verify`] verifies the key, which `http::authorization::read` read.
//! 6. [`limits`]: `MinuteStore::count` counts the request in the minute window. `Quotas` looks whether a
//!    request of the month is left, and takes it once the answer is known to be a 200.
//! 7. [`params`]: `parse_id_or_slug` reads the name of the record, and `NoParams` the query.
//! 8. [`catalogue`]: `Catalogue::find_boat` finds the boat, and `Catalogue::boat_body` gives its body.
//! 9. [`compressed`] has the body in another coding, if the client takes one and
//!    `http::representation::choose` finds that it does not have the body already.
//! 10. `http::Reply::write` writes status, headers (`http::headers`) and body.
//!
//! # The way of a list
//!
//! Steps 1 to 6, 9 and 10 are the same, and between them:
//!
//! 7. [`params`]: `ListQuery::parse` reads the parameters, each as `params::lists` declares it.
//! 8. [`cache::ListCache`] answers if it has the list. If not, [`catalogue`] makes it:
//!    `Catalogue::list` plans the statements, runs them on a connection of its pool
//!    (`catalogue::list::rows`), and joins the bodies of the rows (`catalogue::list::envelope`).

pub mod app;
mod base;
pub mod cache;
pub mod catalogue;
mod clock_watch;
pub mod compressed;
pub mod contract;
pub mod cors;
pub mod http;
pub mod keyring;
pub mod limits;
mod metrics;
pub mod ops;
pub mod params;
mod readiness;
pub mod serve;
pub mod threads;
mod wire;

pub use base::{periodic_task, request_id};
pub use wire::{ConnectionLimits, Socket};
