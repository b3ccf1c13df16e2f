//! One connection: its settings, how it is opened, and how it is driven until it ends.

use std::cell::Cell;
use std::future::{pending, poll_fn};
use std::time::Duration;

use futures_util::future::join_all;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::task::JoinHandle;
use tokio_postgres::config::{Host, TargetSessionAttrs};
use tokio_postgres::tls::TlsStream;
use tokio_postgres::{AsyncMessage, Client, Config, Error, SimpleQueryMessage};
use tokio_util::task::AbortOnDropHandle;

use crate::base::limited::Allowance;
use crate::keys::postgres::client::{Endings, PgClient, Timeout};
use crate::keys::postgres::failure::Failure;
use crate::keys::postgres::pooler::{self, is_direct};
use crate::keys::postgres::stream::{LimitedStreams, lone_folder};
use crate::keys::postgres::timeline::{self, Timeline, Timelines};
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
    /// One for each host.
    hosts: Vec<Config>,
    /// How long each of several may take.
    patience: Duration,
    streams: LimitedStreams,
    endings: Endings,
    pub(super) timelines: Timelines,
}

/// A connection that is closed when it is dropped, whatever it waits for.
#[derive(Debug)]
pub(super) struct PgConnection {
    pub(super) client: Client,
    /// Whether it leads to the database itself, not to a pooler.
    pub(super) is_direct: bool,
    /// Where it led when it was made, if that was told.
    pub(super) timeline: Option<Timeline>,
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
        let stretched = client.stretched(timeout);
        let each = stretched.for_each_address(hosts);
        let theirs = config.get_connect_timeout().copied();
        config.connect_timeout(theirs.map_or(each, |theirs| theirs.min(each)));
        // Among several hosts, those that follow another are skipped.
        if 1 < hosts && config.get_target_session_attrs() == TargetSessionAttrs::Any {
            config.target_session_attrs(TargetSessionAttrs::ReadWrite);
        }
        if config.get_application_name().is_none() {
            config.application_name(PROGRAM);
        }
        let streams = LimitedStreams::of(&mut config, client.tls()?, answers);
        Ok(Self {
            hosts: (0..hosts).map(|place| only(&config, place)).collect(),
            patience: stretched.for_hosts(hosts),
            streams,
            endings: client.endings().clone(),
            timelines: client.timelines().clone(),
        })
    }

    /// What connections are made with.
    #[cfg(test)]
    pub(super) fn hosts(&self) -> &[Config] {
        &self.hosts
    }

    /// Whether the address names more than one.
    pub(super) fn has_several_hosts(&self) -> bool {
        1 < self.hosts.len()
    }

    /// Connects; `wake` is called at every notification. All hosts are asked at once, since one that
    /// another took over from may be writable too: the latest timeline is taken. It may still be
    /// older than one that was seen.
    pub(super) async fn connect(&self, wake: Option<Wake>) -> Result<PgConnection, Error> {
        let connecting = self.hosts.iter().map(|host| {
            let connecting = self.connect_to(host, wake.clone());
            tokio::time::timeout(self.patience, connecting)
        });
        let (mut latest, mut why_not): (Option<PgConnection>, _) = (None, None);
        for connected in join_all(connecting).await.into_iter().flatten() {
            match connected {
                Ok(other) if latest.as_ref().is_none_or(|one| one.is_before(&other)) => {
                    latest = Some(other);
                }
                Ok(_older) => {}
                Err(error) => why_not = Some(error),
            }
        }
        match (latest, why_not) {
            (Some(connection), _) => {
                _ = self.timelines.note(connection.timeline);
                Ok(connection)
            }
            (None, Some(why_not)) => Err(why_not),
            // None has answered: whoever waits for it knows for how long.
            (None, None) => pending().await,
        }
    }

    async fn connect_to(&self, host: &Config, wake: Option<Wake>) -> Result<PgConnection, Error> {
        let (streams, endings) = (&self.streams, self.endings.clone());
        let (client, task) = if let Some(folder) = lone_folder(host) {
            let connected = streams.connect_through(folder, host).await?;
            (connected.0, tokio::spawn(drive(connected.1, wake, endings)))
        } else {
            let connected = host.connect(streams.clone()).await?;
            (connected.0, tokio::spawn(drive(connected.1, wake, endings)))
        };
        let task = AbortOnDropHandle::new(task);
        let answers = self.look(&client).await?;
        Ok(PgConnection {
            is_direct: is_direct(&client, &answers),
            timeline: Timeline::of(&answers),
            client,
            is_broken: Cell::new(false),
            task,
        })
    }

    /// Looks where a connection leads, which also proves that the database answers: a pooler greets
    /// without it too.
    async fn look(&self, client: &Client) -> Result<Vec<SimpleQueryMessage>, Error> {
        let looked = format!("SELECT {}, {}", pooler::COLUMN, timeline::COLUMNS);
        match client.simple_query(&looked).await {
            Err(error) if error.as_db_error().is_some() => {
                // One that is just being stopped is no reason to forget what was seen.
                if timeline::is_never_told(&error) {
                    self.timelines.forget();
                }
                let looked = format!("SELECT {}", pooler::COLUMN);
                client.simple_query(&looked).await
            }
            looked => looked,
        }
    }
}

/// The same for one of the hosts alone.
fn only(all: &Config, place: usize) -> Config {
    let mut one = Config::new();
    match all.get_hosts().get(place) {
        Some(Host::Tcp(name)) => _ = one.host(name),
        Some(Host::Unix(folder)) => _ = one.host_path(folder),
        None => {}
    }
    if let Some(&address) = all.get_hostaddrs().get(place) {
        one.hostaddr(address);
    }
    let ports = all.get_ports();
    if let Some(&port) = ports.get(place).or(ports.first()) {
        one.port(port);
    }
    macro_rules! copy {
        ($($get:ident $set:ident),*) => {
            $(if let Some(value) = all.$get() {
                one.$set(value.to_owned());
            })*
        };
    }
    copy!(get_user user, get_password password, get_dbname dbname, get_options options,
        get_application_name application_name, get_connect_timeout connect_timeout,
        get_tcp_user_timeout tcp_user_timeout, get_keepalives_retries keepalives_retries,
        get_keepalives_interval keepalives_interval);
    one.ssl_mode(all.get_ssl_mode())
        .ssl_negotiation(all.get_ssl_negotiation())
        .keepalives(all.get_keepalives())
        .keepalives_idle(all.get_keepalives_idle())
        .target_session_attrs(all.get_target_session_attrs())
        .channel_binding(all.get_channel_binding())
        .load_balance_hosts(all.get_load_balance_hosts());
    one
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
        client.ask(attempt, timeout, async {
            let connection = plan?.connect(wake).await?;
            client.timelines().note(connection.timeline)?;
            Ok(connection)
        })
    }

    /// Whether it leads to an older timeline than another; one that is not told is older.
    fn is_before(&self, other: &Self) -> bool {
        let timeline = |one: &Self| one.timeline.map(Timeline::number);
        timeline(self) < timeline(other)
    }

    /// The same for a caller that ends the task itself.
    pub(super) fn into_parts(self) -> (Client, JoinHandle<()>) {
        (self.client, self.task.detach())
    }
}
