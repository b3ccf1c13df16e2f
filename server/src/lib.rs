//! Serves a release over HTTP: authentication, limits, lists, and bodies that the import made.
//!
//! The server makes no record's JSON; it picks bytes of a release. Its rooms, lowest first;
//! each may know those before it:
//!
//! - `base`: periodic tasks, ids of requests and the like, for every room;
//! - [`contract`]: tables of routes and errors; [`cors`]: pages of other origins; [`params`]: what
//!   a query asks for;
//! - [`catalogue`]: the opened release, which answers; [`keyring`]: the keys;
//! - [`cache`]: answered lists; [`compressed`]: bodies in a coding; `metrics`: what is counted;
//! - [`limits`]: minute windows and quotas;
//! - `readiness`, `clock_watch` and [`threads`]: what a server depends on;
//! - [`app`]: all that requests share;
//! - `wire`: from a socket to whole, valid requests;
//! - [`http`]: from a request to its answer, in the order of checks;
//! - [`ops`]: following the active release, readiness, metrics;
//! - [`serve`]: all of it on a socket, until it is stopped.
//!
//! Nothing but [`http`] and the administration address in [`ops`] sends a status code; those of
//! errors stand in [`contract`].
//!
//! # The way of a request for one boat
//!
//! [`http`] is the frame: its files connect the rooms below, and it is entered between them again
//! and again. Read `http::pipeline::answer` first, which has the checks in their order, on one
//! page; after it the rooms come in this order:
//!
//! 1. `wire::acceptor::Connections` accepts a connection. If `wire::admission` has no place for it,
//!    `wire::refusing` answers.
//! 2. `wire::connection::Connection` reads a head, judges it line by line (`RequestHeads::read`),
//!    and gives it to the HTTP library, which refuses nothing more. It also sees that the answer is
//!    taken.
//! 3. `http::Endpoints::handle` takes the request. It is the net for panics around
//!    `Exchange::reply`, which makes the reply, counts it and logs it.
//! 4. [`contract::routes::find`] finds the route of the path. [`cors`] answers a browser that asks
//!    for a page; `http::pipeline::target` refuses methods, and keys in the query.
//! 5. [`keyring::Keyring::verify`] verifies the key, which `http::authorization::read` read.
//! 6. [`limits`]: `MinuteStore::count` counts the request in the minute window of the key. Later,
//!    `Quotas` looks whether a request of the month is left, and takes it once there is a body to
//!    send.
//! 7. [`params`]: `NoParams` reads the query, and `parse_id_or_slug` the name of the record, both
//!    for `http::catalogue_request::CatalogueRequest::parse`. The scopes of the key were checked
//!    before.
//! 8. [`catalogue`]: `Catalogue::find_boat` finds the boat for `http::look_up::LookUp::boat`, and
//!    `Catalogue::boat_body` gives its body.
//! 9. `http::representation::choose` answers 304 to a client that has the body already. If not, it
//!    takes the body from [`compressed`] where the client accepts a coding and that is shorter.
//! 10. `http::Reply::write` writes status, headers (`http::headers`) and body, and
//!     `http::last_fields` the date and what becomes of the connection.
//!
//! # The way of a list
//!
//! Steps 1 to 6, 9 and 10 are the same, and between them:
//!
//! 7. [`params`]: `ListQuery::parse` reads the parameters, each as `params::lists` declares it;
//!    `ListQuery::canonical` is what equal lists have in common, and `page_links` makes the links
//!    to other pages once the list is there.
//! 8. `http::look_up::LookUp::list` asks [`cache::ListCache`], which answers if it has the list. If
//!    not, [`catalogue`] makes it: `Catalogue::list` plans the statements, runs them on a
//!    connection of its pool (`catalogue::list::rows`), and puts the rows' parts of bodies together
//!    (`catalogue::list::envelope`).

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
