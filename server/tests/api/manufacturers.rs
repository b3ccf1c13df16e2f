//! `GET /v1/manufacturers`, `GET /v1/manufacturers/{idOrSlug}` and the boats of one.

use server::params::BOATS_OF_MANUFACTURER;

use crate::app::TestApp;

#[tokio::test]
async fn a_manufacturer_is_found_by_id_and_by_slug() {
    let app = TestApp::new();
    let by_id = app.get("/v1/manufacturers/m1").key("reader").send().await;
    let by_slug = app.get("/v1/manufacturers/beneteau").key("reader");
    assert_eq!(by_id.json()["data"]["slug"], "beneteau");
    assert_eq!(by_slug.send().await.body, by_id.body);
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
    let other = app.get("/v1/manufacturers?sort=boatCount").key("reader");
    assert_eq!(other.send().await.code(), "VALIDATION_ERROR");
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
        assert!(nested.header("link").unwrap().starts_with(&link));
    }
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
    assert_eq!(answer.code(), "VALIDATION_ERROR");
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

#[tokio::test]
async fn a_search_finds_names_by_the_beginnings_of_their_words() {
    let table: [(&str, &[&str]); 9] = [
        ("hall", &["hallberg-rassy"]),
        ("BENE", &["beneteau"]),
        ("b%C3%A9n", &["beneteau"]),
        ("rassy+hal", &["hallberg-rassy"]),
        ("ne", &["new-yard"]),
        ("assy", &[]),
        ("hall+yard", &[]),
        // The search ignores models and slugs.
        ("cat", &[]),
        ("m1", &[]),
    ];
    for (search, slugs) in table {
        let app = TestApp::new();
        let target = format!("/v1/manufacturers?search={search}");
        let answer = app.get(&target).key("reader").send().await;
        assert_eq!(answer.slugs(), slugs, "{search}");
    }
}

#[tokio::test]
async fn every_parameter_works_on_the_nested_path_as_on_the_list() {
    // The oracle tests the list. A new app each time, so that no response comes from the list cache.
    let ask = async |target: &str| TestApp::new().get(target).key("reader").send().await.body;
    let all = ask("/v1/manufacturers/beneteau/boats").await;
    let mut others = 0;
    for parameter in BOATS_OF_MANUFACTURER.parameters {
        let example = parameter.example.replace(' ', "+");
        let query = format!("{}={example}", parameter.name);
        let nested = ask(&format!("/v1/manufacturers/beneteau/boats?{query}")).await;
        let list = ask(&format!("/v1/boats?manufacturer=beneteau&{query}")).await;
        assert_eq!(nested, list, "{query}");
        others += usize::from(nested != all);
    }
    // Most examples change the rows of this manufacturer.
    assert!(8 < others, "{others}");
}

#[tokio::test]
async fn a_segment_that_cannot_be_an_id_is_400() {
    let long = "a".repeat(201);
    for segment in [
        "..", ".", "%2e%2e", "a%2Fb", "%", "%zz", "%FF", "a%20b", "-a", "_a", "a;b", &long,
    ] {
        for path in [
            format!("/v1/boats/{segment}"),
            format!("/v1/manufacturers/{segment}"),
            format!("/v1/manufacturers/{segment}/boats"),
        ] {
            let answer = TestApp::new().get(&path).key("reader").send().await;
            assert_eq!(answer.code(), "VALIDATION_ERROR", "{path}");
            let details = &answer.json()["error"]["details"];
            assert_eq!(details["field"], "idOrSlug", "{path}");
            assert_eq!(details["issues"].as_array().unwrap().len(), 1, "{path}");
        }
    }
}
