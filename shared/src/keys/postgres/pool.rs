//! A pool of connections for requests of servers, and a circuit breaker.
//!
//! A store that did not answer is asked by one probe in the background, not by every request, until
//! it answers. Otherwise a stopped store that resumes would work through requests whose clients are
//! long gone.

use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use deadpool_postgres::{
    ClientWrapper, Connect, Manager, ManagerConfig, Object, PoolError, Runtime, TimeoutType,
};
use tokio::task::JoinHandle;
use tokio_postgres::{Client, Config, Error};
use tokio_postgres_rustls::MakeRustlsConnect;

use crate::keys::postgres::client::{PgClient, Timeout};
use crate::keys::postgres::connection::{PgConnection, config};
use crate::keys::postgres::database::{DIALECT, in_postgres};
use crate::keys::postgres::failure::{CommitOutcome, Failure};
use crate::keys::postgres::once::once;
use crate::keys::store::{KeyStoreError, Location};
use crate::keys::transaction::{Dialect, Row, Transaction, Value};

/// Pause before each probe.
const PROBE_PAUSE: Duration = Duration::from_millis(100);
/// How long a probe waits for an answer.
const PROBE_WAIT_MAX: Duration = Duration::from_millis(500);

/// Connections to a store, made when they are needed.
#[derive(Debug)]
pub(super) struct Pool {
    client: PgClient,
    timeout: Timeout,
    connections: deadpool_postgres::Pool,
    /// Whether the store is known to be away.
    is_away: Arc<AtomicBool>,
}

/// Statements for an `attempt`, a verb. Each is a transaction of its own.
pub(super) struct Statements<'p> {
    pool: &'p Pool,
    attempt: &'static str,
}

impl Pool {
    /// At most `connections_max`, on which nothing takes longer than `timeout`.
    pub(super) fn new(client: &PgClient, timeout: Timeout, connections_max: usize) -> Self {
        Self {
            client: client.clone(),
            timeout,
            connections: connections(client, timeout, connections_max),
            is_away: Arc::default(),
        }
    }

    /// What runs statements for an `attempt`, a verb.
    pub(super) fn to(&self, attempt: &'static str) -> Statements<'_> {
        Statements {
            pool: self,
            attempt,
        }
    }

    /// Asks on a connection that no other request uses meanwhile.
    pub(super) fn ask<T, E: Into<Failure>>(
        &self,
        ask: impl AsyncFnOnce(&ClientWrapper) -> Result<T, E>,
    ) -> Result<T, (Failure, CommitOutcome)> {
        let not_made = |failure| (failure, CommitOutcome::NotMade);
        self.refuse_away().map_err(not_made)?;
        let connection = self.connection().map_err(|failure| {
            self.handle(None, &failure);
            not_made(failure)
        })?;
        // The store may have been found away meanwhile.
        self.refuse_away().map_err(not_made)?;
        let asked = async { ask(&connection).await.map_err(E::into) };
        self.client.wait(self.timeout, asked).map_err(|failure| {
            self.handle(Some(connection), &failure);
            (failure, CommitOutcome::Unknown)
        })
    }

    /// Waits until one of the connections is free, or makes one. The wait is for other threads of
    /// this process, and says nothing about the store.
    pub(super) fn connection(&self) -> Result<Object, Failure> {
        let millis = || self.client.stretched(self.timeout).as_millis();
        let connection = self.client.block_on(self.connections.get());
        connection.map_err(|error| match error {
            PoolError::Backend(error) => Failure::Library(error),
            PoolError::Timeout(TimeoutType::Wait) => Failure::Busy {
                connections: self.connections.status().max_size,
                millis: millis(),
            },
            PoolError::Timeout(_) => Failure::TooSlow(millis()),
            error => Failure::Ended(error.to_string()),
        })
    }

    /// Closes connections that a failure made unusable, and probes in the background until the
    /// store is back.
    fn handle(&self, held: Option<Object>, failure: &Failure) {
        let has_others = 0 < self.connections.status().size;
        let is_away = failure.breaks() && !(failure.is_full() && has_others);
        // A store that became read-only may have a successor elsewhere. Where this connection broke,
        // the others did too, or each would cost a request the same wait.
        if is_away || failure.is_read_only() {
            drop(held.map(Object::take));
            self.connections.retain(|_connection, _metrics| false);
        }
        if is_away {
            self.probe();
        }
    }

    /// Refuses while the store is known to be away.
    fn refuse_away(&self) -> Result<(), Failure> {
        if self.is_away.load(Ordering::Relaxed) {
            return Err(Failure::Away);
        }
        Ok(())
    }

    /// Refuses until a probe, on a connection of its own, gets a reply.
    fn probe(&self) {
        if self.is_away.swap(true, Ordering::Relaxed) {
            return;
        }
        let is_away = Arc::clone(&self.is_away);
        let (config, tls) = (config(&self.client, self.timeout), self.client.tls());
        self.client.spawn(async move {
            loop {
                tokio::time::sleep(PROBE_PAUSE).await;
                let probe = PgConnection::connect(config.clone(), tls.clone());
                if let Ok(Ok(_answered)) = tokio::time::timeout(PROBE_WAIT_MAX, probe).await {
                    is_away.store(false, Ordering::Relaxed);
                    return;
                }
            }
        });
    }
}

impl Transaction for Statements<'_> {
    fn dialect(&self) -> &'static Dialect {
        &DIALECT
    }

    fn location(&self) -> Location {
        self.pool.client.address().location()
    }

    fn query(
        &self,
        sql: &str,
        parameters: &[Value<'_>],
        each: &mut dyn FnMut(&dyn Row) -> Result<(), KeyStoreError>,
    ) -> Result<(), KeyStoreError> {
        let Pool {
            client, timeout, ..
        } = self.pool;
        let parameters = in_postgres(parameters);
        let asked = self
            .pool
            .ask(async |connection| once(client, *timeout, connection, sql, &parameters).await);
        let rows = asked.map_err(|(failure, outcome)| {
            failure.explained(self.attempt, outcome, client.address())
        })?;
        rows.iter().try_for_each(|row| each(row))
    }

    fn execute(&self, sql: &str, parameters: &[Value<'_>]) -> Result<(), KeyStoreError> {
        self.query(sql, parameters, &mut |_row| Ok(()))
    }
}

/// Connects like deadpool's own, but logs nothing: whoever waits for a reply learns that a
/// connection has ended.
struct Connector(MakeRustlsConnect);

/// A connection and the task that drives it.
type Connecting<'a> =
    Pin<Box<dyn Future<Output = Result<(Client, JoinHandle<()>), Error>> + Send + 'a>>;

impl Connect for Connector {
    fn connect(&self, config: &Config) -> Connecting<'_> {
        let (config, tls) = (config.clone(), self.0.clone());
        Box::pin(async move {
            let (client, connection) = config.connect(tls).await?;
            Ok((client, tokio::spawn(async { drop(connection.await) })))
        })
    }
}

fn connections(
    client: &PgClient,
    timeout: Timeout,
    connections_max: usize,
) -> deadpool_postgres::Pool {
    let connector = Connector(client.tls());
    let manager =
        Manager::from_connect(config(client, timeout), connector, ManagerConfig::default());
    let each = Some(client.stretched(timeout));
    let pool = deadpool_postgres::Pool::builder(manager)
        .max_size(connections_max)
        .runtime(Runtime::Tokio1)
        .wait_timeout(each)
        .create_timeout(each)
        .recycle_timeout(each);
    pool.build()
        .unwrap_or_else(|error| unreachable!("its time-outs have a runtime: {error}"))
}
