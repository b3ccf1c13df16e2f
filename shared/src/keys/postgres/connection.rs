//! Connections to the database.

use std::cell::Cell;

use tokio_postgres::config::TargetSessionAttrs;
use tokio_postgres::{Client, Config};
use tokio_postgres_rustls::MakeRustlsConnect;
use tokio_util::task::AbortOnDropHandle;

use crate::keys::postgres::client::{PgClient, Timeout};
use crate::keys::postgres::failure::Failure;
use crate::keys::store::KeyStoreError;

/// The application name by which a database administrator knows our connections.
const PROGRAM: &str = "catalogue";

/// A connection that is closed when it is dropped, whatever it waits for.
#[derive(Debug)]
pub(super) struct PgConnection {
    pub(super) client: Client,
    /// Whether it is unusable: the reply to an earlier query may still come.
    pub(super) is_broken: Cell<bool>,
    /// The task that drives it, aborted also if time runs out before the first reply.
    _task: AbortOnDropHandle<()>,
}

/// How to connect to the store of `client` within `timeout`. Poolers refuse settings at the start of
/// a session, so it has none.
pub(super) fn config(client: &PgClient, timeout: Timeout) -> Config {
    let mut config = client.address().config().clone();
    let hosts = config.get_hosts().len().max(config.get_hostaddrs().len());
    // So that an address that is gone leaves time for the next. A name may resolve to two.
    let addresses = 2 * u32::try_from(hosts).unwrap_or(u32::MAX / 2).max(1);
    let each = client.stretched(timeout) / addresses;
    let theirs = config.get_connect_timeout().copied();
    config.connect_timeout(theirs.map_or(each, |theirs| theirs.min(each)));
    // Among several hosts, the primary is the one that can be written to.
    if 1 < hosts && config.get_target_session_attrs() == TargetSessionAttrs::Any {
        config.target_session_attrs(TargetSessionAttrs::ReadWrite);
    }
    if config.get_application_name().is_none() {
        config.application_name(PROGRAM);
    }
    config
}

impl PgConnection {
    /// Connects, within `timeout`, for an `attempt`, a verb.
    pub(super) fn open(
        client: &PgClient,
        timeout: Timeout,
        attempt: &'static str,
    ) -> Result<Self, KeyStoreError> {
        let connecting = Self::connect(config(client, timeout), client.tls());
        client.ask(attempt, timeout, connecting)
    }

    /// Connects; the caller limits the time.
    pub(super) async fn connect(config: Config, tls: MakeRustlsConnect) -> Result<Self, Failure> {
        let (client, connection) = config.connect(tls).await?;
        // Whoever waits for a reply learns that the connection has ended.
        let task = AbortOnDropHandle::new(tokio::spawn(async { drop(connection.await) }));
        // Proves that the database answers: a pooler greets without it too.
        client.batch_execute("SELECT 1").await?;
        Ok(Self {
            client,
            is_broken: Cell::new(false),
            _task: task,
        })
    }
}
