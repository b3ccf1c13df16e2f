//! How long something took, by upper bounds: a histogram of Prometheus.
//!
//! An observation is two additions; the library's own histogram makes four, one of them in a loop.
//! The counts of several threads can be shown as one.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use prometheus::proto::{Bucket, Histogram, Metric};

/// Counts of durations.
pub(super) struct Durations {
    /// Ascending, in seconds.
    bounds: &'static [f64],
    /// One for each bound: durations up to it and above the one before; then those above all.
    counts: Box<[AtomicU64]>,
    nanos: AtomicU64,
}

impl Durations {
    pub(super) fn new(bounds: &'static [f64]) -> Self {
        let count = |_| AtomicU64::new(0);
        Self {
            bounds,
            counts: (0..=bounds.len()).map(count).collect(),
            nanos: AtomicU64::new(0),
        }
    }

    pub(super) fn observe(&self, duration: Duration) {
        let seconds = duration.as_secs_f64();
        let place = self.bounds.iter().position(|bound| seconds <= *bound);
        let count = &self.counts[place.unwrap_or(self.bounds.len())];
        count.fetch_add(1, Ordering::Relaxed);
        let nanos = u64::try_from(duration.as_nanos()).unwrap_or(u64::MAX);
        self.nanos.fetch_add(nanos, Ordering::Relaxed);
    }

    /// All of them combined, as a metric of the library. An observation being made may be in the
    /// counts but not yet in the sum.
    pub(super) fn metric<'a>(bounds: &[f64], all: impl Iterator<Item = &'a Self>) -> Metric {
        let (mut counts, mut nanos) = (vec![0; bounds.len() + 1], 0_u64);
        for one in all {
            for (count, more) in counts.iter_mut().zip(&one.counts) {
                *count += more.load(Ordering::Relaxed);
            }
            nanos = nanos.wrapping_add(one.nanos.load(Ordering::Relaxed));
        }
        let mut total = 0;
        let mut buckets = Vec::with_capacity(bounds.len());
        for (bound, count) in bounds.iter().zip(&counts) {
            total += count;
            let mut bucket = Bucket::default();
            bucket.set_upper_bound(*bound);
            bucket.set_cumulative_count(total);
            buckets.push(bucket);
        }
        let mut histogram = Histogram::default();
        histogram.set_bucket(buckets);
        histogram.set_sample_count(counts.iter().sum());
        histogram.set_sample_sum(Duration::from_nanos(nanos).as_secs_f64());
        let mut metric = Metric::default();
        metric.set_histogram(histogram);
        metric
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Cumulative counts by bound, the count and the sum after these durations, in nanoseconds.
    fn shown(observed: &[u64]) -> (Vec<u64>, u64, String) {
        let bounds = &[0.000_01, 0.001, 7.5];
        let apart = [Durations::new(bounds), Durations::new(bounds)];
        for (nanos, durations) in observed.iter().zip(apart.iter().cycle()) {
            durations.observe(Duration::from_nanos(*nanos));
        }
        let metric = Durations::metric(bounds, apart.iter());
        let histogram = metric.get_histogram();
        let buckets = histogram.get_bucket().iter();
        (
            buckets.map(Bucket::cumulative_count).collect(),
            histogram.get_sample_count(),
            histogram.get_sample_sum().to_string(),
        )
    }

    #[test]
    fn a_duration_is_in_the_first_bucket_that_holds_it_and_in_all_after_that() {
        for (nanos, buckets) in [
            (0, [1, 1, 1]),
            (10_000, [1, 1, 1]),
            (10_001, [0, 1, 1]),
            (1_000_000, [0, 1, 1]),
            (1_000_001, [0, 0, 1]),
            (7_500_000_000, [0, 0, 1]),
            (7_500_000_001, [0, 0, 0]),
        ] {
            assert_eq!(shown(&[nanos]).0, buckets, "{nanos} ns");
        }
    }

    #[test]
    fn durations_add_up() {
        let several = shown(&[5_000, 500_000_000, 9_000_000_000]);
        assert_eq!(several, (vec![1, 1, 2], 3, "9.500005".to_owned()));
        assert_eq!(shown(&[]), (vec![0, 0, 0], 0, "0".to_owned()));
    }
}
