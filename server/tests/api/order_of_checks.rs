//! The order of checks as a truth table: a request that fails several checks gets the error of the
//! earliest.

use std::fmt;

use crate::app::TestApp;

/// The checks, in the contract's order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Check {
    Body,
    Path,
    Method,
    QueryCredential,
    Header,
    KeyStore,
    Key,
    Minute,
    Scope,
    Parameters,
    Quota,
    LookUp,
}

use Check::{
    Body, Header, Key, KeyStore, LookUp, Method, Minute, Parameters, Path, QueryCredential, Quota,
    Scope,
};

const ORDER: [(Check, &str); 12] = [
    (Body, "BODY_NOT_ALLOWED"),
    (Path, "NOT_FOUND"),
    (Method, "METHOD_NOT_ALLOWED"),
    (QueryCredential, "CREDENTIAL_IN_QUERY"),
    (Header, "MISSING_API_KEY"),
    (KeyStore, "SERVICE_UNAVAILABLE"),
    (Key, "API_KEY_REVOKED"),
    (Minute, "RATE_LIMITED"),
    (Scope, "INSUFFICIENT_PERMISSIONS"),
    (Parameters, "VALIDATION_ERROR"),
    (Quota, "QUOTA_EXCEEDED"),
    (LookUp, "NOT_FOUND"),
];

impl fmt::Display for Check {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(self, f)
    }
}

/// The code of the response to a request that fails all checks in `failing`.
async fn ask(failing: &[Check]) -> String {
    let app = TestApp::new();
    let fails = |check| failing.contains(&check);
    let key = key_that_fails(failing);
    if fails(Minute) {
        for _ in 0..2 {
            app.get("/v1/boats/b1").key(key).send().await;
        }
    }
    if fails(KeyStore) {
        app.lose_key_store();
    }
    let path = match (fails(Path), fails(LookUp)) {
        (true, _) => "/v1/boats/",
        (false, true) => "/v1/boats/unknown",
        (false, false) => "/v1/boats/b1",
    };
    let credential = if fails(QueryCredential) {
        "&token=x"
    } else {
        ""
    };
    let parameter = if fails(Parameters) { "&limit=1" } else { "" };
    let method = if fails(Method) { "POST" } else { "GET" };
    let mut ask = app.ask(method, &format!("{path}?{credential}{parameter}"));
    if !fails(Header) {
        ask = ask.key(key);
    }
    if fails(Body) {
        ask = ask.header("content-length", "1");
    }
    ask.send().await.code()
}

/// The purpose of a key that fails the checks in `failing` that depend on the key.
fn key_that_fails(failing: &[Check]) -> &'static str {
    let fails = |check| failing.contains(&check);
    match (fails(Key), fails(Minute), fails(Scope), fails(Quota)) {
        (true, ..) => "revoked",
        (_, true, true, _) => "once_a_minute_without_scopes",
        (_, _, true, true) => "exhausted_without_scopes",
        (_, true, _, true) => "exhausted_two_a_minute",
        (_, true, ..) => "two_a_minute",
        (_, _, true, _) => "without_scopes",
        (_, _, _, true) => "exhausted",
        _ => "reader",
    }
}

#[tokio::test]
async fn a_request_that_fails_nothing_is_200() {
    assert_eq!(ask(&[]).await, "200");
}

#[tokio::test]
async fn each_check_alone_says_its_code() {
    for (check, code) in ORDER {
        assert_eq!(ask(&[check]).await, code, "{check}");
    }
}

#[tokio::test]
async fn of_any_two_failing_checks_the_earlier_is_told() {
    for (index, (earlier, code)) in ORDER.into_iter().enumerate() {
        for (later, _) in &ORDER[index + 1..] {
            assert_eq!(
                ask(&[earlier, *later]).await,
                code,
                "{earlier} before {later}"
            );
        }
    }
}
