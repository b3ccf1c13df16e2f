//! What holds on connections, and what happens if a server has too few.

use std::error::Error as _;
use std::io::{Read, Write};
use std::net::TcpListener;
use std::thread;
use std::time::Duration;

use tokio_postgres::config::TargetSessionAttrs;

use super::*;
use crate::keys::postgres::client::Timeout;
use crate::keys::postgres::connection::{PgConnection, config};
use crate::keys::postgres::failure::{CommitOutcome, Failure};
use crate::keys::postgres::once::once;
use crate::keys::postgres::pool::Pool;
use crate::keys::store::KeyStoreError;
use crate::keys::tests::store_tests::{issue, subscribe};

#[test]
#[ignore = "needs PostgreSQL"]
fn waiting_in_vain_for_a_busy_connection_does_not_make_the_store_absent() {
    let database = Database::new();
    let pool = Pool::new(&database.with_little_slack(), Timeout::LEASES, 1);
    let ask = || pool.ask(async |connection| connection.batch_execute("SELECT").await);
    ask().unwrap();
    let held = pool.connection().unwrap();
    let (busy, outcome) = ask().unwrap_err();
    assert!(matches!(busy, Failure::Busy { .. }), "{busy:?}");
    let error = busy.explained("change", outcome, database.client().address());
    assert!(matches!(error, KeyStoreError::Locked { .. }), "{error}");
    assert!(error.is_known_unchanged());
    drop(held);
    ask().unwrap();
}

#[test]
#[ignore = "needs PostgreSQL"]
fn a_database_that_takes_no_more_connections_is_asked_on_those_that_are_there() {
    let database = Database::new();
    let role = format!("{}_one", database.name);
    database
        .by_hand(&format!("CREATE ROLE {role} LOGIN CONNECTION LIMIT 1"))
        .unwrap();
    let address = format!(
        "postgres://{role}@127.0.0.1:{}/{}",
        database.port(),
        database.name
    );
    let client = client(address.parse().unwrap(), SLACK);
    let pool = Pool::new(&client, Timeout::LEASES, 2);
    let ask = || pool.ask(async |connection| connection.batch_execute("SELECT").await);
    thread::scope(|scope| {
        let (asked, is_asked) = std::sync::mpsc::channel();
        let (go_on, may_go_on) = tokio::sync::oneshot::channel::<()>();
        let first = scope.spawn({
            let pool = &pool;
            move || {
                pool.ask(async |connection| {
                    asked.send(()).unwrap();
                    may_go_on.await.unwrap();
                    connection.batch_execute("SELECT").await
                })
            }
        });
        is_asked.recv().unwrap();
        let (full, outcome) = ask().unwrap_err();
        assert!(full.is_full(), "{full:?}");
        assert_eq!(outcome, CommitOutcome::NotMade);
        go_on.send(()).unwrap();
        first.join().unwrap().unwrap();
    });
    ask().unwrap();
    database.by_hand(&format!("DROP ROLE {role}")).unwrap();
}

#[test]
#[ignore = "needs PostgreSQL"]
fn all_keys_are_read_within_their_own_longer_time_out() {
    let database = Database::new();
    subscribe(&mut database.store(), "Acme", 10);
    issue(&mut database.store(), 1);
    let millis = database
        .client()
        .for_statements(Timeout::SNAPSHOTS)
        .as_millis();
    // A shorter time-out is not enough to see a key.
    let view = format!(
        "ALTER TABLE catalogue.keys RENAME TO all_keys;
        CREATE VIEW catalogue.keys AS SELECT * FROM catalogue.all_keys
            WHERE current_setting('statement_timeout')::interval = '{millis} ms'
            AND current_setting('idle_in_transaction_session_timeout')::interval = '{millis} ms'"
    );
    database.by_hand(&view).unwrap();
    let snapshot = database.source().poll().unwrap().unwrap();
    assert_eq!(snapshot.keys.len(), 1);
}

#[test]
#[ignore = "needs PostgreSQL"]
fn what_the_database_sets_otherwise_does_not_change_how_it_is_used() {
    let database = Database::new();
    let alter = |setting: &str| {
        let sql = format!("ALTER DATABASE {} SET {setting}", database.name);
        database.by_hand(&sql).unwrap();
    };
    alter("default_transaction_isolation = 'serializable'");
    alter("synchronous_commit = off");
    alter("search_path = public");
    let client = database.client();
    let connection = PgConnection::open(client, Timeout::COMMANDS, "read").unwrap();
    for (setting, expected) in [
        ("transaction_isolation", "read committed"),
        ("synchronous_commit", "on"),
        ("search_path", "pg_catalog"),
    ] {
        let asked = async {
            let sql = format!("SHOW {setting}");
            let rows = once(client, Timeout::COMMANDS, &connection.client, &sql, &[]).await?;
            Ok(rows[0].try_get(0)?)
        };
        let found: String = client.wait(Timeout::COMMANDS, asked).unwrap();
        assert_eq!(found, expected, "{setting}");
    }
}

#[test]
fn each_of_several_hosts_is_tried_in_time_and_one_that_only_follows_is_passed_over() {
    let any = TargetSessionAttrs::Any;
    let read_write = TargetSessionAttrs::ReadWrite;
    for (address, millis, transaction) in [
        ("postgres://one/boats", 125, any),
        ("postgres://one,two/boats", 62, read_write),
        ("postgres://one,two,three,four/boats", 31, read_write),
        ("postgres://one/boats?connect_timeout=1", 125, any),
        (
            "postgres://one,two/boats?target_session_attrs=read-only",
            62,
            TargetSessionAttrs::ReadOnly,
        ),
    ] {
        let client = client(address.parse().unwrap(), 1);
        let config = config(&client, Timeout::LEASES);
        let each = config.get_connect_timeout().unwrap();
        assert_eq!(each.as_millis(), millis, "{address}");
        assert_eq!(config.get_target_session_attrs(), transaction, "{address}");
    }
}

/// How a database says that it trusts the client, and waits for a query.
const GREETING: &[u8] = b"R\0\0\0\x08\0\0\0\0Z\0\0\0\x05I";

#[test]
fn a_connection_that_is_given_up_is_closed() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let server = thread::spawn(move || {
        let (mut client, _from) = listener.accept().unwrap();
        client
            .set_read_timeout(Some(Duration::from_secs(30)))
            .unwrap();
        client.write_all(GREETING).unwrap();
        // Reads all requests to the end, and replies to none.
        client.read_to_end(&mut Vec::new())
    });
    let address = format!("postgres://tests@127.0.0.1:{port}/boats");
    let client = client(address.parse().unwrap(), 1);
    let refused = PgConnection::open(&client, Timeout::POLLS, "read").unwrap_err();
    let why = refused.source().unwrap().to_string();
    assert_eq!(why, "no answer within 250 ms");
    let closed = server.join().unwrap();
    // Also at once, before all was read.
    assert!(!matches!(&closed, Err(error) if error.kind() == std::io::ErrorKind::WouldBlock));
}
