//! The server's protocols with its engines, compiled from the very sources of `server` and run in
//! virtual time: which thread goes on, how long an engine takes and how it fails is drawn from a
//! seed, so that a failure found once is found again.
//!
//! [`turns`] runs the threads. What checks the protocols, and the engines as models, stand in
//! `tests/simulation`; nothing here is part of the server.

// As a test of its own it would look for the tests of those sources in the wrong place.
#![cfg(not(test))]

pub mod app;
mod base;
mod catalogue;
pub mod engine;
// A link to the server's, since what it is made of stands beside it.
#[expect(dead_code, reason = "the server uses all of it")]
#[rustfmt::skip]
pub mod keyring;
pub mod keys;
pub mod limits;
mod metrics;
pub mod ops;
pub mod turns;

pub use base::periodic_task;
pub use catalogue::{Catalogue, OpenCatalogueError, OpenSettings};
