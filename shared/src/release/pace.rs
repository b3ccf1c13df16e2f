//! Long work in small steps, so that others get their turn between them.
//!
//! Nothing here knows who the others are, or reads the time.

use std::fmt::Debug;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Decides when the next step of some long work may begin.
pub trait Pace: Debug + Send + Sync {
    /// Called between two steps, each of which takes a millisecond or two at most, and far less where
    /// that is possible; returns when the next one may begin.
    fn step(&self);
}

/// One step after the other, for callers that need not make room for others.
#[derive(Clone, Copy, Debug)]
pub struct AtOnce;

impl Pace for AtOnce {
    fn step(&self) {}
}

/// Counts steps, so that a test sees that long work has some.
#[derive(Debug, Default)]
pub struct Counted(AtomicUsize);

impl Counted {
    /// How many there were so far.
    pub fn steps(&self) -> usize {
        self.0.load(Ordering::Relaxed)
    }
}

impl Pace for Counted {
    fn step(&self) {
        self.0.fetch_add(1, Ordering::Relaxed);
    }
}

/// How many items are a step.
const ITEMS: usize = 128;

/// The same items, a few at a step.
pub fn paced<'a, T>(
    items: impl IntoIterator<Item = T, IntoIter: 'a>,
    pace: &'a dyn Pace,
) -> impl Iterator<Item = T> + 'a
where
    T: 'a,
{
    (1_usize..).zip(items).map(move |(count, item)| {
        if count.is_multiple_of(ITEMS) {
            pace.step();
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
            let pace = Counted::default();
            assert!(paced(0..items, &pace).eq(0..items));
            assert_eq!(pace.steps(), steps, "{items}");
        }
    }
}
