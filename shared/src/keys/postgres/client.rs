//! What reaches the store: threads of its own for the network, the address, and TLS.
//!
//! Commands and servers ask from threads that may block; the network is waited for here. So no
//! busy runtime of a server delays an answer of the store, and nobody outside needs to know that
//! anything here is asynchronous.

use std::fmt;
use std::io;
use std::num::NonZeroU32;
use std::sync::Arc;

use rustls::crypto::ring;
use rustls::{ClientConfig, RootCertStore};
use tokio::runtime::Runtime;
use tokio_postgres_rustls::MakeRustlsConnect;

use crate::base::threads::{self, Blocking};
use crate::keys::postgres::PostgresAddress;
use crate::keys::postgres::endings::Endings;
use crate::keys::postgres::failure::Failure;
use crate::keys::postgres::patience::Patience;

/// Threads that look up the names of hosts.
const BLOCKING: Blocking = Blocking {
    made: 1,
    at_most: 4,
};

/// What reaches a store; clones share it.
#[derive(Clone)]
pub struct PgClient(Arc<Shared>);

struct Shared {
    address: PostgresAddress,
    tls: Result<MakeRustlsConnect, String>,
    /// How many times longer than usual everything is waited for.
    slack: NonZeroU32,
    endings: Endings,
    /// None only while it is dropped.
    runtime: Option<Runtime>,
}

impl PgClient {
    /// Gets ready to reach the store at `address`, without doing so yet.
    pub fn new(address: PostgresAddress) -> io::Result<Self> {
        Self::with_slack(address, NonZeroU32::MIN)
    }

    /// The same, which waits `slack` times longer than usual for everything: for whoever asks on a
    /// machine that is busy with other things, and has time.
    pub fn with_slack(address: PostgresAddress, slack: NonZeroU32) -> io::Result<Self> {
        let runtime = threads::runtime("postgres", 1, BLOCKING)?;
        Ok(Self(Arc::new(Shared {
            tls: tls(&address),
            address,
            slack,
            endings: Endings::default(),
            runtime: Some(runtime),
        })))
    }

    /// Where the store is.
    pub fn address(&self) -> &PostgresAddress {
        &self.0.address
    }

    /// What connections are protected with.
    pub(super) fn tls(&self) -> Result<MakeRustlsConnect, Failure> {
        self.0.tls.clone().map_err(Failure::Setup)
    }

    /// Where it is told why connections end.
    pub(super) fn endings(&self) -> &Endings {
        &self.0.endings
    }

    /// What `patience` is with this client.
    pub(super) fn stretched(&self, patience: Patience) -> Patience {
        Patience(patience.0 * self.0.slack.get())
    }

    /// Waits for what is asked, as long as `patience` lasts.
    pub(super) fn wait<T>(
        &self,
        patience: Patience,
        asked: impl Future<Output = Result<T, Failure>>,
    ) -> Result<T, Failure> {
        let patience = self.stretched(patience);
        let answer = async { tokio::time::timeout(patience.0, asked).await };
        let too_slow = |_elapsed| Err(Failure::TooSlow(patience.0.as_millis()));
        let answered = self.runtime().block_on(answer);
        answered
            .unwrap_or_else(too_slow)
            .map_err(|failure| self.0.endings.explain(failure))
    }

    /// Does something in the background, for as long as the client is there.
    pub(super) fn spawn(&self, act: impl Future<Output = ()> + Send + 'static) {
        self.runtime().spawn(act);
    }

    fn runtime(&self) -> &Runtime {
        let runtime = self.0.runtime.as_ref();
        runtime.unwrap_or_else(|| unreachable!("a client in use is not dropped"))
    }
}

/// The authorities of the system, or those in the file that `SSL_CERT_FILE` names. Whoever uses no
/// TLS needs none of them.
fn tls(address: &PostgresAddress) -> Result<MakeRustlsConnect, String> {
    // Another part of the process may have chosen, the same.
    let _chosen = ring::default_provider().install_default();
    if address.uses_tls() {
        let found = MakeRustlsConnect::with_native_certs();
        let (authorities, _unreadable) = found.map_err(|why| {
            format!("no certificate authority of the system can be read: {why:?}")
        })?;
        return Ok(authorities);
    }
    let nobody = ClientConfig::builder().with_root_certificates(RootCertStore::empty());
    Ok(MakeRustlsConnect::new(nobody.with_no_client_auth()))
}

impl Drop for Shared {
    /// Also where nothing may block: whoever is dropped last may be in the midst of a runtime.
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
