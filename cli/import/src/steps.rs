//! Counts, for tests, the steps of loops over an export: they must grow with its length, and not
//! with the square of that.
//!
//! Measuring time would not show this, because tests share their machine. Nothing is counted outside
//! of tests, and every thread counts its own steps.

/// Counts steps: names that are looked up, or bytes that are searched.
#[cfg(not(test))]
pub(crate) const fn count(_steps: usize) {}

#[cfg(test)]
pub(crate) use counted::{check_each, count};

#[cfg(test)]
mod counted {
    use std::cell::Cell;

    thread_local! {
        static STEPS: Cell<usize> = const { Cell::new(0) };
    }

    pub(crate) fn count(steps: usize) {
        STEPS.set(STEPS.get() + steps);
    }

    /// Checks that each additional part of an input takes exactly `each` more steps. A loop that
    /// looks at all parts for every part takes more; one that is not counted, fewer.
    #[track_caller]
    pub(crate) fn check_each(each: usize, what: &str, read: impl Fn(usize)) {
        let steps = [100, 200, 400, 800].map(|parts| {
            STEPS.set(0);
            read(parts);
            STEPS.get()
        });
        let more = [1, 2, 3].map(|at| steps[at] - steps[at - 1]);
        assert_eq!(more, [100, 200, 400].map(|more| more * each), "{what}");
    }
}
