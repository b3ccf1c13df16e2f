//! One connection to Redis, over which many requests are under way at a time.

use std::sync::atomic::{AtomicU32, Ordering};

use redis::aio::MultiplexedConnection;
use redis::{
    AsyncConnectionConfig, Cmd, ConnectionInfo, ErrorKind, RedisConnectionInfo, RedisError,
    RedisResult, Script, ServerErrorKind, ToRedisArgs, Value, cmd,
};
use tokio_util::task::AbortOnDropHandle;

use super::process::{Process, SETTINGS, Settings};
use super::scripts::Reply;
use super::sentinels::Named;
use super::stream;

/// Capacity for the text of a request; long names take more.
const QUESTION_BYTES: usize = 256;

/// A connection, and the number of requests sent on it.
#[derive(Debug)]
pub(super) struct Line {
    connection: MultiplexedConnection,
    /// The task that drives it, aborted as soon as no request uses it.
    _task: AbortOnDropHandle<()>,
    questions: AtomicU32,
}

/// Why there is no reply.
pub(super) enum NoReply {
    Failed(RedisError),
    Garbled,
}

impl From<RedisError> for NoReply {
    fn from(error: RedisError) -> Self {
        match error.kind() {
            ErrorKind::Parse | ErrorKind::UnexpectedReturnType => Self::Garbled,
            _ => Self::Failed(error),
        }
    }
}

impl Line {
    /// Connects to that place with these settings. The caller limits the time.
    pub(super) async fn connect(
        info: &ConnectionInfo,
        settings: &RedisConnectionInfo,
    ) -> RedisResult<Self> {
        let unlimited = AsyncConnectionConfig::new()
            .set_connection_timeout(None)
            .set_response_timeout(None);
        let stream = stream::connect(info).await?;
        let connected = MultiplexedConnection::new_with_config(settings, stream, unlimited);
        let (connection, driver) = connected.await?;
        Ok(Self {
            connection,
            _task: AbortOnDropHandle::new(tokio::spawn(driver)),
            questions: AtomicU32::new(0),
        })
    }

    /// Asks the process at the other end about itself.
    pub(super) async fn process(&self) -> Result<Process, NoReply> {
        let mut connection = self.connection.clone();
        let info: String = cmd("INFO").query_async(&mut connection).await?;
        // Hosted services do not reveal their configuration.
        let mut setting = cmd("CONFIG");
        setting.arg("GET").arg(SETTINGS);
        let settings: Settings = match setting.query_async(&mut connection).await {
            Err(refused) if refused.code().is_some() => Settings::new(),
            answered => answered?,
        };
        Process::parse(&info, &settings).ok_or(NoReply::Garbled)
    }

    /// Asks a sentinel for the server that is called `master`.
    pub(super) async fn master(&self, master: &str) -> Result<Named, NoReply> {
        let mut connection = self.connection.clone();
        let mut asked = cmd("SENTINEL");
        asked.arg("MASTER").arg(master);
        let known = asked.query_async(&mut connection).await?;
        Named::parse(known).ok_or(NoReply::Garbled)
    }

    /// Runs a script, which is loaded first if Redis does not know it.
    pub(super) async fn ask<const K: usize, A: ToRedisArgs, const N: usize>(
        &self,
        script: &Script,
        keys: [&str; K],
        arguments: [A; N],
    ) -> Result<Reply, NoReply> {
        let question = i64::from(self.questions.fetch_add(1, Ordering::Relaxed));
        // Built by hand, since the library's script invocation allocates for each part.
        let mut asked = Cmd::with_capacity(4 + K + N, QUESTION_BYTES);
        asked.arg("EVALSHA").arg(script.get_hash()).arg(K);
        asked.arg(&keys).arg(question).arg(&arguments);
        let mut connection = self.connection.clone();
        let mut answered = answer(&mut connection, &asked).await;
        if answered.as_ref().is_err_and(is_unknown_script) {
            script.load_async(&mut connection).await?;
            answered = answer(&mut connection, &asked).await;
        }
        let numbers = numbers(&answered?).ok_or(NoReply::Garbled)?;
        Reply::parse(question, numbers).ok_or(NoReply::Garbled)
    }
}

async fn answer(connection: &mut MultiplexedConnection, asked: &Cmd) -> RedisResult<Value> {
    connection.send_packed_command(asked).await?.extract_error()
}

/// Parses `N` numbers of eight bytes, as `struct.pack` in a script writes them.
fn numbers<const N: usize>(answered: &Value) -> Option<[i64; N]> {
    let Value::BulkString(bytes) = answered else {
        return None;
    };
    let (numbers, rest) = bytes.as_chunks();
    let numbers: &[[u8; 8]; N] = numbers.try_into().ok()?;
    rest.is_empty().then(|| numbers.map(i64::from_be_bytes))
}

fn is_unknown_script(error: &RedisError) -> bool {
    error.kind() == ErrorKind::Server(ServerErrorKind::NoScript)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_is_that_many_numbers_and_nothing_else() {
        let packed = [1_i64, -2].map(i64::to_be_bytes).concat();
        let told = Value::BulkString(packed.clone());
        assert_eq!(numbers(&told), Some([1, -2]));
        assert_eq!(numbers::<1>(&told), None, "too many");
        assert_eq!(numbers::<3>(&told), None, "too few");
        let cut_off = Value::BulkString(packed[..15].to_vec());
        assert_eq!(numbers::<1>(&cut_off), None, "one and a half");
        assert_eq!(numbers::<2>(&cut_off), None, "cut off");
        assert_eq!(numbers::<0>(&Value::Okay), None, "a status");
    }
}
