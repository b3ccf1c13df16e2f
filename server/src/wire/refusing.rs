//! Connections for which there is no place: answered, and closed.
//!
//! Nothing that a client does here takes longer than a second, and no more than a few such clients
//! are listened to; the others are closed as soon as the answer has left, whatever they have sent.

use std::io::Write;
use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

use shared::base::clock::Clock;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::sync::Semaphore;
use tokio::time::timeout;

use super::admission::Full;
use super::connection::{LastAnswer, Refusal};
use crate::base::log_throttle::LogThrottle;

/// Most refused clients that are waited for until they have read their answer.
const LINGERING_MAX: usize = 64;
/// How long each of them is waited for.
const LINGER_MAX: Duration = Duration::from_secs(1);
/// Most bytes of its request that are thrown away.
const THROWN_AWAY_MAX: u64 = 64 * 1024;

/// Refuses connections.
pub(crate) struct Refusing {
    last_answer: LastAnswer,
    clock: Arc<dyn Clock>,
    lingering: Arc<Semaphore>,
    /// Warnings about the limit of all connections, and about that of one address.
    of_total: LogThrottle,
    of_address: LogThrottle,
}

impl Refusing {
    pub(crate) fn new(last_answer: LastAnswer, clock: Arc<dyn Clock>) -> Self {
        Self {
            last_answer,
            clock,
            lingering: Arc::new(Semaphore::new(LINGERING_MAX)),
            of_total: LogThrottle::default(),
            of_address: LogThrottle::default(),
        }
    }

    /// Answers and closes, without waiting for anything.
    pub(crate) fn refuse(&mut self, stream: TcpStream, address: IpAddr, full: Full) {
        self.warn(address, full);
        let answer = (self.last_answer)(Refusal::TooManyConnections, None);
        let Ok(place) = Arc::clone(&self.lingering).try_acquire_owned() else {
            // A socket that is new takes a short answer at once, or its client has left already.
            let _sent = stream
                .into_std()
                .and_then(|mut stream| stream.write(&answer));
            return;
        };
        tokio::spawn(async move {
            let _timed_out_or_done = timeout(LINGER_MAX, answer_and_wait(stream, &answer)).await;
            drop(place);
        });
    }

    fn warn(&mut self, address: IpAddr, full: Full) {
        let (warnings, reached) = match full {
            Full::Total => (&mut self.of_total, "as many connections as there may be"),
            Full::Address => (
                &mut self.of_address,
                "as many connections of one address as there may be",
            ),
        };
        let Some(left_out) = warnings.due(self.clock.now()) else {
            return;
        };
        tracing::warn!(client.address = %address, left_out, "connection refused: {reached}");
    }
}

/// Answers a client, and waits until it has read that: closing earlier would reset the connection,
/// and the answer might be lost.
async fn answer_and_wait(mut stream: TcpStream, answer: &[u8]) -> std::io::Result<()> {
    stream.write_all(answer).await?;
    stream.shutdown().await?;
    let mut request = stream.take(THROWN_AWAY_MAX);
    tokio::io::copy(&mut request, &mut tokio::io::sink()).await?;
    Ok(())
}
