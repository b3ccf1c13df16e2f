//! Every answer of the API, whole, for reviewers: each endpoint with every status that it can have,
//! and every error by its code. What each of them must be is argued by the other files.
//!
//! Each answer is that of an app of its own, so that none depends on those before it.

use std::time::Duration;

use crate::app::{TestApp, Unusual};
use crate::errors::FaultyClock;
use crate::exchanges::Exchanges;
use crate::log::start_logging;
use crate::{connections, serve};

/// What is asked of an endpoint that answers from the catalogue.
pub(crate) struct Endpoint {
    /// The name of its operation.
    pub(crate) id: &'static str,
    path: &'static str,
    /// Targets that are answered with a 200, with what they show.
    good: &'static [(&'static str, &'static str)],
    /// Targets that are answered with a 400, with what they show.
    bad: &'static [(&'static str, &'static str)],
    /// A target of a record that is not there.
    missing: Option<&'static str>,
}

impl Endpoint {
    /// A target that is answered with a 200.
    pub(crate) const fn target(&self) -> &'static str {
        self.good[0].1
    }
}

pub(crate) const CATALOGUE: [Endpoint; 5] = [
    Endpoint {
        id: "list_boats",
        path: "/v1/boats",
        good: &[
            ("a page between others", "/v1/boats?limit=2&offset=2"),
            ("sorted", "/v1/boats?limit=2&offset=2&sort=year"),
            ("past the end", "/v1/boats?offset=1000"),
        ],
        bad: &[
            (
                "a sort and a parameter that are none",
                "/v1/boats?sort=size&colour=red",
            ),
            (
                "many problems, in the order of the request",
                "/v1/boats?colour=red&limit=0&type=&sort=price&yearFrom=2000&yearTo=1999&limit=5",
            ),
            ("a misspelt parameter", "/v1/boats?ofset=20"),
        ],
        missing: None,
    },
    Endpoint {
        id: "get_boat",
        path: "/v1/boats/{idOrSlug}",
        good: &[
            ("a boat, by its id", "/v1/boats/b1"),
            ("a boat without most values", "/v1/boats/antares-8"),
            ("a boat measured in feet", "/v1/boats/catalina-30"),
        ],
        bad: &[
            ("a parameter, since it takes none", "/v1/boats/b1?fields=id"),
            ("a segment that cannot be an id", "/v1/boats/.."),
            (
                "the path is named before the parameters",
                "/v1/boats/-?fields=id&limit=2",
            ),
        ],
        missing: Some("/v1/boats/none"),
    },
    Endpoint {
        id: "list_manufacturers",
        path: "/v1/manufacturers",
        good: &[
            (
                "a page between others",
                "/v1/manufacturers?limit=1&offset=1",
            ),
            ("the first page", "/v1/manufacturers?limit=2"),
        ],
        bad: &[
            (
                "a sort and a parameter that are none",
                "/v1/manufacturers?sort=boatCount&country=se",
            ),
            ("a sort that is none", "/v1/manufacturers?sort=boatCount"),
        ],
        missing: None,
    },
    Endpoint {
        id: "get_manufacturer",
        path: "/v1/manufacturers/{idOrSlug}",
        good: &[("a manufacturer, by its id", "/v1/manufacturers/m1")],
        bad: &[(
            "a parameter, since it takes none",
            "/v1/manufacturers/m1?fields=id",
        )],
        missing: Some("/v1/manufacturers/none"),
    },
    Endpoint {
        id: "list_manufacturer_boats",
        path: "/v1/manufacturers/{idOrSlug}/boats",
        good: &[
            (
                "a page before others",
                "/v1/manufacturers/m1/boats?limit=1&sort=year&order=desc",
            ),
            (
                "a manufacturer without boats",
                "/v1/manufacturers/new-yard/boats",
            ),
        ],
        bad: &[(
            "the manufacturer is named already",
            "/v1/manufacturers/m1/boats?manufacturer=beneteau",
        )],
        missing: Some("/v1/manufacturers/none/boats"),
    },
];

/// The endpoints about the service, by the name of their operation.
pub(crate) const SERVICE: [(&str, &str); 2] =
    [("describe_version", "/v1"), ("check_health", "/health")];

/// An app that was asked so often with that key.
async fn asked(times: usize, target: &str, key: &str) -> TestApp {
    let app = TestApp::new();
    for _ in 0..times {
        app.get(target).key(key).send().await;
    }
    app
}

fn without_keys() -> TestApp {
    let app = TestApp::new();
    app.lose_key_store();
    app
}

fn without_ledger() -> TestApp {
    let app = TestApp::new();
    app.ledger.break_down();
    app
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

/// Every error by its code, in the order of the statuses.
pub(crate) async fn errors() -> Exchanges {
    let mut all = Exchanges::default();
    let new = TestApp::new;
    let (shown, target) = CATALOGUE[0].bad[0];
    all.add(shown, new().get(target).key("reader")).await;
    let (request, answer) = serve::unreadable_target().await;
    all.put("a target that cannot be read", request, &answer);
    add_refused_keys(&mut all).await;
    all.add("no such record", new().get("/v1/boats/none").key("reader"))
        .await;
    all.add("no such path", new().get("/v2")).await;
    all.add("another method", new().ask("POST", "/v1/boats"))
        .await;
    let (request, answer) = serve::unfinished_head().await;
    all.put("a head that never ends", request, &answer);
    all.add(
        "a body",
        new().get("/v1/boats").header("content-length", "1"),
    )
    .await;
    let long = format!("/v1?{}", "&".repeat(8193 - "/v1?".len()));
    all.add("a target over 8 KiB", new().get(&long)).await;
    add_limits(&mut all).await;
    add_failures(&mut all).await;
    all
}

async fn add_refused_keys(all: &mut Exchanges) {
    let (new, boats) = (TestApp::new, "/v1/boats");
    all.add("no key", new().get(boats)).await;
    let basic = new();
    let basic = basic.get(boats).header("authorization", "Basic dTpw");
    all.add("another scheme", basic).await;
    all.add(
        "a credential in the query",
        new().get("/v1/boats?token=x").key("reader"),
    )
    .await;
    for (key, shown) in [
        ("unknown", "a key that was never issued"),
        ("live", "a key for the other environment"),
        ("revoked", "a revoked key"),
        ("expired", "an expired key"),
        ("disabled", "a disabled key"),
    ] {
        all.add(shown, new().get(boats).key(key)).await;
    }
    all.add(
        "a key without the scope",
        new().get(boats).key("manufacturers_only"),
    )
    .await;
}

async fn add_limits(all: &mut Exchanges) {
    let (boat, two) = ("/v1/boats/b1", "two_a_minute");
    let app = asked(2, boat, two).await;
    all.add("the third request of two a minute", app.get(boat).key(two))
        .await;
    let app = asked(1, boat, two).await;
    app.advance(Duration::from_secs(15));
    app.get(boat).key(two).send().await;
    app.advance(Duration::from_millis(500));
    all.add(
        "15.5 seconds after the first of them",
        app.get(boat).key(two),
    )
    .await;
    let app = TestApp::new();
    all.add(
        "no request of the month is left",
        app.get(boat).key("exhausted"),
    )
    .await;
    // The app's requests have a `Host` field already.
    let app = TestApp::new();
    let many = (1..65).fold(app.get("/v1"), |ask, index| {
        ask.header(&format!("x-{index}"), "1")
    });
    all.add("over 64 header fields", many).await;
}

async fn add_failures(all: &mut Exchanges) {
    let boat = "/v1/boats/b1";
    all.add("a panic", panicking().get(boat).key("reader"))
        .await;
    all.add(
        "keys that cannot be confirmed",
        without_keys().get(boat).key("reader"),
    )
    .await;
    all.add(
        "a quota that cannot be counted",
        without_ledger().get(boat).key("reader"),
    )
    .await;
    let key = "once_a_minute_without_scopes";
    let app = asked(1, boat, key).await;
    app.ledger.break_down();
    all.add(
        "a minute that is used up, and a quota that is not known",
        app.get(boat).key(key),
    )
    .await;
    let (request, answer) = connections::refused_over_the_total().await;
    all.put("a connection too many", request, &answer);
}

#[tokio::test]
async fn every_error_answers_as_recorded() {
    errors().await.check("errors", "Every error by its code.");
}

/// What an endpoint answers from the catalogue, in the order of the statuses.
async fn of_endpoint(endpoint: &Endpoint, others: &[(&str, Exchanges)]) -> Exchanges {
    let mut all = Exchanges::beside(others);
    let (new, target, two) = (TestApp::new, endpoint.target(), "two_a_minute");
    for &(shown, target) in endpoint.good {
        all.add(shown, new().get(target).key("reader")).await;
    }
    all.add("its head", new().ask("HEAD", target).key("reader"))
        .await;
    let app = TestApp::new();
    let first = app.get(target).key("reader").send().await;
    // A record is answered from the same memory the first time and ever after.
    if first.header("x-cache") == Some("MISS") {
        all.add("a list that is remembered", app.get(target).key("reader"))
            .await;
    }
    let tag = first.header("etag").unwrap();
    let app = TestApp::new();
    let with_tag = app.get(target).key("reader").header("if-none-match", tag);
    all.add("with the tag of the current body", with_tag).await;
    for &(shown, bad) in endpoint.bad {
        all.add(shown, new().get(bad).key("reader")).await;
    }
    all.add("no key", new().get(target)).await;
    all.add(
        "a key without scopes",
        new().get(target).key("without_scopes"),
    )
    .await;
    if let Some(missing) = endpoint.missing {
        all.add("no such record", new().get(missing).key("reader"))
            .await;
    }
    all.add("another method", new().ask("DELETE", target).key("reader"))
        .await;
    let app = asked(2, target, two).await;
    all.add(
        "the third request of two a minute",
        app.get(target).key(two),
    )
    .await;
    all.add(
        "no request of the month is left",
        new().get(target).key("exhausted"),
    )
    .await;
    all.add("a panic", panicking().get(target).key("reader"))
        .await;
    all.add(
        "keys that cannot be confirmed",
        without_keys().get(target).key("reader"),
    )
    .await;
    all
}

#[tokio::test]
async fn endpoints_of_the_catalogue_answer_as_recorded() {
    let mut others = vec![("errors", errors().await)];
    for endpoint in &CATALOGUE {
        let all = of_endpoint(endpoint, &others).await;
        all.check(endpoint.id, &format!("`GET {}`, by status.", endpoint.path));
        others.push((endpoint.id, all));
    }
}

#[tokio::test]
async fn endpoints_of_the_service_answer_as_recorded() {
    let mut all = Exchanges::beside(&[("errors", errors().await)]);
    for (_, target) in SERVICE {
        let new = TestApp::new;
        all.add("when the server starts", new().get(target)).await;
        if target == "/health" {
            let app = new();
            app.advance(Duration::from_millis(90_999));
            all.add("90.999 seconds later", app.get(target)).await;
        }
        let parameter = format!("{target}?x=1");
        all.add("a parameter, since it takes none", new().get(&parameter))
            .await;
        let credential = format!("{target}?api_key=x");
        all.add("a credential in the query", new().get(&credential))
            .await;
        all.add("another method", new().ask("POST", target)).await;
        all.add("a panic", panicking().get(target)).await;
    }
    all.check(
        "service",
        "What needs no key: `GET /v1` and `GET /health`, each by status.",
    );
}
