//! A primary from which another has taken over, and which still answers. `.ci/cluster outages`
//! promotes a real standby; here the later timeline was seen elsewhere.

use std::io::{self, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::thread;

use super::*;
use crate::keys::contract::{NOW, issue, on_postgres, subscribe};
use crate::keys::postgres::WithoutServers;
use crate::keys::postgres::client::Timeout;
use crate::keys::postgres::connection::PgConnection;
use crate::keys::store::KeyStoreError;

on_postgres!(
    a_primary_from_which_another_has_taken_over_is_neither_believed_nor_changed,
    a_database_that_does_not_tell_its_timeline_is_used_all_the_same,
);

fn a_primary_from_which_another_has_taken_over_is_neither_believed_nor_changed(
    database: &Database,
) {
    let client = database.client();
    let mut store = database.store();
    let subscription = subscribe(&mut store, "Acme", 10);
    let key = issue(&mut store, 1).key;
    let (id, period) = (subscription.id, subscription.period(NOW));
    let (mut source, ledger) = (database.source(), database.ledger());
    let (giving_back, last_uses) = (database.ledger(), database.last_uses());
    source.poll().unwrap();
    // Both have a connection from before.
    ledger.lease(id, period, 2).unwrap();
    giving_back.lease(id, period, 3).unwrap();
    let seen = client.timelines().seen().unwrap();
    client.timelines().note(Some(seen.successor())).unwrap();
    let refused = [
        ledger.lease(id, period, 1).map(drop),
        giving_back.give_back(id, period, 1),
        database.ledger().charged(id, period).map(drop),
        last_uses.record(&[(key.id.clone(), NOW)]),
        source.poll().map(drop),
        store.revoke_key(&key.id, NOW).map(drop),
        KeyStore::connect(client, operator()).map(drop),
        WithoutServers::hold(client).map(drop),
        make(client).map(drop),
    ];
    for (number, refused) in refused.into_iter().enumerate() {
        let refused = refused.unwrap_err();
        assert!(refused.is_known_unchanged());
        // A ledger's report, in the background, may have found it first.
        if number < 3 && matches!(refused, KeyStoreError::Unreachable { .. }) {
            continue;
        }
        let is_superseded = matches!(refused, KeyStoreError::Superseded { .. });
        assert!(is_superseded, "{number}: {refused}");
        assert!(refused.hint().unwrap().contains("key-store.timeline"));
    }
    let whoever_did_not_see_it = database.stranger();
    let mut store = KeyStore::connect(&whoever_did_not_see_it, operator()).unwrap();
    assert_eq!(store.usage(id, period).unwrap(), 5);
    assert_eq!(store.keys().unwrap(), [key]);
    assert!(store.last_uses().unwrap().is_empty());
}

#[test]
#[ignore = "needs PostgreSQL"]
fn what_is_seen_while_a_connection_is_made_holds_for_the_first_statement_on_it() {
    let database = Database::new();
    let subscription = subscribe(&mut database.store(), "Acme", 10);
    let (id, period) = (subscription.id, subscription.period(NOW));
    let successor = database.client().timelines().seen().unwrap().successor();
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let client = client(
        database.through(listener.local_addr().unwrap().port()),
        SLACK,
    );
    let (others, port) = (client.clone(), database.port());
    let passed = thread::spawn(move || {
        let (from, _address) = listener.accept().unwrap();
        // Whatever else uses this client sees that another has taken over.
        others.timelines().note(Some(successor)).unwrap();
        let to = TcpStream::connect(("127.0.0.1", port)).unwrap();
        let (mut back, mut answers) = (from.try_clone().unwrap(), to.try_clone().unwrap());
        thread::spawn(move || io::copy(&mut answers, &mut back));
        io::copy(&mut &from, &mut &to)
    });
    let ledger = PostgresLedger::new(&client);
    let refused = ledger.lease(id, period, 5).unwrap_err();
    assert!(
        matches!(refused, KeyStoreError::Superseded { .. }),
        "{refused}"
    );
    assert_eq!(database.ledger().charged(id, period).unwrap(), 0);
    drop((ledger, client));
    passed.join().unwrap().unwrap();
}

/// How a database greets, and then refuses the first query with this state and severity.
fn refusal(severity: &str, state: &str) -> Vec<u8> {
    let fields = format!("S{severity}\0V{severity}\0C{state}\0Mnot now\0\0");
    let length = u32::try_from(fields.len() + 4).unwrap().to_be_bytes();
    [b"E", &length[..], fields.as_bytes(), READY].concat()
}

/// How it says that it waits for a query.
const READY: &[u8] = b"Z\0\0\0\x05I";

#[test]
#[ignore = "needs PostgreSQL"]
fn a_database_that_is_stopped_when_it_is_looked_at_does_not_make_forget_what_was_seen() {
    let database = Database::new();
    // Stopped; cancelled; and no longer one with a timeline, such as after a move.
    for (severity, state, remembers) in [
        ("FATAL", "57P01", true),
        ("ERROR", "57014", true),
        ("ERROR", "42883", false),
    ] {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let client = client(
            database.through(listener.local_addr().unwrap().port()),
            SLACK,
        );
        let seen = database.client().timelines().seen();
        client.timelines().note(seen).unwrap();
        let refused = thread::spawn(move || {
            let (mut from, _address) = listener.accept().unwrap();
            // Each is sent only once the one before is answered, so no read has two.
            _ = from.read(&mut [0; 4096]).unwrap();
            from.write_all(b"R\0\0\0\x08\0\0\0\0").unwrap();
            from.write_all(READY).unwrap();
            _ = from.read(&mut [0; 4096]).unwrap();
            from.write_all(&refusal(severity, state)).unwrap();
        });
        let opened = PgConnection::open(&client, Timeout::COMMANDS, "read", None);
        assert!(opened.is_err());
        refused.join().unwrap();
        let expected = seen.filter(|_seen| remembers);
        assert_eq!(client.timelines().seen(), expected, "{severity} {state}");
    }
}

fn a_database_that_does_not_tell_its_timeline_is_used_all_the_same(database: &Database) {
    let client = database.client();
    database.store();
    let untold = "ALTER FUNCTION pg_catalog.pg_walfile_name(pg_lsn) RENAME TO untold";
    database.by_hand(untold).unwrap();
    // As if it had been put in the place of one that told.
    assert!(client.timelines().seen().is_some());
    let mut store = KeyStore::connect(client, operator()).unwrap();
    let subscription = subscribe(&mut store, "Acme", 10);
    let (id, period) = (subscription.id, subscription.period(NOW));
    database.source().poll().unwrap().unwrap();
    database.ledger().lease(id, period, 5).unwrap();
    assert_eq!(database.ledger().charged(id, period).unwrap(), 5);
    assert_eq!(client.timelines().seen(), None);
}

#[test]
#[ignore = "needs PostgreSQL"]
fn a_host_that_answers_is_found_among_those_that_do_not() {
    let database = Database::new();
    // One that takes connections and says nothing, and one that takes none.
    let silent = TcpListener::bind("127.0.0.1:0").unwrap();
    let silent_port = silent.local_addr().unwrap().port();
    let user = database.direct.address().config().get_user().unwrap();
    let (name, port) = (&database.name, database.port());
    let hosts = [silent_port, NOBODY, port].map(|port| format!("127.0.0.1:{port}"));
    let address = format!("postgres://{user}@{}/{name}", hosts.join(","));
    // Of the time for a connection, each host gets its part, which the silent one uses up.
    let client = |slack| client(address.parse().unwrap(), slack);
    PostgresKeySource::new(&client(3 * LITTLE_SLACK))
        .poll()
        .unwrap()
        .unwrap();
    KeyStore::connect(&client(1), operator()).unwrap();
}
