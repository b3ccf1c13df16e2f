//! Request ids: the name of one response, in `X-Request-Id`, in `error.requestId` and in the log.
//!
//! Always made here, never taken from a client, so that an id in the log is trustworthy.

use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};

use parking_lot::Mutex;
use rand::RngCore;
use shared::base::clock::Moment;
use ulid::Ulid;

/// The id of one request, shown as a ULID: 26 characters that sort by time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RequestId(Ulid);

impl RequestId {
    /// Used if making an id failed.
    pub const NIL: Self = Self(Ulid::nil());

    /// Used in examples.
    pub const EXAMPLE: Self = Self(Ulid(0x01A1_FDDD_2717_BCA4_E06A_E393_B6C2_DB7D));

    /// The form of its text, as a regular expression: a ULID.
    pub(crate) const PATTERN: &str = "^[0-9A-HJKMNP-TV-Z]{26}$";

    /// The characters of the id, in a text of just that length.
    pub(crate) fn text(&self) -> String {
        self.0.array_to_str(&mut [0; ulid::ULID_LEN]).to_owned()
    }
}

impl fmt::Display for RequestId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// A source of request ids.
pub trait RequestIds: Send + Sync {
    /// An id that no other request has.
    fn next(&self, now: Moment) -> RequestId;
}

/// ULIDs of the request's time and 80 random bits.
pub struct RandomRequestIds {
    random: Mutex<Box<dyn RngCore + Send>>,
}

impl RandomRequestIds {
    /// Ids from this source of randomness, which need not be secure: an id is no secret.
    pub fn new(random: Box<dyn RngCore + Send>) -> Self {
        Self {
            random: Mutex::new(random),
        }
    }
}

impl RequestIds for RandomRequestIds {
    fn next(&self, now: Moment) -> RequestId {
        let (high, low) = {
            let mut random = self.random.lock();
            (random.next_u64(), random.next_u64())
        };
        let millis = u64::try_from(now.unix_millis()).unwrap_or(0);
        RequestId(Ulid::from_parts(
            millis,
            u128::from(high) << 64 | u128::from(low),
        ))
    }
}

/// 1, 2, 3 and so on: for tests that compare whole responses.
#[derive(Debug, Default)]
pub struct SequentialRequestIds {
    last: AtomicU64,
}

impl RequestIds for SequentialRequestIds {
    fn next(&self, _now: Moment) -> RequestId {
        let number = self.last.fetch_add(1, Ordering::Relaxed) + 1;
        RequestId(Ulid::from_parts(0, u128::from(number)))
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use rand::SeedableRng;

    use super::*;

    fn moment(unix_seconds: i64) -> Moment {
        Moment {
            unix_nanos: unix_seconds * 1_000_000_000,
            monotonic: Duration::ZERO,
        }
    }

    #[test]
    fn ids_differ_and_sort_by_time() {
        let ids = RandomRequestIds::new(Box::new(rand::rngs::StdRng::seed_from_u64(7)));
        let early: Vec<String> = (0..100).map(|_| ids.next(moment(1)).to_string()).collect();
        let late = ids.next(moment(2)).to_string();
        for (index, id) in early.iter().enumerate() {
            assert_eq!(id.len(), 26);
            assert!(*id < late);
            assert!(!early[..index].contains(id));
        }
    }

    #[test]
    fn a_time_before_the_epoch_still_gives_an_id() {
        let ids = RandomRequestIds::new(Box::new(rand::rngs::StdRng::seed_from_u64(7)));
        assert!(ids.next(moment(-1)).to_string().starts_with("0000000000"));
    }
}
