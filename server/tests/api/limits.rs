//! Section 8: the minute limit of a key and the monthly quota of a subscription.

use std::fmt::Write;
use std::time::Duration;

use crate::answer::check_text;
use crate::app::{TestApp, Unusual, away};
use crate::keys::{NEARLY_EXHAUSTED, PLENTY};

/// 2026-11-01T00:00:00Z, when the tests' subscriptions renew: they started on the first of October.
const NEXT_MONTH: &str = "1793491200";
/// 2026-12-01T00:00:00Z.
const MONTH_AFTER_NEXT: &str = "1796083200";

#[tokio::test]
async fn a_used_up_minute_is_429_until_its_oldest_request_is_60_seconds_old() {
    let app = TestApp::new();
    let ask = || app.get("/v1/boats/b1").key("two_a_minute").send();
    assert_eq!(ask().await.header("x-ratelimit-remaining"), Some("1"));
    app.advance(Duration::from_secs(15));
    assert_eq!(ask().await.header("x-ratelimit-remaining"), Some("0"));
    app.advance(Duration::from_millis(500));
    assert_eq!(ask().await.header("retry-after"), Some("45"));
    app.advance(Duration::from_millis(44_499));
    assert_eq!(ask().await.code(), "RATE_LIMITED");
    app.advance(Duration::from_millis(1));
    assert_eq!(ask().await.code(), "200");
}

#[tokio::test]
async fn every_status_counts_against_the_minute_except_a_refusal_for_it() {
    let app = TestApp::new();
    let remaining =
        |answer: crate::answer::Answer| answer.header("x-ratelimit-remaining").map(str::to_owned);
    for path in [
        "/v1/boats/unknown",
        "/v1/boats?limit=0",
        "/v1/boats?limit=1",
    ] {
        app.get(path).key("reader").send().await;
    }
    let conditional = app
        .get("/v1/boats/b1")
        .key("reader")
        .header("if-none-match", "*");
    assert_eq!(remaining(conditional.send().await).as_deref(), Some("6"));
    for _ in 0..10 {
        app.get("/v1/boats/b1").key("reader").send().await;
    }
    let refused = app.get("/v1/boats/b1").key("reader").send().await;
    assert_eq!(refused.code(), "RATE_LIMITED");
    app.advance(Duration::from_mins(1));
    let fresh = app.get("/v1/boats/b1").key("reader").send().await;
    assert_eq!(remaining(fresh).as_deref(), Some("9"));
}

#[tokio::test]
async fn an_exhausted_quota_is_429_before_look_up_and_conditions() {
    let app = TestApp::new();
    let unknown = app.get("/v1/boats/unknown").key("exhausted").send().await;
    assert_eq!(unknown.code(), "QUOTA_EXCEEDED");
    let held = app
        .get("/v1/boats/b1")
        .key("exhausted")
        .header("if-none-match", "*");
    assert_eq!(held.send().await.code(), "QUOTA_EXCEEDED");
}

#[tokio::test]
async fn only_a_200_is_charged_to_the_quota() {
    let app = TestApp::new();
    let ask = |path: &'static str| app.get(path).key("nearly_exhausted");
    assert_eq!(ask("/v1/boats/unknown").send().await.status, 404);
    assert_eq!(
        ask("/v1/boats/b1")
            .header("if-none-match", "*")
            .send()
            .await
            .status,
        304
    );
    assert_eq!(ask("/v1/boats?limit=0").send().await.status, 400);
    let first = ask("/v1/boats/b1").send().await;
    assert_eq!(first.header("x-quota-remaining"), Some("1"));
    app.advance(Duration::from_mins(1));
    let last = ask("/v1/boats/b1").send().await;
    assert_eq!(last.header("x-quota-remaining"), Some("0"));
    app.advance(Duration::from_mins(1));
    assert_eq!(ask("/v1/boats/b1").send().await.code(), "QUOTA_EXCEEDED");
    assert_eq!(app.ledger.leased(NEARLY_EXHAUSTED.0), 2);
}

#[tokio::test]
async fn a_minute_refusal_shows_the_quota_without_charging_it() {
    let app = TestApp::new();
    for _ in 0..4 {
        app.get("/v1/boats/b1").key("two_a_minute").send().await;
    }
    let refused = app.get("/v1/boats/b1").key("two_a_minute").send().await;
    assert_eq!(refused.code(), "RATE_LIMITED");
    assert_eq!(refused.header("x-quota-remaining"), Some("998"));
    let other = app.get("/v1/boats/b1").key("reader").send().await;
    assert_eq!(other.header("x-quota-remaining"), Some("997"));
}

#[tokio::test]
async fn what_another_server_used_is_used() {
    let app = TestApp::new();
    app.ledger.take(PLENTY.0, PLENTY.1);
    let answer = app.get("/v1/boats/b1").key("reader").send().await;
    assert_eq!(answer.code(), "QUOTA_EXCEEDED");
}

#[tokio::test]
async fn a_used_up_quota_renews_with_the_next_month() {
    let app = TestApp::new();
    let ask = || app.get("/v1/boats/b1").key("nearly_exhausted").send();
    for remaining in ["1", "0"] {
        let answer = ask().await;
        assert_eq!(answer.header("x-quota-remaining"), Some(remaining));
        assert_eq!(answer.header("x-quota-reset"), Some(NEXT_MONTH));
    }
    let refused = ask().await;
    assert_eq!(refused.code(), "QUOTA_EXCEEDED");
    assert_eq!(refused.header("x-quota-reset"), Some(NEXT_MONTH));
    let message = refused.json()["error"]["message"].clone();
    let day = "the subscription's 2 requests of this month are used up; the quota renews on \
               2026-11-01, 00:00 UTC";
    assert_eq!(message, day);

    let wait: u64 = refused.header("retry-after").unwrap().parse().unwrap();
    app.advance(Duration::from_secs(wait - 1));
    assert_eq!(ask().await.code(), "QUOTA_EXCEEDED");
    app.advance(Duration::from_secs(1));
    let renewed = ask().await;
    assert_eq!(renewed.code(), "200");
    assert_eq!(renewed.header("x-quota-remaining"), Some("1"));
    assert_eq!(renewed.header("x-quota-reset"), Some(MONTH_AFTER_NEXT));
}

#[tokio::test]
async fn a_server_whose_store_of_minute_limits_is_away_refuses_nothing_and_counts_alone() {
    let app = TestApp::with(Unusual {
        minutes: Some(away().await),
        ..Unusual::default()
    });
    let ask = || app.get("/v1/boats/b1").key("once_a_minute_without_scopes");
    assert_eq!(ask().send().await.code(), "INSUFFICIENT_PERMISSIONS");
    assert_eq!(ask().send().await.code(), "RATE_LIMITED");
    let read = app.get("/v1/boats/b1").key("reader").send().await;
    assert_eq!(read.code(), "200");
}

/// Records `RateLimit-Policy` and `RateLimit` for every status.
#[tokio::test]
async fn the_draft_of_the_ietf_shows_what_the_other_headers_show_where_it_is_switched_on() {
    let app = TestApp::with(Unusual {
        shows_rate_limit_draft: true,
        ..Unusual::default()
    });
    let boat = || app.get("/v1/boats/b1");
    let mut table = String::new();
    for ask in [
        boat().key("reader"),
        app.get("/v1/boats?limit=1").key("reader"),
        boat().key("reader").header("if-none-match", "*"),
        app.get("/v1/boats?limit=0").key("reader"),
        boat(),
        boat().key("without_scopes"),
        app.get("/v1/boats/unknown").key("reader"),
        boat().key("exhausted"),
        boat().key("once_a_minute_without_scopes"),
        boat().key("once_a_minute_without_scopes"),
        app.get("/v1"),
    ] {
        let (request, answer) = (ask.text(), ask.send().await);
        let headers = ["ratelimit-policy", "ratelimit"].map(|name| answer.header(name));
        let (request, code) = (request.replace('\n', "; "), answer.code());
        writeln!(table, "{request}\n  {} {code}", answer.status).unwrap();
        match headers {
            [Some(policy), Some(state)] => writeln!(table, "  {policy}\n  {state}").unwrap(),
            neither => assert_eq!(neither, [None, None]),
        }
    }
    check_text(
        "rate_limit_draft",
        "`RateLimit-Policy` and `RateLimit`, where they are switched on.",
        &table,
    );
}

#[tokio::test]
async fn the_draft_of_the_ietf_changes_no_other_header_and_is_off_unless_switched_on() {
    let [off, on] = [false, true].map(|shows_rate_limit_draft| {
        TestApp::with(Unusual {
            shows_rate_limit_draft,
            ..Unusual::default()
        })
    });
    for target in [
        "/v1/boats/b1",
        "/v1/boats?limit=1",
        "/v1/boats/unknown",
        "/v1",
    ] {
        let without = off.get(target).key("reader").send().await;
        let mut with = on.get(target).key("reader").send().await;
        for name in ["ratelimit-policy", "ratelimit"] {
            assert_eq!(without.header(name), None, "{name} of {target}");
            with.headers.remove(name);
        }
        assert_eq!(with.headers, without.headers, "{target}");
        assert_eq!(with.body, without.body, "{target}");
    }
}
