//! A primary from which another has taken over, and which still answers. `.ci/cluster outages`
//! promotes a real standby; here the later timeline was seen elsewhere.

use std::io;
use std::net::{TcpListener, TcpStream};
use std::thread;

use super::*;
use crate::keys::contract::{NOW, issue, subscribe};
use crate::keys::postgres::WithoutServers;
use crate::keys::store::KeyStoreError;

#[test]
fn a_primary_from_which_another_has_taken_over_is_neither_believed_nor_changed() {
    for database in [Database::new(), Database::pooled()].into_iter().flatten() {
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
        let seen = client.latest().seen().unwrap();
        client.latest().note(Some(seen.successor())).unwrap();
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
            let is_superseded = matches!(refused, KeyStoreError::Superseded { .. });
            assert!(is_superseded, "{number}: {refused}");
            assert!(refused.is_known_unchanged());
        }
        let whoever_did_not_see_it = database.with_little_slack();
        let mut store = KeyStore::connect(&whoever_did_not_see_it, operator()).unwrap();
        assert_eq!(store.usage(id, period).unwrap(), 5);
        assert_eq!(store.keys().unwrap(), [key]);
        assert!(store.last_uses().unwrap().is_empty());
    }
}

#[test]
fn what_is_seen_while_a_connection_is_made_holds_for_the_first_statement_on_it() {
    let Some(database) = Database::new() else {
        return;
    };
    let subscription = subscribe(&mut database.store(), "Acme", 10);
    let (id, period) = (subscription.id, subscription.period(NOW));
    let successor = database.client().latest().seen().unwrap().successor();
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let client = client(
        database.through(listener.local_addr().unwrap().port()),
        SLACK,
    );
    let (others, port) = (client.clone(), database.port());
    let passed = thread::spawn(move || {
        let (from, _address) = listener.accept().unwrap();
        // Whatever else uses this client sees that another has taken over.
        others.latest().note(Some(successor)).unwrap();
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

#[test]
fn a_host_that_answers_is_found_among_those_that_do_not() {
    let Some(database) = Database::new() else {
        return;
    };
    // One that takes connections and says nothing, and one that takes none.
    let silent = TcpListener::bind("127.0.0.1:0").unwrap();
    let bound = TcpListener::bind("127.0.0.1:0").unwrap();
    let ports = [silent.local_addr().unwrap().port(), {
        let port = bound.local_addr().unwrap().port();
        drop(bound);
        port
    }];
    let user = database.direct.address().config().get_user().unwrap();
    let (name, port) = (&database.name, database.port());
    let hosts = [ports[0], ports[1], port].map(|port| format!("127.0.0.1:{port}"));
    let address = format!("postgres://{user}@{}/{name}", hosts.join(","));
    let client = client(address.parse().unwrap(), LITTLE_SLACK);
    PostgresKeySource::new(&client).poll().unwrap().unwrap();
    KeyStore::connect(&client, operator()).unwrap();
}
