//! `GET /v1/manufacturers`, `GET /v1/manufacturers/{idOrSlug}` and the boats of one.

use crate::app::TestApp;

#[tokio::test]
async fn a_manufacturer_is_its_full_record() {
    let app = TestApp::new();
    app.get("/v1/manufacturers/beneteau")
        .key("reader")
        .send()
        .await
        .check("get_manufacturer__200");
    let by_id = app.get("/v1/manufacturers/m1").key("reader").send().await;
    assert_eq!(by_id.json()["data"]["slug"], "beneteau");
}

#[tokio::test]
async fn an_unknown_manufacturer_is_404() {
    let app = TestApp::new();
    let answer = app.get("/v1/manufacturers/b1").key("reader").send().await;
    answer.check("get_manufacturer__404");
}

#[tokio::test]
async fn a_page_of_manufacturers_has_its_envelope_and_links() {
    let app = TestApp::new();
    let answer = app
        .get("/v1/manufacturers?limit=2")
        .key("reader")
        .send()
        .await;
    answer.check("list_manufacturers__200");
}

#[tokio::test]
async fn manufacturers_sort_by_name_and_by_update_and_by_nothing_else() {
    let app = TestApp::new();
    let table: [(&str, &[&str]); 3] = [
        ("", &["beneteau", "hallberg-rassy", "new-yard"]),
        (
            "?sort=updatedAt&order=desc",
            &["hallberg-rassy", "beneteau", "new-yard"],
        ),
        ("?search=rassy", &["hallberg-rassy"]),
    ];
    for (query, slugs) in table {
        let answer = app
            .get(&format!("/v1/manufacturers{query}"))
            .key("reader")
            .send()
            .await;
        assert_eq!(answer.slugs(), slugs, "{query}");
    }
    let answer = app
        .get("/v1/manufacturers?sort=boatCount")
        .key("reader")
        .send()
        .await;
    answer.check("list_manufacturers__400_sort");
}

#[tokio::test]
async fn the_nested_list_is_byte_for_byte_the_filtered_one() {
    let app = TestApp::new();
    for name in ["hallberg-rassy", "m2"] {
        let nested = app
            .get(&format!("/v1/manufacturers/{name}/boats?limit=2"))
            .key("reader");
        let nested = nested.send().await;
        let filtered = app
            .get("/v1/boats?limit=2&manufacturer=hallberg-rassy")
            .key("reader");
        let filtered = filtered.send().await;
        assert_eq!(nested.status, 200);
        assert_eq!(nested.body, filtered.body);
        assert_eq!(nested.header("etag"), filtered.header("etag"));
        let link = format!("</v1/manufacturers/{name}/boats?limit=2&offset=2>; rel=\"next\"");
        assert_eq!(nested.header("link"), Some(link.as_str()));
    }
}

#[tokio::test]
async fn a_manufacturer_without_boats_has_an_empty_list() {
    let app = TestApp::new();
    let answer = app
        .get("/v1/manufacturers/new-yard/boats")
        .key("reader")
        .send()
        .await;
    answer.check("list_manufacturer_boats__200_empty");
}

#[tokio::test]
async fn an_unknown_manufacturer_is_404_when_nested_and_empty_when_filtered() {
    let app = TestApp::new();
    let nested = app
        .get("/v1/manufacturers/unknown/boats")
        .key("reader")
        .send()
        .await;
    assert_eq!(nested.code(), "NOT_FOUND");
    let filtered = app
        .get("/v1/boats?manufacturer=unknown")
        .key("reader")
        .send()
        .await;
    assert_eq!(filtered.status, 200);
    assert!(filtered.slugs().is_empty());
}

#[tokio::test]
async fn the_manufacturer_parameter_is_refused_on_the_nested_path_even_of_an_unknown_one() {
    let app = TestApp::new();
    let target = "/v1/manufacturers/unknown/boats?manufacturer=beneteau";
    let answer = app.get(target).key("reader").send().await;
    answer.check("list_manufacturer_boats__400_manufacturer");
}

#[tokio::test]
async fn the_nested_list_needs_both_scopes_and_names_the_missing_one() {
    let app = TestApp::new();
    let table = [
        ("boats_only", "manufacturers.read"),
        ("manufacturers_only", "boats.read"),
        ("without_scopes", "manufacturers.read and boats.read"),
    ];
    for (key, missing) in table {
        let answer = app.get("/v1/manufacturers/m1/boats").key(key).send().await;
        assert_eq!(answer.code(), "INSUFFICIENT_PERMISSIONS", "{key}");
        let message = answer.json()["error"]["message"]
            .as_str()
            .unwrap()
            .to_owned();
        assert!(message.contains(missing), "{key}: {message}");
    }
}
