//! Serving an app on a socket, until told to stop.

use std::io;
use std::net::TcpListener;
use std::sync::Arc;
use std::time::Duration;

use salvo::Server;
use salvo::conn::Acceptor;
use salvo::fuse::FuseConfig;
use tokio::runtime::Handle;
use tokio::sync::watch;
use tokio::time::sleep;

use super::acceptor::Connections;
use super::{last_answer, service_until};
use crate::app::App;
use crate::repeating::{Repeating, repeat};

/// How long requests under way may take to finish once the server was told to stop, in seconds.
pub const STOP_SECONDS_MAX: u64 = 10;
/// How long clients that are connected when the server is told to stop may still begin a request.
/// One that is on its way is answered so, where closing its connection would have lost it.
const LAST_REQUESTS: Duration = Duration::from_millis(500);
/// Most connections at a time; more wait in the operating system's queue.
const CONNECTIONS_MAX: usize = 10_000;
/// How long a client may take no byte of its answer.
const STALLED_AFTER: Duration = Duration::from_secs(30);
/// Pause between two looks for units of monthly quotas that lie unused.
const GIVE_BACK_INTERVAL: Duration = Duration::from_millis(500);
/// The HTTP library's own limits answer without a body, so they lie above ours.
const LIBRARY_HEADERS_MAX: usize = 256;
/// Read buffer of a connection, and so the longest head that gets an answer from us, in bytes.
const LIBRARY_HEAD_BYTES_MAX: usize = 256 * 1024;

/// Answers requests on `listener`, which is bound already, until `shutdown` completes.
///
/// Then no connection is accepted any more but those that were made before, every answer is the
/// last of its connection, and connections without a request are closed after half a second.
/// Requests under way are finished (for at most [`STOP_SECONDS_MAX`]), and what was leased of monthly quotas and not used is given back. What
/// lies unused for a second is given back before.
pub async fn serve(
    app: Arc<App>,
    listener: TcpListener,
    shutdown: impl Future<Output = ()> + Send,
) -> io::Result<()> {
    let fuse = FuseConfig::disabled().with_write_stall_timeout(STALLED_AFTER);
    let (stop, stopping) = watch::channel(false);
    let refusing = Arc::clone(&app);
    let connections = Connections::new(
        listener,
        fuse,
        Arc::new(move |refusal| last_answer(&refusing, refusal)),
        stopping.clone(),
    )?;
    let server = server_of(connections);
    let handle = server.handle();
    let giving_back = give_back_idle(Arc::clone(&app))?;
    let mut serving = Box::pin(server.try_serve(service_until(Arc::clone(&app), stopping)));
    let stopped = async {
        shutdown.await;
        stop.send_replace(true);
        sleep(LAST_REQUESTS).await;
        handle.stop_graceful(Duration::from_secs(STOP_SECONDS_MAX).saturating_sub(LAST_REQUESTS));
    };
    let ended = tokio::select! {
        by_itself = &mut serving => by_itself,
        () = stopped => serving.await,
    };
    drop(giving_back);
    app.quotas.give_back_all().await;
    ended
}

/// Lets other servers have what this one leased of monthly quotas and does not use.
fn give_back_idle(app: Arc<App>) -> io::Result<Repeating> {
    let runtime = Handle::current();
    repeat("quotas", GIVE_BACK_INTERVAL, move || {
        runtime.block_on(app.quotas.give_back_idle(app.clock.now()));
    })
}

fn server_of<A: Acceptor + Send>(connections: A) -> Server<A> {
    let mut server = Server::new(connections).max_connections(CONNECTIONS_MAX);
    server
        .http1_mut()
        .max_headers(LIBRARY_HEADERS_MAX)
        .max_buf_size(LIBRARY_HEAD_BYTES_MAX)
        // Connections watch for themselves how long a head takes: the library would close a slow
        // one without an answer, and counts the idle time before it too.
        .header_read_timeout(None)
        // A client that has sent all it has to say may still wait for the answer.
        .half_close(true);
    server
}

#[cfg(test)]
mod tests;
