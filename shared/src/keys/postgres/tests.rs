//! The store in PostgreSQL: its own database for each test, and what only such a store meets: a
//! network, and others who work on the same database.

mod away;
mod connections;
mod faults;
mod pooler;
mod versions;

use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use tokio_postgres::NoTls;

use crate::base::clock::{Clock as _, SystemClock};
use crate::base::services;
use crate::keys::key_store::KeyStore;
use crate::keys::last_use::LastUses;
use crate::keys::ledger::QuotaLedger;
use crate::keys::postgres::{
    PgClient, PostgresAddress, PostgresKeySource, PostgresLastUses, PostgresLedger, make,
};
use crate::keys::store::KeySource;
use crate::keys::tests::store_tests::{TestStore, operator};

/// The address of a server where tests may create and drop databases.
const SERVER: &str = "CATALOGUE_TEST_POSTGRES";
/// The address of a pooler before that server, in transaction mode.
const POOLER: &str = "CATALOGUE_TEST_PGBOUNCER";

/// A port on which nobody listens, and that no process is given by chance.
const NOBODY: u16 = 1;

/// How much longer than usual tests wait for what exists: the machine may be busy.
const SLACK: u32 = 40;
/// The same where a timeout is what is tested.
const LITTLE_SLACK: u32 = 4;

/// A client of the database at `address`.
fn client(address: PostgresAddress, slack: u32) -> PgClient {
    PgClient::with_slack(address, slack).unwrap()
}

/// A database, removed when it is dropped.
pub(in crate::keys) struct Database {
    server: PgClient,
    /// Reaches it without a pooler.
    direct: PgClient,
    client: PgClient,
    name: String,
    /// Makes another that is reached in the same way.
    another: fn() -> Self,
}

impl Database {
    /// A new store.
    pub(in crate::keys) fn new() -> Self {
        let database = Self::empty();
        make(&database.client).unwrap();
        database
    }

    /// A new store that is reached through a pooler.
    pub(in crate::keys) fn pooled() -> Self {
        let (pooler, mut database) = (services::address(POOLER), Self::new());
        let (base, _database) = pooler.rsplit_once('/').unwrap();
        let address = format!("{base}/{}", database.name);
        database.client = client(address.parse().unwrap(), SLACK);
        database.another = Self::pooled;
        database
    }

    /// A database without tables.
    pub(super) fn empty() -> Self {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let server = services::address(SERVER);
        let count = COUNT.fetch_add(1, Ordering::Relaxed);
        let name = format!("catalogue_{}_{count}", std::process::id());
        let (base, _database) = server.rsplit_once('/').unwrap();
        let address = format!("{base}/{name}");
        let server = client(server.parse().unwrap(), SLACK);
        run(
            &server,
            &format!("CREATE DATABASE {name} TEMPLATE template0"),
        )
        .unwrap();
        let client = client(address.parse().unwrap(), SLACK);
        Self {
            server,
            direct: client.clone(),
            client,
            name,
            another: Self::new,
        }
    }

    pub(super) fn client(&self) -> &PgClient {
        &self.client
    }

    /// A client of the same database that waits less for it.
    pub(super) fn with_little_slack(&self) -> PgClient {
        client(self.client.address().clone(), LITTLE_SLACK)
    }

    /// The address of the same database through another port of this machine.
    pub(super) fn through(&self, port: u16) -> PostgresAddress {
        let user = self.client.address().config().get_user().unwrap();
        let address = format!("postgres://{user}@127.0.0.1:{port}/{}", self.name);
        address.parse().unwrap()
    }

    pub(super) fn port(&self) -> u16 {
        self.client.address().config().get_ports()[0]
    }
}

/// What `attempt` gives once it gives something, within a minute.
#[track_caller]
pub(super) fn eventually<T>(mut attempt: impl FnMut() -> Option<T>) -> T {
    let clock = SystemClock::new();
    let latest = clock.monotonic() + Duration::from_mins(1);
    loop {
        if let Some(given) = attempt() {
            return given;
        }
        assert!(clock.monotonic() < latest, "not within a minute");
        std::thread::yield_now();
    }
}

/// Runs statements on a connection of their own.
pub(super) fn run(client: &PgClient, sql: &str) -> Result<(), String> {
    let connected = client.address().config().connect(NoTls);
    let timeout = super::client::Timeout::ALL_ROWS;
    let done = client.wait(timeout, async {
        let (client, connection) = connected.await?;
        let driven = tokio::spawn(connection);
        let done = client.batch_execute(sql).await;
        driven.abort();
        Ok(done?)
    });
    done.map_err(|failure| failure.text())
}

impl Drop for Database {
    fn drop(&mut self) {
        let removed = run(
            &self.server,
            &format!("DROP DATABASE {} WITH (FORCE)", self.name),
        );
        // A test that panics has reported what is wrong.
        if !std::thread::panicking() {
            removed.unwrap();
        }
    }
}

impl TestStore for Database {
    fn another(&self) -> Box<dyn TestStore> {
        Box::new((self.another)())
    }

    fn store(&self) -> KeyStore {
        KeyStore::connect(&self.client, operator()).unwrap()
    }

    fn ledger(&self) -> Box<dyn QuotaLedger> {
        Box::new(PostgresLedger::new(&self.client))
    }

    fn source(&self) -> Box<dyn KeySource> {
        Box::new(PostgresKeySource::new(&self.client))
    }

    fn last_uses(&self) -> Box<dyn LastUses> {
        Box::new(PostgresLastUses::new(&self.client))
    }

    fn by_hand(&self, sql: &str) -> Result<(), String> {
        run(&self.direct, sql)
    }
}
