//! Counting requests in Redis: one call at a time, for all that wait.
//!
//! A request that finds no call under way is sent at once. Those that come while one is are sent
//! together when it is answered: the more requests there are, the less each costs this server and
//! Redis, and what Redis is asked at a time has a bound.

use std::time::Duration;

use redis::aio::MultiplexedConnection;
use redis::{ErrorKind, RedisResult, Script, ServerErrorKind, Value, from_redis_value};
use shared::base::clock::Moment;
use tokio::sync::{mpsc, oneshot};
use tokio::task::yield_now;
use tokio_util::task::AbortOnDropHandle;

use crate::limits::usage::Usage;

/// Most requests of a call: Redis does nothing else for less than a millisecond.
pub(super) const REQUESTS_MAX: usize = 256;

/// The calls over one connection. Dropping it breaks off the one under way.
#[derive(Debug)]
pub(super) struct Calls {
    /// Without a bound of its own: only requests that the server has admitted wait in it.
    waiting: mpsc::UnboundedSender<Request>,
    _task: AbortOnDropHandle<()>,
}

/// A request that waits to be counted.
#[derive(Debug)]
struct Request {
    window: String,
    limit: u32,
    counted: oneshot::Sender<RedisResult<Counted>>,
}

/// What Redis says of a request.
#[derive(Debug)]
pub(super) struct Counted {
    pub(super) is_granted: bool,
    pub(super) usage: Usage,
}

impl Calls {
    /// Calls of the script that counts.
    pub(super) fn over(connection: MultiplexedConnection, script: Script) -> Self {
        let (waiting, requests) = mpsc::unbounded_channel();
        let task = tokio::spawn(call_for_all(connection, script, requests));
        Self {
            waiting,
            _task: AbortOnDropHandle::new(task),
        }
    }

    /// Counts a request in that window. The caller limits the time.
    pub(super) async fn count(&self, window: String, limit: u32) -> RedisResult<Counted> {
        let (counted, answer) = oneshot::channel();
        let request = Request {
            window,
            limit,
            counted,
        };
        // If nobody receives it, nobody answers either: it is dropped with its sender.
        drop(self.waiting.send(request));
        let broken_off = |_gone| Err((ErrorKind::Io, "the call was broken off").into());
        answer.await.unwrap_or_else(broken_off)
    }
}

/// Calls until no more requests can come.
async fn call_for_all(
    mut connection: MultiplexedConnection,
    script: Script,
    mut requests: mpsc::UnboundedReceiver<Request>,
) {
    while let Some(first) = requests.recv().await {
        // What is ready to run now may send more.
        yield_now().await;
        let mut waiting = vec![first];
        while waiting.len() < REQUESTS_MAX
            && let Ok(another) = requests.try_recv()
        {
            waiting.push(another);
        }
        // Nothing is counted for those who have gone.
        waiting.retain(|request| !request.counted.is_closed());
        let mut call = script.prepare_invoke();
        for request in &waiting {
            call.key(&*request.window).arg(request.limit);
        }
        let results = call.invoke_async(&mut connection).await;
        answer_all(waiting, results);
    }
}

/// Those for whom Redis has returned nothing learn that the call was broken off.
fn answer_all(waiting: Vec<Request>, results: RedisResult<Vec<Value>>) {
    match results {
        Ok(results) => {
            for (request, result) in waiting.into_iter().zip(results) {
                // It may have gone meanwhile.
                let _gone = request.counted.send(counted(result, request.limit));
            }
        }
        Err(why) => {
            for request in waiting {
                let _gone = request.counted.send(Err(why.clone()));
            }
        }
    }
}

/// What the script says of one request.
fn counted(result: Value, limit: u32) -> RedisResult<Counted> {
    if let Value::BulkString(why) = result {
        let why = String::from_utf8_lossy(&why).into_owned();
        let kind = ErrorKind::Server(ServerErrorKind::ResponseError);
        return Err((kind, "the script failed", why).into());
    }
    let (is_granted, counted, wait_micros, now_micros): (bool, u64, u64, i64) =
        from_redis_value(result)?;
    // By the store's clock, so that every server shows the same.
    let now = Moment {
        unix_nanos: now_micros.saturating_mul(1000),
        monotonic: Duration::ZERO,
    };
    let limit = u64::from(limit);
    let reset = now.plus(Duration::from_micros(wait_micros)).unix_nanos;
    let usage = Usage::new(limit, limit.saturating_sub(counted), reset, now);
    Ok(Counted { is_granted, usage })
}
