//! Every bound and default of keys and subscriptions, in one place.

use std::time::Duration;

pub use crate::base::name::NAME_MAX;

/// Requests of a subscription in a month unless set otherwise.
pub const DEFAULT_QUOTA: u64 = 100_000;
/// Largest quota: one that every client can hold as an exact number.
pub const QUOTA_MAX: u64 = 9_007_199_254_740_991;
/// Counted requests of a key in any 60 seconds unless set otherwise.
pub const DEFAULT_RATE_LIMIT: u32 = 120;
/// Smallest minute limit of a key: a key without requests is a disabled one.
pub const RATE_LIMIT_MIN: u32 = 1;
/// Largest minute limit of a key.
pub const RATE_LIMIT_MAX: u32 = 1_000_000;
/// How long a rotated key keeps working unless set otherwise.
pub const DEFAULT_GRACE: Duration = Duration::from_hours(24);
/// Longest grace of a rotated key.
pub const GRACE_MAX: Duration = Duration::from_hours(365 * 24);
/// A change of a key takes effect on every running server within this time, because a server does
/// not use keys that it has not confirmed for longer.
pub const CHANGES_HOLD_WITHIN: Duration = Duration::from_secs(1);
