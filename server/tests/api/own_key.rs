//! `GET /v1/key`: what a key is told about itself, and what that costs.

use std::time::Duration;

use crate::app::TestApp;
use crate::exchanges::Exchanges;
use crate::keys::{EXHAUSTED, PLENTY};

#[tokio::test]
async fn a_key_is_told_what_it_may_do_and_what_is_left() {
    let mut all = Exchanges::default();
    for (shown, target, key) in [
        ("a key that may read all", "/v1/key", "boats_only"),
        ("a key without scopes", "/v1/key", "without_scopes"),
        ("a key that expires", "/v1/key", "expiring"),
        ("a rotated key", "/v1/key", "in_grace"),
        ("no request of the month is left", "/v1/key", "exhausted"),
        (
            "a parameter, since it takes none",
            "/v1/key?id=1",
            "boats_only",
        ),
    ] {
        let app = TestApp::new();
        all.add(shown, app.get(target).key(key)).await;
    }
    let app = TestApp::new();
    app.get("/v1/boats").key("two_a_minute").send().await;
    app.advance(Duration::from_secs(10));
    for shown in ["the second request of two a minute", "the third"] {
        all.add(shown, app.get("/v1/key").key("two_a_minute")).await;
    }
    let app = TestApp::new();
    let tagged = app.get("/v1/key").key("boats_only");
    let shown = "a condition, which is of no use without a tag";
    all.add(shown, tagged.header("if-none-match", "*")).await;
    all.check("get_key", "`GET /v1/key`: by what the key is.");
}

#[tokio::test]
async fn it_counts_against_the_minute_and_is_never_charged() {
    let app = TestApp::new();
    for counted in 1..=5 {
        let answer = app.get("/v1/key").key("reader").send().await;
        let left = (10 - counted).to_string();
        assert_eq!(answer.header("x-ratelimit-remaining"), Some(&*left));
        assert_eq!(answer.json()["rateLimit"]["remaining"], 10 - counted);
        assert_eq!(answer.header("x-quota-remaining"), Some("1000"));
        assert_eq!(answer.json()["quota"]["remaining"], 1000);
    }
    let exhausted = app.get("/v1/key").key("exhausted").send().await;
    assert_eq!(exhausted.json()["quota"]["remaining"], 0);
    for owner in [PLENTY, EXHAUSTED] {
        assert_eq!(app.ledger.leased(owner.0), 0);
    }
}

#[tokio::test]
async fn the_minute_is_checked_before_parameters_and_these_before_the_quota_is_read() {
    let app = TestApp::new();
    app.ledger.break_down();
    let mut codes = Vec::new();
    for query in ["", "?id=1", "?id=1"] {
        let ask = app.get(&format!("/v1/key{query}")).key("two_a_minute");
        codes.push(ask.send().await.code());
    }
    // A refusal by the minute shows the quota too, so without the quota it is a 503.
    assert_eq!(
        codes,
        [
            "SERVICE_UNAVAILABLE",
            "VALIDATION_ERROR",
            "SERVICE_UNAVAILABLE"
        ]
    );
}

#[tokio::test]
async fn what_it_says_is_what_the_headers_say() {
    let app = TestApp::new();
    app.get("/v1/boats").key("reader").send().await;
    let answer = app.get("/v1/key").key("reader").send().await;
    let body = answer.json();
    for (limit, name) in [("rateLimit", "x-ratelimit"), ("quota", "x-quota")] {
        for part in ["limit", "remaining", "reset"] {
            let header = answer.header(&format!("{name}-{part}")).unwrap();
            assert_eq!(body[limit][part].to_string(), header, "{limit} {part}");
        }
    }
    assert_eq!(body["quota"]["remaining"], 999);
    assert_eq!(body["release"], app.app.catalogue().release_id());
}

#[tokio::test]
async fn nothing_of_it_is_kept_or_is_a_secret() {
    let app = TestApp::new();
    let answer = app.get("/v1/key").key("reader").send().await;
    assert_eq!(answer.header("cache-control"), Some("no-store"));
    for name in ["etag", "age", "x-cache", "x-release"] {
        assert_eq!(answer.header(name), None, "{name}");
    }
    let body = String::from_utf8(answer.body).unwrap();
    for secret in [app.keys.secret("reader"), "subscription 1", "key_"] {
        assert!(!body.contains(secret), "{body}");
    }
}
