//! Two thousand hostile strings in every parameter: no response is a 5xx, and each is what the
//! contract and a plain loop over all records demand.

mod expected;
mod strings;

use std::collections::HashMap;
use std::sync::Arc;

use server::params::{BOATS, MANUFACTURERS, Parameter};

use super::ids;
use super::world::world;
use crate::answer::Answer;
use crate::app::{TestApp, Unusual};
use expected::{Expected, boats, decode, manufacturers, of_maker, one_boat, one_maker};
use strings::hostile_strings;

/// Longest target that the server reads, in bytes.
const TARGET_BYTES_MAX: usize = 8192;

/// How often each status was the right one.
type Tally = HashMap<u16, usize>;

fn app() -> TestApp {
    TestApp::with(Unusual {
        catalogue: Arc::clone(&world().1),
        ..Unusual::default()
    })
}

/// Compares a response with the expected one. `field` is the parameter that a 400 must name.
fn compare(target: &str, answer: &Answer, field: &str, expected: &Expected) {
    assert_eq!(
        answer.status,
        expected.status(),
        "{target}: {}",
        answer.code()
    );
    match expected {
        Expected::Rows(rows, total) => {
            let found = answer.json();
            assert_eq!(ids(&found), *rows, "{target}");
            assert_eq!(found["pagination"]["total"], *total, "{target}");
        }
        Expected::Record(id) => assert_eq!(answer.json()["data"]["id"], *id, "{target}"),
        Expected::Refused => {
            let error = &answer.json()["error"];
            assert_eq!(error["code"], "VALIDATION_ERROR", "{target}");
            assert_eq!(error["details"]["field"], field, "{target}");
        }
        Expected::Unknown => assert_eq!(answer.code(), "NOT_FOUND", "{target}"),
        Expected::TooLong => assert_eq!(answer.code(), "URI_TOO_LONG", "{target}"),
    }
}

/// Requests the target made from every hostile string, and compares the response.
async fn check(
    field: &str,
    target: impl Fn(&str) -> String,
    plus_is_space: bool,
    expected: impl Fn(&str) -> Expected,
) -> Tally {
    let (app, mut tally) = (app(), Tally::new());
    for raw in hostile_strings() {
        let target = target(raw);
        let expected = if TARGET_BYTES_MAX < target.len() {
            Expected::TooLong
        } else {
            decode(raw, plus_is_space).map_or(Expected::Refused, |value| expected(&value))
        };
        let answer = app.get(&target).key("unlimited").send().await;
        compare(&target, &answer, field, &expected);
        *tally.entry(answer.status).or_default() += 1;
    }
    assert_eq!(tally.values().sum::<usize>(), strings::COUNT);
    tally
}

#[tokio::test]
async fn in_every_parameter_of_the_list_of_boats() {
    for Parameter { name, .. } in BOATS.parameters {
        let target = |raw: &str| format!("/v1/boats?{name}={raw}");
        let tally = check(name, target, true, |value| boats(name, value, None)).await;
        // If values were never valid or never invalid, the test would prove little.
        assert!(2 <= tally[&200] && 400 < tally[&400], "{name}: {tally:?}");
    }
}

#[tokio::test]
async fn in_every_parameter_of_the_boats_of_a_manufacturer() {
    for Parameter { name, .. } in BOATS.parameters {
        let target = |raw: &str| format!("/v1/manufacturers/beneteau/boats?{name}={raw}");
        let tally = check(name, target, true, |value| boats(name, value, Some(0))).await;
        assert_eq!(tally.contains_key(&200), *name != "manufacturer", "{name}");
    }
}

#[tokio::test]
async fn in_every_parameter_of_the_list_of_manufacturers() {
    for Parameter { name, .. } in MANUFACTURERS.parameters {
        let target = |raw: &str| format!("/v1/manufacturers?{name}={raw}");
        let tally = check(name, target, true, |value| manufacturers(name, value)).await;
        assert!(2 <= tally[&200] && 400 < tally[&400], "{name}: {tally:?}");
    }
}

#[tokio::test]
async fn in_the_place_of_an_id_or_slug() {
    for (list, one) in [
        ("/v1/boats/", one_boat as fn(&str) -> Expected),
        ("/v1/manufacturers/", one_maker),
    ] {
        let tally = check("idOrSlug", |raw| format!("{list}{raw}"), false, one).await;
        assert!(20 < tally[&404] && 500 < tally[&400], "{list}: {tally:?}");
        assert!(tally.contains_key(&200), "{list}");
    }
    let nested = |raw: &str| format!("/v1/manufacturers/{raw}/boats");
    check("idOrSlug", nested, false, of_maker).await;
}

#[tokio::test]
async fn as_the_name_of_a_parameter() {
    let app = app();
    for list in [
        "/v1/boats",
        "/v1/boats/b1",
        "/v1/manufacturers",
        "/v1",
        "/health",
    ] {
        let takes_none = matches!(list, "/v1/boats/b1" | "/v1" | "/health");
        for raw in hostile_strings() {
            let target = format!("{list}?{raw}=1");
            let answer = app.get(&target).key("unlimited").send().await;
            let name = decode(raw, true);
            let expected = match name.as_deref() {
                _ if TARGET_BYTES_MAX < target.len() => 414,
                // The string happens to be a parameter with 1 as a valid value.
                Some("limit" | "offset") if !takes_none => 200,
                Some("manufacturer") if list == "/v1/boats" => 200,
                Some("key" | "token") => 401,
                _ => 400,
            };
            assert_eq!(answer.status, expected, "{target}");
        }
    }
}
