//! Requests that are refused before any key is checked, and internal errors.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use server::catalogue::{Catalogue, OpenSettings};
use server::request_id::{RequestId, RequestIds};
use shared::base::clock::{Clock, ManualClock, Moment};
use shared::release::{FileName, Releases};

use crate::app::{NOW, TestApp, Unusual};
use crate::log::{check_told_once, logged, start_logging};
use crate::records::{self, PUBLISHED_AT};

#[tokio::test]
async fn an_unknown_path_is_404_in_the_envelope() {
    let app = TestApp::new();
    for path in [
        "/v2",
        "//",
        "/v1/",
        "//v1",
        "/v1/boats/",
        "//v1/boats",
        "/v1//boats",
        "/v1/./boats",
        "/v1/boats//",
        "/v1/../v1/boats",
        "/v1/boats/a/b",
        "/v1/manufacturers//boats",
        "/v1/manufacturers/x/boats/",
        "/v1/bo%61ts",
        "/V1/boats",
        "/health/",
        "/favicon.ico",
    ] {
        for method in ["GET", "POST", "OPTIONS"] {
            let answer = app.ask(method, path).key("reader").send().await;
            assert_eq!(
                (answer.status, answer.code()),
                (404, "NOT_FOUND".to_owned()),
                "{path}"
            );
        }
    }
}

#[tokio::test]
async fn another_method_is_405_and_told_which_are_allowed() {
    let app = TestApp::new();
    for method in [
        "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "get", "PURGE",
    ] {
        for path in [
            "/v1",
            "/health",
            "/v1/boats",
            "/v1/boats/b1",
            "/v1/manufacturers/m1/boats",
        ] {
            let answer = app.ask(method, path).send().await;
            assert_eq!(answer.status, 405, "{method} {path}");
            assert_eq!(answer.header("allow"), Some("GET, HEAD"), "{method} {path}");
        }
    }
}

/// A clock that can be read so many times, then panics once, and then works again.
pub(crate) struct FaultyClock {
    readings_left: AtomicU32,
    clock: ManualClock,
}

impl FaultyClock {
    pub(crate) fn that_shows(readings: u32) -> Arc<dyn Clock> {
        Arc::new(Self {
            readings_left: AtomicU32::new(readings),
            clock: ManualClock::at(NOW),
        })
    }
}

impl Clock for FaultyClock {
    fn now(&self) -> Moment {
        // At zero the counter wraps around, so the clock panics only once.
        let left = self.readings_left.fetch_sub(1, Ordering::Relaxed);
        assert!(left != 0, "the clock is broken");
        self.clock.now()
    }
}

struct FaultyRequestIds;

impl RequestIds for FaultyRequestIds {
    fn next(&self, _now: Moment) -> RequestId {
        panic!("no more ids")
    }
}

#[tokio::test]
async fn a_panic_before_there_is_an_id_is_a_500_with_the_nil_id() {
    let clock = Some(FaultyClock::that_shows(1));
    let no_clock = TestApp::with(Unusual {
        clock,
        ..Unusual::default()
    });
    let request_ids = Box::new(FaultyRequestIds);
    let no_ids = TestApp::with(Unusual {
        request_ids,
        ..Unusual::default()
    });
    for app in [no_clock, no_ids] {
        let answer = app.get("/v1/boats").key("reader").send().await;
        assert_eq!(answer.code(), "INTERNAL_ERROR");
        assert_eq!(
            answer.header("x-request-id"),
            Some("00000000000000000000000000")
        );
    }
}

/// Checks the response of an app whose bodies were damaged after it had opened them.
async fn check_damaged(name: FileName, damage: impl Fn(&std::fs::File), explanation: &str) {
    let (directory, store) = records::empty_store();
    let id = records::publish(&store, 3, PUBLISHED_AT);
    let on_disk = OpenSettings {
        bodies_memory_max: 0,
        ..records::settings()
    };
    let catalogue = Arc::new(Catalogue::open(&store.open(&id).unwrap(), on_disk).unwrap());
    let app = TestApp::with(Unusual {
        catalogue,
        ..Unusual::default()
    });
    let list = match name {
        FileName::BoatLines => "/v1/boats",
        _ => "/v1/manufacturers",
    };
    let one = format!("{list}/first-36").replace("manufacturers/first-36", "manufacturers/m1");
    let sound = app.get(&one).key("reader").send().await;
    assert_eq!(sound.status, 200, "{one}");

    let path = store.directory(&id).join(name.as_str());
    let file = std::fs::OpenOptions::new().write(true).open(&path);
    damage(&file.unwrap());
    for target in [list, &one] {
        logged();
        let answer = app.get(target).key("reader").send().await;
        assert_eq!(answer.code(), "INTERNAL_ERROR", "{target}");
        for known in ["x-ratelimit-remaining", "x-quota-remaining", "etag"] {
            assert_eq!(answer.header(known), None, "{target}");
        }
        let request_id = answer.header("x-request-id").map(str::to_owned);
        let body = String::from_utf8(answer.body).unwrap();
        for inside in [directory.path().to_str().unwrap(), name.as_str(), "byte"] {
            assert!(!body.contains(inside), "{target}: {body}");
        }
        let causes = ["request failed", path.to_str().unwrap(), explanation];
        check_told_once(request_id.as_deref(), &causes);
    }
}

#[tokio::test]
async fn a_body_that_cannot_be_read_is_a_500_that_only_the_log_explains() {
    use std::os::unix::fs::FileExt;

    start_logging();
    for name in [FileName::BoatLines, FileName::ManufacturerLines] {
        let change = |file: &std::fs::File| file.write_all_at(b"#", 20).unwrap();
        check_damaged(name, change, "has changed").await;
        let empty = |file: &std::fs::File| file.set_len(0).unwrap();
        check_damaged(name, empty, "could not read").await;
    }
}
