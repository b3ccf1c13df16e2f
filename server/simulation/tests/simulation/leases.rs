//! Leases of quota and their return: nothing is answered that was not leased, nothing is leased
//! twice, and what is not answered goes back, but for what faults lose, to the unit.

mod ledger;
mod postgres;
mod world;

use crate::seeds::{finds, hold, repeats};
use ledger::Fault;
use world::run;

#[test]
fn leases() {
    hold("leases", |seed| run(seed, Fault::None));
}

#[test]
fn the_same_seed_runs_the_same_steps() {
    repeats(|seed| run(seed, Fault::None));
}

#[test]
fn a_lease_that_is_given_again_after_its_answer_was_lost_is_found() {
    finds("a lease given again", |seed| {
        run(seed, Fault::LeaseGivenAgain)
    });
}

#[test]
fn units_that_are_given_back_twice_are_found() {
    finds("a give-back twice", |seed| run(seed, Fault::GivenBackTwice));
}

#[test]
fn units_that_are_kept_though_they_may_have_been_given_back_are_found() {
    finds("a give-back forgotten", |seed| {
        run(seed, Fault::GiveBackForgotten)
    });
}

#[test]
fn servers_that_do_not_report_after_a_failover_are_found() {
    finds("nothing reported", |seed| run(seed, Fault::NotReported));
}

#[test]
fn what_a_timeline_began_with_and_is_not_kept_is_found() {
    finds("nothing carried over", |seed| {
        run(seed, Fault::CarriedForgotten)
    });
}
