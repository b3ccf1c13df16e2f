//! `GET /v1/changes`: what changed between releases, whichever are kept, and for whom.

#![expect(
    clippy::disallowed_methods,
    reason = "what is damaged on purpose need not be durable"
)]

use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc;
use std::time::Duration;

use futures_util::future::join_all;
use serde_json::{Value, json};
use server::catalogue::Catalogue;
use server::comparisons::OtherReleases;
use server::ops::follow::Follower;
use shared::release::reader::Identities;
use shared::release::s3::S3Error;
use shared::release::{FileName, ReleaseError, ReleaseId, ReleaseStore, Releases};

use crate::answer::Answer;
use crate::app::{TestApp, Unusual};
use crate::log::{logged, start_logging};
use crate::records::{self, EARLIER, PUBLISHED_AT};

/// A release that nobody ever published.
const NEVER: &str = "20200101T000000Z-0123456789abcdef";

/// A store, and a server that follows it.
struct Followed {
    _directory: tempfile::TempDir,
    store: ReleaseStore,
    app: TestApp,
    follower: Follower,
}

impl Followed {
    /// Serves a release of the first `boats` boats.
    fn of(boats: usize) -> (Self, ReleaseId) {
        let (directory, store) = records::empty_store();
        let id = records::publish(&store, boats, PUBLISHED_AT);
        let release = store.open(&id).unwrap();
        let releases: Arc<dyn Releases> = Arc::new(store.clone());
        let app = TestApp::with(Unusual {
            catalogue: Arc::new(Catalogue::open(&release, records::settings()).unwrap()),
            others: Arc::clone(&releases).into(),
            ..Unusual::default()
        });
        let follower = Follower::new(Arc::clone(&app.app), releases, records::settings());
        let served = Self {
            _directory: directory,
            store,
            app,
            follower,
        };
        (served, id)
    }

    /// Publishes and serves a release of the first `boats` boats.
    fn publish(&mut self, boats: usize, day: &str) -> ReleaseId {
        let id = records::publish(&self.store, boats, &format!("{day}T00:00:00Z"));
        self.follower.step().unwrap();
        id
    }

    fn activate(&mut self, id: &ReleaseId) {
        records::activate(&self.store, id, &self.store.lock().unwrap()).unwrap();
        self.follower.step().unwrap();
    }

    /// What changed since a release, each as its change and its id.
    async fn since(&self, id: &ReleaseId) -> Vec<String> {
        let target = format!("/v1/changes?since={id}");
        let answer = self.app.get(&target).key("unlimited").send().await;
        assert_eq!(answer.status, 200, "{}", answer.text());
        told(&answer.json())
    }
}

fn told(body: &Value) -> Vec<String> {
    let rows = body["data"].as_array().unwrap().iter();
    let word = |row: &Value, name: &str| row[name].as_str().unwrap().to_owned();
    rows.map(|row| format!("{} {}", word(row, "change"), word(row, "id")))
        .collect()
}

#[tokio::test]
async fn any_two_releases_that_are_kept_are_compared_whatever_lies_between() {
    let (mut served, two) = Followed::of(2);
    assert!(served.since(&two).await.is_empty());
    let three = served.publish(3, "2026-10-02");
    let four = served.publish(4, "2026-10-03");
    assert_eq!(served.since(&three).await, ["added b4"]);
    assert_eq!(served.since(&two).await, ["added b3", "added b4"]);
    // After a rollback, the other release is the newer one.
    served.activate(&two);
    assert_eq!(served.since(&four).await, ["removed b3", "removed b4"]);
    assert_eq!(served.since(&three).await, ["removed b3"]);
    assert!(served.since(&two).await.is_empty());
}

#[tokio::test]
async fn a_boat_changes_with_what_it_shows_of_its_manufacturer() {
    let (mut served, before) = Followed::of(5);
    records::publish_renamed(&served.store, 5, "2026-10-02T00:00:00Z");
    served.follower.step().unwrap();
    assert_eq!(
        served.since(&before).await,
        ["changed b4", "changed b5", "changed m2"]
    );
}

#[tokio::test]
async fn the_release_that_answers_is_named_in_the_body_and_the_header() {
    let (mut served, two) = Followed::of(2);
    let three = served.publish(3, "2026-10-02");
    let target = format!("/v1/changes?since={two}");
    let answer = served.app.get(&target).key("reader").send().await;
    let body = answer.json();
    assert_eq!(
        (&body["since"], &body["release"]),
        (&json!(two), &json!(three))
    );
    assert_eq!(answer.header("x-release"), Some(three.as_str()));
}

#[tokio::test]
async fn a_release_that_is_pruned_or_damaged_or_never_was_is_gone() {
    start_logging();
    let (mut served, two) = Followed::of(2);
    let three = served.publish(3, "2026-10-02");
    served.publish(4, "2026-10-03");
    fs::remove_dir_all(served.store.directory(&two)).unwrap();
    let table = served
        .store
        .directory(&three)
        .join(FileName::BoatIndex.as_str());
    fs::write(&table, "damaged").unwrap();
    // It has the form of an id, but there is no such day.
    let of_no_time = NEVER.replace("0101T", "9999T");
    for since in [two.as_str(), three.as_str(), NEVER, &of_no_time] {
        logged();
        let target = format!("/v1/changes?since={since}");
        let answer = served.app.get(&target).key("unlimited").send().await;
        assert_eq!(
            (answer.status, &*answer.code()),
            (410, "RELEASE_GONE"),
            "{since}"
        );
        for header in ["etag", "x-release", "x-quota-remaining", "cache-control"] {
            assert_eq!(answer.header(header), None, "{header}");
        }
        // Only what is damaged is an operator's business.
        let is_told = logged().contains("a release cannot be compared with");
        assert_eq!(is_told, since == three.as_str(), "{since}");
    }
}

#[tokio::test]
async fn what_was_compared_is_remembered_as_long_as_the_former_release_is_kept() {
    let (mut served, two) = Followed::of(2);
    served.publish(3, "2026-10-02");
    let target = format!("/v1/changes?since={two}");
    let ask = async |limit: u64| {
        let target = format!("{target}&limit={limit}");
        served.app.get(&target).key("reader").send().await
    };
    for (cache, limit) in [("MISS", 1), ("HIT", 2), ("HIT", 1)] {
        let answer = ask(limit).await;
        assert_eq!(answer.header("x-cache"), Some(cache));
        assert_eq!(answer.header("age"), Some("0"));
    }
    fs::remove_dir_all(served.store.directory(&two)).unwrap();
    served.app.advance(Duration::from_secs(10));
    assert_eq!(ask(1).await.code(), "RELEASE_GONE");
}

#[tokio::test]
async fn each_key_sees_the_kinds_that_it_may_read() {
    let app = TestApp::new();
    let target = format!("/v1/changes?since={EARLIER}");
    let ask = async |key: &str| app.get(&target).key(key).send().await;
    let (boats, makers) = (ask("boats_only").await, ask("manufacturers_only").await);
    let both = ask("reader").await;
    assert_eq!(
        told(&boats.json()),
        ["removed b0", "changed b1", "added b7"]
    );
    assert_eq!(told(&makers.json()), ["changed m2"]);
    assert_eq!(
        told(&both.json()),
        [told(&boats.json()), told(&makers.json())].concat()
    );
    for (answer, total) in [(&boats, 3), (&makers, 1), (&both, 4)] {
        assert_eq!(answer.json()["pagination"]["total"], total);
    }
    let tags: BTreeSet<_> = [&boats, &makers, &both].map(|it| it.header("etag")).into();
    assert_eq!(tags.len(), 3);
    let none = ask("without_scopes").await;
    assert_eq!(none.code(), "INSUFFICIENT_PERMISSIONS");
    let message = none.json()["error"]["message"].as_str().unwrap().to_owned();
    assert!(
        message.contains("scope boats.read or manufacturers.read;"),
        "{message}"
    );
}

#[tokio::test]
async fn scopes_are_checked_before_parameters_and_these_before_the_quota() {
    for (key, query, code) in [
        ("without_scopes", "", "INSUFFICIENT_PERMISSIONS"),
        (
            "exhausted_without_scopes",
            "?since=2026",
            "INSUFFICIENT_PERMISSIONS",
        ),
        ("exhausted", "?since=2026", "VALIDATION_ERROR"),
    ] {
        let app = TestApp::new();
        let answer = app
            .get(&format!("/v1/changes{query}"))
            .key(key)
            .send()
            .await;
        assert_eq!(answer.code(), code, "{key} {query}");
    }
}

#[tokio::test]
async fn pages_are_the_whole_and_link_to_each_other() {
    let app = TestApp::new();
    let whole = app
        .get(&format!("/v1/changes?since={EARLIER}"))
        .key("reader");
    let whole = told(&whole.send().await.json());
    let mut target = Some(format!("/v1/changes?since={EARLIER}&limit=1"));
    let mut paged = Vec::new();
    while let Some(next) = target {
        let answer = app.get(&next).key("unlimited").send().await;
        paged.extend(told(&answer.json()));
        let links = answer
            .header("link")
            .unwrap()
            .split(", ")
            .map(str::to_owned);
        let mut next = links.filter(|link| link.ends_with("rel=\"next\""));
        target = next
            .next()
            .map(|link| link[1..].split_once('>').unwrap().0.to_owned());
    }
    assert_eq!(paged, whole);
    let past = app.get(&format!(
        "/v1/changes?since={EARLIER}&offset=9007199254740991"
    ));
    let past = past.key("reader").send().await.json();
    assert_eq!(
        (&past["data"], &past["pagination"]["total"]),
        (&json!([]), &json!(4))
    );
}

#[tokio::test]
async fn it_is_charged_like_a_list_and_a_refusal_or_a_304_is_not() {
    let app = TestApp::new();
    let ask = |since: &str| {
        let target = format!("/v1/changes?since={since}");
        app.get(&target).key("nearly_exhausted")
    };
    assert_eq!(ask(NEVER).send().await.status, 410);
    let first = ask(EARLIER).send().await;
    assert_eq!(first.header("x-quota-remaining"), Some("1"));
    let etag = first.header("etag").unwrap();
    assert_eq!(
        ask(EARLIER)
            .header("if-none-match", etag)
            .send()
            .await
            .status,
        304
    );
    let last = ask(EARLIER).send().await;
    assert_eq!(last.header("x-quota-remaining"), Some("0"));
    // The quota is checked before anything is looked for.
    assert_eq!(ask(NEVER).send().await.code(), "QUOTA_EXCEEDED");
}

/// An app that reads the usual other releases like this.
fn reading(
    identities: impl Fn(&ReleaseId) -> Result<Identities, ReleaseError> + Send + Sync + 'static,
) -> TestApp {
    let (identities, usual) = (Box::new(identities), records::others());
    let others = OtherReleases {
        identities,
        ..usual
    };
    TestApp::with(Unusual {
        others,
        ..Unusual::default()
    })
}

#[tokio::test(flavor = "multi_thread")]
async fn one_pair_is_compared_once_however_many_ask_together() {
    let read = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&read);
    let app = reading(move |id| {
        counted.fetch_add(1, Ordering::Relaxed);
        records::read(id)
    });
    let target = format!("/v1/changes?since={EARLIER}");
    let answers = join_all((0..64).map(|_| app.get(&target).key("unlimited").send())).await;
    for answer in &answers {
        assert_eq!((answer.status, &answer.body), (200, &answers[0].body));
    }
    assert_eq!(read.load(Ordering::Relaxed), 1);
    let made = answers
        .iter()
        .filter(|it| it.header("x-cache") == Some("MISS"));
    assert_eq!(made.count(), 1);
}

#[tokio::test]
async fn while_releases_are_compared_this_thread_answers_others() {
    let (done, wait) = mpsc::channel();
    let wait = parking_lot::Mutex::new(wait);
    let app = reading(move |id| {
        wait.lock().recv().unwrap();
        records::read(id)
    });
    let target = format!("/v1/changes?since={EARLIER}");
    let changes = app.get(&target).key("reader").send();
    let other = async {
        let boat = app.get("/v1/boats/b1").key("reader").send().await;
        done.send(()).unwrap();
        boat
    };
    let (changes, boat) = tokio::join!(changes, other);
    assert_eq!((changes.status, boat.status), (200, 200));
}

/// An app whose comparisons wait to be let go.
struct Slow {
    app: TestApp,
    /// How often a release was read.
    read: Arc<AtomicUsize>,
    is_begun: mpsc::Receiver<()>,
    let_go: mpsc::Sender<()>,
}

impl Slow {
    fn new() -> Self {
        let read = Arc::new(AtomicUsize::new(0));
        let (counted, (begun, is_begun)) = (Arc::clone(&read), mpsc::channel());
        let (let_go, wait) = mpsc::channel();
        let both = parking_lot::Mutex::new((begun, wait));
        let app = reading(move |id| {
            counted.fetch_add(1, Ordering::Relaxed);
            let both = both.lock();
            both.0.send(()).unwrap();
            both.1.recv().unwrap();
            records::read(id)
        });
        Self {
            app,
            read,
            is_begun,
            let_go,
        }
    }

    fn ask(&self) -> impl Future<Output = Answer> {
        let target = format!("/v1/changes?since={EARLIER}");
        self.app.get(&target).key("reader").send()
    }

    /// Once a comparison has begun.
    async fn begun(&self) {
        while self.is_begun.try_recv().is_err() {
            tokio::task::yield_now().await;
        }
    }
}

#[tokio::test]
async fn a_comparison_goes_on_when_its_client_has_left() {
    let slow = Slow::new();
    let leaving = slow.ask();
    tokio::select! {
        _ = leaving => panic!("it cannot be answered yet"),
        () = slow.begun() => {}
    }
    slow.let_go.send(()).unwrap();
    let next = slow.ask().await;
    assert_eq!((next.status, slow.read.load(Ordering::Relaxed)), (200, 1));
}

#[tokio::test(start_paused = true)]
async fn whoever_asks_for_a_long_comparison_is_told_to_come_again_while_it_goes_on() {
    let slow = Slow::new();
    let first = slow.ask();
    let (first, ()) = tokio::join!(first, async {
        slow.begun().await;
        tokio::time::advance(Duration::from_secs(5)).await;
    });
    assert_eq!((first.status, &*first.code()), (503, "SERVICE_UNAVAILABLE"));
    assert_eq!(first.header("retry-after"), Some("2"));
    assert_eq!(first.header("x-quota-remaining"), None);
    slow.let_go.send(()).unwrap();
    let next = slow.ask().await;
    assert_eq!((next.status, slow.read.load(Ordering::Relaxed)), (200, 1));
}

#[tokio::test]
async fn whether_a_release_is_kept_is_looked_at_once_in_ten_seconds() {
    let found = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&found);
    let app = TestApp::with(Unusual {
        others: OtherReleases {
            find: Box::new(move |id| {
                counted.fetch_add(1, Ordering::Relaxed);
                records::read(id).map(drop)
            }),
            ..records::others()
        },
        ..Unusual::default()
    });
    for (advanced, looked) in [(0, 1), (9, 1), (10, 2)] {
        app.advance(Duration::from_secs(advanced));
        for (since, status) in [(NEVER, 410), (EARLIER, 200)] {
            let target = format!("/v1/changes?since={since}");
            let answer = app.get(&target).key("unlimited").send().await;
            assert_eq!(answer.status, status, "{since}");
        }
        assert_eq!(found.load(Ordering::Relaxed), 2 * looked);
        app.advance(Duration::ZERO);
    }
}

#[tokio::test]
async fn what_is_remembered_is_told_while_the_store_is_away() {
    let app = TestApp::with(Unusual {
        others: OtherReleases {
            find: Box::new(|_| Err(away())),
            ..records::others()
        },
        ..Unusual::default()
    });
    let target = format!("/v1/changes?since={EARLIER}");
    for cache in ["MISS", "HIT"] {
        let answer = app.get(&target).key("reader").send().await;
        assert_eq!(answer.header("x-cache"), Some(cache));
    }
}

fn away() -> ReleaseError {
    ReleaseError::S3 {
        action: "read",
        object: "manifest".to_owned(),
        source: S3Error::Cancelled,
    }
}

type Failure = fn() -> ReleaseError;

#[tokio::test]
async fn a_store_that_is_away_is_503_and_a_disk_that_fails_is_500() {
    start_logging();
    let table: [(Failure, &str); 2] = [
        (away, "SERVICE_UNAVAILABLE"),
        (
            || ReleaseError::Io {
                action: "read",
                path: PathBuf::from("/secret/manifest.json"),
                source: io::Error::other("the disk is broken"),
            },
            "INTERNAL_ERROR",
        ),
    ];
    for (failure, code) in table {
        let app = reading(move |_| Err(failure()));
        let target = format!("/v1/changes?since={EARLIER}");
        let answer = app.get(&target).key("reader").send().await;
        assert_eq!(answer.code(), code);
        assert!(!String::from_utf8(answer.body).unwrap().contains("manifest"));
    }
}
