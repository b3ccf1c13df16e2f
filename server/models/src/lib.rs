//! The keyring's `Confirmed`, compiled from the very source of `server` with the primitives of the
//! model checker `loom`, which tries every order in which threads may meet.
//!
//! A test that starts threads sees a few such orders; a model sees them all, and the effects of
//! weak memory too. What is checked stands in `tests/models`; nothing here is part of the server.

// As a test of its own it would look for the tests of that source in the wrong place.
#![cfg(not(test))]

mod base {
    //! What the source of `server` finds under the name `base`.
    pub(crate) mod primitives;
}
pub mod keyring;
