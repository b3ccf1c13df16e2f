//! The server's hot structures, compiled from the very sources of `server` with the primitives of
//! the model checker `loom`, which tries every order in which threads may meet.
//!
//! A test that starts threads sees a few such orders; a model sees them all, and the effects of
//! weak memory too. What is checked stands in `tests/models`; nothing here is part of the server.

// As a test of its own it would look for the tests of those sources in the wrong place.
#![cfg(not(test))]

mod base;
pub mod keyring;
pub mod limits;
