//! A pooler in transaction mode between us and the database: what every store does is tried through
//! it by the tests of every store, and here what must not stay behind.

use super::*;
use crate::keys::last_use::KeyUse;
use crate::keys::postgres::{WithoutServers, examine};
use crate::keys::tests::store_tests::{NOW, issue, subscribe};

#[test]
#[ignore = "needs PgBouncer"]
fn whoever_gets_our_connection_next_gets_it_as_it_was() {
    let database = Database::pooled();
    let usual = format!(
        "ALTER DATABASE {} SET synchronous_commit = off",
        database.name
    );
    database.by_hand(&usual).unwrap();
    let mut store = database.store();
    let subscription = subscribe(&mut store, "Acme", 10);
    let key = issue(&mut store, 1).key;
    let mut source = database.source();
    source.poll().unwrap();
    let period = subscription.period(NOW);
    let ledger = database.ledger();
    ledger.lease(subscription.id, period, 5).unwrap();
    database
        .last_uses()
        .record(&[KeyUse::free(key.id, NOW)])
        .unwrap();
    WithoutServers::hold(database.client()).unwrap();
    examine(database.client()).unwrap();
    make(database.client()).unwrap();
    // The database ends what belongs to a connection only some time after its client.
    let ended = "DO $$ BEGIN
        ASSERT (SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()
            AND backend_type = 'client backend') < 4;
        ASSERT NOT EXISTS (SELECT FROM pg_locks WHERE locktype = 'advisory'
            AND database = (SELECT oid FROM pg_database WHERE datname = current_database()));
    END $$";
    eventually(|| run(database.client(), ended).ok());
    let left = "DO $$ BEGIN
        ASSERT NOT EXISTS (SELECT FROM pg_prepared_statements);
        ASSERT current_setting('synchronous_commit') = 'off';
        ASSERT current_setting('statement_timeout') = '0';
        ASSERT current_setting('idle_in_transaction_session_timeout') = '0';
        ASSERT current_setting('search_path') = '\"$user\", public';
    END $$";
    run(database.client(), left).unwrap();
}
