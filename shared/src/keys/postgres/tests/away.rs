//! A database that cannot be reached: nothing listens, or nothing answers.

use std::io::{ErrorKind, Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::thread;

use super::*;
use crate::keys::key::KeyId;
use crate::keys::last_use::KeyUse;
use crate::keys::quota::Period;
use crate::keys::store::KeyStoreError;
use crate::keys::subscription::SubscriptionId;
use crate::keys::tests::store_tests::{NOW, subscribe};

/// Passes bytes on in both directions, until it swallows them.
struct Proxy {
    port: u16,
    swallows: Arc<AtomicBool>,
}

impl Proxy {
    fn to(port: u16) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let proxy = Self {
            port: listener.local_addr().unwrap().port(),
            swallows: Arc::default(),
        };
        let swallows = Arc::clone(&proxy.swallows);
        thread::spawn(move || {
            for client in listener.incoming() {
                let (client, server) = (client.unwrap(), TcpStream::connect(("127.0.0.1", port)));
                let server = server.unwrap();
                for (from, to) in [(&client, &server), (&server, &client)] {
                    let (from, to) = (from.try_clone().unwrap(), to.try_clone().unwrap());
                    let swallows = Arc::clone(&swallows);
                    thread::spawn(move || pass(from, to, &swallows));
                }
            }
        });
        proxy
    }

    fn swallow(&self, swallows: bool) {
        self.swallows.store(swallows, Ordering::SeqCst);
    }
}

fn pass(mut from: TcpStream, mut to: TcpStream, swallows: &AtomicBool) {
    let mut bytes = [0; 4096];
    loop {
        match from.read(&mut bytes) {
            Ok(0) => break,
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(_broken) => break,
            Ok(_swallowed) if swallows.load(Ordering::SeqCst) => {}
            Ok(read) => {
                if to.write_all(&bytes[..read]).is_err() {
                    break;
                }
            }
        }
    }
    _ = to.shutdown(Shutdown::Both);
}

#[test]
fn where_nothing_listens_everything_is_refused_as_unreachable() {
    let address = format!("postgres://tests:s3cret@127.0.0.1:{NOBODY}/boats");
    let client = PgClient::new(address.parse().unwrap()).unwrap();
    let period = Period::containing(NOW, NOW);
    let ledger = PostgresLedger::new(&client);
    let id = SubscriptionId(1);
    let key = KeyId::parse("key_0000000000000000").unwrap();
    let refused = [
        KeyStore::connect(&client, operator()).map(drop),
        PostgresKeySource::new(&client).poll().map(drop),
        ledger.lease(id, period, 1).map(drop),
        ledger.charged(id, period).map(drop),
        ledger.give_back(id, period, 1),
        PostgresLastUses::new(&client).record(&[KeyUse::free(key, NOW)]),
        make(&client).map(drop),
    ];
    for refused in refused {
        let refused = refused.unwrap_err();
        assert!(
            matches!(refused, KeyStoreError::Unreachable { .. }),
            "{refused}"
        );
        assert!(refused.is_known_unchanged());
        assert!(!format!("{refused} {refused:?}").contains("s3cret"));
    }
}

#[test]
#[ignore = "needs PostgreSQL"]
fn where_nothing_answers_a_lease_may_have_been_made_and_the_next_is_not_asked_for() {
    let database = Database::new();
    let subscription = subscribe(&mut database.store(), "Acme", 1_000);
    let period = subscription.period(NOW);
    let proxy = Proxy::to(database.port());
    let client = client(database.through(proxy.port), LITTLE_SLACK);
    let (ledger, mut source) = (
        PostgresLedger::new(&client),
        PostgresKeySource::new(&client),
    );
    ledger.lease(subscription.id, period, 5).unwrap();
    source.poll().unwrap().unwrap();
    proxy.swallow(true);
    let unknown = ledger.lease(subscription.id, period, 5).unwrap_err();
    assert!(!unknown.is_known_unchanged(), "{unknown}");
    let refused = ledger.lease(subscription.id, period, 5).unwrap_err();
    assert!(
        matches!(refused, KeyStoreError::Unreachable { .. }),
        "{refused}"
    );
    let refused = source.poll().unwrap_err();
    assert!(
        matches!(refused, KeyStoreError::Unreachable { .. }),
        "{refused}"
    );
    proxy.swallow(false);
    // It recovers by itself as soon as a probe gets a reply.
    let lease = eventually(|| ledger.lease(subscription.id, period, 1).ok());
    assert_eq!(lease.granted, 1);
    assert!([6, 11].contains(&lease.charged), "{lease:?}");
    source.poll().unwrap().unwrap();
}

#[test]
fn what_is_no_database_is_refused() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    thread::spawn(move || {
        for client in listener.incoming() {
            _ = client
                .unwrap()
                .write_all(b"HTTP/1.1 400 Bad Request\r\n\r\n");
        }
    });
    let address = format!("postgres://tests@127.0.0.1:{port}/boats");
    let client = PgClient::new(address.parse().unwrap()).unwrap();
    let refused = PostgresKeySource::new(&client).poll().unwrap_err();
    assert!(
        matches!(refused, KeyStoreError::Unreachable { .. }),
        "{refused}"
    );
}
