//! Keys that servers follow: what an operator revokes is refused everywhere a second later, and
//! nothing is refused that works.

mod store;
mod world;

use crate::seeds::{finds, hold, repeats};
use store::Fault;
use world::run;

#[test]
fn keys() {
    hold("keys", |seed| run(seed, Fault::None));
}

#[test]
fn the_same_seed_runs_the_same_steps() {
    repeats(|seed| run(seed, Fault::None));
}

#[test]
fn keys_that_are_remembered_too_long_are_found() {
    finds("a revocation remembered too long", |seed| {
        run(seed, Fault::FailureConfirms)
    });
}

#[test]
fn keys_of_another_revision_than_they_are_said_to_be_are_found() {
    finds("a revision read too late", |seed| {
        run(seed, Fault::RevisionReadLater)
    });
}
