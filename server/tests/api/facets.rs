//! `GET /v1/facets`: what it takes, and that it is remembered like a list. The oracle checks what it
//! counts.

use server::params::{BOATS, FACETS};

use crate::app::TestApp;

#[tokio::test]
async fn it_takes_the_filters_of_boats_and_nothing_else_of_a_list() {
    let app = TestApp::new();
    let taken: Vec<_> = FACETS.parameters.iter().map(|it| it.name).collect();
    for parameter in BOATS.parameters {
        let value = parameter.example.replace(' ', "+");
        let target = format!("/v1/facets?{}={value}", parameter.name);
        let status = app.get(&target).key("unlimited").send().await.status;
        let is_of_pages = ["limit", "offset", "sort", "order"].contains(&parameter.name);
        assert_eq!(status, if is_of_pages { 400 } else { 200 }, "{target}");
        assert_eq!(taken.contains(&parameter.name), !is_of_pages);
    }
    for range in ["yearFrom=2000&yearTo=1999", "lengthMin=9&lengthMax=8"] {
        let answer = app.get(&format!("/v1/facets?{range}")).key("unlimited");
        assert_eq!(answer.send().await.code(), "VALIDATION_ERROR", "{range}");
    }
}

#[tokio::test]
async fn a_count_is_the_total_of_the_list_with_that_value() {
    let app = TestApp::new();
    let facets = app.get("/v1/facets?yearTo=1999").key("unlimited");
    let facets = facets.send().await.json();
    for filter in ["type", "category", "activity", "manufacturer"] {
        for value in facets["data"][filter].as_array().unwrap() {
            let slug = value["slug"].as_str().unwrap();
            let list = app.get(&format!("/v1/boats?yearTo=1999&{filter}={slug}"));
            let list = list.key("unlimited").send().await.json();
            assert_eq!(
                list["pagination"]["total"], value["count"],
                "{filter}={slug}"
            );
        }
    }
}

#[tokio::test]
async fn it_is_remembered_by_what_it_asks_for_and_not_as_the_list_of_the_same_query() {
    let app = TestApp::new();
    for (target, cache) in [
        ("/v1/boats?type=sailing-yacht", "MISS"),
        ("/v1/facets?type=sailing-yacht", "MISS"),
        ("/v1/facets?&type=sailing%2Dyacht", "HIT"),
        ("/v1/facets?lengthUnit=ft&type=sailing-yacht", "HIT"),
        ("/v1/facets?category=sailing-yacht", "MISS"),
        ("/v1/boats?type=sailing-yacht", "HIT"),
    ] {
        let answer = app.get(target).key("reader").send().await;
        assert_eq!(answer.header("x-cache"), Some(cache), "{target}");
        assert_eq!(answer.header("link").is_some(), target.contains("boats"));
    }
}
