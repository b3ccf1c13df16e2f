//! One connection: how it is made, and what holds on it.

use std::future::poll_fn;

use tokio::task::JoinHandle;
use tokio_postgres::{AsyncMessage, Client, Config, Error};
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
    task: JoinHandle<()>,
}

impl Plan {
    /// Of connections on which statements take no longer than `patience`.
    pub(super) fn new(engine: &Engine, patience: Patience) -> Result<Self, Failure> {
        let mut config = engine.address().config().clone();
        let theirs = config.get_options().unwrap_or_default().to_owned();
        let millis = patience.of_statements().as_millis();
        // Nothing is found by an unqualified name, so nobody can put another thing in its place.
        config.options(format!(
            "{theirs} -c search_path=pg_catalog -c statement_timeout={millis} \
             -c idle_in_transaction_session_timeout={millis} -c default_transaction_deferrable=off"
        ));
        if config.get_application_name().is_none() {
            config.application_name(PROGRAM);
        }
        let tls = engine.tls()?;
        Ok(Self { config, tls })
    }

    /// Connects; `wake` is called at every notification.
    pub(super) async fn connect(
        &self,
        wake: Option<Wake>,
    ) -> Result<(Client, JoinHandle<()>), Error> {
        let (client, mut connection) = self.config.connect(self.tls.clone()).await?;
        let task = tokio::spawn(async move {
            // Whatever ends the connection is told to whoever asks on it.
            while let Some(Ok(message)) = poll_fn(|cx| connection.poll_message(cx)).await {
                if let (AsyncMessage::Notification(_), Some(wake)) = (message, &wake) {
                    wake();
                }
            }
        });
        client.batch_execute(DURABLE).await?;
        Ok((client, task))
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
        let (client, task) = engine.wait(patience, async { Ok(plan.connect(wake).await?) })?;
        Ok(Self { client, task })
    }
}

impl Drop for Connection {
    fn drop(&mut self) {
        self.task.abort();
    }
}
