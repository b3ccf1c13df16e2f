//! The limits of `server`, whose own module list must not differ from this one.

#[rustfmt::skip]
#[path = "../../src/limits/account.rs"]
mod account;
#[rustfmt::skip]
#[path = "../../src/limits/accounts.rs"]
mod accounts;
#[rustfmt::skip]
#[path = "../../src/limits/give_back.rs"]
mod give_back;
#[rustfmt::skip]
#[path = "../../src/limits/minute.rs"]
mod minute;
#[rustfmt::skip]
#[path = "../../src/limits/quota.rs"]
mod quota;
#[rustfmt::skip]
#[path = "../../src/limits/quota_error.rs"]
mod quota_error;
#[rustfmt::skip]
#[path = "../../src/limits/usage.rs"]
mod usage;

pub use account::LeaseSize;
pub use minute::{MINUTE, RateLimits};
pub use quota::Quotas;
pub use quota_error::{LedgerFailure, QuotaError};
pub use usage::Usage;
