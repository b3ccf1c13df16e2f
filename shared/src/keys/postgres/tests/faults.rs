//! A database that is up but fails: locks, killed connections, read-only.

use super::*;
use crate::keys::key_store::SubscriptionChange;
use crate::keys::postgres::WithoutServers;
use crate::keys::postgres::client::Timeout;
use crate::keys::store::KeyStoreError;
use crate::keys::tests::store_tests::{NOW, name, subscribe};
use crate::keys::transaction::Transaction as _;

/// Ends all other connections to the database, as a restart of the server does.
const KILL: &str = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity
    WHERE datname = current_database() AND pid <> pg_backend_pid()";

#[test]
#[ignore = "needs PostgreSQL"]
fn waiting_in_vain_for_a_lock_changes_nothing_and_is_reported() {
    let database = Database::new();
    let subscription = subscribe(&mut database.store(), "Acme", 10);
    let period = subscription.period(NOW);
    let ledger = PostgresLedger::new(&database.with_little_slack());
    ledger.lease(subscription.id, period, 5).unwrap();
    let (release, held) = std::sync::mpsc::channel::<()>();
    std::thread::scope(|scope| {
        let (locked, is_locked) = std::sync::mpsc::channel();
        let client = database.client();
        scope.spawn(move || {
            let timeout = Timeout::ALL_ROWS;
            let mut tables =
                crate::keys::postgres::database::Database::open(client, timeout).unwrap();
            tables.in_transaction(crate::keys::store::CHANGE, |transaction| {
                transaction.execute("LOCK TABLE catalogue.usage", &[])?;
                locked.send(()).unwrap();
                // Ends when the test is done.
                _ = held.recv();
                Ok(())
            })
        });
        is_locked.recv().unwrap();
        let refused = ledger.lease(subscription.id, period, 5).unwrap_err();
        assert!(matches!(refused, KeyStoreError::Locked { .. }), "{refused}");
        assert!(refused.is_known_unchanged());
        let refused = ledger.give_back(subscription.id, period, 5).unwrap_err();
        assert!(refused.is_known_unchanged(), "{refused}");
        drop(release);
    });
    assert_eq!(ledger.charged(subscription.id, period).unwrap(), 5);
}

#[test]
#[ignore = "needs PostgreSQL"]
fn a_source_whose_connection_is_killed_confirms_nothing_and_goes_on_by_itself() {
    let database = Database::new();
    let mut source = database.source();
    source.poll().unwrap().unwrap();
    database.by_hand(KILL).unwrap();
    let refused = source.poll().unwrap_err();
    assert!(
        matches!(refused, KeyStoreError::Unreachable { .. }),
        "{refused}"
    );
    assert_eq!(source.revision(), None);
    // Its state counts as unknown, so that nothing is missed.
    source.poll().unwrap().unwrap();
    assert_eq!(source.poll().unwrap(), None);
}

#[test]
#[ignore = "needs PostgreSQL"]
fn a_ledger_whose_connections_are_killed_goes_on_by_itself() {
    let database = Database::new();
    let subscription = subscribe(&mut database.store(), "Acme", 1_000);
    let period = subscription.period(NOW);
    let ledger = database.ledger();
    ledger.lease(subscription.id, period, 5).unwrap();
    database.by_hand(KILL).unwrap();
    let mut refusals = 0;
    eventually(|| match ledger.lease(subscription.id, period, 1) {
        Ok(_lease) => Some(()),
        Err(KeyStoreError::Unreachable { .. } | KeyStoreError::Failed { .. }) => {
            refusals += 1;
            None
        }
        Err(other) => panic!("{other}"),
    });
    let charged = ledger.charged(subscription.id, period).unwrap();
    assert!((6..=6 + refusals).contains(&charged), "{charged}");
}

#[test]
#[ignore = "needs PostgreSQL"]
fn a_database_that_cannot_be_written_to_confirms_nothing() {
    let database = Database::new();
    let read_only = format!(
        "ALTER DATABASE {} SET default_transaction_read_only = on",
        database.name
    );
    run(&database.server, &read_only).unwrap();
    let refused = database.source().poll().unwrap_err();
    assert!(
        matches!(refused, KeyStoreError::ReadOnly { .. }),
        "{refused}"
    );
    let period = crate::keys::quota::Period::containing(NOW, NOW);
    let id = crate::keys::subscription::SubscriptionId(1);
    let ledger = database.ledger();
    let refused = ledger.give_back(id, period, 1).unwrap_err();
    assert!(
        matches!(refused, KeyStoreError::ReadOnly { .. }),
        "{refused}"
    );
    let writable = read_only.replace("= on", "= off");
    run(&database.server, &writable).unwrap();
    // The setting belongs to a connection, and a new one was opened.
    ledger.give_back(id, period, 1).unwrap();
}

#[test]
#[ignore = "needs PostgreSQL"]
fn a_store_that_a_server_follows_is_not_taken_from_it() {
    let database = Database::new();
    let mut source = PostgresKeySource::new(&database.with_little_slack());
    source.poll().unwrap();
    let held = WithoutServers::hold(database.client()).unwrap();
    held.confirm().unwrap();
    std::thread::scope(|scope| {
        let polled = scope.spawn(|| source.poll());
        let refused = eventually(|| held.confirm().err());
        assert!(matches!(refused, KeyStoreError::InUse { .. }), "{refused}");
        let refused = polled.join().unwrap().unwrap_err();
        assert!(matches!(refused, KeyStoreError::Locked { .. }), "{refused}");
    });
    // The server has given up.
    held.confirm().unwrap();
    database.by_hand(KILL).unwrap();
    held.confirm().unwrap_err();
    source.poll().unwrap();
}

#[test]
#[ignore = "needs PostgreSQL"]
fn what_the_database_says_no_to_is_surely_not_done() {
    let database = Database::new();
    let subscription = subscribe(&mut database.store(), "Acme", 10);
    let period = subscription.period(NOW);
    let ledger = database.ledger();
    ledger.lease(subscription.id, period, 5).unwrap();
    database
        .by_hand("ALTER TABLE catalogue.usage ADD CHECK (charged = 5)")
        .unwrap();
    let refused = [
        ledger.lease(subscription.id, period, 1).map(drop),
        ledger.give_back(subscription.id, period, 1),
    ];
    for refused in refused {
        let refused = refused.unwrap_err();
        assert!(
            matches!(refused, KeyStoreError::Refused { .. }),
            "{refused}"
        );
        assert!(refused.is_known_unchanged());
    }
    // The database answered, so it is asked again.
    assert_eq!(ledger.charged(subscription.id, period).unwrap(), 5);
}

#[test]
#[ignore = "needs PostgreSQL"]
fn commands_that_change_the_same_key_follow_each_other() {
    let database = Database::new();
    subscribe(&mut database.store(), "Acme", 1);
    std::thread::scope(|scope| {
        for _command in 0..8 {
            scope.spawn(|| {
                let mut store = database.store();
                for _change in 0..5 {
                    let quota = store.subscription(&name("Acme")).unwrap().quota + 1;
                    let change = SubscriptionChange {
                        status: None,
                        quota: Some(quota),
                    };
                    store
                        .update_subscription(&name("Acme"), change, NOW)
                        .unwrap();
                }
            });
        }
    });
    let query = crate::keys::audit::EntryQuery {
        key: None,
        subscription: None,
        limit: u32::MAX,
    };
    // Each entry begins with the value that the one before it ended with.
    let entries = database.store().audit_log(&query).unwrap();
    for pair in entries.windows(2) {
        assert_eq!(
            pair[0].changes.last().unwrap().from,
            pair[1].changes.last().unwrap().to
        );
    }
}
