//! A proxy between a server and a Redis that does to connections what networks do.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

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
    /// It replies with the first text, then with the second one, forever.
    Endless(&'static str, &'static str),
}

/// A proxy that tests control.
pub(super) struct Proxy {
    mode: watch::Sender<Mode>,
    /// The most bytes read from an endless reply.
    taken: Arc<AtomicUsize>,
}

impl Proxy {
    pub(super) fn new(mode: Mode) -> Self {
        Self {
            mode: watch::Sender::new(mode),
            taken: Arc::default(),
        }
    }

    pub(super) fn taken(&self) -> usize {
        self.taken.load(Ordering::Relaxed)
    }

    pub(super) fn set(&self, mode: Mode) {
        self.mode.send_replace(mode);
    }

    /// Starts in front of a Redis, and says where.
    pub(super) fn start(&self, runtime: &Runtime, redis: &str) -> String {
        let behind = redis.strip_prefix("redis://").unwrap();
        let (behind, database) = behind.split_once('/').unwrap();
        let (behind, mode) = (behind.to_owned(), self.mode.subscribe());
        let taken = Arc::clone(&self.taken);
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
                tokio::spawn(pass(from_client, to_server, mode.clone(), None));
                let replies = Some(Arc::clone(&taken));
                tokio::spawn(pass(from_server, to_client, mode.clone(), replies));
            }
        });
        format!("redis://127.0.0.1:{port}/{database}")
    }
}

/// Passes bytes on until one side is closed or connections are cut; reports how much of an endless
/// reply was read.
async fn pass(
    mut from: OwnedReadHalf,
    mut to: OwnedWriteHalf,
    mut mode: watch::Receiver<Mode>,
    replies: Option<Arc<AtomicUsize>>,
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
        match (now, &replies) {
            (Mode::Replace(bytes, others), Some(_taken)) => replace(&mut passed, bytes, others),
            (Mode::Endless(head, piece), Some(taken)) => {
                let sent = send(&mut to, head, piece).await;
                taken.fetch_max(sent, Ordering::Relaxed);
                return;
            }
            _ => {}
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

/// Sends forever, and returns how much was read.
async fn send(to: &mut OwnedWriteHalf, head: &str, piece: &str) -> usize {
    let pieces = piece.repeat((64 << 10) / piece.len());
    let mut taken = 0;
    if to.write_all(head.as_bytes()).await.is_ok() {
        while to.write_all(pieces.as_bytes()).await.is_ok() {
            taken += pieces.len();
        }
    }
    taken
}
