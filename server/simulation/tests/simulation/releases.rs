//! Releases in S3: operators that activate, roll back and prune at once, and servers that follow.
//! One activation at a time replaces what it was decided on, nothing that is active, served or
//! marked is removed, and every server comes to the active release.

mod made;
mod store;
mod world;

use crate::seeds::{finds, hold, repeats};
use store::Fault;
use world::run;

#[test]
fn releases() {
    hold("releases", |seed| run(seed, Fault::None));
}

#[test]
fn the_same_seed_runs_the_same_steps() {
    repeats(|seed| run(seed, Fault::None));
}

#[test]
fn a_pointer_that_is_replaced_without_its_condition_is_found() {
    finds("a pointer without its condition", |seed| {
        run(seed, Fault::NoCondition)
    });
}

#[test]
fn marks_that_nobody_sees_are_found() {
    finds("marks not seen", |seed| run(seed, Fault::MarksNotSeen));
}
