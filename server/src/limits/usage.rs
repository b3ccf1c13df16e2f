//! How much of a limit is used, as clients see it.

use shared::base::clock::Moment;

pub(super) const NANOS_PER_SECOND: i64 = 1_000_000_000;

/// How much of a limit is used at one moment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Usage {
    /// The whole limit, in requests.
    pub limit: u64,
    /// Requests left.
    pub remaining: u64,
    /// When more become available, Unix time in whole seconds, rounded up.
    pub reset_unix_seconds: i64,
    /// Seconds until then, rounded up, at least 1.
    pub retry_after_seconds: u64,
}

impl Usage {
    /// Usage of a limit that has more available at wall time `reset_nanos`.
    pub(super) fn new(limit: u64, remaining: u64, reset_nanos: i64, now: Moment) -> Self {
        let wait = ceil_seconds(reset_nanos.saturating_sub(now.unix_nanos));
        Self {
            limit,
            remaining,
            reset_unix_seconds: ceil_seconds(reset_nanos),
            retry_after_seconds: u64::try_from(wait).unwrap_or(0).max(1),
        }
    }
}

fn ceil_seconds(nanos: i64) -> i64 {
    let whole = nanos.div_euclid(NANOS_PER_SECOND);
    whole + i64::from(nanos.rem_euclid(NANOS_PER_SECOND) != 0)
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn moments_round_up_to_whole_seconds_and_a_wait_is_at_least_one() {
        let now = Moment {
            unix_nanos: 10 * NANOS_PER_SECOND + 1,
            monotonic: Duration::ZERO,
        };
        let table = [
            (12 * NANOS_PER_SECOND, 12, 2),
            (11 * NANOS_PER_SECOND + 1, 12, 1),
            (11 * NANOS_PER_SECOND + 2, 12, 2),
            (10 * NANOS_PER_SECOND + 1, 11, 1),
            (10 * NANOS_PER_SECOND, 10, 1),
            (-1, 0, 1),
        ];
        for (reset_nanos, reset_unix_seconds, retry_after_seconds) in table {
            let usage = Usage::new(9, 3, reset_nanos, now);
            let expected = Usage {
                limit: 9,
                remaining: 3,
                reset_unix_seconds,
                retry_after_seconds,
            };
            assert_eq!(usage, expected, "{reset_nanos}");
        }
    }
}
