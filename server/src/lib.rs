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
//! - [`app`]: all that requests share;
//! - `wire`: from a socket to whole, valid requests;
//! - [`http`]: from a request to its answer, in the order of checks;
//! - [`ops`]: following the active release, readiness, metrics;
//! - [`serve`]: all of it on a socket, until told to stop.
//!
//! Nothing but [`http`] and the administration address in [`ops`] knows a status code.

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
