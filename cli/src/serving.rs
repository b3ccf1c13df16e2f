//! Putting a server together from a data directory: what `serve` and `demo` have in common.
//!
//! It opens everything before the address is taken, so that a server that says where it listens
//! can answer.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::Write;
use std::net::{SocketAddr, TcpListener};
use std::sync::Arc;

use anyhow::{Context as _, bail};
use rand::SeedableRng;
use rand::rngs::StdRng;
use server::app::{App, Parts};
use server::catalogue::{Catalogue, OpenSettings};
use server::follow::{Follower, follow};
use server::keyring::{Keyring, watch};
use server::limits::Quotas;
use server::request_id::RandomRequestIds;
use shared::data_dir::DataDir;
use shared::keys::environment::Environment;
use shared::keys::sqlite::{SqliteKeySource, SqliteKeyStore, SqliteLedger};
use shared::release::ReleaseStore;

use crate::advice::Advised;
use crate::context::Context;
use crate::exit_status::ExitStatus;

/// A server that is ready to accept requests.
pub struct Serving {
    app: Arc<App>,
    store: ReleaseStore,
    keyring: Arc<Keyring>,
    data: DataDir,
    listener: TcpListener,
    /// Held until the server stops: minute windows are not shared between servers.
    _lock: File,
}

impl Serving {
    /// Opens the active release and the keys of `data` and takes the address.
    pub fn prepare(
        data: &DataDir,
        address: SocketAddr,
        environment: Environment,
        context: &mut Context,
    ) -> anyhow::Result<Self> {
        let store = ReleaseStore::new(data.clone());
        let catalogue = open_catalogue(&store, data)?;
        let lock = lock(data, environment)?;
        SqliteKeyStore::open_or_create(&data.keys_database()).context("could not open the keys")?;
        let keyring = Arc::new(Keyring::new());
        let parts = Parts {
            environment,
            catalogue: Arc::new(catalogue),
            keyring: Arc::clone(&keyring),
            quotas: Quotas::new(Arc::new(SqliteLedger::new(data.keys_database()))),
            clock: Arc::clone(&context.clock),
            request_ids: Box::new(RandomRequestIds::new(Box::new(StdRng::from_rng(
                &mut context.random,
            )))),
        };
        let listener =
            TcpListener::bind(address).with_context(|| format!("could not listen on {address}"))?;
        let app = Arc::new(App::new(parts));
        Ok(Self {
            app,
            store,
            keyring,
            data: data.clone(),
            listener,
            _lock: lock,
        })
    }

    /// The address that is listened on, port 0 resolved.
    pub fn address(&self) -> anyhow::Result<SocketAddr> {
        self.listener
            .local_addr()
            .context("could not see the address that is listened on")
    }

    /// Answers requests until SIGTERM or SIGINT. Says on standard output where, once it does.
    pub fn run(self, context: &mut Context) -> anyhow::Result<ExitStatus> {
        let address = self.address()?;
        let mut source = Box::new(SqliteKeySource::new(self.data.keys_database()));
        // The watch would do this too, but perhaps after the first request.
        let known = self.keyring.refresh(&mut *source, context.clock.now());
        known.context("could not read the keys")?;
        let clock = Arc::clone(&context.clock);
        let _watch = watch(self.keyring, source, clock).context("could not watch the keys")?;
        let follower = Follower::new(Arc::clone(&self.app), self.store, OpenSettings::default());
        let _follow = follow(follower).context("could not watch for releases")?;
        let runtime = tokio::runtime::Runtime::new().context("could not start the server")?;
        runtime.block_on(async {
            let stopped = stop_signal()?;
            writeln!(context.out, "listening on http://{address}")?;
            context.out.flush()?;
            let served = server::http::serve(self.app, self.listener, stopped).await;
            served.with_context(|| format!("could not serve on {address}"))?;
            Ok(ExitStatus::Done)
        })
    }
}

fn open_catalogue(store: &ReleaseStore, data: &DataDir) -> anyhow::Result<Catalogue> {
    let Some(active) = store
        .current()
        .context("could not see which release is active")?
    else {
        let advice = "import one first: catalogue import EXPORT".to_owned();
        let error = anyhow::anyhow!("no release is active in {}", data.path().display());
        return Err(Advised {
            error,
            advice,
            status: ExitStatus::Failure,
        }
        .into());
    };
    let release = store
        .open(&active)
        .context("could not open the active release")?;
    let catalogue = Catalogue::open(&release, OpenSettings::default());
    catalogue.context("could not open the active release")
}

fn lock(data: &DataDir, environment: Environment) -> anyhow::Result<File> {
    let path = data.server_lock(environment.as_str());
    let opened = OpenOptions::new()
        .create(true)
        .truncate(false)
        .write(true)
        .open(&path);
    let file = opened.with_context(|| format!("could not open {}", path.display()))?;
    match file.try_lock() {
        Ok(()) => Ok(file),
        Err(TryLockError::Error(error)) => {
            Err(error).with_context(|| format!("could not lock {}", path.display()))
        }
        Err(TryLockError::WouldBlock) => bail!(
            "a server of the environment {environment} already runs on {}; stop it first, since \
             two would count minute limits apart",
            data.path().display()
        ),
    }
}

/// Completes at the first SIGTERM or SIGINT.
fn stop_signal() -> anyhow::Result<impl Future<Output = ()> + Send> {
    use tokio::signal::unix::{SignalKind, signal};
    let mut terminate = signal(SignalKind::terminate()).context("could not watch for SIGTERM")?;
    let mut interrupt = signal(SignalKind::interrupt()).context("could not watch for SIGINT")?;
    Ok(async move {
        tokio::select! {
            _ = terminate.recv() => {}
            _ = interrupt.recv() => {}
        }
        tracing::info!("stopping: requests under way are finished first");
    })
}
