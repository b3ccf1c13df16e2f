//! `GET /v1` and `GET /health`.

use crate::app::TestApp;

#[tokio::test]
async fn the_version_descriptor_names_the_release() {
    let app = TestApp::new();
    let answer = app.get("/v1").send().await;
    let release = app.app.catalogue().release_id().to_owned();
    assert_eq!(
        answer.json()["data"]["catalogue"]["release"],
        release.as_str()
    );
}

#[tokio::test]
async fn every_link_leads_to_an_endpoint() {
    let app = TestApp::new();
    let descriptor = app.get("/v1").send().await.json();
    let links = descriptor["data"]["links"].as_object().unwrap();
    assert_eq!(links.len(), 8);
    for (name, target) in links {
        let answer = app.get(target.as_str().unwrap()).key("reader").send().await;
        assert_eq!(answer.status, 200, "{name}");
    }
}

#[tokio::test]
async fn service_endpoints_need_no_key_and_look_at_none() {
    let app = TestApp::new();
    app.lose_key_store();
    for path in ["/v1", "/health"] {
        assert_eq!(app.get(path).send().await.status, 200, "{path}");
        assert_eq!(
            app.get(path).key("revoked").send().await.status,
            200,
            "{path}"
        );
        let malformed = app.get(path).header("authorization", "nonsense");
        assert_eq!(malformed.send().await.status, 200, "{path}");
    }
}

#[tokio::test]
async fn service_endpoints_ignore_if_none_match() {
    let app = TestApp::new();
    for path in ["/v1", "/health"] {
        let answer = app.get(path).header("if-none-match", "*").send().await;
        assert_eq!(answer.status, 200, "{path}");
        assert_eq!(answer.header("etag"), None, "{path}");
    }
}

#[tokio::test]
async fn service_endpoints_count_against_no_limit() {
    let app = TestApp::new();
    for _ in 0..20 {
        app.get("/v1").key("two_a_minute").send().await;
        app.get("/health").key("two_a_minute").send().await;
    }
    let answer = app.get("/v1/boats/b1").key("two_a_minute").send().await;
    assert_eq!(answer.header("x-ratelimit-remaining"), Some("1"));
}
