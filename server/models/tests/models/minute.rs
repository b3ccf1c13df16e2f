//! The minute limit under requests that come at once.

use std::time::Duration;

use loom::sync::Arc;
use loom::thread;
use models::limits::{MINUTE, RateLimits, Usage};
use shared::base::clock::Moment;
use shared::keys::key::KeyId;

use crate::check;

const LIMIT: u32 = 2;

fn at(monotonic: Duration) -> Moment {
    Moment {
        unix_nanos: i64::try_from(monotonic.as_nanos()).unwrap(),
        monotonic,
    }
}

/// Counts one request at each of the moments, all at once.
fn count(limits: &Arc<RateLimits>, moments: [Moment; 3]) -> Vec<Result<Usage, Usage>> {
    let threads = moments.map(|now| {
        let limits = Arc::clone(limits);
        let family = KeyId::parse("key_aaaaaaaaaaaaaaaa").unwrap();
        thread::spawn(move || limits.count(&family, LIMIT, now))
    });
    threads.map(|thread| thread.join().unwrap()).into()
}

#[test]
fn as_many_requests_are_counted_as_the_limit_allows_and_each_sees_what_it_left() {
    check(3, || {
        let limits = Arc::new(RateLimits::new());
        let counted = count(&limits, [at(MINUTE); 3]);
        let mut left: Vec<_> = counted
            .iter()
            .flatten()
            .map(|usage| usage.remaining)
            .collect();
        left.sort_unstable();
        assert_eq!(left, [0, 1]);
    });
}

#[test]
fn a_request_that_is_overtaken_by_a_later_one_counts_no_less() {
    check(3, || {
        let limits = Arc::new(RateLimits::new());
        let early = at(MINUTE);
        let late = at(MINUTE + MINUTE.mul_f64(0.99));
        let counted = count(&limits, [late, early, early]);
        assert_eq!(counted.iter().flatten().count(), 2);
        // The later one is in the window still; the early ones left it, unless they came after it.
        let after = at(2 * MINUTE);
        let family = KeyId::parse("key_aaaaaaaaaaaaaaaa").unwrap();
        let accepted = (0..3).filter(|_| limits.count(&family, LIMIT, after).is_ok());
        assert!(accepted.count() < 3);
    });
}
