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
//! 1. `wire::acceptor::Connections` accepts its connection, if `wire::admission` has a place for it.
//! 2. `wire::connection::Connection` reads its head, judges it line by line (`RequestHeads::read`), and
//!    gives it to the HTTP library; nothing judges it again.
//! 3. `http::Endpoints::handle` takes it, with the moment and an id (`http::Exchange::reply`).
//! 4. `http::pipeline::answer` makes the checks in their order: the route, the method, the query.
//! 5. `http::authorization::read` reads the key, and `keyring::Keyring::verify` verifies it.
//! 6. `limits::MinuteStore::count` counts the request in the minute window, then scopes and parameters
//!    are checked (`http::catalogue_request::CatalogueRequest::parse`), and the quota is looked at.
//! 7. `http::look_up::LookUp::boat` finds the boat and its body in `catalogue::Catalogue`.
//! 8. `http::representation::choose` decides what is sent of it: nothing to a client that has it.
//! 9. `limits::Quotas` charges it, unless nothing is sent.
//! 10. `http::finish` counts and logs the reply, and `http::Reply::write` writes status, headers and
//!     body; the connection sees that they are taken.
//!
//! A list differs in step 6, where `params::ListQuery::parse` reads its parameters, and in step 7:
//! `http::look_up::LookUp::list` asks `cache::ListCache`; where that has no answer,
//! `catalogue::Catalogue::list` plans the statements, runs them on a connection of its pool
//! (`catalogue::list::rows`), and puts the bodies of the rows into one (`catalogue::list::envelope`).

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
