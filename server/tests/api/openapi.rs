//! The OpenAPI document against the service: it describes every response of every endpoint, and
//! every example is a real response.

mod described;
mod document;
mod examples;

use std::collections::BTreeSet;

use serde_json::json;
use server::api_tables::routes::ROUTES;
use server::http::openapi;

use crate::answer::{check_text, folded};
use crate::answers::panicking;
use crate::app::{Ask, TestApp};
pub(crate) use described::check_described;
pub(crate) use document::check_documented;
pub(crate) use document::{DOCUMENT, operations};
use document::{faults, operation};

/// So wide that a parameter or a member of a schema is one line of the snapshot.
const WIDTH: usize = 300;

#[test]
fn the_document_is_the_contract() {
    let text = openapi::text();
    check_text(
        "openapi",
        "`GET /openapi.json`, its body, with short objects and lists on one line.",
        &folded(&text, WIDTH),
    );
    assert_eq!(
        DOCUMENT["info"]["license"]["name"],
        env!("CARGO_PKG_LICENSE")
    );
    // It is sent with each member on a line of its own.
    assert!(text.starts_with("{\n  \"openapi\": \"3.1.1\",\n  \"info\": {\n    \"title\": "));
}

#[test]
fn a_member_too_many_too_few_or_of_another_type_is_found() {
    let health = json!({ "$ref": "#/components/schemas/Health" });
    for (body, count) in [
        (
            json!({ "status": "ok", "version": "1", "uptimeSeconds": 1 }),
            0,
        ),
        (
            json!({ "status": "ok", "version": "1", "uptimeSeconds": 1, "x": 1 }),
            1,
        ),
        (json!({ "status": "ok", "version": "1" }), 1),
        (
            json!({ "status": "ok", "version": null, "uptimeSeconds": 1.5 }),
            2,
        ),
    ] {
        assert_eq!(faults(&health, &body).len(), count, "{body}");
    }
}

#[test]
fn every_route_is_documented_with_its_scopes() {
    let paths = DOCUMENT["paths"].as_object().unwrap();
    for route in &ROUTES {
        let path = route.path.to_string();
        assert!(
            paths.contains_key(&path),
            "openapi/document.json lacks {path}"
        );
    }
    let all_boats = json!([{ "apiKey": ["catalogue.export", "boats.read"] }]);
    let all_manufacturers = json!([{ "apiKey": ["catalogue.export", "manufacturers.read"] }]);
    let needed = [
        ("list_boats", json!([{ "apiKey": ["boats.read"] }])),
        ("get_boat", json!([{ "apiKey": ["boats.read"] }])),
        (
            "list_manufacturers",
            json!([{ "apiKey": ["manufacturers.read"] }]),
        ),
        (
            "get_manufacturer",
            json!([{ "apiKey": ["manufacturers.read"] }]),
        ),
        (
            "list_manufacturer_boats",
            json!([{ "apiKey": ["manufacturers.read", "boats.read"] }]),
        ),
        ("get_terms", json!([{ "apiKey": ["boats.read"] }])),
        ("get_facets", json!([{ "apiKey": ["boats.read"] }])),
        (
            "list_changes",
            json!([{ "apiKey": ["boats.read"] }, { "apiKey": ["manufacturers.read"] }]),
        ),
        ("get_key", json!([{ "apiKey": [] }])),
        ("get_all_boats_ndjson", all_boats.clone()),
        ("get_all_boats_parquet", all_boats),
        ("get_all_manufacturers_ndjson", all_manufacturers.clone()),
        ("get_all_manufacturers_parquet", all_manufacturers),
        ("describe_version", json!([])),
        ("check_health", json!([])),
        ("describe_api", json!([])),
    ];
    check_all_are_here(needed.iter().map(|(id, _)| *id));
    for (id, scopes) in needed {
        assert_eq!(operation(id)["security"], scopes, "{id}");
    }
}

/// Checks that these are the operations of the document, so that a test forgets none.
pub(crate) fn check_all_are_here<'a>(ids: impl Iterator<Item = &'a str>) {
    let all = operations().map(|operation| operation["operationId"].as_str().unwrap());
    let (here, all): (BTreeSet<&str>, BTreeSet<&str>) = (ids.collect(), all.collect());
    assert_eq!(here, all, "the operations of this test, and all of them");
}

#[test]
fn every_operation_has_exactly_its_statuses() {
    // The statuses of sections 4.1 to 4.7, and those of requests that fail before an operation is
    // found.
    let list = "200 304 400 401 403 408 413 414 429 431 500 503";
    let record = "200 304 400 401 403 404 408 413 414 429 431 500 503";
    let whole = "200 206 304 400 401 403 408 413 414 416 429 431 500 503";
    let service = "200 400 401 408 413 414 431 500 503";
    let statuses = [
        ("list_boats", list),
        ("get_boat", record),
        ("list_manufacturers", list),
        ("get_manufacturer", record),
        ("list_manufacturer_boats", record),
        ("get_terms", list),
        ("get_facets", list),
        (
            "list_changes",
            "200 304 400 401 403 408 410 413 414 429 431 500 503",
        ),
        ("get_key", "200 400 401 408 413 414 429 431 500 503"),
        ("get_all_boats_ndjson", whole),
        ("get_all_boats_parquet", whole),
        ("get_all_manufacturers_ndjson", whole),
        ("get_all_manufacturers_parquet", whole),
        ("describe_version", service),
        ("check_health", service),
        ("describe_api", "200 304 400 401 408 413 414 431 500 503"),
    ];
    check_all_are_here(statuses.iter().map(|(id, _)| *id));
    for (id, expected) in statuses {
        let responses = operation(id)["responses"].as_object().unwrap();
        let statuses: Vec<&str> = responses.keys().map(String::as_str).collect();
        assert_eq!(statuses.join(" "), expected, "{id}");
    }
}

#[test]
fn every_field_and_parameter_says_what_it_means() {
    for (name, schema) in DOCUMENT["components"]["schemas"].as_object().unwrap() {
        assert!(schema["description"].is_string(), "{name}");
        for (field, property) in schema["properties"].as_object().unwrap() {
            assert!(property["description"].is_string(), "{name}.{field}");
        }
    }
    for operation in operations() {
        for parameter in operation["parameters"].as_array().into_iter().flatten() {
            assert!(parameter["description"].is_string(), "{parameter}");
        }
    }
}

/// One of these texts must name the unit of every measure.
const UNITS: [&str; 8] = [
    "metres or feet by `unit`",
    "kilograms or pounds by `unit`",
    "square metres or square feet by `unit`",
    "in metres:",
    "knots",
    "degrees",
    "no unit",
    "units of the currency",
];

#[test]
fn every_measure_names_its_unit() {
    for (name, schema) in DOCUMENT["components"]["schemas"].as_object().unwrap() {
        for (field, property) in schema["properties"].as_object().unwrap() {
            let description = property["description"].as_str().unwrap();
            let is_measure = property["format"] == "double";
            let names_unit = UNITS.iter().any(|unit| description.contains(unit));
            assert!(!is_measure || names_unit, "{name}.{field}: {description}");
        }
    }
}

#[test]
fn every_code_says_when_it_occurs() {
    let code = &DOCUMENT["components"]["schemas"]["ErrorObject"]["properties"]["code"];
    let described = code["x-enumDescriptions"].as_object().unwrap();
    let described: BTreeSet<&str> = described.keys().map(String::as_str).collect();
    let codes = code["x-extensible-enum"].as_array().unwrap().iter();
    assert_eq!(
        described,
        codes.map(|code| code.as_str().unwrap()).collect()
    );
}

#[test]
fn every_parameter_is_limited() {
    for operation in operations() {
        for parameter in operation["parameters"].as_array().into_iter().flatten() {
            let limits = ["enum", "maxLength", "maximum"].map(|limit| &parameter["schema"][limit]);
            // The limit of the whole head also limits a header.
            let is_limited =
                parameter["in"] == "header" || limits.iter().any(|limit| !limit.is_null());
            assert!(is_limited, "{parameter}");
        }
    }
}

#[test]
fn links_lead_to_operations() {
    for operation in operations() {
        for (name, link) in operation["responses"]["200"]["links"]
            .as_object()
            .into_iter()
            .flatten()
        {
            let id = link["operationId"].as_str().unwrap();
            let is_known = operations().any(|other| other["operationId"] == id);
            assert!(is_known, "{name}: {id}");
        }
    }
}

#[tokio::test]
async fn the_document_is_served_as_any_public_document() {
    let app = TestApp::new();
    let target = "/openapi.json";
    let answer = app.get(target).send().await;
    assert_eq!(answer.body, openapi::text().into_bytes());
    assert_eq!(answer.header("content-type"), Some("application/json"));
    assert_eq!(answer.header("cache-control"), Some("max-age=300"));
    assert_eq!(answer.header("vary"), Some("Accept-Encoding"));
    let etag = answer.header("etag").unwrap().to_owned();
    check_documented("describe_api", &answer);

    let head = app.ask("HEAD", target).send().await;
    assert!(head.body.is_empty());
    assert_eq!(
        head.header("content-length"),
        answer.header("content-length")
    );

    let panicking = panicking();
    let asks: [(Ask<'_>, u16); 6] = [
        (app.get(target).header("if-none-match", &etag), 304),
        (app.get(target).header("if-none-match", "\"other\""), 200),
        (app.get(target).key("revoked"), 200),
        (app.get("/openapi.json?x=1"), 400),
        (app.get("/openapi.json?api_key=x"), 401),
        (panicking.get(target), 500),
    ];
    for (ask, status) in asks {
        let answer = ask.send().await;
        assert_eq!(answer.status, status);
        check_documented("describe_api", &answer);
    }
    let other = app.ask("POST", target).send().await;
    assert_eq!(
        (other.status, other.header("allow")),
        (405, Some("GET, HEAD"))
    );
}
