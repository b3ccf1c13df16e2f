//! Serving an app on a socket, until told to stop.

use std::io;
use std::net::TcpListener;
use std::sync::Arc;
use std::time::Duration;

use salvo::Server;
use salvo::fuse::FuseConfig;

use super::acceptor::Connections;
use super::{service, time_out};
use crate::app::App;

/// How long requests under way may take to finish once the server was told to stop, in seconds.
pub const STOP_SECONDS_MAX: u64 = 10;
/// Most connections at a time; more wait in the operating system's queue.
const CONNECTIONS_MAX: usize = 10_000;
/// How long a client may take no byte of its answer.
const STALLED_AFTER: Duration = Duration::from_secs(30);
/// The HTTP library's own limits answer without a body, so they lie above ours.
const LIBRARY_HEADERS_MAX: usize = 256;
/// Read buffer of a connection, and so the longest head that gets an answer from us, in bytes.
const LIBRARY_HEAD_BYTES_MAX: usize = 256 * 1024;

/// Answers requests on `listener`, which is bound already, until `shutdown` completes.
///
/// Then no connection is accepted any more, requests under way are finished (for at most
/// [`STOP_SECONDS_MAX`]), and what was leased of monthly quotas and not used is given back.
pub async fn serve(
    app: Arc<App>,
    listener: TcpListener,
    shutdown: impl Future<Output = ()> + Send,
) -> io::Result<()> {
    // Connections watch for themselves how long a head takes: the library would close a slow one
    // without an answer.
    let fuse = FuseConfig::disabled().with_write_stall_timeout(STALLED_AFTER);
    let slow = Arc::clone(&app);
    let connections = Connections::new(listener, fuse, Arc::new(move || time_out(&slow)))?;
    let mut server = Server::new(connections).max_connections(CONNECTIONS_MAX);
    server
        .http1_mut()
        .max_headers(LIBRARY_HEADERS_MAX)
        .max_buf_size(LIBRARY_HEAD_BYTES_MAX);
    let handle = server.handle();
    let mut serving = Box::pin(server.try_serve(service(Arc::clone(&app))));
    let ended = tokio::select! {
        by_itself = &mut serving => by_itself,
        () = shutdown => {
            handle.stop_graceful(Duration::from_secs(STOP_SECONDS_MAX));
            serving.await
        }
    };
    app.quotas.give_back_all().await;
    ended
}
