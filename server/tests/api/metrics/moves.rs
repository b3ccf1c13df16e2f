//! Which series each event changes, for every metric except those that never change.

use std::fmt::Write;
use std::fs::File;
use std::sync::Arc;
use std::time::Duration;

use server::ConnectionLimits;
use server::catalogue::OpenSettings;
use server::ops::follow::Follower;
use server::ops::imports::look;
use shared::base::clock::Clock;
use shared::keys::store::{KeySnapshot, KeySource, KeyStoreError, Location, Revision};
use shared::release::log::{Command, Outcome};
use shared::release::{FileName, ReleaseId, ReleaseStore, Releases};

use super::{Scrape, family};
use crate::answer::check_text;
use crate::app::{TestApp, Unusual, away};
use crate::keys::FixedSource;
use crate::queries::{begin, settings, while_occupied};
use crate::records;
use crate::wire::{Client, while_served_within};

/// An app, its last scrape, and a text of all changes so far.
struct Watch<'a> {
    app: &'a TestApp,
    last: Scrape,
    told: String,
}

impl<'a> Watch<'a> {
    async fn begin(app: &'a TestApp) -> Self {
        let last = Scrape::of(app).await;
        let told = String::new();
        Self { app, last, told }
    }

    /// Records what changed during the event `done`.
    async fn after(&mut self, done: &str) {
        let now = Scrape::of(self.app).await;
        writeln!(self.told, "{done}").unwrap();
        // The queue of the usual catalogue has requests of other tests too.
        let is_usual = Arc::ptr_eq(&self.app.app.catalogue(), &records::catalogue());
        let is_of_others = |line: &String| is_usual && line.starts_with("catalogue_queue_length{");
        let moved = now.moved_since(&self.last).into_iter();
        for line in moved.filter(|line| !is_of_others(line)) {
            writeln!(self.told, "    {line}").unwrap();
        }
        self.last = now;
    }

    async fn get(&mut self, done: &str, target: &str, key: &str) {
        self.app.get(target).key(key).send().await;
        self.after(done).await;
    }
}

async fn requests() -> String {
    let app = TestApp::new();
    let mut watch = Watch::begin(&app).await;
    watch.get("a record", "/v1/boats/b1", "reader").await;
    watch.get("a list", "/v1/boats?limit=3", "reader").await;
    watch.get("that again", "/v1/boats?limit=3", "reader").await;
    for done in ["a compressed list", "that again"] {
        let list = app.get("/v1/boats").key("reader");
        list.header("accept-encoding", "gzip").send().await;
        watch.after(done).await;
    }
    watch
        .get("no such record", "/v1/boats/none", "reader")
        .await;
    watch.get("no such path", "/none", "reader").await;
    watch.get("no quota left", "/v1/boats", "exhausted").await;
    let once = "once_a_minute_without_scopes";
    watch.get("a key without scopes", "/v1/boats", once).await;
    watch.get("its minute is used up", "/v1/boats", once).await;
    watch.told + &preflight().await
}

async fn preflight() -> String {
    let app = crate::cors::app(&["*"]);
    let mut watch = Watch::begin(&app).await;
    let preflight = app
        .ask("OPTIONS", "/v1/boats")
        .header("origin", "https://boats.example");
    let preflight = preflight.header("access-control-request-method", "GET");
    assert_eq!(preflight.send().await.status, 204);
    watch.after("a preflight").await;
    watch.told
}

async fn keys() -> String {
    let app = TestApp::new();
    let mut watch = Watch::begin(&app).await;
    app.lose_key_store();
    watch.after("the key store is lost").await;
    app.keyring
        .refresh(&mut Failing, app.clock.now())
        .unwrap_err();
    watch.after("it does not answer").await;
    app.advance(Duration::ZERO);
    watch.after("it answers again").await;
    let mut snapshot = app.keys.snapshot();
    let first = snapshot.subscriptions[0].id;
    snapshot.subscriptions[0].quota += 7;
    snapshot.keys.retain(|key| key.subscription == first);
    let mut changed = FixedSource(snapshot);
    app.keyring.refresh(&mut changed, app.clock.now()).unwrap();
    watch.after("a quota is raised, other keys are gone").await;
    app.clock.advance(Duration::from_hours(31 * 24));
    app.keyring.refresh(&mut changed, app.clock.now()).unwrap();
    watch.after("a month later").await;
    app.app.begin_draining();
    watch.after("draining").await;
    watch.told
}

struct Failing;

impl KeySource for Failing {
    fn poll(&mut self) -> Result<Option<KeySnapshot>, KeyStoreError> {
        let location = Location::File("memory".to_owned());
        Err(KeyStoreError::Missing { location })
    }

    fn revision(&self) -> Option<Revision> {
        None
    }
}

async fn clock() -> String {
    let app = TestApp::new();
    let mut watch = Watch::begin(&app).await;
    for (done, jump) in [
        ("the clock is looked at", 0),
        ("it jumps forward", 90),
        ("it jumps back", -90),
        ("it is looked at again", 0),
    ] {
        app.clock.jump_wall(jump);
        app.app.check_clock();
        watch.after(done).await;
    }
    watch.told
}

async fn releases() -> String {
    let app = TestApp::new();
    let mut watch = Watch::begin(&app).await;
    let (_directory, store) = records::empty_store();
    let on_disk = OpenSettings {
        bodies_memory_max: 0,
        ..records::settings()
    };
    let mut follower = Follower::new(Arc::clone(&app.app), Arc::new(store.clone()), on_disk);
    app.advance(Duration::from_secs(9));
    let served = records::publish(&store, 2, "2026-10-02T00:00:00Z");
    follower.step().unwrap();
    watch.after("another release").await;
    empty_bodies(&store, &served);
    watch
        .get("a body that is gone", "/v1/boats/b1", "reader")
        .await;
    let damaged = records::publish(&store, 3, "2026-10-03T00:00:00Z");
    empty_bodies(&store, &damaged);
    follower.step().unwrap_err();
    watch.after("a damaged release").await;
    watch.told
}

fn empty_bodies(store: &ReleaseStore, id: &ReleaseId) {
    let bodies = store.directory(id).join(FileName::BoatLines.as_str());
    let bodies = File::options().write(true).open(bodies);
    bodies.unwrap().set_len(0).unwrap();
}

async fn imports() -> String {
    let app = TestApp::new();
    let mut watch = Watch::begin(&app).await;
    let (_directory, store) = records::empty_store();
    let release = records::publish(&store, 2, records::PUBLISHED_AT);
    let (made, refused) = (
        Outcome::Made {
            release: release.clone(),
        },
        Outcome::Refused {
            release: release.clone(),
        },
    );
    let activated = Outcome::Activated {
        release: release.clone(),
        before: None,
    };
    let hour = app.clock.now().unix_seconds() / 3600;
    for (hours, done, command, outcome) in [
        (1, "an import", Command::Import, made),
        (2, "one that is refused", Command::Import, refused.clone()),
        (3, "another one", Command::Import, refused),
        (4, "a person activates it", Command::Activate, activated),
        (
            5,
            "one that has errors",
            Command::Import,
            Outcome::Invalid { errors: 1 },
        ),
        (
            6,
            "one that finds nothing new",
            Command::Import,
            Outcome::Unchanged { release },
        ),
    ] {
        let attempt = records::attempt(command, (hour + hours) * 3600);
        let lock = store.lock().unwrap();
        store.log(&attempt.entry(outcome), &lock).unwrap();
        look(&app.app, &store).unwrap();
        watch.after(done).await;
    }
    watch.told
}

async fn connections() -> String {
    let app = TestApp::new();
    let mut told = String::new();
    for (limit, total, per_address) in [("of all", 1, 1), ("of one address", 2, 1)] {
        let limits = ConnectionLimits { total, per_address };
        let mut watch = Watch::begin(&app).await;
        while_served_within(&app, limits, async |address| {
            let mut first = Client::connect(address).await;
            first.get("/health", &[]).await;
            watch.after("a connection that asked once").await;
            let refused = Client::connect(address).await.get("/health", &[]).await;
            assert_eq!(refused.status, 503);
            watch.after(&format!("one over the limit {limit}")).await;
            first.send(b"nonsense\r\n\r\n").await;
            watch.after("a head that is none").await;
        })
        .await;
        told.push_str(&watch.told);
    }
    told
}

/// What differs for an app that cannot reach its minute windows.
async fn minutes() -> String {
    let last = Scrape::of(&TestApp::new()).await;
    let app = TestApp::with(Unusual {
        minutes: Some(away().await),
        ..Unusual::default()
    });
    let told = String::new();
    let mut watch = Watch {
        app: &app,
        last,
        told,
    };
    watch.after("minute windows are away").await;
    watch.told
}

/// What changes while blocking work cannot run.
fn queues() -> String {
    let app = crate::queries::app(settings());
    let mut told = String::new();
    while_occupied(&app, async |occupied| {
        // The first scrape asks the ledger; later ones use its cached result.
        let scrape = Scrape::of(&app);
        occupied.end().await;
        let last = scrape.await;
        let occupied = crate::queries::Occupied::begin();
        let mut watch = Watch {
            app: &app,
            last,
            told: String::new(),
        };
        let running = begin(&app, "/v1/boats?limit=1");
        watch.after("a list that is queried").await;
        let waiting = begin(&app, "/v1/boats?limit=2");
        watch.after("a list that waits").await;
        watch
            .get("a list over the limit", "/v1/manufacturers", "reader")
            .await;
        drop(waiting);
        watch.after("who waited has left").await;
        occupied.end().await;
        running.await;
        watch.after("the first is answered").await;
        told = watch.told;
    });
    told
}

#[test]
fn every_metric_moves_with_what_it_tells() {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    let (told, all) = runtime.block_on(async {
        let told = [
            requests().await,
            keys().await,
            clock().await,
            releases().await,
            imports().await,
            connections().await,
            minutes().await,
        ];
        (told.concat(), Scrape::of(&TestApp::new()).await)
    });
    let told = told + &queues();
    check_text(
        "metrics_moves",
        "Which counters each event moves.",
        &records::without_hashes(&told),
    );
    let moved = told.lines().filter_map(|line| line.strip_prefix("    "));
    let moved: Vec<_> = moved.map(family).collect();
    let still = all.0.keys().map(|series| family(series));
    let still: std::collections::BTreeSet<_> =
        still.filter(|family| !moved.contains(family)).collect();
    // The server's description never changes while it runs. These tests have no Redis that answers,
    // and no log writer.
    assert_eq!(
        Vec::from_iter(still),
        [
            "catalogue_log_lines_dropped_total",
            "catalogue_minute_limit_duration_seconds",
            "catalogue_server_info"
        ]
    );
}
