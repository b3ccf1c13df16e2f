//! Every endpoint with every status it can give: whole answers for reviewers, in a folder of
//! their own. What each of them must be is argued by the other files.

use crate::answer::check_text_in;
use crate::app::{Ask, TestApp, Unusual};
use crate::errors::FaultyClock;
use crate::log::start_logging;
use crate::openapi::check_documented;

/// A name, a good target, a target with a bad parameter, and one of a record that is not there.
pub(crate) type Endpoint = (
    &'static str,
    &'static str,
    &'static str,
    Option<&'static str>,
);

#[rustfmt::skip]
pub(crate) const CATALOGUE: [Endpoint; 5] = [
    ("list_boats", "/v1/boats?limit=2&offset=2", "/v1/boats?sort=size&colour=red", None),
    ("get_boat", "/v1/boats/b1", "/v1/boats/b1?fields=id", Some("/v1/boats/none")),
    ("list_manufacturers", "/v1/manufacturers?limit=1&offset=1",
        "/v1/manufacturers?sort=boatCount&country=se", None),
    ("get_manufacturer", "/v1/manufacturers/m1", "/v1/manufacturers/m1?fields=id",
        Some("/v1/manufacturers/none")),
    ("list_manufacturer_boats", "/v1/manufacturers/m1/boats?limit=1&sort=year&order=desc",
        "/v1/manufacturers/m1/boats?manufacturer=beneteau", Some("/v1/manufacturers/none/boats")),
];

pub(crate) const SERVICE: [(&str, &str); 2] =
    [("describe_version", "/v1"), ("check_health", "/health")];

async fn check(endpoint: &str, what: &str, ask: Ask<'_>) {
    let answer = ask.send().await;
    // Which methods there are is told once, for all operations.
    if answer.status != 405 {
        let operation = if endpoint == "401" {
            "list_boats"
        } else {
            endpoint
        };
        check_documented(operation, &answer);
    }
    let text = answer.text();
    let status = text.split(' ').nth(1).unwrap();
    assert!(what.starts_with(status), "{endpoint}: {what} is\n{text}");
    check_text_in("every_status", &format!("{endpoint}__{what}"), &text);
}

#[tokio::test]
async fn catalogue_endpoints_answer_as_recorded() {
    for (name, good, bad, missing) in CATALOGUE {
        let app = TestApp::new();
        check(name, "200", app.get(good).key("reader")).await;
        check(name, "200_head", app.ask("HEAD", good).key("reader")).await;
        check(name, "200_again", app.get(good).key("reader")).await;
        let etag = app
            .get(good)
            .key("reader")
            .send()
            .await
            .header("etag")
            .unwrap()
            .to_owned();
        check(
            name,
            "304",
            app.get(good).key("reader").header("if-none-match", &etag),
        )
        .await;
        check(name, "400", app.get(bad).key("reader")).await;
        check(name, "401", app.get(good)).await;
        check(name, "403", app.get(good).key("without_scopes")).await;
        if let Some(missing) = missing {
            check(name, "404", app.get(missing).key("reader")).await;
        }
        check(name, "405", app.ask("DELETE", good).key("reader")).await;
        for _ in 0..2 {
            app.get(good).key("two_a_minute").send().await;
        }
        check(name, "429_rate_limited", app.get(good).key("two_a_minute")).await;
        check(name, "429_quota_exceeded", app.get(good).key("exhausted")).await;
        check(name, "500", panicking().get(good).key("reader")).await;
        app.lose_key_store();
        check(name, "503", app.get(good).key("reader")).await;
    }
}

#[tokio::test]
async fn service_endpoints_answer_as_recorded() {
    for (name, target) in SERVICE {
        let app = TestApp::new();
        check(name, "200", app.get(target)).await;
        check(name, "400", app.get(&format!("{target}?x=1"))).await;
        check(name, "401", app.get(&format!("{target}?api_key=x"))).await;
        check(name, "405", app.ask("POST", target)).await;
        check(name, "500", panicking().get(target)).await;
    }
}

#[tokio::test]
async fn every_code_of_401_answers_as_recorded() {
    let app = TestApp::new();
    let boats = || app.get("/v1/boats");
    check("401", "401_missing_api_key", boats()).await;
    check(
        "401",
        "401_malformed_authorization",
        boats().header("authorization", "Basic x"),
    )
    .await;
    check(
        "401",
        "401_credential_in_query",
        app.get("/v1/boats?token=x").key("reader"),
    )
    .await;
    for (key, what) in [
        ("unknown", "401_invalid_api_key"),
        ("live", "401_wrong_environment"),
        ("revoked", "401_api_key_revoked"),
        ("expired", "401_api_key_expired"),
        ("disabled", "401_api_key_disabled"),
    ] {
        check("401", what, boats().key(key)).await;
    }
}

/// An app that panics as soon as it has read a request's head.
pub(crate) fn panicking() -> TestApp {
    panicking_with(Unusual::default())
}

/// The same, unusual in another way too.
pub(crate) fn panicking_with(unusual: Unusual) -> TestApp {
    // One reading when the app is made, one when the request begins; the log wants another.
    start_logging();
    TestApp::with(Unusual {
        clock: Some(FaultyClock::that_shows(2)),
        ..unusual
    })
}
