//! A proxy between a server and a Redis that does to connections what networks do.

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::tcp::{OwnedReadHalf, OwnedWriteHalf};
use tokio::net::{TcpListener, TcpStream};
use tokio::runtime::Runtime;
use tokio::sync::watch;

/// What it does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Mode {
    /// It passes everything on.
    Pass,
    /// It reads everything, and passes it on only later.
    Hold,
    /// It closes connections.
    Cut,
    /// It replaces the first bytes with the second, of the same length, in replies.
    Replace(&'static [u8], &'static [u8]),
}

/// A proxy that tests control.
pub(super) struct Proxy {
    mode: watch::Sender<Mode>,
}

impl Proxy {
    pub(super) fn new(mode: Mode) -> Self {
        Self {
            mode: watch::Sender::new(mode),
        }
    }

    pub(super) fn set(&self, mode: Mode) {
        self.mode.send_replace(mode);
    }

    /// Starts in front of a Redis, and says where.
    pub(super) fn start(&self, runtime: &Runtime, redis: &str) -> String {
        let behind = redis.strip_prefix("redis://").unwrap();
        let (behind, database) = behind.split_once('/').unwrap();
        let (behind, mode) = (behind.to_owned(), self.mode.subscribe());
        let listener = runtime.block_on(TcpListener::bind("127.0.0.1:0")).unwrap();
        let port = listener.local_addr().unwrap().port();
        runtime.spawn(async move {
            loop {
                let (client, _) = listener.accept().await.unwrap();
                let Ok(server) = TcpStream::connect(&behind).await else {
                    continue;
                };
                let (from_client, to_client) = client.into_split();
                let (from_server, to_server) = server.into_split();
                tokio::spawn(pass(from_client, to_server, mode.clone(), false));
                tokio::spawn(pass(from_server, to_client, mode.clone(), true));
            }
        });
        format!("redis://127.0.0.1:{port}/{database}")
    }
}

/// Passes bytes on until one side is closed or connections are cut.
async fn pass(
    mut from: OwnedReadHalf,
    mut to: OwnedWriteHalf,
    mut mode: watch::Receiver<Mode>,
    are_replies: bool,
) {
    let mut buffer = vec![0; 64 * 1024];
    loop {
        let read = tokio::select! {
            read = from.read(&mut buffer) => read.unwrap_or(0),
            _cut = mode.wait_for(|mode| *mode == Mode::Cut) => return,
        };
        let Ok(now) = mode
            .wait_for(|mode| *mode != Mode::Hold)
            .await
            .map(|now| *now)
        else {
            return;
        };
        let mut passed = buffer[..read].to_vec();
        if let (Mode::Replace(bytes, others), true) = (now, are_replies) {
            replace(&mut passed, bytes, others);
        }
        if read == 0 || now == Mode::Cut || to.write_all(&passed).await.is_err() {
            return;
        }
    }
}

fn replace(all: &mut [u8], bytes: &[u8], others: &[u8]) {
    for start in 0..all.len() {
        if all[start..].starts_with(bytes) {
            all[start..start + bytes.len()].copy_from_slice(others);
        }
    }
}
