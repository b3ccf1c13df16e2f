//! The two limits of specification section 8: requests a minute for each key, and requests a month
//! for each subscription.
//!
//! Both are pure functions of what was counted and the moment of the request, and both may be
//! counted in stores that servers share. If the quota cannot be counted, the request is refused; if
//! minutes cannot be counted together, each server counts its own.
//! Nothing here knows HTTP.

mod account;
mod accounts;
mod give_back;
mod minute;
mod minute_store;
mod quota;
mod quota_error;
mod redis;
#[cfg(test)]
mod tests;
mod usage;
mod wait_budget;

pub use account::{Demand, LeaseSize};
pub use minute::{MINUTE, RateLimits};
pub use minute_store::MinuteStore;
pub(crate) use quota::LEDGER_CALLS_MAX;
pub use quota::Quotas;
pub use quota_error::{LedgerFailure, QuotaError};
pub use usage::Usage;
pub use wait_budget::SHARED_WAIT_MAX;
pub(crate) use wait_budget::WaitBudget;

pub use self::redis::{Examined, NotAnAddress, RedisAddress, RedisFailure, RedisLimits};
