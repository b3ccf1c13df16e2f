//! One connection: how it is made, and what holds on it.

use std::future::poll_fn;

use tokio::task::JoinHandle;
use tokio_postgres::config::TargetSessionAttrs;
use tokio_postgres::{AsyncMessage, Client, Config, Error, Transaction};
use tokio_postgres_rustls::MakeRustlsConnect;

use crate::keys::postgres::engine::Engine;
use crate::keys::postgres::failure::Failure;
use crate::keys::postgres::patience::Patience;
use crate::keys::store::Wake;

/// What a commit waits for at the least. Whoever asks for more, with `remote_apply`, gets it.
const DURABLE: &str = "SELECT set_config('synchronous_commit', 'on', false)
    WHERE current_setting('synchronous_commit') NOT IN ('on', 'remote_apply')";

/// Names the connections of this program to whoever looks after the database.
const PROGRAM: &str = "catalogue";

/// How connections are made.
#[derive(Clone)]
pub(super) struct Plan {
    config: Config,
    tls: MakeRustlsConnect,
}

/// A connection that ends when it is dropped, whatever it waits for.
#[derive(Debug)]
pub(super) struct Connection {
    pub(super) client: Client,
    task: Task,
}

/// What drives a connection, until it is dropped: also where time runs out before the first answer.
#[derive(Debug)]
struct Task(Option<JoinHandle<()>>);

impl Plan {
    /// Of connections on which statements take no longer than `patience`.
    pub(super) fn new(engine: &Engine, patience: Patience) -> Result<Self, Failure> {
        let mut config = engine.address().config().clone();
        let theirs = config.get_options().unwrap_or_default().to_owned();
        let patience = engine.stretched(patience);
        let millis = patience.of_statements().as_millis();
        // Nothing is found by an unqualified name, so nobody can put another thing in its place.
        // Who waits for a row goes on with what it is then: a stricter isolation would refuse.
        config.options(format!(
            "{theirs} -c search_path=pg_catalog -c statement_timeout={millis} \
             -c idle_in_transaction_session_timeout={millis} -c default_transaction_deferrable=off \
             -c default_transaction_isolation=read\\ committed"
        ));
        let hosts = config.get_hosts().len().max(config.get_hostaddrs().len());
        let each = patience.of_each_address(hosts);
        let theirs = config.get_connect_timeout().copied();
        config.connect_timeout(theirs.map_or(each, |theirs| theirs.min(each)));
        // Of several, those that follow another one are of no use.
        if 1 < hosts && config.get_target_session_attrs() == TargetSessionAttrs::Any {
            config.target_session_attrs(TargetSessionAttrs::ReadWrite);
        }
        if config.get_application_name().is_none() {
            config.application_name(PROGRAM);
        }
        let tls = engine.tls()?;
        Ok(Self { config, tls })
    }

    /// What connections are made with.
    #[cfg(test)]
    pub(super) fn config(&self) -> &Config {
        &self.config
    }

    /// Connects; `wake` is called at every notification.
    pub(super) async fn connect(&self, wake: Option<Wake>) -> Result<Connection, Error> {
        let (client, mut connection) = self.config.connect(self.tls.clone()).await?;
        let task = tokio::spawn(async move {
            // Whatever ends the connection is told to whoever asks on it.
            while let Some(Ok(message)) = poll_fn(|cx| connection.poll_message(cx)).await {
                if let (AsyncMessage::Notification(_), Some(wake)) = (message, &wake) {
                    wake();
                }
            }
        });
        let task = Task(Some(task));
        client.batch_execute(DURABLE).await?;
        Ok(Connection { client, task })
    }
}

impl Connection {
    /// Connects, within `patience`.
    pub(super) fn open(
        engine: &Engine,
        patience: Patience,
        wake: Option<Wake>,
    ) -> Result<Self, Failure> {
        let plan = Plan::new(engine, patience)?;
        engine.wait(patience, async { Ok(plan.connect(wake).await?) })
    }

    /// The same for whoever ends the task himself.
    pub(super) fn into_parts(mut self) -> (Client, JoinHandle<()>) {
        let task = self.task.0.take();
        let task = task.unwrap_or_else(|| unreachable!("a connection has its task"));
        (self.client, task)
    }
}

impl Drop for Task {
    fn drop(&mut self) {
        if let Some(task) = &self.0 {
            task.abort();
        }
    }
}

/// Lets the statements of one transaction take as long as `patience` lasts, on a connection for
/// others.
pub(super) async fn lengthen(
    transaction: &Transaction<'_>,
    engine: &Engine,
    patience: Patience,
) -> Result<(), Error> {
    let millis = engine.stretched(patience).of_statements().as_millis();
    let sql = format!(
        "SET LOCAL statement_timeout = {millis};
         SET LOCAL idle_in_transaction_session_timeout = {millis}"
    );
    transaction.batch_execute(&sql).await
}
