//! Assembles a server from a data directory, for `serve` and `demo`.
//!
//! It opens the release before it binds the address, so that a server that announces its address
//! can respond. It never creates a key store: a missing one may have been moved away, and with an
//! empty one in its place every key would be unknown.

pub mod admin;
pub mod bodies_memory;
pub mod key_store_config;
pub mod listening;
pub mod logging;
pub mod rate_limit_backend;
pub mod release_location;

use std::io::Write;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;
use std::time::Duration;

use anyhow::Context as _;
use rand::SeedableRng;
use rand::rngs::StdRng;
use sd_notify::NotifyState;
use server::app::{App, Parts};
use server::catalogue::{Catalogue, OpenSettings};
use server::keyring::{Keyring, RefreshError, watch, write_uses};
use server::limits::Quotas;
use server::ops::follow::{self, Follower, follow};
use server::ops::imports::watch_imports;
use server::ops::prefetch::prefetch;
use server::request_id::RandomRequestIds;
use server::{ConnectionLimits, Socket, cors::AllowedOrigins, serve::Answering};
use shared::base::data_dir::DataDir;
use shared::keys::environment::Environment;
use shared::keys::last_use::LastUses;
use shared::keys::store::KeySource;
use shared::release::Releases;
use shared::release::pointer::Pointer;
use shared::release::throttle::Unthrottled;
use shared::servers::{ServerLock, ServerLockError, WhileLocked};
use tokio::runtime::Runtime;

use crate::exit_status::ExitStatus;
use crate::hints::{self, Hinted};
use crate::process::context::Context;
use crate::process::machine::raise_open_files;
use crate::process::stop::StopSignals;
use crate::serving::admin::Admin;
use crate::serving::key_store_config::{Followed, KeyStoreConfig};
use crate::serving::listening::Listening;
use crate::serving::rate_limit_backend::RateLimitBackend;

/// A server that is ready to accept requests.
pub struct Serving {
    runtime: Runtime,
    app: App,
    minutes: RateLimitBackend,
    releases: Arc<dyn Releases>,
    settings: OpenSettings,
    /// Why the served release may not be the active one, if so.
    warning: Option<anyhow::Error>,
    keyring: Arc<Keyring>,
    source: Box<dyn KeySource>,
    last_uses: Arc<dyn LastUses>,
    socket: Socket,
    lock: Arc<ServerLock>,
}

impl Serving {
    /// Opens the active release of the locked directory and binds the address. Later releases are
    /// opened with the same settings. Pages of the allowed origins may read responses. The store of
    /// `keys` need not be reachable yet.
    pub fn prepare(
        runtime: Runtime,
        lock: ServerLock,
        keys: &KeyStoreConfig,
        listening: Listening,
        (releases, settings): (Arc<dyn Releases>, OpenSettings),
        allowed_origins: AllowedOrigins,
        context: &mut Context,
    ) -> anyhow::Result<Self> {
        let (catalogue, warning) = open_catalogue(&*releases, settings)?;
        let keyring = Arc::new(Keyring::default());
        let Followed {
            source,
            ledger,
            last_uses,
        } = keys.follow()?;
        let parts = Parts {
            environment: lock.environment(),
            catalogue: Arc::new(catalogue),
            keyring: Arc::clone(&keyring),
            quotas: Quotas::new(ledger),
            others: Arc::clone(&releases).into(),
            clock: Arc::clone(&context.clock),
            request_ids: Box::new(RandomRequestIds::new(Box::new(StdRng::from_rng(
                &mut context.random,
            )))),
        };
        let socket = listening.socket()?;
        let app = App::new(parts).allowing(allowed_origins);
        let app = if keys.is_shared() {
            app.with_shared_stores()
        } else {
            app
        };
        Ok(Self {
            runtime,
            app,
            minutes: RateLimitBackend::default(),
            releases,
            settings,
            warning,
            keyring,
            source,
            last_uses,
            socket,
            lock: Arc::new(lock),
        })
    }

    /// Makes the server count minute limits there.
    #[must_use]
    pub fn counting_in(self, minutes: RateLimitBackend) -> Self {
        Self { minutes, ..self }
    }

    /// Makes responses also show limits in the form of the IETF draft.
    #[must_use]
    pub fn showing_rate_limit_draft(self) -> Self {
        let app = self.app.showing_rate_limit_draft();
        Self { app, ..self }
    }

    /// Makes the metrics include the number of log lines that were `dropped`.
    #[must_use]
    pub fn logging(self, dropped: Arc<AtomicU64>) -> Self {
        let app = self.app.logging(dropped);
        Self { app, ..self }
    }

    /// The address that the server listens on, with port 0 resolved.
    pub fn address(&self) -> anyhow::Result<SocketAddr> {
        self.socket
            .local_addr()
            .context("could not see the address that is listened on")
    }

    /// Serves requests until a signal to stop, and for `drain` longer. Prints the address to
    /// standard output once it does.
    pub fn run(
        self,
        limits: ConnectionLimits,
        admin: Admin,
        drain: Duration,
        context: &mut Context,
    ) -> anyhow::Result<ExitStatus> {
        let address = self.address()?;
        let runtime = self.runtime;
        let minutes = runtime.block_on(self.minutes.open(Arc::clone(&context.clock)))?;
        let app = Arc::new(self.app.counting_in(minutes));
        // Held here too, so that no other server starts before the last uses are written.
        let lock = Arc::clone(&self.lock);
        let mut source = Box::new(WhileLocked::new(Arc::clone(&lock), self.source));
        // The watcher would do this too, but perhaps only after the first request.
        let known = self.keyring.refresh(&mut *source, context.clock.now());
        if let Err(error) = known {
            if let RefreshError::Poll { source } = &error
                && source.is_of_another_program()
            {
                return Err(source.clone().into());
            }
            let error = anyhow::Error::new(error);
            let hint = hints::hint(&error).unwrap_or("`catalogue doctor` says more".into());
            let hint = context.hints.paste(&hint);
            tracing::warn!(
                "starting without keys, requests with one get 503 for now: {error:#}; {hint}"
            );
        }
        // When it is dropped, after the last response, it writes the last uses.
        let _uses = write_uses(Arc::clone(&self.keyring), self.last_uses)
            .context("could not write down when keys are used")?;
        let clock = Arc::clone(&context.clock);
        let confirm = move |revision: &_| lock.confirm(revision);
        let _watch = watch(self.keyring, source, clock, Box::new(confirm))
            .context("could not watch the keys")?;
        if let Some(warning) = self.warning {
            tracing::warn!("serving the release that was active when last seen: {warning:#}");
        }
        let releases = self.releases;
        let follower = Follower::new(Arc::clone(&app), Arc::clone(&releases), self.settings);
        let _follow = follow(follower).context("could not watch for releases")?;
        let _tend = prefetch(Arc::clone(&app), Arc::clone(&releases))
            .context("could not start to fetch releases ahead")?;
        let _imports = watch_imports(Arc::clone(&app), Arc::clone(&releases))
            .context("could not watch imports")?;
        let ended = runtime.block_on(async {
            let signals = StopSignals::watch()?;
            context.interrupts.leave();
            let failed = || format!("could not serve on {address}");
            let answering = Answering::prepare(Arc::clone(&app), self.socket, limits);
            let answering = answering.with_context(failed)?;
            let _answering_operators = admin.start(&app)?;
            // By then the log contains the administration address.
            _ = context.err.flush();
            announce(address, context)?;
            let stopped = signals.stop(&app, drain, &context.service_manager);
            answering.until(stopped).await.with_context(failed)?;
            Ok(ExitStatus::Done)
        });
        // No request is served after this, so the last uses are final.
        drop(runtime);
        // A task that waits for another machine would keep this process alive.
        releases.cancel();
        ended
    }
}

/// The usual limits on connections, lower if open files allow fewer; at most `per_address` from one
/// address, if that is set.
pub fn connection_limits(per_address: Option<usize>) -> ConnectionLimits {
    let open_files = raise_open_files();
    let limits = open_files.map_or_else(ConnectionLimits::default, |open_files| {
        ConnectionLimits::within_open_files(open_files)
    });
    let total = limits.total;
    if total < ConnectionLimits::default().total {
        tracing::warn!("as few as {total} connections at a time, because few files may be open");
    }
    ConnectionLimits {
        per_address: per_address.unwrap_or(limits.per_address),
        ..limits
    }
}

/// Opens the active release. If it is unknown or unavailable, the one that a server here last saw
/// as active is opened; the follower catches up later.
fn open_catalogue(
    releases: &dyn Releases,
    settings: OpenSettings,
) -> anyhow::Result<(Catalogue, Option<anyhow::Error>)> {
    let error = match open_active(releases, settings) {
        Ok(Some(catalogue)) => return Ok((catalogue, None)),
        // That no release is active is a fact, not a failure that calls for the fallback.
        Ok(None) => return Err(no_release(&releases.location())),
        Err(error) => error,
    };
    let Ok(Some(kept)) = releases.cached_pointer() else {
        return Err(error);
    };
    let release = releases.open_here(&kept.release);
    let catalogue = release
        .map_err(anyhow::Error::new)
        .and_then(|release| Ok(Catalogue::open(&release, settings)?));
    match catalogue {
        Ok(catalogue) => Ok((catalogue, Some(error))),
        Err(_neither) => Err(error),
    }
}

/// `None` if no release is active.
fn open_active(
    releases: &dyn Releases,
    settings: OpenSettings,
) -> anyhow::Result<Option<Catalogue>> {
    let pointer = releases.pointer();
    let Some(pointer) = pointer.context("could not see which release is active")? else {
        return Ok(None);
    };
    let catalogue = follow::open(releases, &pointer.release, Arc::new(Unthrottled), settings);
    let catalogue = catalogue.context("could not open the active release")?;
    keep(releases, &pointer)?;
    Ok(Some(catalogue))
}

fn keep(releases: &dyn Releases, pointer: &Pointer) -> anyhow::Result<()> {
    let kept = releases.cache_pointer(pointer);
    kept.context("could not write down which release is active")
}

fn no_release(place: &str) -> anyhow::Error {
    let error = anyhow::anyhow!("no release is active in {place}");
    let hint = "import one first: catalogue import EXPORT";
    Hinted::new(error, hint, ExitStatus::Failure).into()
}

/// Takes the lock for serving an environment, or says what to do about the server that holds it.
pub fn take_lock(data: &DataDir, environment: Environment) -> anyhow::Result<ServerLock> {
    if !data.path().is_dir() {
        return Err(no_release(&data.path().display().to_string()));
    }
    ServerLock::take(data, environment).map_err(|error| match error {
        ServerLockError::Running { .. } => {
            anyhow::anyhow!("{error}; stop it first, since two would count minute limits apart")
        }
        ServerLockError::Failed { .. } => error.into(),
    })
}

/// Announces where the server listens, and where its documentation is. A closed output is a failure
/// here, unlike in commands that print a result: its reader cannot have seen enough.
fn announce(address: SocketAddr, context: &mut Context) -> anyhow::Result<()> {
    // In one write: a reader may close the output after the first line.
    let said = format!("listening on http://{address}\ndocumentation at http://{address}/docs\n");
    let written = context.out.write_all(said.as_bytes());
    let written = written.and_then(|()| context.out.flush());
    written
        .map_err(|error| anyhow::anyhow!("could not print where the server listens: {error}"))?;
    context.service_manager.notify(&[
        NotifyState::Ready,
        NotifyState::Status(&format!("listening on http://{address}")),
    ]);
    Ok(())
}
