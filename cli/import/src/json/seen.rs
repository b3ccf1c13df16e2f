//! Which names came before: columns, keys of objects.
//!
//! Names are looked up by hash. To compare each with all before it would take time that grows with
//! the square of their number, and the export chooses that number.

use std::collections::HashSet;
use std::hash::Hash;

use crate::steps;

/// The names that came before.
#[derive(Debug)]
pub(crate) struct Seen<T>(HashSet<T>);

impl<T: Eq + Hash> Seen<T> {
    /// None yet.
    pub(crate) fn new() -> Self {
        Self(HashSet::new())
    }

    /// Adds a name; true if it is new.
    pub(crate) fn insert(&mut self, name: T) -> bool {
        steps::count(1);
        self.0.insert(name)
    }
}

/// The first name that is repeated.
pub(crate) fn first_repeated<T: Copy + Eq + Hash>(names: impl IntoIterator<Item = T>) -> Option<T> {
    let mut seen = Seen::new();
    names.into_iter().find(|name| !seen.insert(*name))
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;
    use std::hash::Hasher;

    use super::*;

    /// A name that counts how often it is compared with another.
    #[derive(Clone, Copy)]
    struct Counted<'a> {
        name: u32,
        comparisons: &'a Cell<usize>,
    }

    impl PartialEq for Counted<'_> {
        fn eq(&self, other: &Self) -> bool {
            self.comparisons.set(self.comparisons.get() + 1);
            self.name == other.name
        }
    }

    impl Eq for Counted<'_> {}

    impl Hash for Counted<'_> {
        fn hash<H: Hasher>(&self, state: &mut H) {
            self.name.hash(state);
        }
    }

    #[test]
    fn twice_as_many_names_are_no_more_than_twice_the_comparisons() {
        for names in [10_000, 20_000, 40_000] {
            let comparisons = Cell::new(0);
            let counted = |name| Counted {
                name,
                comparisons: &comparisons,
            };
            assert!(first_repeated((0..names).map(counted)).is_none());
            // Comparing each with all before it would take half the square of their number.
            assert!(
                comparisons.get() < names as usize,
                "{names}: {comparisons:?}"
            );
            let repeated = first_repeated((0..names).chain([7]).map(counted));
            assert_eq!(repeated.map(|found| found.name), Some(7));
        }
    }
}
