//! Damage of every kind to releases and to the pointer: it is found and named before anything is
//! served, and a running server never serves it.

#![expect(
    clippy::disallowed_methods,
    reason = "what is damaged on purpose need not be durable"
)]

use std::error::Error;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rand::rngs::StdRng;
use rand::seq::IndexedRandom;
use rand::{Rng, SeedableRng};
use server::catalogue::{Catalogue, OpenSettings};
use server::ops::follow::{FollowError, Follower, Step};
use shared::base::data_dir::DataDir;
use shared::release::manifest::MANIFEST;
use shared::release::{FileName, ReleaseId, ReleaseStore, Releases};

use crate::app::{TestApp, Unusual};
use crate::records::{self, PUBLISHED_AT};

const DAMAGES: u64 = 400;

/// Two releases: the active one, which will be damaged, and another, which an app serves.
struct World {
    _directory: tempfile::TempDir,
    store: ReleaseStore,
    pointer: PathBuf,
    active: ReleaseId,
    other: ReleaseId,
    app: TestApp,
}

/// What was done, and the affected files with their previous contents; the error must name one of
/// them.
struct Damage {
    what: String,
    before: Vec<(PathBuf, Vec<u8>)>,
}

impl World {
    fn new() -> Self {
        let (directory, store) = records::empty_store();
        let other = records::publish(&store, 6, PUBLISHED_AT);
        let active = records::publish(&store, 7, "2026-10-02T00:00:00Z");
        let app = TestApp::with(Unusual {
            catalogue: open(&store, &other, records::settings()),
            ..Unusual::default()
        });
        Self {
            pointer: DataDir::new(directory.path()).current(),
            _directory: directory,
            store,
            active,
            other,
            app,
        }
    }

    fn file(&self, name: &str) -> PathBuf {
        self.store.directory(&self.active).join(name)
    }

    /// Changes a file of the release, its manifest or the pointer, in one of the ways in which
    /// disks and people damage files.
    fn damage(&self, random: &mut StdRng) -> Damage {
        let names: Vec<&str> = names().collect();
        let name = *names.choose(random).unwrap();
        let path = match random.random_range(0..=names.len()) {
            0 => self.pointer.clone(),
            _ => self.file(name),
        };
        let good = fs::read(&path).unwrap();
        let (what, other) = match random.random_range(0..6) {
            0 => (flip(&path, good.clone(), random), None),
            1 => (truncate(&path, &good, random), None),
            2 => (append(&path, good.clone(), random), None),
            3 => (remove(&path), None),
            4 => {
                let other = self.file(names.choose(random).unwrap());
                (swap(&path, &other), Some(other))
            }
            _ => {
                let origin = self.store.directory(&self.other).join(name);
                (replace(&path, &origin), None)
            }
        };
        let mut before = vec![(path, good)];
        if let Some(other) = other {
            // The two files have been swapped.
            let good = fs::read(&before[0].0).unwrap();
            before.push((other, good));
        }
        before.retain(|(path, good)| fs::read(path).ok().as_ref() != Some(good));
        Damage { what, before }
    }

    /// Checks that the damage is refused. Returns whether there was anything to refuse.
    fn check(&self, damage: &Damage) -> bool {
        if damage.before.is_empty() {
            return false;
        }
        let mut follower = Follower::new(
            Arc::clone(&self.app.app),
            Arc::new(self.store.clone()),
            records::settings(),
        );
        if damage.before.iter().any(|(path, _)| *path == self.pointer) && !self.pointer.exists() {
            // Without a pointer no release is active, and the server keeps serving its current one.
            assert_eq!(follower.step().unwrap(), Step::Unchanged);
            return true;
        }
        let refused = follower.step().expect_err(&damage.what);
        check_named(&refused, damage);
        assert_eq!(
            self.app.app.catalogue().release_id(),
            self.other.as_str(),
            "{}",
            damage.what
        );
        if matches!(refused, FollowError::Open { .. }) {
            let verified = self.store.open(&self.active).and_then(|it| it.verify());
            check_named(&verified.unwrap_err(), damage);
            let lock = self.store.lock().unwrap();
            let activated = records::activate(&self.store, &self.active, &lock);
            check_named(&activated.unwrap_err(), damage);
        }
        true
    }
}

impl Damage {
    fn fix(self) {
        for (path, good) in self.before {
            fs::write(path, good).unwrap();
        }
    }
}

/// Checks that the message names a damaged file.
fn check_named(error: &dyn Error, damage: &Damage) {
    let mut told = error.to_string();
    let mut next = error.source();
    while let Some(cause) = next {
        told = format!("{told}: {cause}");
        next = cause.source();
    }
    let is_named = |path: &Path| told.contains(path.to_str().unwrap());
    assert!(
        damage.before.iter().any(|(path, _)| is_named(path)),
        "{}: {told}",
        damage.what
    );
}

fn names() -> impl Iterator<Item = &'static str> {
    let files = FileName::ALL.into_iter().map(FileName::as_str);
    files.chain([MANIFEST])
}

fn open(store: &ReleaseStore, id: &ReleaseId, settings: OpenSettings) -> Arc<Catalogue> {
    Arc::new(Catalogue::open(&store.open(id).unwrap(), settings).unwrap())
}

fn flip(path: &Path, mut contents: Vec<u8>, random: &mut StdRng) -> String {
    let place = random.random_range(0..contents.len());
    contents[place] ^= 1 << random.random_range(0..8);
    fs::write(path, contents).unwrap();
    format!("a bit of byte {place} of {} flipped", path.display())
}

fn truncate(path: &Path, contents: &[u8], random: &mut StdRng) -> String {
    let length = random.random_range(0..contents.len());
    fs::write(path, &contents[..length]).unwrap();
    format!("{} cut to {length} bytes", path.display())
}

fn append(path: &Path, mut contents: Vec<u8>, random: &mut StdRng) -> String {
    let added = random.random_range(1..=5000);
    contents.extend((0..added).map(|_| random.random::<u8>()));
    fs::write(path, contents).unwrap();
    format!("{added} bytes added to {}", path.display())
}

fn remove(path: &Path) -> String {
    fs::remove_file(path).unwrap();
    format!("{} removed", path.display())
}

fn swap(one: &Path, two: &Path) -> String {
    let contents = [one, two].map(|path| fs::read(path).unwrap());
    fs::write(one, &contents[1]).unwrap();
    fs::write(two, &contents[0]).unwrap();
    format!("{} swapped with {}", one.display(), two.display())
}

fn replace(path: &Path, origin: &Path) -> String {
    fs::copy(origin, path).unwrap();
    format!("{} replaced by {}", path.display(), origin.display())
}

#[test]
fn hundreds_of_random_damages_are_refused_and_the_file_is_named() {
    let world = World::new();
    let mut refused = 0;
    for seed in 0.. {
        let damage = world.damage(&mut StdRng::seed_from_u64(seed));
        refused += u64::from(world.check(&damage));
        damage.fix();
        if refused == DAMAGES {
            break;
        }
    }
    let whole = world.store.open(&world.active).unwrap();
    whole.verify().unwrap();
}

/// All targets: single records, and the lists that show them.
fn targets() -> Vec<String> {
    let boats = (1..=7).map(|n| format!("/v1/boats/b{n}"));
    let makers = (1..=3).map(|n| format!("/v1/manufacturers/m{n}"));
    let lists = [
        "/v1/boats?limit=3",
        "/v1/boats?offset=3",
        "/v1/manufacturers",
    ];
    let lists = lists.map(str::to_owned).into_iter();
    boats.chain(makers).chain(lists).collect()
}

async fn bodies(app: &TestApp) -> Vec<(u16, Vec<u8>)> {
    let mut bodies = Vec::new();
    for target in targets() {
        let answer = app.get(&target).key("reader").send().await;
        bodies.push((answer.status, answer.body));
    }
    bodies
}

/// A server with its own release, which leaves bodies on disk if they take more than this.
fn serve(bodies_memory_max: u64) -> (tempfile::TempDir, PathBuf, TestApp, Follower) {
    let (directory, store) = records::empty_store();
    let id = records::publish(&store, 7, PUBLISHED_AT);
    let settings = OpenSettings {
        bodies_memory_max,
        ..records::settings()
    };
    let app = TestApp::with(Unusual {
        catalogue: open(&store, &id, settings),
        ..Unusual::default()
    });
    let follower = Follower::new(Arc::clone(&app.app), Arc::new(store.clone()), settings);
    (directory, store.directory(&id), app, follower)
}

#[tokio::test]
async fn a_server_with_bodies_in_memory_does_not_notice_that_its_files_are_damaged() {
    let good = bodies(&TestApp::new()).await;
    let (_directory, release, app, mut follower) = serve(u64::MAX);
    for name in names() {
        fs::write(release.join(name), "damaged").unwrap();
    }
    assert_eq!(follower.step().unwrap(), Step::Unchanged);
    assert_eq!(bodies(&app).await, good);
}

#[tokio::test]
async fn a_server_with_bodies_on_disk_never_answers_with_damaged_bytes() {
    let good = bodies(&TestApp::new()).await;
    for seed in 0..30 {
        let (_directory, release, app, mut follower) = serve(0);
        let mut random = StdRng::seed_from_u64(seed);
        let kinds = [FileName::BoatLines, FileName::ManufacturerLines];
        let path = release.join(kinds.choose(&mut random).unwrap().as_str());
        let contents = fs::read(&path).unwrap();
        let what = match seed % 2 {
            0 => flip(&path, contents, &mut random),
            _ => truncate(&path, &contents, &mut random),
        };
        assert_eq!(follower.step().unwrap(), Step::Unchanged);
        let mut refused = 0;
        for ((status, body), (_, good)) in bodies(&app).await.into_iter().zip(&good) {
            assert!(status == 500 || body == *good, "{what}: {status}");
            refused += u32::from(status == 500);
        }
        assert_ne!(refused, 0, "{what}");
    }
}
