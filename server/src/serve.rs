//! Serving an app on a socket, until it is stopped.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use salvo::Server;
use tokio::runtime::Handle;
use tokio::sync::watch;
use tokio::time::sleep;

use crate::app::App;
use crate::base::periodic_task::{PeriodicTask, repeat};
use crate::clock_watch;
use crate::http::{last_answer, service_until};
use crate::wire::{ConnectionLimits, Connections, Phase, Socket, server_of};

/// How long requests under way may take to finish once the server is stopping, in seconds.
pub const STOP_SECONDS_MAX: u64 = 8;
/// How long connected clients may still begin a request when the server begins to stop. A request
/// on its way is answered then, where closing its connection would lose it.
const LAST_REQUESTS: Duration = Duration::from_millis(400);
/// How long it may then take to answer clients with a half-sent request, before the HTTP library
/// closes connections.
const LAST_WORDS: Duration = Duration::from_millis(100);
/// Pause between two checks for idle units of monthly quotas.
const GIVE_BACK_INTERVAL: Duration = Duration::from_millis(500);

/// An app ready to serve on a socket.
pub struct Answering {
    app: Arc<App>,
    server: Server<Connections>,
    phases: watch::Sender<Phase>,
    phase: watch::Receiver<Phase>,
    giving_back: PeriodicTask,
    watching_clock: PeriodicTask,
}

impl Answering {
    /// Prepares everything, so that nothing is missing once the server says that it listens. Must
    /// be called on the runtime that serves.
    pub fn prepare(app: Arc<App>, socket: Socket, limits: ConnectionLimits) -> io::Result<Self> {
        let (phases, phase) = watch::channel(Phase::Serving);
        let refusing = Arc::clone(&app);
        let connections = Connections::new(
            socket,
            limits,
            Arc::new(move |refusal, origin| last_answer(&refusing, refusal, origin)),
            Arc::clone(&app.clock),
            Arc::clone(&app.metrics.connections),
            phase.clone(),
        )?;
        Ok(Self {
            server: server_of(connections),
            giving_back: give_back_idle(Arc::clone(&app))?,
            watching_clock: watch_clock(Arc::clone(&app))?,
            app,
            phases,
            phase,
        })
    }

    /// Serves until `shutdown` completes.
    ///
    /// Then no connection is accepted any more but, on a socket of its own, those that were made
    /// before, and every answer is the last of its connection, as it is already where the app
    /// drains before that. Within half a second, clients whose head has not ended are answered with
    /// 408, and connections without a request are closed. Requests under way are finished, for at
    /// most [`STOP_SECONDS_MAX`] altogether, and what was leased of monthly quotas and not used is
    /// given back. What lies unused for a second is given back before.
    pub async fn until(self, shutdown: impl Future<Output = ()> + Send) -> io::Result<()> {
        let Self {
            app,
            server,
            phases,
            phase,
            giving_back,
            watching_clock: _watching_clock,
        } = self;
        let handle = server.handle();
        let mut serving = Box::pin(server.try_serve(service_until(Arc::clone(&app), phase)));
        let stopped = async {
            shutdown.await;
            phases.send_replace(Phase::Stopping);
            sleep(LAST_REQUESTS).await;
            phases.send_replace(Phase::Closing);
            sleep(LAST_WORDS).await;
            let left =
                Duration::from_secs(STOP_SECONDS_MAX).saturating_sub(LAST_REQUESTS + LAST_WORDS);
            handle.stop_graceful(left);
        };
        let ended = tokio::select! {
            by_itself = &mut serving => by_itself,
            () = stopped => serving.await,
        };
        drop(giving_back);
        app.quotas.give_back_all().await;
        ended
    }
}

/// Gives back idle units of monthly quotas, for other servers.
fn give_back_idle(app: Arc<App>) -> io::Result<PeriodicTask> {
    let runtime = Handle::current();
    repeat("quotas", GIVE_BACK_INTERVAL, move || {
        runtime.block_on(app.quotas.give_back_idle(app.clock.now()));
    })
}

/// Starts to check the clock of an app, at once and then every second.
fn watch_clock(app: Arc<App>) -> io::Result<PeriodicTask> {
    repeat("clock", clock_watch::INTERVAL, move || app.check_clock())
}

#[cfg(test)]
mod tests;
