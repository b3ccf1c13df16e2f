//! The headers of `HEAD`, and the id of a request. The OpenAPI document says which headers belong
//! to which status, and is compared with every response that a snapshot shows.

use crate::answers::{CATALOGUE, Endpoint, SERVICE, WHOLE};
use crate::app::TestApp;

#[tokio::test]
async fn head_shows_the_headers_of_get_and_no_body() {
    let catalogue = CATALOGUE.iter().chain(&WHOLE).map(Endpoint::target);
    let service = SERVICE.iter().map(|(_, target)| *target);
    let refused = ["/v1/boats/unknown", "/v1/boats?x=1", "/nowhere"];
    for target in catalogue.chain(service).chain(refused) {
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
