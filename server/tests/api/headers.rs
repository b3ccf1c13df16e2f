//! The headers of `HEAD`, and the id of a request. The OpenAPI document says which headers belong
//! to which status, and is compared with every response that a snapshot shows.

use crate::answers::{CATALOGUE, Endpoint, SERVICE, WHOLE};
use crate::app::TestApp;
use crate::records::EARLIER;

#[tokio::test]
async fn head_shows_the_headers_of_get_and_no_body() {
    let catalogue = CATALOGUE.iter().chain(&WHOLE).map(Endpoint::target);
    let service = SERVICE.iter().map(|(_, target)| *target);
    let others = ["/v1/key", "/v1/boats/unknown", "/v1/boats?x=1", "/nowhere"];
    for target in catalogue.chain(service).chain(others) {
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
async fn what_is_of_the_whole_release_names_it_and_a_single_record_does_not() {
    let app = TestApp::new();
    let release = app.app.catalogue().release_id().to_owned();
    for (target, names_it) in [
        ("/v1/boats?limit=1", true),
        ("/v1/manufacturers", true),
        ("/v1/manufacturers/m1/boats", true),
        ("/v1/terms", true),
        ("/v1/facets", true),
        (&format!("/v1/changes?since={EARLIER}"), true),
        ("/v1/boats.ndjson", true),
        ("/v1/manufacturers.parquet", true),
        ("/v1", true),
        ("/v1/boats/b1", false),
        ("/v1/manufacturers/m1", false),
        ("/v1/key", false),
        ("/health", false),
        ("/v1/boats?colour=red", false),
        ("/v1/manufacturers/none/boats", false),
    ] {
        let expected = names_it.then_some(release.as_str());
        let answer = app.get(target).key("unlimited").send().await;
        assert_eq!(answer.header("x-release"), expected, "{target}");
        let Some(etag) = answer.header("etag") else {
            continue;
        };
        let ask = app.get(target).key("unlimited");
        let again = ask.header("if-none-match", etag).send().await;
        let told = (again.status, again.header("x-release"));
        assert_eq!(told, (304, expected), "{target}");
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
