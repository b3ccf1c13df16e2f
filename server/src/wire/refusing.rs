//! Connections that were not admitted: sends them a response and closes them.
//!
//! No client is waited for longer than a second, and only a few are waited for at a time; the
//! others are closed as soon as the response is sent, whatever they have sent.

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

/// Most refused clients that are waited for at a time, until they have read their response.
const LINGERING_MAX: usize = 64;
/// How long each of them is waited for.
const LINGER_MAX: Duration = Duration::from_secs(1);
/// Most bytes of a request that are discarded.
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

    /// Sends a response and closes, without making the caller wait.
    pub(crate) fn refuse(&mut self, stream: TcpStream, address: IpAddr, full: Full) {
        self.warn(address, full);
        let answer = (self.last_answer)(Refusal::TooManyConnections, None);
        let Ok(permit) = Arc::clone(&self.lingering).try_acquire_owned() else {
            // A new socket takes a short response at once, or its client has already left.
            let _sent = stream
                .into_std()
                .and_then(|mut stream| stream.write(&answer));
            return;
        };
        tokio::spawn(async move {
            let _timed_out_or_done = timeout(LINGER_MAX, answer_and_wait(stream, &answer)).await;
            drop(permit);
        });
    }

    fn warn(&mut self, address: IpAddr, full: Full) {
        let (warnings, reached) = match full {
            Full::Total => (&mut self.of_total, "there are already as many as allowed"),
            Full::Address => (
                &mut self.of_address,
                "this address already has as many as allowed",
            ),
        };
        let Some(left_out) = warnings.due(self.clock.now()) else {
            return;
        };
        tracing::warn!(client.address = %address, left_out, "connection refused: {reached}");
    }
}

/// Sends a client its response, and waits until the client has read it: closing earlier would reset
/// the connection, and the response might be lost.
async fn answer_and_wait(mut stream: TcpStream, answer: &[u8]) -> std::io::Result<()> {
    stream.write_all(answer).await?;
    stream.shutdown().await?;
    let mut request = stream.take(THROWN_AWAY_MAX);
    tokio::io::copy(&mut request, &mut tokio::io::sink()).await?;
    Ok(())
}
