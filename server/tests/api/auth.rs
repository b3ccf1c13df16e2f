//! Section 5: which keys are refused, and with which code.

use crate::app::TestApp;

async fn check(key: &str, expected: &str) {
    let app = TestApp::new();
    let answer = app.get("/v1/boats/b1").key(key).send().await;
    assert_eq!(answer.code(), expected, "{key}");
    if expected != "200" {
        assert_eq!(answer.status, 401, "{key}");
        assert!(
            answer
                .header("www-authenticate")
                .unwrap()
                .starts_with("Bearer"),
            "{key}"
        );
    }
}

#[tokio::test]
async fn each_reason_against_a_key_has_its_code() {
    for (key, code) in [
        ("reader", "200"),
        ("unknown", "INVALID_API_KEY"),
        ("live", "WRONG_ENVIRONMENT"),
        ("revoked", "API_KEY_REVOKED"),
        ("expired", "API_KEY_EXPIRED"),
        ("past_grace", "API_KEY_EXPIRED"),
        ("disabled", "API_KEY_DISABLED"),
        ("inactive", "API_KEY_DISABLED"),
    ] {
        check(key, code).await;
    }
}

#[tokio::test]
async fn of_several_reasons_the_first_is_told() {
    for (key, code) in [
        ("live_revoked_expired_disabled", "WRONG_ENVIRONMENT"),
        ("revoked_expired_disabled", "API_KEY_REVOKED"),
        ("expired_disabled", "API_KEY_EXPIRED"),
    ] {
        check(key, code).await;
    }
}

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
async fn a_credential_in_the_query_is_refused_even_beside_a_valid_header() {
    let app = TestApp::new();
    let secret = app.keys.secret("reader");
    for query in [
        "api_key=secret",
        "Token=",
        "bearer",
        "search=%62oat",
        &format!("search={secret}"),
    ] {
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
    }
}

#[tokio::test]
async fn a_key_store_that_is_not_current_is_503_for_well_formed_keys_only() {
    let app = TestApp::new();
    app.lose_key_store();
    for key in ["reader", "unknown"] {
        let answer = app.get("/v1/boats/b1").key(key).send().await;
        assert_eq!(answer.code(), "SERVICE_UNAVAILABLE", "{key}");
    }
    assert_eq!(
        app.get("/v1/boats/b1").send().await.code(),
        "MISSING_API_KEY"
    );
    let malformed = app
        .get("/v1/boats/b1")
        .header("authorization", "Bearer x")
        .send()
        .await;
    assert_eq!(malformed.code(), "MALFORMED_AUTHORIZATION");
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
