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
#[path = "../../src/limits/quota.rs"]
mod quota;
#[rustfmt::skip]
#[path = "../../src/limits/quota_error.rs"]
mod quota_error;
#[rustfmt::skip]
#[path = "../../src/limits/usage.rs"]
mod usage;

use shared::keys::quota::Period;
use shared::keys::subscription::SubscriptionId;

pub use account::LeaseSize;
pub use quota::Quotas;
pub use quota_error::{LedgerFailure, QuotaError};
pub use usage::Usage;

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
