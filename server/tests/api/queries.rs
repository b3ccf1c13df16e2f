//! Lists when queries are slow: how many wait and for how long, which requests are refused, which
//! are answered all the same, and what happens to the query of a client that leaves.
//!
//! A query is made slow by taking away the one thread that could run it.

mod departures;

use std::fs::File;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::mpsc::{Sender, channel};
use std::time::Duration;

use futures_util::FutureExt;
use server::catalogue::{BodyError, Catalogue, OpenSettings, QueueLimits};
use shared::base::ids::IdOrSlug;
use shared::release::{FileName, Kind, Releases};
use tokio::runtime::Builder;
use tokio::task::{JoinHandle, spawn_blocking};
use tokio::time::{advance, pause, resume};

use crate::answer::Answer;
use crate::app::{TestApp, Unusual};
use crate::log::{logged, start_logging};
use crate::records::{self, PUBLISHED_AT};

const WAITING: Duration = Duration::from_mins(10);
const WORKING: Duration = Duration::from_mins(30);
const MOMENT: Duration = Duration::from_millis(1);

/// One query at a time, and one more that may wait.
pub(crate) fn settings() -> OpenSettings {
    OpenSettings {
        connections: 1,
        queues: QueueLimits {
            waiting_max: 1,
            waiting: WAITING,
            working: WORKING,
        },
        ..records::settings()
    }
}

pub(crate) fn app(settings: OpenSettings) -> TestApp {
    app_and_files(settings).0
}

/// An app, and a function that opens a file of its release for writing.
fn app_and_files(settings: OpenSettings) -> (TestApp, impl Fn(FileName) -> File) {
    let (directory, store) = records::empty_store();
    let id = records::publish(&store, 7, PUBLISHED_AT);
    let catalogue = Catalogue::open(&store.open(&id).unwrap(), settings).unwrap();
    let app = TestApp::with(Unusual {
        catalogue: Arc::new(catalogue),
        ..Unusual::default()
    });
    let file = move |name: FileName| {
        let path = directory.path().join("releases").join(id.as_str());
        let options = File::options().write(true).open(path.join(name.as_str()));
        options.unwrap()
    };
    (app, file)
}

/// Keeps the only blocking thread occupied.
pub(crate) struct Occupied {
    go: Sender<()>,
    thread: JoinHandle<()>,
}

impl Occupied {
    pub(crate) fn begin() -> Self {
        let (go, wait) = channel();
        let thread = spawn_blocking(move || wait.recv().unwrap());
        Self { go, thread }
    }

    pub(crate) async fn end(self) {
        self.go.send(()).unwrap();
        self.thread.await.unwrap();
    }
}

/// Runs `test` while the only blocking thread is occupied, until the test releases it.
pub(crate) fn while_occupied(app: &TestApp, test: impl AsyncFnOnce(Occupied)) {
    let runtime = Builder::new_current_thread()
        .enable_all()
        .max_blocking_threads(1)
        .build();
    runtime.unwrap().block_on(async {
        // This puts the list of all boats into the cache.
        assert_eq!(ask(app, "/v1/boats").await.status, 200);
        test(Occupied::begin()).await;
    });
}

async fn ask(app: &TestApp, target: &str) -> Answer {
    app.get(target).key("reader").send().await
}

/// The same without being charged, since the quota ledger needs a blocking thread too.
async fn ask_again(app: &TestApp, target: &str) -> Answer {
    let request = app.get(target).key("reader").header("if-none-match", "*");
    request.send().await
}

/// Starts a request and runs it as far as it gets without the blocking thread.
pub(crate) fn begin<'a>(
    app: &'a TestApp,
    target: &'a str,
) -> Pin<Box<impl Future<Output = Answer>>> {
    let mut request = Box::pin(ask(app, target));
    let at_once = request.as_mut().now_or_never();
    assert_eq!(at_once.map(|answer| answer.status), None, "{target}");
    request
}

fn check_unavailable(answer: &Answer) {
    assert_eq!(answer.code(), "SERVICE_UNAVAILABLE");
    assert_eq!(answer.header("retry-after"), Some("2"));
    assert_eq!(answer.header("etag"), None);
}

/// Checks that one line of the log has the cause, and that the response does not.
fn check_logged(answer: &Answer, cause: &str) {
    let log = logged();
    assert_eq!(
        log.matches(cause).count(),
        1,
        "{cause} is not once in:\n{log}"
    );
    assert!(!String::from_utf8_lossy(&answer.body).contains(cause));
}

#[test]
fn when_as_many_lists_wait_as_may_the_next_is_503_at_once_and_what_needs_no_query_is_answered() {
    start_logging();
    let app = &app(settings());
    while_occupied(app, async |occupied| {
        let running = begin(app, "/v1/boats?limit=1");
        let waiting = begin(app, "/v1/boats?limit=2");
        logged();
        let refused = ask(app, "/v1/manufacturers").now_or_never().unwrap();
        check_unavailable(&refused);
        check_logged(&refused, "no place is left for a list query: 1 are waiting");

        for target in ["/v1/boats", "/v1/boats/first-36", "/v1/manufacturers/m1"] {
            let answer = ask_again(app, target).now_or_never().unwrap();
            assert_eq!(answer.status, 304, "{target}");
        }
        for target in ["/v1", "/health"] {
            let answer = app.get(target).send().now_or_never().unwrap();
            assert_eq!(answer.status, 200, "{target}");
        }

        // Dropping a request makes room for another.
        drop(waiting);
        let instead = begin(app, "/v1/manufacturers");
        occupied.end().await;
        assert_eq!(running.await.status, 200);
        assert_eq!(instead.await.status, 200);
    });
}

/// Waits until a list is given up for this reason.
async fn check_given_up(list: impl Future<Output = Answer>, after: Duration, cause: &str) {
    pause();
    advance(after).await;
    resume();
    logged();
    let refused = list.await;
    check_unavailable(&refused);
    check_logged(&refused, cause);
}

#[test]
fn a_list_whose_turn_does_not_come_in_time_is_503() {
    start_logging();
    let app = &app(settings());
    while_occupied(app, async |occupied| {
        let running = begin(app, "/v1/boats?limit=1");
        let waiting = begin(app, "/v1/boats?limit=2");
        check_given_up(
            waiting,
            WAITING,
            "no turn came for a list query within 600s",
        )
        .await;
        occupied.end().await;
        assert_eq!(running.await.status, 200);
    });
}

#[test]
fn a_list_that_takes_too_long_is_503_and_the_same_list_is_answered_later() {
    start_logging();
    let app = &app(settings());
    while_occupied(app, async |occupied| {
        let running = begin(app, "/v1/boats?limit=1");
        check_given_up(running, WORKING, "a list query was not done within 1800s").await;
        occupied.end().await;
        let later = ask(app, "/v1/boats?limit=1").await;
        assert_eq!((later.status, later.header("x-cache")), (200, Some("MISS")));
    });
}

#[test]
fn of_several_who_ask_the_same_the_first_to_go_away_takes_nothing_from_the_others() {
    let app = &app(settings());
    while_occupied(app, async |occupied| {
        let first = begin(app, "/v1/boats?limit=1");
        let second = begin(app, "/v1/boats?limit=1");
        let third = begin(app, "/v1/boats?limit=1");
        drop(first);
        let fourth = begin(app, "/v1/boats?limit=1");
        drop(third);
        occupied.end().await;
        let (second, fourth) = tokio::join!(second, fourth);
        let mut from_cache = [second.header("x-cache"), fourth.header("x-cache")];
        from_cache.sort_unstable();
        assert_eq!(from_cache, [Some("HIT"), Some("MISS")]);
        assert_eq!(second.body, fourth.body);
    });
}

#[test]
fn who_waits_for_another_s_identical_list_waits_as_long_as_that_may_take() {
    let app = &app(settings());
    while_occupied(app, async |occupied| {
        let first = begin(app, "/v1/boats?limit=1");
        let second = begin(app, "/v1/boats?limit=1");
        pause();
        advance(WAITING + MOMENT).await;
        resume();
        occupied.end().await;
        let (first, second) = tokio::join!(first, second);
        assert_eq!((first.status, second.status), (200, 200));
        assert_eq!(second.header("x-cache"), Some("HIT"));
    });
}

#[test]
fn refused_lists_are_told_the_log_once_a_minute() {
    start_logging();
    let app = &app(settings());
    while_occupied(app, async |occupied| {
        let running = begin(app, "/v1/boats?limit=1");
        let waiting = begin(app, "/v1/boats?limit=2");
        logged();
        let refuse = || check_unavailable(&ask(app, "/v1/manufacturers").now_or_never().unwrap());
        (0..3).for_each(|_| refuse());
        let cause = "no place is left for a list query: 1 are waiting";
        assert_eq!(logged().matches(cause).count(), 1);
        app.advance(Duration::from_mins(1));
        refuse();
        let log = logged();
        let line = log.lines().find(|line| line.contains(cause)).unwrap();
        assert!(line.contains("left_out=2"), "{line}");
        occupied.end().await;
        assert_eq!(running.await.status, 200);
        assert_eq!(waiting.await.status, 200);
    });
}

#[test]
fn reads_of_bodies_from_disk_are_bounded_in_the_same_way() {
    /// As many reads as may run at once, and one that waits.
    const READS_MAX: usize = 32 + 1;
    start_logging();
    let (app, file) = app_and_files(OpenSettings {
        bodies_memory_max: 0,
        ..settings()
    });
    let app = &app;
    let catalogue = app.app.catalogue();
    let boat = catalogue.find(Kind::Boats, &IdOrSlug::parse("b1").unwrap());
    while_occupied(app, async |occupied| {
        // A read from the system's page cache would finish at once.
        for name in [FileName::BoatLines, FileName::ManufacturerLines] {
            file(name).set_len(0).unwrap();
        }
        let read = || Box::pin(catalogue.body(boat.unwrap()));
        let mut reading: Vec<_> = (0..READS_MAX).map(|_| read()).collect();
        for read in &mut reading {
            assert!(read.as_mut().now_or_never().is_none());
        }
        logged();
        let refused = ask(app, "/v1/manufacturers/m1").now_or_never().unwrap();
        check_unavailable(&refused);
        check_logged(
            &refused,
            "no place is left for a read of a body: 1 are waiting",
        );
        let cached = ask_again(app, "/v1/boats").now_or_never().unwrap();
        assert_eq!(cached.status, 304);
        occupied.end().await;
        for read in reading {
            assert!(matches!(read.await, Err(BodyError::Read(_))));
        }
    });
}
