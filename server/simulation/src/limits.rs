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
#[path = "../../src/limits/minute_error.rs"]
mod minute_error;
#[rustfmt::skip]
#[path = "../../src/limits/quota.rs"]
mod quota;
#[rustfmt::skip]
#[path = "../../src/limits/quota_error.rs"]
mod quota_error;
// A link to the server's, since what it is made of stands beside it.
#[expect(dead_code, reason = "the server uses all of it")]
#[rustfmt::skip]
mod redis;
#[rustfmt::skip]
#[path = "../../src/limits/usage.rs"]
mod usage;

use shared::keys::quota::Period;
use shared::keys::subscription::SubscriptionId;

pub use account::LeaseSize;
pub use minute::{MINUTE, RateLimits};
pub use minute_error::MinuteError;
pub use quota::Quotas;
pub use quota_error::{LedgerFailure, QuotaError};
pub use usage::Usage;

pub use self::redis::{Init, NotAnAddress, RedisAddress, RedisFailure, RedisLimits};

impl Quotas {
    /// The units that are leased and not charged, of each account.
    pub fn unused(&self) -> Vec<(SubscriptionId, Period, u64)> {
        let accounts = accounts::lock(&self.accounts);
        let unused = |((id, period), entry): (_, &accounts::Entry)| {
            let unused = entry.account.unused();
            (id, period, unused)
        };
        accounts.all().map(unused).collect()
    }
}
