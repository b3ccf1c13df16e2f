//! Section 4.8: which headers belong to which status, checked on real responses of every status.

use crate::answer::Answer;
use crate::answers::panicking;
use crate::app::TestApp;

/// The table in section 4.8 of the specification. `None` stands for every status.
const TABLE: [(&[&str], Option<&[u16]>); 6] = [
    (&["x-request-id"], None),
    (
        &[
            "x-ratelimit-limit",
            "x-ratelimit-remaining",
            "x-ratelimit-reset",
        ],
        Some(&[200, 304, 429]),
    ),
    (
        &["x-quota-limit", "x-quota-remaining", "x-quota-reset"],
        Some(&[200, 429]),
    ),
    (&["etag", "cache-control"], Some(&[200, 304])),
    (&["x-cache", "age"], Some(&[200])),
    (&["retry-after"], Some(&[429, 503])),
];

fn check(answer: &Answer, status: u16) {
    assert_eq!(answer.status, status);
    for (names, statuses) in TABLE {
        let expected = statuses.is_none_or(|statuses| statuses.contains(&status));
        for name in names {
            assert_eq!(
                answer.header(name).is_some(),
                expected,
                "{name} on {status}"
            );
        }
    }
    if status < 400 {
        return;
    }
    assert_eq!(
        answer.header("content-type"),
        Some("application/json"),
        "{status}"
    );
    let error = &answer.json()["error"];
    assert_eq!(
        error["requestId"].as_str(),
        answer.header("x-request-id"),
        "{status}"
    );
    let mut names: Vec<&str> = error
        .as_object()
        .unwrap()
        .keys()
        .map(String::as_str)
        .collect();
    names.sort_unstable();
    let expected: &[&str] = match status {
        400 => &["code", "details", "message", "requestId"],
        _ => &["code", "message", "requestId"],
    };
    assert_eq!(names, expected, "{status}");
}

#[tokio::test]
async fn every_status_of_the_catalogue_shows_exactly_its_headers() {
    let app = TestApp::new();
    let table = [
        ("/v1/boats/b1", "reader", 200),
        ("/v1/boats?limit=1", "reader", 200),
        ("/v1/boats/b1?x=1", "reader", 400),
        ("/v1/boats/b1", "revoked", 401),
        ("/v1/boats/b1", "without_scopes", 403),
        ("/v1/boats/unknown", "reader", 404),
        ("/v1/boats/b1/", "reader", 404),
        ("/v1/boats/b1", "exhausted", 429),
    ];
    for (target, key, status) in table {
        check(&app.get(target).key(key).send().await, status);
    }
    check(
        &app.get("/v1/boats/b1")
            .key("reader")
            .header("if-none-match", "*")
            .send()
            .await,
        304,
    );
    check(
        &app.ask("DELETE", "/v1/boats").key("reader").send().await,
        405,
    );
    for _ in 0..2 {
        app.get("/v1/boats/b1").key("two_a_minute").send().await;
    }
    check(
        &app.get("/v1/boats/b1").key("two_a_minute").send().await,
        429,
    );
    app.ledger.break_down();
    check(
        &app.get("/v1/boats/b1").key("nearly_exhausted").send().await,
        503,
    );
    app.lose_key_store();
    check(&app.get("/v1/boats/b1").key("reader").send().await, 503);
    check(
        &panicking().get("/v1/boats").key("reader").send().await,
        500,
    );
}

#[tokio::test]
async fn head_shows_the_headers_of_get_and_no_body() {
    for target in [
        "/v1/boats/b1",
        "/v1/boats?limit=1",
        "/v1/boats/unknown",
        "/v1",
        "/nowhere",
    ] {
        let (one, other) = (TestApp::new(), TestApp::new());
        let get = one.get(target).key("reader").send().await;
        let head = other.ask("HEAD", target).key("reader").send().await;
        assert_eq!(head.status, get.status, "{target}");
        assert_eq!(head.headers, get.headers, "{target}");
        assert!(head.body.is_empty(), "{target}");
        let length = get.body.len().to_string();
        assert_eq!(
            head.header("content-length"),
            Some(length.as_str()),
            "{target}"
        );
    }
}

#[tokio::test]
async fn request_ids_are_ours_and_differ() {
    let app = TestApp::new();
    let first = app.get("/v1").header("x-request-id", "mine").send().await;
    let second = app.get("/v1").header("x-request-id", "mine").send().await;
    assert_eq!(
        first.header("x-request-id"),
        Some("00000000000000000000000001")
    );
    assert_eq!(
        second.header("x-request-id"),
        Some("00000000000000000000000002")
    );
}
