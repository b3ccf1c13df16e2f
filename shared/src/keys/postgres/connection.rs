//! One connection: its settings, how it is opened, and how it is driven until it ends.

use std::cell::Cell;
use std::future::poll_fn;

use tokio::io::{AsyncRead, AsyncWrite};
use tokio::task::JoinHandle;
use tokio_postgres::config::TargetSessionAttrs;
use tokio_postgres::tls::TlsStream;
use tokio_postgres::{AsyncMessage, Client, Config, Error};
use tokio_util::task::AbortOnDropHandle;

use crate::base::limited::Allowance;
use crate::keys::postgres::client::{Endings, PgClient, Timeout};
use crate::keys::postgres::failure::Failure;
use crate::keys::postgres::pooler::is_direct;
use crate::keys::postgres::stream::{LimitedStreams, lone_folder};
use crate::keys::store::{KeyStoreError, Wake};

/// The application name by which a database administrator knows our connections.
const PROGRAM: &str = "catalogue";

/// Most bytes of a reply of a row or two.
pub(super) const FEW_ROWS: Allowance = Allowance::of_one(1 << 20);
/// Most bytes of a reply with all keys, or with what a command shows: 100,000 keys take a third of
/// it.
pub(super) const ALL_KEYS: Allowance = Allowance::of_one(128 << 20);
/// Most bytes of a reply with a whole table, which a copy reads: millions of entries of the log.
const ALL_ROWS: Allowance = Allowance::of_one(2 << 30);

/// How connections are made.
#[derive(Clone)]
pub(super) struct Plan {
    config: Config,
    streams: LimitedStreams,
    endings: Endings,
}

/// A connection that is closed when it is dropped, whatever it waits for.
#[derive(Debug)]
pub(super) struct PgConnection {
    pub(super) client: Client,
    /// Whether it leads to the database itself, not to a pooler.
    pub(super) is_direct: bool,
    /// Whether it is unusable: the reply to an earlier query may still come.
    pub(super) is_broken: Cell<bool>,
    /// The task that drives it, aborted also if time runs out before the first reply.
    task: AbortOnDropHandle<()>,
}

impl Plan {
    /// A plan for connections that are made within `timeout` and whose replies have no more bytes
    /// than `answers` allows. Poolers refuse settings at the start of a session, so it has none.
    pub(super) fn new(
        client: &PgClient,
        timeout: Timeout,
        answers: Allowance,
    ) -> Result<Self, Failure> {
        let mut config = client.address().config().clone();
        let hosts = config.get_hosts().len().max(config.get_hostaddrs().len());
        let each = client.stretched(timeout).for_each_address(hosts);
        let theirs = config.get_connect_timeout().copied();
        config.connect_timeout(theirs.map_or(each, |theirs| theirs.min(each)));
        // Among several hosts, read-only replicas are skipped.
        if 1 < hosts && config.get_target_session_attrs() == TargetSessionAttrs::Any {
            config.target_session_attrs(TargetSessionAttrs::ReadWrite);
        }
        if config.get_application_name().is_none() {
            config.application_name(PROGRAM);
        }
        let streams = LimitedStreams::of(&mut config, client.tls()?, answers);
        Ok(Self {
            config,
            streams,
            endings: client.endings().clone(),
        })
    }

    /// What connections are made with.
    #[cfg(test)]
    pub(super) fn config(&self) -> &Config {
        &self.config
    }

    /// Connects; `wake` is called at every notification.
    pub(super) async fn connect(&self, wake: Option<Wake>) -> Result<PgConnection, Error> {
        let (streams, endings) = (&self.streams, self.endings.clone());
        let (client, task) = if let Some(folder) = lone_folder(&self.config) {
            let connected = streams.connect_through(folder, &self.config).await?;
            (connected.0, tokio::spawn(drive(connected.1, wake, endings)))
        } else {
            let connected = self.config.connect(streams.clone()).await?;
            (connected.0, tokio::spawn(drive(connected.1, wake, endings)))
        };
        let task = AbortOnDropHandle::new(task);
        let is_direct = is_direct(&client).await?;
        Ok(PgConnection {
            client,
            is_direct,
            is_broken: Cell::new(false),
            task,
        })
    }
}

/// Drives a connection until it ends, and notes why.
async fn drive<S, T>(
    mut connection: tokio_postgres::Connection<S, T>,
    wake: Option<Wake>,
    endings: Endings,
) where
    S: AsyncRead + AsyncWrite + Unpin,
    T: TlsStream + Unpin,
{
    while let Some(message) = poll_fn(|cx| connection.poll_message(cx)).await {
        match (message, &wake) {
            (Ok(AsyncMessage::Notification(_)), Some(wake)) => wake(),
            (Ok(_), _) => {}
            (Err(why), _) => return endings.note(why),
        }
    }
}

impl PgConnection {
    /// Connects, within `timeout`, for an `attempt`, a verb.
    pub(super) fn open(
        client: &PgClient,
        timeout: Timeout,
        attempt: &'static str,
        wake: Option<Wake>,
    ) -> Result<Self, KeyStoreError> {
        let answers = if timeout == Timeout::ALL_ROWS {
            ALL_ROWS
        } else {
            ALL_KEYS
        };
        let plan = Plan::new(client, timeout, answers);
        client.ask(attempt, timeout, async { Ok(plan?.connect(wake).await?) })
    }

    /// The same for a caller that ends the task itself.
    pub(super) fn into_parts(self) -> (Client, JoinHandle<()>) {
        (self.client, self.task.detach())
    }
}
