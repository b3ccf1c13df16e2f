//! One connection to Redis, over which many questions are under way at a time.

use std::sync::atomic::{AtomicU32, Ordering};

use redis::aio::MultiplexedConnection;
use redis::{AsyncConnectionConfig, Client, RedisResult, Script, cmd};

use super::process::Process;
use super::scripts::Reply;

/// A connection, and how many questions were asked on it.
#[derive(Debug)]
pub(super) struct Line {
    connection: MultiplexedConnection,
    questions: AtomicU32,
}

/// Why there is no reply.
pub(super) enum NoReply {
    Failed(redis::RedisError),
    Garbled,
}

impl From<redis::RedisError> for NoReply {
    fn from(error: redis::RedisError) -> Self {
        match error.kind() {
            redis::ErrorKind::Parse | redis::ErrorKind::UnexpectedReturnType => Self::Garbled,
            _ => Self::Failed(error),
        }
    }
}

impl Line {
    /// Connects. How long anything may take is for the caller to say.
    pub(super) async fn connect(client: &Client) -> RedisResult<Self> {
        let unlimited = AsyncConnectionConfig::new()
            .set_connection_timeout(None)
            .set_response_timeout(None);
        let connection = client.get_multiplexed_async_connection_with_config(&unlimited);
        Ok(Self {
            connection: connection.await?,
            questions: AtomicU32::new(0),
        })
    }

    /// Asks the process at the other end about itself.
    pub(super) async fn process(&self) -> Result<Process, NoReply> {
        let mut connection = self.connection.clone();
        let info: String = cmd("INFO").query_async(&mut connection).await?;
        // Hosted ones keep their configuration to themselves.
        let mut setting = cmd("CONFIG");
        setting.arg("GET").arg("appendfsync");
        let setting = setting.query_async(&mut connection).await;
        let setting: Vec<String> = match setting {
            Err(refused) if refused.code().is_some() => Vec::new(),
            answered => answered?,
        };
        let appendfsync = setting.get(1).map(String::as_str);
        Process::parse(&info, appendfsync).ok_or(NoReply::Garbled)
    }

    /// Has a script run. Redis loads it first where it does not know it.
    pub(super) async fn ask<const K: usize, const A: usize>(
        &self,
        script: &Script,
        keys: [&str; K],
        arguments: [&str; A],
    ) -> Result<Reply, NoReply> {
        let question = i64::from(self.questions.fetch_add(1, Ordering::Relaxed));
        let mut invocation = script.prepare_invoke();
        for key in keys {
            invocation.key(key);
        }
        invocation.arg(question);
        for argument in arguments {
            invocation.arg(argument);
        }
        let mut connection = self.connection.clone();
        let numbers: Vec<i64> = invocation.invoke_async(&mut connection).await?;
        Reply::parse(question, &numbers).ok_or(NoReply::Garbled)
    }
}
