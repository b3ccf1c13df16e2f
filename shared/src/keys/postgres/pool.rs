//! A pool of connections for requests of servers, and a circuit breaker.
//!
//! A store that did not answer is asked by one probe in the background, not by every request, until
//! it answers. Otherwise a stopped store that resumes would work through requests whose clients are
//! long gone.

use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use deadpool_postgres::{ClientWrapper, Connect, Manager, ManagerConfig, Object, PoolError};
use tokio::sync::{Semaphore, SemaphorePermit};
use tokio::task::JoinHandle;
use tokio_postgres::{Client, Config, Error, Row};
use tokio_postgres_rustls::MakeRustlsConnect;

use crate::keys::postgres::client::{PgClient, Timeout};
use crate::keys::postgres::connection::{PgConnection, config};
use crate::keys::postgres::failure::{CommitOutcome, Failure};
use crate::keys::postgres::once::{Parameter, once};
use crate::keys::store::KeyStoreError;

/// Pause before each probe.
const PROBE_PAUSE: Duration = Duration::from_millis(100);
/// How long a probe waits for an answer.
const PROBE_WAIT_MAX: Duration = Duration::from_millis(500);

/// Connections to a store, made when they are needed.
#[derive(Debug)]
pub(super) struct Pool {
    client: PgClient,
    timeout: Timeout,
    connections: Result<deadpool_postgres::Pool, String>,
    /// A wait here is for other threads of this process, not for the store.
    turns: Semaphore,
    connections_max: usize,
    circuit: Circuit,
}

/// Open while the store is known to be away.
#[derive(Clone, Debug, Default)]
pub(super) struct Circuit(Arc<AtomicBool>);

impl Pool {
    /// At most `connections_max`, on which nothing takes longer than `timeout`.
    pub(super) fn new(client: &PgClient, timeout: Timeout, connections_max: usize) -> Self {
        Self {
            client: client.clone(),
            timeout,
            connections: connections(client, timeout, connections_max)
                .map_err(|failure| failure.text()),
            turns: Semaphore::new(connections_max),
            connections_max,
            circuit: Circuit::default(),
        }
    }

    /// Asks on a connection that no other request uses meanwhile. The wait for a
    /// connection is bounded like the reply, and says nothing about the store.
    pub(super) fn ask<T, E: Into<Failure>>(
        &self,
        ask: impl AsyncFnOnce(&ClientWrapper) -> Result<T, E>,
    ) -> Result<T, (Failure, CommitOutcome)> {
        let connections = self.connections.as_ref();
        let connections =
            connections.map_err(|why| (Failure::Setup(why.clone()), CommitOutcome::NotMade))?;
        let surely = |failure| (failure, CommitOutcome::NotMade);
        self.circuit.pass().map_err(surely)?;
        let _turn = self.turn().map_err(surely)?;
        // The store may have been found away meanwhile.
        self.circuit.pass().map_err(surely)?;
        // Held here, so that a connection that timed out does not go back into the pool.
        let mut held = None;
        let answered = self.client.wait(self.timeout, async {
            let connection = connections.get().await.map_err(unavailable)?;
            ask(held.insert(connection)).await.map_err(E::into)
        });
        answered.map_err(|failure| {
            let outcome = match &held {
                None => CommitOutcome::NotMade,
                Some(_) => CommitOutcome::Unknown,
            };
            self.judge(connections, held, &failure);
            (failure, outcome)
        })
    }

    /// Runs one statement for an `attempt`, a verb, and returns its rows.
    pub(super) fn run_all(
        &self,
        attempt: &'static str,
        sql: &str,
        parameters: &[Parameter<'_>],
    ) -> Result<Vec<Row>, KeyStoreError> {
        let answered = self.ask(async |connection| {
            once(&self.client, self.timeout, connection, sql, parameters).await
        });
        answered.map_err(|(failure, outcome)| {
            failure.explained(attempt, outcome, self.client.address())
        })
    }

    /// Runs one statement for an `attempt`, a verb, and converts the first of its rows, if any.
    pub(super) fn run<T>(
        &self,
        attempt: &'static str,
        sql: &str,
        parameters: &[Parameter<'_>],
        read: impl FnOnce(&Row) -> Result<T, Error>,
    ) -> Result<Option<T>, KeyStoreError> {
        let rows = self.run_all(attempt, sql, parameters)?;
        let converted = rows.first().map(read).transpose();
        converted.map_err(|error| self.unreadable(attempt, error))
    }

    /// The error of a reply to an `attempt` that is not understood.
    pub(super) fn unreadable(&self, attempt: &'static str, error: Error) -> KeyStoreError {
        let address = self.client.address();
        Failure::from(error).explained(attempt, CommitOutcome::Unknown, address)
    }

    /// Waits until one of the connections is free.
    pub(super) fn turn(&self) -> Result<SemaphorePermit<'_>, Failure> {
        let turn = async {
            let turn = self.turns.acquire().await;
            turn.map_err(|error| Failure::Setup(error.to_string()))
        };
        let turn = self.client.wait(self.timeout, turn);
        turn.map_err(|failure| match failure {
            Failure::TooSlow(millis) => Failure::Busy {
                connections: self.connections_max,
                millis,
            },
            failure => failure,
        })
    }

    /// Closes connections that a failure made unusable, and probes in the background until the
    /// store is back.
    fn judge(
        &self,
        connections: &deadpool_postgres::Pool,
        held: Option<Object>,
        failure: &Failure,
    ) {
        let has_others = 0 < connections.status().size;
        if !failure.breaks() || (failure.is_full() && has_others) {
            // A store that became read-only may have a successor elsewhere.
            if failure.is_read_only() {
                drop(held.map(Object::take));
                connections.retain(|_connection, _metrics| false);
            }
            return;
        }
        drop(held.map(Object::take));
        // The other connections broke too, or each would cost a request the same wait.
        connections.retain(|_connection, _metrics| false);
        self.circuit.open(&self.client, self.timeout);
    }
}

impl Circuit {
    /// Refuses while the circuit is open.
    pub(super) fn pass(&self) -> Result<(), Failure> {
        if self.0.load(Ordering::Relaxed) {
            return Err(Failure::Away);
        }
        Ok(())
    }

    /// Opens the circuit until a probe, on a connection of its own, gets a reply.
    pub(super) fn open(&self, client: &PgClient, timeout: Timeout) {
        if self.0.swap(true, Ordering::Relaxed) {
            return;
        }
        let is_open = Arc::clone(&self.0);
        let (config, tls) = (config(client, timeout), client.tls());
        client.spawn(async move {
            let Ok(tls) = tls else { return };
            loop {
                tokio::time::sleep(PROBE_PAUSE).await;
                let probe = PgConnection::connect(config.clone(), Ok(tls.clone()));
                if let Ok(Ok(_answered)) = tokio::time::timeout(PROBE_WAIT_MAX, probe).await {
                    is_open.store(false, Ordering::Relaxed);
                    return;
                }
            }
        });
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

fn unavailable(error: PoolError) -> Failure {
    match error {
        PoolError::Backend(error) => Failure::Library(error),
        error => Failure::Setup(error.to_string()),
    }
}

fn connections(
    client: &PgClient,
    timeout: Timeout,
    connections_max: usize,
) -> Result<deadpool_postgres::Pool, Failure> {
    let (config, tls) = (config(client, timeout), client.tls()?);
    let manager = Manager::from_connect(config, Connector(tls), ManagerConfig::default());
    let pool = deadpool_postgres::Pool::builder(manager).max_size(connections_max);
    pool.build()
        .map_err(|error| Failure::Setup(error.to_string()))
}
