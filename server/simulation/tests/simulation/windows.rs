//! Minute windows in a Redis that servers share: no key is answered more than its limit in any
//! minute, whatever the Redis loses and whenever it stops, and nothing for a minute after a loss.

mod scripts;
mod store;
mod world;

use crate::seeds::{finds, hold, repeats};
use scripts::Fault;
use world::run;

#[test]
fn windows() {
    hold("windows", |seed| run(seed, Fault::None));
}

#[test]
fn the_same_seed_runs_the_same_steps() {
    repeats(|seed| run(seed, Fault::None));
}

#[test]
fn windows_that_are_not_closed_after_a_loss_are_found() {
    finds("a window not closed", |seed| run(seed, Fault::NotClosed));
}

#[test]
fn requests_that_leave_before_their_minute_is_over_are_found() {
    finds("a short minute", |seed| run(seed, Fault::ShortMinute));
}
