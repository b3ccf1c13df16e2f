//! Keys named by their purpose, and an in-memory store and ledger that can be made to fail.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard};

use rand::SeedableRng;
use rand::rngs::StdRng;
use shared::keys::environment::Environment;
use shared::keys::key::{Key, KeyId};
use shared::keys::ledger::{Lease, QuotaLedger};
use shared::keys::name::Name;
use shared::keys::quota::Period;
use shared::keys::scope::{Scope, Scopes};
use shared::keys::secret::PlainKey;
use shared::keys::store::{KeySnapshot, KeySource, KeyStoreError, Location, Revision};
use shared::keys::subscription::{Subscription, SubscriptionId, SubscriptionStatus};

use crate::app::NOW;

/// Id and quota of each subscription; one is inactive.
pub(crate) const PLENTY: (SubscriptionId, u64) = (SubscriptionId(1), 1000);
pub(crate) const EXHAUSTED: (SubscriptionId, u64) = (SubscriptionId(2), 0);
pub(crate) const NEARLY_EXHAUSTED: (SubscriptionId, u64) = (SubscriptionId(3), 2);
pub(crate) const INACTIVE: (SubscriptionId, u64) = (SubscriptionId(4), 1000);
pub(crate) const TEN_THOUSAND: (SubscriptionId, u64) = (SubscriptionId(5), 10_000);
pub(crate) const UNREACHED: (SubscriptionId, u64) = (SubscriptionId(6), 1_000_000_000);
/// Every subscription.
const SUBSCRIPTIONS: [(SubscriptionId, u64); 6] = [
    PLENTY,
    EXHAUSTED,
    NEARLY_EXHAUSTED,
    INACTIVE,
    TEN_THOUSAND,
    UNREACHED,
];

/// When every subscription started: on the day on which the tests' clock starts.
const STARTED_AT: i64 = NOW - 1000;

/// Issued keys with their secrets.
pub(crate) struct Keys {
    issued: HashMap<&'static str, (Key, PlainKey)>,
    random: StdRng,
}

impl Keys {
    /// Issues every key that tests use.
    pub(crate) fn new() -> Self {
        let mut keys = Self {
            issued: HashMap::new(),
            random: StdRng::seed_from_u64(1),
        };
        let all: &[Scope] = &Scope::ALL;
        keys.issue("reader", all, |_| {});
        keys.issue("boats_only", &[Scope::BoatsRead], |_| {});
        keys.issue("manufacturers_only", &[Scope::ManufacturersRead], |_| {});
        keys.issue("without_scopes", &[], |_| {});
        keys.issue("two_a_minute", all, |key| key.rate_limit = Some(2));
        keys.issue("revoked", all, |key| key.revoked_at = Some(NOW - 1));
        keys.issue("expired", all, |key| key.expires_at = Some(NOW));
        keys.issue("past_grace", all, |key| {
            key.grace_ends_at = Some(NOW.into());
        });
        keys.issue("disabled", all, |key| key.disabled_at = Some(NOW - 1));
        keys.issue("inactive", all, |key| key.subscription = INACTIVE.0);
        keys.issue("exhausted", all, |key| key.subscription = EXHAUSTED.0);
        keys.issue("exhausted_without_scopes", &[], |key| {
            key.subscription = EXHAUSTED.0;
        });
        keys.issue("exhausted_two_a_minute", all, |key| {
            key.subscription = EXHAUSTED.0;
            key.rate_limit = Some(2);
        });
        keys.issue("nearly_exhausted", all, |key| {
            key.subscription = NEARLY_EXHAUSTED.0;
            key.rate_limit = Some(5);
        });
        keys.issue("once_a_minute_without_scopes", &[], |key| {
            key.rate_limit = Some(1);
        });
        keys.issue("live", all, |key| key.environment = Environment::Live);
        keys.issue("live_revoked_expired_disabled", all, |key| {
            key.environment = Environment::Live;
            refuse_in_every_way(key);
        });
        keys.issue("revoked_expired_disabled", all, refuse_in_every_way);
        keys.issue("expired_disabled", all, |key| {
            refuse_in_every_way(key);
            key.revoked_at = None;
        });
        let unknown = PlainKey::generate(Environment::Test, &mut keys.random);
        let (of_another, _) = keys.issued["reader"].clone();
        keys.issued.insert("unknown", (of_another, unknown));
        keys.issue("thousand_a_minute", all, |key| {
            key.subscription = UNREACHED.0;
            key.rate_limit = Some(1000);
        });
        keys.issue("unlimited", all, |key| {
            key.subscription = UNREACHED.0;
            key.rate_limit = Some(1_000_000);
        });
        keys.issue("ten_thousand_a_month", all, |key| {
            key.subscription = TEN_THOUSAND.0;
            key.rate_limit = Some(1_000_000);
        });
        keys.issue("expiring", all, |key| {
            key.expires_at = Some(NOW + 86_400);
        });
        keys.issue("in_grace", all, |key| {
            key.expires_at = Some(NOW + 86_400);
            key.grace_ends_at = Some(shared::base::clock::UnixMillis(NOW * 1000 + 1500));
        });
        keys.issue("reads_only", &Scope::READ, |_| {});
        keys.issue(
            "exports_boats",
            &[Scope::CatalogueExport, Scope::BoatsRead],
            |_| {},
        );
        keys
    }

    fn issue(&mut self, purpose: &'static str, scopes: &[Scope], change: impl Fn(&mut Key)) {
        let id = KeyId::generate(&mut self.random);
        let draft = PlainKey::generate(Environment::Test, &mut self.random);
        let mut key = Key {
            family: id.clone(),
            id,
            prefix: draft.prefix(),
            hash: draft.hash(),
            subscription: PLENTY.0,
            environment: Environment::Test,
            scopes: scopes.iter().copied().collect::<Scopes>(),
            name: Some(Name::parse(purpose).unwrap()),
            rate_limit: Some(10),
            created_at: NOW - 1000,
            expires_at: None,
            revoked_at: None,
            disabled_at: None,
            replaced_by: None,
            grace_ends_at: None,
        };
        change(&mut key);
        let secret = PlainKey::generate(key.environment, &mut self.random);
        (key.prefix, key.hash) = (secret.prefix(), secret.hash());
        self.issued.insert(purpose, (key, secret));
    }

    /// The secret of the key with that purpose.
    pub(crate) fn secret(&self, purpose: &str) -> &str {
        self.issued[purpose].1.expose()
    }

    pub(crate) fn snapshot(&self) -> KeySnapshot {
        let known = self
            .issued
            .iter()
            .filter(|(purpose, _)| **purpose != "unknown");
        let subscriptions = SUBSCRIPTIONS.map(subscription);
        KeySnapshot {
            keys: known.map(|(_, (key, _))| key.clone()).collect(),
            subscriptions: subscriptions.into(),
        }
    }
}

fn refuse_in_every_way(key: &mut Key) {
    key.revoked_at = Some(NOW - 1);
    key.expires_at = Some(NOW - 1);
    key.disabled_at = Some(NOW - 1);
}

fn subscription((id, quota): (SubscriptionId, u64)) -> Subscription {
    let is_inactive = id == INACTIVE.0;
    let status = if is_inactive {
        SubscriptionStatus::Inactive
    } else {
        SubscriptionStatus::Active
    };
    let name = Name::parse(&format!("subscription {}", id.0)).unwrap();
    let (started_at, created_at) = (STARTED_AT, STARTED_AT);
    Subscription {
        id,
        name,
        status,
        quota,
        started_at,
        created_at,
        deleted_at: None,
    }
}

/// A store that always has the same keys.
pub(crate) struct FixedSource(pub(crate) KeySnapshot);

impl FixedSource {
    pub(crate) fn new(keys: &Keys) -> Self {
        Self(keys.snapshot())
    }
}

impl KeySource for FixedSource {
    fn poll(&mut self) -> Result<Option<KeySnapshot>, KeyStoreError> {
        Ok(Some(self.0.clone()))
    }

    fn revision(&self) -> Option<Revision> {
        None
    }
}

/// The month in which the tests' clock starts.
fn first_month() -> Period {
    Period::containing(STARTED_AT, NOW)
}

/// Counts in memory the units leased from each subscription and month.
#[derive(Default)]
pub(crate) struct MemoryLedger {
    leased: Mutex<HashMap<(SubscriptionId, Period), u64>>,
    is_broken: AtomicBool,
}

impl MemoryLedger {
    /// Makes every lease from now on fail.
    pub(crate) fn break_down(&self) {
        self.is_broken.store(true, Ordering::Relaxed);
    }

    /// Units of a subscription's first month that are leased and not given back.
    pub(crate) fn leased(&self, subscription: SubscriptionId) -> u64 {
        *self
            .lock()
            .entry((subscription, first_month()))
            .or_default()
    }

    /// Takes units of the first month as another server would.
    pub(crate) fn take(&self, subscription: SubscriptionId, units: u64) {
        *self
            .lock()
            .entry((subscription, first_month()))
            .or_default() += units;
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<(SubscriptionId, Period), u64>> {
        self.leased.lock().unwrap()
    }
}

impl QuotaLedger for MemoryLedger {
    fn lease(
        &self,
        subscription: SubscriptionId,
        period: Period,
        wanted: u64,
    ) -> Result<Lease, KeyStoreError> {
        if self.is_broken.load(Ordering::Relaxed) {
            return Err(KeyStoreError::Missing {
                location: Location::File("memory".to_owned()),
            });
        }
        let mut all = SUBSCRIPTIONS.into_iter();
        let (_, quota) = all.find(|(id, _)| *id == subscription).unwrap();
        let mut leased = self.lock();
        let charged = leased.entry((subscription, period)).or_default();
        let granted = wanted.min(quota.saturating_sub(*charged));
        *charged += granted;
        Ok(Lease {
            granted,
            charged: *charged,
        })
    }

    fn charged(&self, subscription: SubscriptionId, period: Period) -> Result<u64, KeyStoreError> {
        Ok(self.lease(subscription, period, 0)?.charged)
    }

    fn give_back(
        &self,
        subscription: SubscriptionId,
        period: Period,
        unused: u64,
    ) -> Result<(), KeyStoreError> {
        *self.lock().entry((subscription, period)).or_default() -= unused;
        Ok(())
    }
}
