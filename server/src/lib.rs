//! Serves a release over HTTP: authentication, limits, lists, and bodies that the import made.
//!
//! The server never builds the JSON of a record; it sends bytes of a release. Its modules, lowest
//! first; each may use those before it:
//!
//! - `base`: periodic tasks, request ids and other tools for every module;
//! - [`api_tables`]: tables of routes and errors; [`cors`]: pages of other origins; [`params`]: what
//!   a query asks for;
//! - [`catalogue`]: the opened release, and its queries; [`keyring`]: the keys;
//! - [`cache`]: finished lists; [`comparisons`]: releases compared; [`compressed`]: encoded bodies; `metrics`: all counters;
//! - [`limits`]: minute windows and quotas;
//! - `readiness`, `clock_watch` and [`threads`]: what a server depends on;
//! - [`app`]: all that requests share;
//! - `wire`: from a socket to whole, valid requests;
//! - [`http`]: from a request to its response, in the order of checks;
//! - [`ops`]: following the active release, readiness, metrics;
//! - [`serve`]: all of it on a socket, until it is stopped.
//!
//! Only [`http`] and the administration address in [`ops`] send status codes; [`api_tables`] lists
//! those of errors.
//!
//! # The path of a request for one boat
//!
//! [`http`] is the frame: its files connect the modules below it, so a request returns to it
//! between them. Read `http::pipeline::answer` first, which has the order of checks on one page. A
//! request passes through the modules in this order:
//!
//! 1. `wire::acceptor::Connections` accepts a connection. If `wire::admission` has no slot for it,
//!    `wire::refusing` answers.
//! 2. `wire::connection::Connection` reads a head, checks it line by line (`RequestHeads::read`),
//!    and passes it to the HTTP library, which refuses nothing more. It also makes sure that the
//!    client reads the response in time.
//! 3. `http::Endpoints::handle` takes the request. It catches panics of `Exchange::reply`, which
//!    makes the reply, counts it and logs it.
//! 4. [`api_tables::routes::find`] finds the route of the path. [`cors`] answers preflight requests
//!    of browsers; `http::pipeline::target` refuses methods, and keys in the query.
//! 5. [`keyring::Keyring::verify`] verifies the key that `http::authorization::read` found in the
//!    header.
//! 6. [`limits`]: `MinuteStore::count` counts the request in the minute window of the key. Later,
//!    `Quotas` checks that the month's quota has a request left, and charges it once there is a
//!    body to send.
//! 7. [`params`]: after the scopes of the key are checked, `NoParams` reads the query and
//!    `parse_id_or_slug` the name of the record, both for
//!    `http::catalogue_request::CatalogueRequest::parse`.
//! 8. [`catalogue`]: `Catalogue::find` finds the boat for `http::look_up::LookUp::record`, and
//!    `Catalogue::body` returns its body.
//! 9. `http::representation::choose` answers 304 to a client that already has the body. Otherwise
//!    it takes an encoded body from [`compressed`] if the client accepts the encoding and the
//!    result is shorter.
//! 10. `http::Reply::message` makes status, headers (`http::headers`) and body, and
//!     `http::Message::write` hands them to the HTTP library; `http::last_fields` adds the date, and
//!     whether the connection is kept.
//!
//! # The path of a list
//!
//! Steps 1 to 6, 9 and 10 are the same. Between them:
//!
//! 7. [`params`]: `ListQuery::parse` reads the parameters, each as `params::lists` declares it.
//!    `ListQuery::canonical` makes the key under which equal lists are cached, and `page_links`
//!    makes the links to other pages once the list is there.
//! 8. `http::look_up::LookUp::list` asks [`cache::ListCache`] for the list. If it is not cached,
//!    [`catalogue`] makes it: `Catalogue::list` plans the statements, runs them on a connection of
//!    its pool (`catalogue::list::rows`), and joins the rows' parts of bodies into one body
//!    (`catalogue::list::envelope`).

pub mod api_tables;
pub mod app;
mod base;
pub mod cache;
pub mod catalogue;
mod clock_watch;
pub mod comparisons;
pub mod compressed;
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
