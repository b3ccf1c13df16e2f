//! The two limits of specification section 8: requests a minute for each key, and requests a month
//! for each subscription.
//!
//! Both are pure functions of what was counted and the moment of the request; a limit that cannot
//! be counted is never treated as one that is kept. Nothing here knows HTTP.

mod account;
mod accounts;
mod minute;
mod quota;
mod quota_error;
mod usage;

pub use account::LeaseSize;
pub use minute::{MINUTE, RateLimits};
pub use quota::Quotas;
pub use quota_error::{LedgerFailure, QuotaError};
pub use usage::Usage;
