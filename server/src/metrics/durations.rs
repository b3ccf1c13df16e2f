//! How long something took, by upper bounds: a histogram of Prometheus.
//!
//! An observation is two additions. The counts of several threads can be shown as one.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use super::families::Histogram;

/// Counts of durations.
pub(crate) struct Durations {
    /// Ascending, in seconds.
    bounds: &'static [f64],
    /// One for each bound: durations up to it and above the one before; then those above all.
    counts: Box<[AtomicU64]>,
    nanos: AtomicU64,
}

impl Durations {
    pub(crate) fn new(bounds: &'static [f64]) -> Self {
        let count = |_| AtomicU64::new(0);
        Self {
            bounds,
            counts: (0..=bounds.len()).map(count).collect(),
            nanos: AtomicU64::new(0),
        }
    }

    pub(crate) fn observe(&self, duration: Duration) {
        let seconds = duration.as_secs_f64();
        let index = self.bounds.iter().position(|bound| seconds <= *bound);
        let count = &self.counts[index.unwrap_or(self.bounds.len())];
        count.fetch_add(1, Ordering::Relaxed);
        let nanos = u64::try_from(duration.as_nanos()).unwrap_or(u64::MAX);
        self.nanos.fetch_add(nanos, Ordering::Relaxed);
    }

    /// All of them, which have these bounds, as one. An observation being made may be in the counts
    /// but not yet in the sum.
    pub(crate) fn sum<'a>(
        bounds: &'static [f64],
        all: impl IntoIterator<Item = &'a Self>,
    ) -> Histogram {
        let (mut counts, mut nanos) = (vec![0; bounds.len() + 1], 0_u64);
        for one in all {
            for (count, more) in counts.iter_mut().zip(&one.counts) {
                *count += more.load(Ordering::Relaxed);
            }
            nanos = nanos.wrapping_add(one.nanos.load(Ordering::Relaxed));
        }
        Histogram {
            bounds,
            counts,
            sum: Duration::from_nanos(nanos),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The counts by bound and the sum after these durations, in nanoseconds.
    fn shown(observed: &[u64]) -> (Vec<u64>, u128) {
        let bounds = &[0.000_01, 0.001, 7.5];
        let apart = [Durations::new(bounds), Durations::new(bounds)];
        for (nanos, durations) in observed.iter().zip(apart.iter().cycle()) {
            durations.observe(Duration::from_nanos(*nanos));
        }
        let histogram = Durations::sum(bounds, &apart);
        (histogram.counts, histogram.sum.as_nanos())
    }

    #[test]
    fn a_duration_is_in_the_first_bucket_that_holds_it() {
        for (nanos, counts) in [
            (0, [1, 0, 0, 0]),
            (10_000, [1, 0, 0, 0]),
            (10_001, [0, 1, 0, 0]),
            (1_000_000, [0, 1, 0, 0]),
            (1_000_001, [0, 0, 1, 0]),
            (7_500_000_000, [0, 0, 1, 0]),
            (7_500_000_001, [0, 0, 0, 1]),
        ] {
            assert_eq!(shown(&[nanos]).0, counts, "{nanos} ns");
        }
    }

    #[test]
    fn durations_add_up() {
        let several = shown(&[5_000, 500_000_000, 9_000_000_000]);
        assert_eq!(several, (vec![1, 0, 1, 1], 9_500_005_000));
        assert_eq!(shown(&[]), (vec![0; 4], 0));
    }
}
