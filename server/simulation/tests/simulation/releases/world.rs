//! Servers that follow one bucket, operators that change what is active, and faults.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use rand::Rng;
use shared::base::clock::Clock;
use shared::base::data_dir::DataDir;
use shared::release::log::{Attempt, Author, Command};
use shared::release::s3::NoTransferListener;
use shared::release::{ExpectedActive, ReleaseError, ReleaseId, Releases, S3Releases};
use simulation::OpenSettings;
use simulation::app::App;
use simulation::ops::follow::Follower;
use simulation::turns::{self, Process, Ran};
use tempfile::TempDir;

use super::made::{COUNT, Made, made};
use super::store::{Fault, Reached, Store};
use crate::clock::ServerClock;
use crate::seeds::Failure;
use crate::weather::Weather;
use crate::world::{self, Frame, Server, World};

/// Releases that were published days ago.
const OLD: usize = 4;
/// A server marks and fetches ahead as often.
const PREFETCH_INTERVAL: Duration = Duration::from_secs(3);
/// For so long a mark counts at least.
const MARK_COUNTS: Duration = Duration::from_mins(4);
/// Commands that may run at once.
const COMMANDS_MAX: usize = 3;

/// The release that a server marked last, and when.
type Mark = Arc<Mutex<Option<(ReleaseId, Duration)>>>;

/// What a server consists of.
struct Parts {
    app: Arc<App>,
    mark: Mark,
}

/// Commands that run, and whether they have ended.
type Running = BTreeMap<Process, Arc<Mutex<bool>>>;

struct ReleaseWorld {
    store: Arc<Store>,
    running: Running,
    /// When each prune began.
    prunes: BTreeMap<Process, Duration>,
    /// What machines have on their disks.
    disks: TempDir,
    frame: Frame<Parts>,
}

/// Runs one seed.
pub(super) fn run(seed: u64, fault: Fault) -> Result<Ran, Failure> {
    world::run(seed, |frame| ReleaseWorld::new(frame, fault))
}

/// In memory where that can be, since nothing here is about disks.
fn disks() -> TempDir {
    let memory = Path::new("/dev/shm");
    let there = memory.is_dir().then(|| tempfile::tempdir_in(memory));
    there
        .and_then(Result::ok)
        .unwrap_or_else(|| tempfile::tempdir().unwrap())
}

fn attempt() -> Attempt {
    let author = Author {
        user: Some("alice".to_owned()),
        uid: 1000,
        sudo_user: None,
    };
    Attempt::new(Command::Activate, author, 1_790_856_000)
}

impl World for ReleaseWorld {
    type Parts = Parts;

    const SERVERS: usize = 2;
    const EVENTS: usize = 40;
    const STEPS: u32 = 12;
    /// A release that could not be opened is tried again after 25 looks.
    const SETTLES_WITHIN: Duration = Duration::from_secs(30);

    fn frame(&mut self) -> &mut Frame<Parts> {
        &mut self.frame
    }

    /// The server does on one thread, by turns, what a server does on three.
    fn start(&mut self, place: usize) -> Server<Parts> {
        let (process, releases) = self.reached(&format!("server-{place}"));
        let releases: Arc<dyn Releases> = Arc::new(releases);
        let app = Arc::new(App::new(Arc::<ServerClock>::default()));
        let mark = Mark::default();
        let parts = Parts {
            app: Arc::clone(&app),
            mark: Arc::clone(&mark),
        };
        turns::spawn_in(process, move || {
            let mut follower = Follower::new(Arc::clone(&app), Arc::clone(&releases), OpenSettings);
            let mut prefetch_at = Duration::ZERO;
            loop {
                if let Err(error) = follower.step() {
                    turns::note(|| format!("{error}: {:?}", std::error::Error::source(&error)));
                }
                if prefetch_at <= turns::now() {
                    prefetch_at = turns::now() + PREFETCH_INTERVAL;
                    maintain(&*releases, &app, &mark);
                }
                turns::pass(releases.poll_interval());
            }
        });
        Server { process, parts }
    }

    fn event(&mut self, drawn: u32) -> Result<(), String> {
        self.running
            .retain(|_, is_over| !*is_over.lock().unwrap_or_else(PoisonError::into_inner));
        let is_free = self.running.len() < COMMANDS_MAX;
        match drawn {
            0..20 if is_free => self.activate(),
            20..30 if is_free => self.rivals(),
            30..36 if is_free => self.roll_back(),
            36..48 if is_free => self.prune(),
            48..53 => self.publish(),
            53..57 => self.crash()?,
            57..60 => self.kill_command()?,
            60..70 => {
                let process = self.frame.draw_server().process;
                self.store.set_weather(process, Weather::draw());
            }
            70..73 => self.frame.pause(Duration::from_secs(5)),
            73..78 => self.store.calm(),
            _ => self.pass(turns::some_time(Duration::from_millis(1_500)))?,
        }
        Ok(())
    }

    fn check(&self) -> Result<(), String> {
        let mut state = self.store.state();
        if let Some(broken) = state.broken.take() {
            return Err(broken);
        }
        for (process, path) in std::mem::take(&mut state.removed) {
            let Some((id, file)) = path
                .strip_prefix("live/releases/")
                .and_then(|below| below.split_once('/'))
            else {
                continue;
            };
            if file == "manifest.json" {
                // It is put back if the release turns out to be needed.
                continue;
            }
            if state
                .active
                .as_ref()
                .is_some_and(|active| active.as_str() == id)
            {
                return Err(format!("{file} of {id} is removed, which is active"));
            }
            let began = self.prunes.get(&process).copied().unwrap_or_default();
            for server in &self.frame.servers {
                let mark = server
                    .parts
                    .mark
                    .lock()
                    .unwrap_or_else(PoisonError::into_inner);
                let is_marked = mark.as_ref().is_some_and(|(marked, at)| {
                    marked.as_str() == id && *at < began && turns::now() < *at + MARK_COUNTS
                });
                if is_marked && server.parts.app.served() == id {
                    let who = server.process.0;
                    return Err(format!(
                        "{file} of {id} is removed, which server {who} serves"
                    ));
                }
            }
        }
        Ok(())
    }

    fn calm(&self) {
        self.store.calm();
    }

    /// The active release is whole, and every server serves it.
    fn settle(&mut self) -> Result<(), String> {
        let Some(active) = self.store.state().active.clone() else {
            return Ok(());
        };
        let made = made().iter().find(|made| made.id == active);
        let missing = made
            .map(|made| self.store.missing(made))
            .unwrap_or_default();
        if !missing.is_empty() {
            return Err(format!("{active} is active, and has no {missing:?}"));
        }
        for server in &self.frame.servers {
            let served = server.parts.app.served();
            if served != active.as_str() {
                let who = server.process.0;
                return Err(format!("server {who} serves {served:?}, not {active}"));
            }
        }
        Ok(())
    }
}

impl ReleaseWorld {
    fn new(frame: Frame<Parts>, fault: Fault) -> Self {
        let store = Store::new(fault);
        for made in &made()[..OLD] {
            for (name, bytes) in &made.files {
                store.publish(&made.id, name, bytes, true);
            }
        }
        Self {
            store,
            running: BTreeMap::new(),
            prunes: BTreeMap::new(),
            disks: disks(),
            frame,
        }
    }

    /// The releases as a process reaches them from that machine.
    fn reached(&mut self, machine: &str) -> (Process, S3Releases) {
        let process = self.frame.next_process();
        let data = DataDir::new(self.disks.path().join(machine));
        data.create().unwrap();
        let releases = S3Releases::with_client(
            "s3://boats/live".parse().unwrap(),
            Arc::new(Reached(Arc::clone(&self.store))),
            &data,
            format!("process-{}", process.0),
            Box::new(NoTransferListener),
            Arc::<ServerClock>::default(),
        );
        (process, releases.unwrap())
    }

    /// An operator's command, on one of a few machines.
    fn command(
        &mut self,
        is_stormy: bool,
        work: impl FnOnce(&S3Releases, &Store) -> Result<(), ReleaseError> + Send + 'static,
    ) -> Process {
        let machine = turns::draw(|random| random.random_range(0..4));
        let (process, releases) = self.reached(&format!("operator-{machine}"));
        if is_stormy {
            self.store.set_weather(process, Weather::draw());
        }
        let is_over = Arc::<Mutex<bool>>::default();
        self.running.insert(process, Arc::clone(&is_over));
        let store = Arc::clone(&self.store);
        turns::spawn_in(process, move || {
            if let Err(error) = work(&releases, &store) {
                turns::note(|| format!("a command fails: {error}"));
            }
            *is_over.lock().unwrap_or_else(PoisonError::into_inner) = true;
        });
        process
    }

    /// Several operators at once, on slow ways.
    fn rivals(&mut self) {
        for _operator in 0..COMMANDS_MAX {
            self.activate();
            if let Some(process) = self.running.keys().next_back() {
                self.store.set_weather(*process, Weather::Slow);
            }
        }
    }

    /// Looks what is active, thinks, and activates a release.
    fn activate(&mut self) {
        let place = turns::draw(|random| random.random_range(0..COUNT));
        let is_stormy = turns::happens(40);
        self.command(is_stormy, move |releases, store| {
            let before = ExpectedActive::of(releases.pointer())?;
            let decided_on = before.release().cloned();
            store
                .state()
                .decided_on
                .insert(turns::process(), decided_on);
            turns::pass(turns::some_time(Duration::from_secs(1)));
            let held = releases.lock()?;
            releases.activate(&made()[place].id, &before, &attempt(), &held)
        });
    }

    fn roll_back(&mut self) {
        let is_stormy = turns::happens(40);
        self.command(is_stormy, |releases, _store| {
            let held = releases.lock()?;
            releases.roll_back(&attempt(), &held).map(|_rolled_back| ())
        });
    }

    /// A prune is not disturbed: where a manifest cannot be put back, a release is lost to those
    /// who have no copy.
    fn prune(&mut self) {
        let began = turns::now();
        let process = self.command(false, |releases, _store| {
            let held = releases.lock()?;
            let now = ServerClock::default().now().unix_seconds();
            let pruned = releases.prune(now, &held)?;
            let removed = pruned.releases.iter().filter(|one| one.kept.is_none());
            turns::note(|| format!("a prune removes {}", removed.count()));
            Ok(())
        });
        self.prunes.insert(process, began);
    }

    /// A release that is not there is sent, its manifest last.
    fn publish(&self) {
        let is_gone = |made: &&Made| self.store.missing(made).len() == made.files.len();
        let Some(made) = made().iter().find(is_gone) else {
            return;
        };
        let store = Arc::clone(&self.store);
        turns::spawn_in(Process::OUTSIDE, move || {
            for (name, bytes) in &made.files {
                turns::pass(turns::some_time(Duration::from_millis(50)));
                store.publish(&made.id, name, bytes, false);
            }
        });
    }

    /// A command is killed, but no prune.
    fn kill_command(&mut self) -> Result<(), String> {
        let mut commands = self.running.keys().copied();
        let Some(process) = commands.find(|process| !self.prunes.contains_key(process)) else {
            return Ok(());
        };
        self.running.remove(&process);
        self.frame.turns.kill(process)
    }
}

/// Marks what is served, and fetches what may be next.
fn maintain(releases: &dyn Releases, app: &App, mark: &Mark) {
    let Some(served) = ReleaseId::parse(&app.served()) else {
        return;
    };
    let before = turns::now();
    if releases.mark_in_use(&served).is_ok() {
        let mut mark = mark.lock().unwrap_or_else(PoisonError::into_inner);
        // It may have been fresh, and not written again.
        let is_known = mark.as_ref().is_some_and(|(marked, _)| *marked == served);
        if !is_known {
            *mark = Some((served.clone(), before));
        }
    }
    let now = i64::try_from(turns::now().as_secs()).unwrap();
    _ = releases.prefetch(&served, now);
}
