//! Stores that earlier versions made.

use super::*;
use crate::keys::audit::EntryQuery;
use crate::keys::last_use::LastUses;
use crate::keys::ledger::QuotaLedger;
use crate::keys::quota::Period;
use crate::keys::sqlite::{SqliteKeySource, SqliteLastUses, SqliteLedger};
use crate::keys::store::KeySource;
use crate::keys::subscription::SubscriptionId;

const ALL: EntryQuery = EntryQuery {
    key: None,
    subscription: None,
    limit: u32::MAX,
};

/// A store with a subscription, made by an earlier version.
fn of_version_1(place: &StoreFile) {
    let connection = Connection::open(place.path()).unwrap();
    let tables = include_str!("version_1.sql");
    let row = "INSERT INTO subscriptions (name, plan, status, quota, started_at, created_at)
        VALUES ('Acme', 'pro', 'active', 5, 1, 1)";
    connection.execute_batch(tables).unwrap();
    connection.execute_batch(row).unwrap();
}

#[test]
fn a_store_of_an_earlier_version_gets_a_log_and_keeps_what_it_has() {
    let place = StoreFile::new();
    of_version_1(&place);
    let mut store = place.open().unwrap();
    assert_eq!(store.subscription(&name("Acme")).unwrap().quota, 5);
    assert_eq!(store.audit_log(&ALL).unwrap(), []);
    issue(&mut store, 1);
    assert_eq!(place.open().unwrap().audit_log(&ALL).unwrap().len(), 1);
}

#[test]
fn a_store_of_an_earlier_version_ends_up_like_a_new_one() {
    let (old, new) = (StoreFile::new(), StoreFile::new());
    of_version_1(&old);
    drop((old.open().unwrap(), new.store()));
    let schema = |place: &StoreFile| {
        let connection = Connection::open(place.path()).unwrap();
        let sql = "SELECT group_concat(sql, char(10)) FROM sqlite_schema";
        let schema = connection.query_row(sql, [], |row| row.get::<_, String>(0));
        schema.unwrap()
    };
    assert_eq!(schema(&old), schema(&new));
}

#[test]
fn a_server_works_with_a_store_of_an_earlier_version_as_it_is() {
    let place = StoreFile::new();
    of_version_1(&place);
    let mut source = SqliteKeySource::new(place.path());
    assert_eq!(source.poll().unwrap().unwrap().subscriptions.len(), 1);
    // A change shows only once file times have moved on.
    source.poll().unwrap();
    assert_eq!(source.poll().unwrap(), None);
    let ledger = SqliteLedger::new(place.path());
    let subscription = SubscriptionId(1);
    let lease = ledger.lease(subscription, Period::containing(1, NOW), 2);
    assert_eq!(lease.unwrap().granted, 2);
    SqliteLastUses::new(place.path()).keep_reserve();
    let version = |row: &rusqlite::Row<'_>| row.get::<_, i64>(0);
    let connection = Connection::open(place.path()).unwrap();
    let version = connection.pragma_query_value(None, "user_version", version);
    assert_eq!(version.unwrap(), 1, "earlier servers may run beside it");
}
