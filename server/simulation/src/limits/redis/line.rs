//! A connection to Redis, as the server's sources see one: it leads to a model, which takes its
//! time and fails as it draws.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use redis::{
    ConnectionAddr, ConnectionInfo, ErrorKind, RedisConnectionInfo, RedisError, RedisResult, Script,
    ToRedisArgs,
};

use super::process::Process;
use super::scripts::Reply;
use super::sentinels::Named;
use crate::engine::{self, Broken, Caller, RedisEngine};
use crate::turns::{self, job_in};

/// A connection, and the number of requests sent on it.
pub(super) struct Line {
    engine: Arc<dyn RedisEngine>,
    connection: u64,
    questions: AtomicU32,
}

impl std::fmt::Debug for Line {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Line({})", self.connection)
    }
}

/// Why there is no reply.
pub(super) enum NoReply {
    Failed(RedisError),
    Garbled,
}

impl From<RedisError> for NoReply {
    fn from(error: RedisError) -> Self {
        Self::Failed(error)
    }
}

fn caller() -> Caller {
    Caller {
        process: turns::process(),
        thread: turns::this_thread(),
    }
}

fn broken(_why: Broken) -> RedisError {
    io::Error::from(io::ErrorKind::ConnectionReset).into()
}

impl Line {
    pub(super) async fn connect(
        info: &ConnectionInfo,
        _settings: &RedisConnectionInfo,
    ) -> RedisResult<Self> {
        let nowhere = || RedisError::from((ErrorKind::InvalidClientConfig, "no such model"));
        let ConnectionAddr::Tcp(host, _port) = info.addr() else {
            return Err(nowhere());
        };
        let engine = engine::named(host).ok_or_else(nowhere)?;
        let (there, caller) = (Arc::clone(&engine), caller());
        let connection = calls(move || there.connect(caller)).await.map_err(broken)?;
        Ok(Self {
            engine,
            connection,
            questions: AtomicU32::new(0),
        })
    }

    pub(super) async fn process(&self) -> Result<Process, NoReply> {
        let (there, caller, connection) = (Arc::clone(&self.engine), caller(), self.connection);
        let reported = calls(move || there.report(caller, connection)).await;
        let (info, settings) = reported.map_err(|why| NoReply::Failed(broken(why)))?;
        Process::parse(&info, &settings).ok_or(NoReply::Garbled)
    }

    /// No model is a sentinel.
    #[expect(
        clippy::unused_async,
        reason = "the server's waits for the reply of a sentinel"
    )]
    pub(super) async fn master(&self, _master: &str) -> Result<Named, NoReply> {
        Err(NoReply::Garbled)
    }

    pub(super) async fn ask<const K: usize, A: ToRedisArgs, const N: usize>(
        &self,
        script: &Script,
        keys: [&str; K],
        arguments: [A; N],
    ) -> Result<Reply, NoReply> {
        let question = i64::from(self.questions.fetch_add(1, Ordering::Relaxed));
        let mut all = vec![question.to_string()];
        let texts = arguments.iter().flat_map(ToRedisArgs::to_redis_args);
        all.extend(texts.map(|text| String::from_utf8_lossy(&text).into_owned()));
        let keys = keys.map(str::to_owned).to_vec();
        let call = (script.get_hash().to_owned(), keys, all);
        let (there, caller, connection) = (Arc::clone(&self.engine), caller(), self.connection);
        let answered = calls(move || there.run(caller, connection, call)).await;
        let numbers = answered.map_err(|why| NoReply::Failed(broken(why)))?;
        Reply::parse(question, numbers).ok_or(NoReply::Garbled)
    }
}

/// A call that goes on though the caller gives it up.
async fn calls<T: Send + 'static>(
    call: impl FnOnce() -> Result<T, Broken> + Send + 'static,
) -> Result<T, Broken> {
    job_in(turns::Process::OUTSIDE, call).await.unwrap_or(Err(Broken))
}
