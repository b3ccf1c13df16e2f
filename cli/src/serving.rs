//! Putting a server together from a data directory: what `serve` and `demo` have in common.
//!
//! It opens the release before the address is taken, so that a server that says where it listens
//! can answer. It never makes a store of keys: one that is missing was perhaps moved away, and an
//! empty one in its place would call every key unknown.

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
use server::keyring::{Keyring, watch, write_uses};
use server::limits::Quotas;
use server::ops::follow::{self, Follower, follow};
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
    /// Why what is served may not be what is active, if so.
    warning: Option<anyhow::Error>,
    keyring: Arc<Keyring>,
    source: Box<dyn KeySource>,
    last_uses: Arc<dyn LastUses>,
    socket: Socket,
    lock: Arc<ServerLock>,
}

impl Serving {
    /// Opens the active release of what is locked and takes the address. Releases that follow are
    /// opened with the same settings. Pages of the allowed origins may read answers. `keys` need
    /// not be within reach yet.
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
        let keyring = Arc::new(Keyring::new());
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

    /// The same server, which counts minute limits there.
    #[must_use]
    pub fn counting_in(self, minutes: RateLimitBackend) -> Self {
        Self { minutes, ..self }
    }

    /// The same server, whose answers also show limits as the IETF draft has it.
    #[must_use]
    pub fn showing_rate_limit_draft(self) -> Self {
        let app = self.app.showing_rate_limit_draft();
        Self { app, ..self }
    }

    /// The same server, whose metrics count the lines of the log that were `dropped`.
    #[must_use]
    pub fn logging(self, dropped: Arc<AtomicU64>) -> Self {
        let app = self.app.logging(dropped);
        Self { app, ..self }
    }

    /// The address that is listened on, port 0 resolved.
    pub fn address(&self) -> anyhow::Result<SocketAddr> {
        self.socket
            .local_addr()
            .context("could not see the address that is listened on")
    }

    /// Answers requests until a signal to stop, and for `drain` longer. Says on standard output
    /// where, once it does.
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
        // The watch would do this too, but perhaps after the first request.
        let known = self.keyring.refresh(&mut *source, context.clock.now());
        if let Err(error) = known {
            let error = anyhow::Error::new(error);
            let hint = hints::hint(&error).unwrap_or("`catalogue doctor` says more".into());
            let hint = context.hints.paste(&hint);
            tracing::warn!(
                "starting without keys, requests with one get 503 for now: {error:#}; {hint}"
            );
        }
        // Dropped after the last request was answered, it writes down the last uses.
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
        let ended = runtime.block_on(async {
            let signals = StopSignals::watch()?;
            context.interrupts.leave();
            let failed = || format!("could not serve on {address}");
            let answering = Answering::prepare(Arc::clone(&app), self.socket, limits);
            let answering = answering.with_context(failed)?;
            let _answering_operators = admin.start(&app)?;
            // Where the administration address is, is in the log by then.
            _ = context.err.flush();
            announce(address, context)?;
            let stopped = signals.stop(&app, drain, &context.service_manager);
            answering.until(stopped).await.with_context(failed)?;
            Ok(ExitStatus::Done)
        });
        // Nothing answers any more once it is gone, so the last uses are the last.
        drop(runtime);
        // A task that waits for another machine would keep this process.
        releases.cancel();
        ended
    }
}

/// As many connections as there may be usually, or as open files allow; at most
/// `per_address` of one address, if that is set.
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

/// Opens the active release. Where it is not known which one that is, or it cannot be had, the one
/// that was active when a server last saw it here will do: the follower finds out.
fn open_catalogue(
    releases: &dyn Releases,
    settings: OpenSettings,
) -> anyhow::Result<(Catalogue, Option<anyhow::Error>)> {
    let error = match open_active(releases, settings) {
        Ok(Some(catalogue)) => return Ok((catalogue, None)),
        // A fact, and no failure.
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

/// `None` where no release is active.
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

/// Takes the right to serve an environment, or says what to do about the server that has it.
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

/// Announces where the server listens, and where it is documented. A closed output is a failure
/// here, unlike in commands that print an answer: its reader cannot have seen enough.
fn announce(address: SocketAddr, context: &mut Context) -> anyhow::Result<()> {
    // At once: a reader may leave after the first line.
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
