//! Clients over real sockets: connections are kept alive, and a test controls every byte that it
//! sends.

use std::net::{SocketAddr, TcpListener};
use std::sync::Arc;
use std::time::Duration;

use server::serve::Answering;
use server::{ConnectionLimits, Socket};
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::TcpStream;
use tokio::sync::oneshot;
use tokio::time::timeout;

use crate::app::TestApp;

/// What is awaited, which has to be there within a minute.
pub(crate) async fn in_time<T>(what: &str, awaited: impl Future<Output = T>) -> T {
    let late = |_elapsed| panic!("{what}: not within a minute");
    let there = timeout(Duration::from_mins(1), awaited).await;
    there.unwrap_or_else(late)
}

/// Serves `app` until `client` has finished.
pub(crate) async fn while_served(app: &TestApp, client: impl AsyncFnOnce(SocketAddr)) {
    while_served_within(app, ConnectionLimits::default(), client).await;
}

/// The same, with these limits of connections.
pub(crate) async fn while_served_within(
    app: &TestApp,
    limits: ConnectionLimits,
    client: impl AsyncFnOnce(SocketAddr),
) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let (stop, stopped) = oneshot::channel::<()>();
    let shutdown = async move { stopped.await.unwrap() };
    let socket = Socket::Own(listener);
    let answering = Answering::prepare(Arc::clone(&app.app), socket, limits).unwrap();
    let serving = tokio::spawn(answering.until(shutdown));
    client(address).await;
    stop.send(()).unwrap();
    serving.await.unwrap().unwrap();
}

/// The part of `whole` that one of `count` clients gets.
pub(crate) const fn share(whole: usize, count: usize, index: usize) -> usize {
    whole / count + if index < whole % count { 1 } else { 0 }
}

/// A response as it came over the socket.
pub(crate) struct Received {
    pub(crate) status: u16,
    pub(crate) body: String,
}

/// A connection that is kept alive for several requests.
pub(crate) struct Client(BufReader<TcpStream>);

impl Client {
    pub(crate) async fn connect(address: SocketAddr) -> Self {
        Self(BufReader::new(TcpStream::connect(address).await.unwrap()))
    }

    /// The response to a `GET` with these header fields.
    pub(crate) async fn get(&mut self, target: &str, fields: &[(&str, &str)]) -> Received {
        let mut request = format!("GET {target} HTTP/1.1\r\nhost: test\r\n");
        for (name, value) in fields {
            request.extend([name, ": ", value, "\r\n"]);
        }
        request.push_str("\r\n");
        self.send(request.as_bytes()).await.unwrap()
    }

    /// The response to these bytes, or `None` if the server closes the connection instead.
    pub(crate) async fn send(&mut self, request: &[u8]) -> Option<Received> {
        // This may fail: after refusing a request, the server need not read the rest of it.
        let _written = self.0.get_mut().write_all(request).await;
        self.receive().await
    }

    async fn receive(&mut self) -> Option<Received> {
        let mut head = String::new();
        while !head.ends_with("\r\n\r\n") {
            match self.0.read_line(&mut head).await {
                Ok(0) | Err(_) => return None,
                Ok(_) => {}
            }
        }
        let status = head.split(' ').nth(1).unwrap().parse().unwrap();
        let lines = head.lines().filter_map(|line| line.split_once(": "));
        let length = lines
            .filter(|(name, _)| name.eq_ignore_ascii_case("content-length"))
            .map(|(_, length)| length.parse().unwrap())
            .next();
        let mut body = vec![
            0;
            if status == 304 {
                0
            } else {
                length.unwrap_or(0)
            }
        ];
        self.0.read_exact(&mut body).await.ok()?;
        let body = String::from_utf8(body).unwrap();
        Some(Received { status, body })
    }
}
