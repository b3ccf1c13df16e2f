//! Section 5: credentials that are refused wherever they stand, and what a scope allows.
//!
//! `answers.rs` records each reason against a key, and a key's own tests the order of the reasons.

use percent_encoding::percent_encode_byte;

use crate::app::TestApp;
use crate::log::{logged, start_logging};

#[tokio::test]
async fn two_headers_are_malformed_even_with_a_valid_key_in_each() {
    let app = TestApp::new();
    let twice = app
        .get("/v1/boats")
        .key("reader")
        .key("reader")
        .send()
        .await;
    assert_eq!(twice.code(), "MALFORMED_AUTHORIZATION");
}

#[tokio::test]
async fn what_is_refused_is_not_counted_against_the_key_it_resembles() {
    let app = TestApp::new();
    let secret = app.keys.secret("reader");
    let (unknown, mut mistyped) = (app.keys.secret("unknown"), secret.to_owned());
    mistyped.replace_range(
        20..21,
        if secret[20..].starts_with('a') {
            "b"
        } else {
            "a"
        },
    );
    for (key, code) in [
        (unknown, "INVALID_API_KEY"),
        (&mistyped, "MALFORMED_AUTHORIZATION"),
        (&secret[..40], "MALFORMED_AUTHORIZATION"),
    ] {
        let ask = app
            .get("/v1/boats/b1")
            .header("authorization", &format!("Bearer {key}"));
        assert_eq!(ask.send().await.code(), code, "{key}");
    }
    let answer = app.get("/v1/boats/b1").key("reader").send().await;
    assert_eq!(answer.header("x-ratelimit-remaining"), Some("9"));
}

#[tokio::test]
async fn a_credential_in_the_query_is_refused_even_beside_a_valid_header_and_repeated_nowhere() {
    start_logging();
    let app = TestApp::new();
    let secret = app.keys.secret("reader");
    let escaped: String = secret.bytes().map(percent_encode_byte).collect();
    for query in [
        "api_key=hush",
        "Token=",
        "bearer",
        "search=%62oat",
        "limit=0&token=hush",
        &format!("search={secret}"),
        &format!("type={escaped}"),
        &format!("{secret}=1"),
        &format!("{escaped}=1"),
    ] {
        logged();
        let answer = app
            .get(&format!("/v1/boats?{query}"))
            .key("reader")
            .send()
            .await;
        let is_credential = query != "search=%62oat";
        assert_eq!(
            answer.code() == "CREDENTIAL_IN_QUERY",
            is_credential,
            "{query}"
        );
        let body = str::from_utf8(&answer.body).unwrap();
        let told = answer.head() + body + &logged();
        for forbidden in ["hush", &secret[16..], &escaped[48..]] {
            assert!(!told.contains(forbidden), "{query}: {told}");
        }
    }
}

#[tokio::test]
async fn a_key_reads_only_what_its_scopes_name() {
    let app = TestApp::new();
    for (path, key, status) in [
        ("/v1/boats", "boats_only", 200),
        ("/v1/boats/b1", "boats_only", 200),
        ("/v1/boats", "manufacturers_only", 403),
        ("/v1/boats/b1", "manufacturers_only", 403),
        ("/v1/manufacturers", "manufacturers_only", 200),
        ("/v1/manufacturers/m1", "manufacturers_only", 200),
        ("/v1/manufacturers", "boats_only", 403),
        ("/v1/manufacturers/m1", "boats_only", 403),
    ] {
        assert_eq!(
            app.get(path).key(key).send().await.status,
            status,
            "{path} {key}"
        );
    }
}
