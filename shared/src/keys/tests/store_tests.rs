//! What every store does: tests of the traits, on SQLite, on PostgreSQL, and through a pooler.

mod audit;
mod copy;
mod deleted;
mod last_use;
mod ledger;
mod source;
mod store;

use std::fmt::Debug;

use rand::SeedableRng;
use rand::rngs::StdRng;

use crate::base::error_chain::chain;
use crate::base::operator::Operator;
use crate::keys::environment::Environment;
use crate::keys::key_store::IssuedKey;
use crate::keys::key_store::KeyStore;
use crate::keys::key_store::NewKey;
use crate::keys::last_use::LastUses;
use crate::keys::ledger::QuotaLedger;
use crate::keys::name::Name;
use crate::keys::scope::{Scope, Scopes};
use crate::keys::sqlite::tests::StoreFile;
use crate::keys::store::KeySource;
use crate::keys::subscription::NewSubscription;
use crate::keys::subscription::Subscription;

/// 2026-10-01T12:00:00Z
pub(in crate::keys) const NOW: i64 = 1_790_856_000;

/// A store to be tested, and everything that works on it.
pub(in crate::keys) trait TestStore: Sync {
    /// A new, empty store of the same kind.
    fn another(&self) -> Box<dyn TestStore>;
    /// The store, opened once more.
    fn store(&self) -> KeyStore;
    fn ledger(&self) -> Box<dyn QuotaLedger>;
    fn source(&self) -> Box<dyn KeySource>;
    fn last_uses(&self) -> Box<dyn LastUses>;
    /// Runs a statement that both databases know; an error is what the store says.
    fn by_hand(&self, sql: &str) -> Result<(), String>;
}

/// Makes tests of functions that take a new, empty store: each on SQLite, and as `on_postgres` does.
macro_rules! on_every_store {
    ($($test:ident),+ $(,)?) => {
        mod on_sqlite {
            $(
                #[test]
                fn $test() {
                    super::$test(&$crate::keys::tests::store_tests::sqlite());
                }
            )+
        }

        $crate::keys::tests::store_tests::on_postgres!($($test),+);
    };
}

/// The same on PostgreSQL, and once more through a pooler.
macro_rules! on_postgres {
    ($($test:ident),+ $(,)?) => {
        mod on_postgres {
            $(
                #[test]
                #[ignore = "needs PostgreSQL"]
                fn $test() {
                    super::$test(&$crate::keys::postgres::tests::Database::new());
                }
            )+
        }

        mod through_a_pooler {
            $(
                #[test]
                #[ignore = "needs PgBouncer"]
                fn $test() {
                    super::$test(&$crate::keys::postgres::tests::Database::pooled());
                }
            )+
        }
    };
}

pub(in crate::keys) use {on_every_store, on_postgres};

/// A new, empty store in a file.
pub(in crate::keys) fn sqlite() -> StoreFile {
    let file = StoreFile::new();
    drop(file.store());
    file
}

/// Who runs the commands of the tests.
pub(in crate::keys) fn operator() -> Operator {
    Operator {
        uid: 1000,
        user: Some(name("alice")),
        sudo_user: None,
    }
}

pub(in crate::keys) fn name(text: &str) -> Name {
    Name::parse(text).unwrap()
}

pub(in crate::keys) fn subscribe(store: &mut KeyStore, text: &str, quota: u64) -> Subscription {
    let new = NewSubscription {
        name: name(text),
        quota,
    };
    store.create_subscription(&new, NOW).unwrap()
}

pub(in crate::keys) fn new_key(subscription: &str) -> NewKey {
    NewKey {
        subscription: name(subscription),
        environment: Environment::Test,
        scopes: Scopes::from_iter(Scope::READ),
        name: Some(name("web")),
        rate_limit: Some(7),
        expires_at: Some(NOW + 1000),
    }
}

pub(in crate::keys) fn issue(store: &mut KeyStore, seed: u64) -> IssuedKey {
    let random = &mut StdRng::seed_from_u64(seed);
    store.issue_key(new_key("Acme"), random, NOW).unwrap()
}

/// The whole chain of an error.
fn error<T: Debug>(result: Result<T, impl std::error::Error + 'static>) -> String {
    chain(&result.unwrap_err())
}
