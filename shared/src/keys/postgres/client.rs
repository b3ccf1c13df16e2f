//! The client of a database: its address, TLS, timeouts, and its own runtime.
//!
//! Callers use threads that may block while this waits for the network. So a server's busy runtime
//! delays no reply of the store, and no caller needs to know that anything here is asynchronous.

use std::fmt;
use std::io;
use std::sync::Arc;
use std::time::Duration;

use rustls::crypto::ring;
use rustls::{ClientConfig, RootCertStore};
use tokio::runtime::Runtime;
use tokio_postgres_rustls::MakeRustlsConnect;

use crate::base::threads::{self, Blocking};
use crate::keys::postgres::PostgresAddress;
use crate::keys::postgres::failure::{CommitOutcome, Failure};
use crate::keys::store::KeyStoreError;

/// Threads that look up the names of hosts.
const BLOCKING: Blocking = Blocking {
    made: 1,
    at_most: 4,
};

/// A client of a store; clones share it.
#[derive(Clone)]
pub struct PgClient(Arc<Shared>);

struct Shared {
    address: PostgresAddress,
    tls: MakeRustlsConnect,
    /// Factor for all timeouts: above 1 only in tests, whose machine may be busy.
    slack: u32,
    /// None only while it is dropped.
    runtime: Option<Runtime>,
}

/// How long one step on a connection may take: to connect, or to get the reply to one statement.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Timeout(Duration);

impl PgClient {
    /// A client of the store at `address`, which does not connect yet. An error where TLS has no
    /// certificate authority to check it with.
    pub fn new(address: PostgresAddress) -> io::Result<Self> {
        Self::build(address, 1)
    }

    /// The same, with `slack` times longer timeouts.
    #[cfg(test)]
    pub(super) fn with_slack(address: PostgresAddress, slack: u32) -> io::Result<Self> {
        Self::build(address, slack)
    }

    fn build(address: PostgresAddress, slack: u32) -> io::Result<Self> {
        let runtime = threads::runtime("postgres", 1, BLOCKING)?;
        Ok(Self(Arc::new(Shared {
            tls: tls(&address)?,
            address,
            slack,
            runtime: Some(runtime),
        })))
    }

    /// Where the store is.
    pub fn address(&self) -> &PostgresAddress {
        &self.0.address
    }

    /// TLS for the connections.
    pub(super) fn tls(&self) -> MakeRustlsConnect {
        self.0.tls.clone()
    }

    /// `timeout` multiplied by this client's slack.
    pub(super) fn stretched(&self, timeout: Timeout) -> Duration {
        timeout.0 * self.0.slack
    }

    /// How long the store itself may work on a statement: a little less than `timeout`, so that one
    /// that waits for a lock fails with a clear error, and none outlives its request.
    pub(super) fn for_statements(&self, timeout: Timeout) -> Duration {
        self.stretched(timeout) * 4 / 5
    }

    /// Waits for `ask`, for `timeout` at most.
    pub(super) fn wait<T>(
        &self,
        timeout: Timeout,
        asked: impl Future<Output = Result<T, Failure>>,
    ) -> Result<T, Failure> {
        let timeout = self.stretched(timeout);
        let answer = async { tokio::time::timeout(timeout, asked).await };
        let too_slow = |_elapsed| Err(Failure::TooSlow(timeout.as_millis()));
        self.block_on(answer).unwrap_or_else(too_slow)
    }

    /// Waits for what limits its own time.
    pub(super) fn block_on<T>(&self, asked: impl Future<Output = T>) -> T {
        self.runtime().block_on(asked)
    }

    /// The same for an `attempt`, a verb, that changes nothing, or nothing yet.
    pub(super) fn ask<T>(
        &self,
        attempt: &'static str,
        timeout: Timeout,
        asked: impl Future<Output = Result<T, Failure>>,
    ) -> Result<T, KeyStoreError> {
        let answered = self.wait(timeout, asked);
        answered
            .map_err(|failure| failure.explained(attempt, CommitOutcome::NotMade, self.address()))
    }

    /// Runs `act` in the background, for as long as the client exists.
    pub(super) fn spawn(&self, act: impl Future<Output = ()> + Send + 'static) {
        self.runtime().spawn(act);
    }

    fn runtime(&self) -> &Runtime {
        let runtime = self.0.runtime.as_ref();
        runtime.unwrap_or_else(|| unreachable!("a client in use is not dropped"))
    }
}

impl Timeout {
    /// For commands.
    pub(crate) const COMMANDS: Self = Self(Duration::from_secs(5));
    /// For a copy, which works on all rows at once.
    pub(crate) const ALL_ROWS: Self = Self(Duration::from_mins(10));
    /// For examining the store.
    pub(crate) const EXAMINATIONS: Self = Self(Duration::from_secs(2));
    /// For the ledger, since requests wait for it.
    pub(crate) const LEASES: Self = Self(Duration::from_millis(250));
    /// For a server's polls: several fit into the second for which it may trust its last reply.
    pub(crate) const POLLS: Self = Self(Duration::from_millis(250));
    /// For a server that reloads all keys. A slower reload would confirm nothing any more.
    pub(crate) const SNAPSHOTS: Self = Self(Duration::from_secs(1));
    /// For last uses, which no request waits for.
    pub(crate) const USES: Self = Self(Duration::from_secs(2));
}

/// The certificate authorities of the system, or those in the file that `SSL_CERT_FILE` names.
/// Without TLS none are needed.
fn tls(address: &PostgresAddress) -> io::Result<MakeRustlsConnect> {
    // Another part of the process may have installed the same one.
    let _chosen = ring::default_provider().install_default();
    if address.uses_tls() {
        let found = MakeRustlsConnect::with_native_certs();
        let (authorities, _unreadable) = found.map_err(|why| {
            io::Error::other(format!(
                "no certificate authority of the system can be read: {why:?}"
            ))
        })?;
        return Ok(authorities);
    }
    let trusts_none = ClientConfig::builder().with_root_certificates(RootCertStore::empty());
    Ok(MakeRustlsConnect::new(trusts_none.with_no_client_auth()))
}

impl Drop for Shared {
    /// Must not block: the last clone may be dropped inside a runtime.
    fn drop(&mut self) {
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_background();
        }
    }
}

impl fmt::Debug for PgClient {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "PgClient({})", self.0.address)
    }
}
