//! A throttle on long work: it is done in small steps, so that requests are answered between them.
//!
//! Nothing here knows what the requests are, or reads the time.

use std::fmt::Debug;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Decides when the next step of long work may begin.
pub trait Throttle: Debug + Send + Sync {
    /// Called between two steps, each of which takes a millisecond or two at most, and far less
    /// where that is possible; returns when the next one may begin.
    fn step(&self);
}

/// No throttle: one step after the other.
#[derive(Clone, Copy, Debug)]
pub struct Unthrottled;

impl Throttle for Unthrottled {
    fn step(&self) {}
}

/// Counts steps, so that a test sees that long work has some.
#[derive(Debug, Default)]
pub struct CountedSteps(AtomicUsize);

impl CountedSteps {
    /// How many there were so far.
    pub fn steps(&self) -> usize {
        self.0.load(Ordering::Relaxed)
    }
}

impl Throttle for CountedSteps {
    fn step(&self) {
        self.0.fetch_add(1, Ordering::Relaxed);
    }
}

/// How many items are a step.
const ITEMS: usize = 128;

/// The same items, of which every few are a step.
pub fn throttled<'a, T>(
    items: impl IntoIterator<Item = T, IntoIter: 'a>,
    throttle: &'a dyn Throttle,
) -> impl Iterator<Item = T> + 'a
where
    T: 'a,
{
    (1_usize..).zip(items).map(move |(count, item)| {
        if count.is_multiple_of(ITEMS) {
            throttle.step();
        }
        item
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_items_come_and_every_so_many_are_a_step() {
        for (items, steps) in [(0, 0), (ITEMS - 1, 0), (ITEMS, 1), (3 * ITEMS + 5, 3)] {
            let throttle = CountedSteps::default();
            assert!(throttled(0..items, &throttle).eq(0..items));
            assert_eq!(throttle.steps(), steps, "{items}");
        }
    }
}
