//! Explanations of addresses, compared with the service's responses to the same addresses.

use std::sync::Arc;

use serde_json::{Value, json};
use server::http::explain::explain;
use server::params::{BOATS, BOATS_OF_MANUFACTURER, MANUFACTURERS};
use shared::base::clock::{Clock, ManualClock};

use crate::answer::Answer;
use crate::app::{NOW, TestApp};
use crate::records;

const ADDRESSES: [&str; 45] = [
    "/v1/boats",
    "/v1/boats?limit=2&offset=3",
    "/v1/boats?limit=2&offset=3&sort=year&order=desc",
    "/v1/boats?offset=100000",
    "/v1/boats?type=sailing-monohull&sort=length&limit=1",
    "/v1/boats?type=unknown",
    "/v1/boats?category=cruiser&activity=offshore",
    "/v1/boats?yearFrom=1990&yearTo=1970",
    "/v1/boats?lengthMin=30&lengthUnit=ft&order=desc",
    "/v1/boats?search=fir%20oce&limit=1",
    "/v1/boats?search=b%C3%A9n%C3%A9&sort=manufacturer",
    "/v1/boats?manufacturer=beneteau&search=first&limit=1&offset=1",
    "/v1/boats?sort=size&limit=0&lenghtMin=3",
    "/v1/boats?limit=1&limit=2",
    "/v1/boats?search=%zz",
    "/v1/boats?token=1&limit=0",
    "/v1/boats/first-36",
    "/v1/boats/b7",
    "/v1/boats/zero%2Efive",
    "/v1/boats/unknown",
    "/v1/boats/b7?fields=id",
    "/v1/boats/%20",
    "/v1/boats/",
    "/v1/manufacturers",
    "/v1/manufacturers?country=fr",
    "/v1/manufacturers/beneteau",
    "/v1/manufacturers/m1",
    "/v1/manufacturers/unknown",
    "/v1/manufacturers/beneteau/boats?limit=1",
    "/v1/manufacturers/unknown/boats",
    "/v1/manufacturers/m1/boats?manufacturer=m1",
    "/v1/terms",
    "/v1/terms?limit=1",
    "/v1/changes?since=20260901T000000Z-0000000000000000&limit=2",
    "/v1/changes?since=20260801T000000Z-0000000000000000",
    "/v1/changes?since=2026&offset=1",
    "/v1/facets",
    "/v1/facets?category=unknown&lengthMin=9",
    "/v1/facets?sort=year",
    "/v1/key",
    "/v1/key?id=1",
    "/v1",
    "/health?a=1",
    "/v2",
    "*",
];

/// Those addresses, and for each parameter of each list one with its example.
fn addresses() -> Vec<String> {
    let lists = [
        ("/v1/boats", &BOATS),
        ("/v1/manufacturers/m1/boats", &BOATS_OF_MANUFACTURER),
        ("/v1/manufacturers", &MANUFACTURERS),
    ];
    let declared = lists.into_iter().flat_map(|(path, list)| {
        let parameters = list.parameters.iter();
        parameters.map(move |one| format!("{path}?{}={}", one.name, one.example.replace(' ', "+")))
    });
    ADDRESSES
        .map(str::to_owned)
        .into_iter()
        .chain(declared)
        .collect()
}

async fn explained(address: &str) -> Value {
    let clock: Arc<dyn Clock> = Arc::new(ManualClock::at(NOW));
    let explanation = explain(&records::catalogue(), records::others(), address, &clock).await;
    serde_json::to_value(explanation).unwrap()
}

/// What the explanation of a response must also say.
fn told(answer: &Answer) -> Value {
    let body = answer.json();
    if answer.status != 200 {
        let error = &body["error"];
        let issues = match &error["details"]["issues"] {
            Value::Null => json!([]),
            issues => issues.clone(),
        };
        return json!([answer.status, error["code"], error["message"], issues]);
    }
    // Changes are a page of no list.
    let is_list = body["since"].is_null();
    let rows = body["data"].as_array().filter(|_| is_list).map(Vec::len);
    let total = if is_list {
        &body["pagination"]["total"]
    } else {
        &Value::Null
    };
    json!([
        answer.body.len(),
        answer.header("etag"),
        answer.header("x-cache"),
        answer.header("link"),
        rows,
        total,
    ])
}

fn told_by(explanation: &Value) -> Value {
    let (answer, error) = (&explanation["answer"], &explanation["error"]);
    let list = &explanation["list"];
    match error {
        Value::Null => json!([
            answer["bytes"],
            answer["etag"],
            answer["cache"],
            answer["link"],
            list["rows"],
            list["total"],
        ]),
        error => json!([
            explanation["status"],
            error["code"],
            error["message"],
            error["issues"],
        ]),
    }
}

#[tokio::test]
async fn an_explanation_says_what_the_service_answers() {
    for address in &addresses() {
        // A new app has nothing cached.
        let answer = TestApp::new().get(address).key("reader").send().await;
        let explanation = explained(address).await;
        assert_eq!(explanation["status"], answer.status, "{address}");
        let is_of_service = explanation["endpoint"]["scopes"] == json!([]);
        if answer.status == 200 && is_of_service {
            assert_eq!(explanation["answer"], Value::Null, "{address}");
            continue;
        }
        assert_eq!(told_by(&explanation), told(&answer), "{address}");
    }
}

#[tokio::test]
async fn a_head_that_a_connection_refuses_is_refused_alike() {
    for (address, code) in [
        ("/v1/boats?search=a b", "VALIDATION_ERROR"),
        ("/v1/boats\r\nX: y", "VALIDATION_ERROR"),
        (" HTTP/1.1\r\nHost: x\r\n\r\n", "VALIDATION_ERROR"),
        ("/v1/\u{7}", "VALIDATION_ERROR"),
    ] {
        let explanation = explained(address).await;
        assert_eq!(explanation["error"]["code"], code, "{explanation}");
    }
    let long = explained(&format!("/v1/boats?search={}", "a".repeat(8192))).await;
    assert_eq!(long["status"], 414, "{long}");
}

#[tokio::test]
async fn every_statement_that_ran_has_its_plan_and_a_value_for_each_placeholder() {
    for address in &addresses() {
        let explanation = explained(address).await;
        let list = &explanation["list"];
        for ran in list["statements"].as_array().into_iter().flatten() {
            let placeholders = ran["sql"].as_str().unwrap().matches('?').count();
            let values = ran["values"].as_array().unwrap();
            assert_eq!(values.len(), placeholders, "{address}: {ran}");
            assert_eq!(ran["plan"][0]["rows"], ran["rows"], "{address}: {ran}");
        }
        let is_list = list != &Value::Null;
        assert_eq!(is_list, !list["cacheKey"].is_null(), "{address}");
    }
}

#[tokio::test]
async fn a_credential_in_the_address_is_never_repeated() {
    let key = "boat_test_789ABCDEFGHIJKLMNOPQRSTUVWXYZabc2uHPRw";
    for address in [
        "/v1/boats?api_key=hush&limit=1".to_owned(),
        format!("/v1/boats?limit={key}"),
        format!("/v2?{key}"),
        "/v1/boats?TOKEN=hush b".to_owned(),
    ] {
        let explanation = explained(&address).await.to_string();
        assert!(!explanation.contains("hush"), "{explanation}");
        assert!(!explanation.contains(key), "{explanation}");
    }
}
