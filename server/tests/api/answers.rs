//! Every response of the API, whole, for reviewers: each endpoint with every status that it can
//! have, and every error by its code. The other files test why each must be as it is.
//!
//! Each response comes from a new app, so none depends on earlier requests.

use std::time::Duration;

use crate::app::{TestApp, Unusual};
use crate::errors::FaultyClock;
use crate::exchanges::Exchanges;
use crate::log::start_logging;
use crate::{connections, serve};

/// The requests to an endpoint that answers from the catalogue.
pub(crate) struct Endpoint {
    /// The name of its operation.
    pub(crate) id: &'static str,
    path: &'static str,
    /// Targets that get a 200, with what they show.
    good: &'static [(&'static str, &'static str)],
    /// Targets that get a 400, with what they show.
    bad: &'static [(&'static str, &'static str)],
    /// A target of a record that does not exist.
    missing: Option<&'static str>,
}

impl Endpoint {
    /// A target that gets a 200.
    pub(crate) const fn target(&self) -> &'static str {
        self.good[0].1
    }
}

pub(crate) const CATALOGUE: [Endpoint; 6] = [
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
    Endpoint {
        id: "get_terms",
        path: "/v1/terms",
        good: &[("all terms", "/v1/terms")],
        bad: &[("a parameter, since it takes none", "/v1/terms?limit=10")],
        missing: None,
    },
];

/// The endpoints about the service, by the name of their operation.
pub(crate) const SERVICE: [(&str, &str); 2] =
    [("describe_version", "/v1"), ("check_health", "/health")];

/// What is shown, the app, and the method, target and key of the request that shows it.
type Case<'a> = (&'a str, fn() -> TestApp, &'a str, &'a str, Option<&'a str>);

const READER: Option<&str> = Some("reader");
const BOATS: &str = "/v1/boats";

/// Adds each request, sent to a new app.
async fn add_each(all: &mut Exchanges, cases: &[Case<'_>]) {
    for &(shown, app, method, target, key) in cases {
        let app = app();
        let ask = app.ask(method, target);
        let ask = match key {
            Some(key) => ask.key(key),
            None => ask,
        };
        all.add(shown, ask).await;
    }
}

/// Adds the third request with a key that may make two in a minute.
async fn add_third(all: &mut Exchanges, target: &str) {
    let app = TestApp::new();
    for _ in 0..2 {
        app.get(target).key("two_a_minute").send().await;
    }
    let third = app.get(target).key("two_a_minute");
    all.add("the third request of two a minute", third).await;
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

/// The same, with other differences from the usual app.
pub(crate) fn panicking_with(unusual: Unusual) -> TestApp {
    // The clock is read once when the app is made and once when the request begins; the log reads
    // it a third time.
    start_logging();
    TestApp::with(Unusual {
        clock: Some(FaultyClock::that_shows(2)),
        ..unusual
    })
}

/// Errors of a key, its scopes, a path or a method.
#[rustfmt::skip]
const OF_KEYS_AND_TARGETS: [Case<'_>; 10] = [
    ("a credential in the query", TestApp::new, "GET", "/v1/boats?token=x", READER),
    ("a key that was never issued", TestApp::new, "GET", BOATS, Some("unknown")),
    ("a key for the other environment", TestApp::new, "GET", BOATS, Some("live")),
    ("a revoked key", TestApp::new, "GET", BOATS, Some("revoked")),
    ("an expired key", TestApp::new, "GET", BOATS, Some("expired")),
    ("a disabled key", TestApp::new, "GET", BOATS, Some("disabled")),
    ("a key without the scope", TestApp::new, "GET", BOATS, Some("manufacturers_only")),
    ("no such record", TestApp::new, "GET", "/v1/boats/none", READER),
    ("no such path", TestApp::new, "GET", "/v2", None),
    ("another method", TestApp::new, "POST", BOATS, None),
];

/// Internal failures.
#[rustfmt::skip]
const OF_FAILURES: [Case<'_>; 3] = [
    ("a panic", panicking, "GET", BOATS, READER),
    ("keys that cannot be confirmed", without_keys, "GET", BOATS, READER),
    ("a quota that cannot be counted", without_ledger, "GET", BOATS, READER),
];

/// Every error by its code, in the order of the statuses.
pub(crate) async fn errors() -> Exchanges {
    let (mut all, new) = (Exchanges::default(), TestApp::new);
    let bad = CATALOGUE[0].bad[0];
    add_each(&mut all, &[(bad.0, new, "GET", bad.1, READER)]).await;
    let (request, answer) = serve::unreadable_target().await;
    all.put("a target that cannot be read", request, &answer);
    add_each(&mut all, &[("no key", new, "GET", BOATS, None)]).await;
    let app = new();
    let basic = app.get(BOATS).header("authorization", "Basic dTpw");
    all.add("another scheme", basic).await;
    add_each(&mut all, &OF_KEYS_AND_TARGETS).await;
    let (request, answer) = serve::unfinished_head().await;
    all.put("a head that never ends", request, &answer);
    let app = new();
    let with_body = app.get(BOATS).header("content-length", "1");
    all.add("a body", with_body).await;
    let long = format!("/v1?{}", "&".repeat(8193 - "/v1?".len()));
    all.add("a target over 8 KiB", new().get(&long)).await;
    add_limits(&mut all).await;
    add_each(&mut all, &OF_FAILURES).await;
    add_unknown_quota(&mut all).await;
    let (request, answer) = connections::refused_over_the_total().await;
    all.put("a connection too many", request, &answer);
    all
}

async fn add_limits(all: &mut Exchanges) {
    let (boat, key, app) = ("/v1/boats/b1", "two_a_minute", TestApp::new());
    add_third(all, boat).await;
    app.get(boat).key(key).send().await;
    app.advance(Duration::from_secs(15));
    app.get(boat).key(key).send().await;
    app.advance(Duration::from_millis(500));
    let later = app.get(boat).key(key);
    all.add("15.5 seconds after the first of them", later).await;
    let app = TestApp::new();
    let none_left = app.get(boat).key("exhausted");
    all.add("no request of the month is left", none_left).await;
    // The app's requests have a `Host` field already.
    let app = TestApp::new();
    let many = (1..65).fold(app.get("/v1"), |ask, index| {
        ask.header(&format!("x-{index}"), "1")
    });
    all.add("over 64 header fields", many).await;
}

async fn add_unknown_quota(all: &mut Exchanges) {
    let (app, boat) = (TestApp::new(), "/v1/boats/b1");
    let ask = || app.get(boat).key("once_a_minute_without_scopes");
    ask().send().await;
    app.ledger.break_down();
    let shown = "a minute that is used up, and a quota that is not known";
    all.add(shown, ask()).await;
}

#[tokio::test]
async fn every_error_answers_as_recorded() {
    errors().await.check("errors", "Every error by its code.");
}

/// The responses of an endpoint that answers from the catalogue, in the order of the statuses.
async fn of_endpoint(endpoint: &Endpoint, others: &[(&str, Exchanges)]) -> Exchanges {
    let mut all = Exchanges::beside(others);
    let (new, target): (fn() -> TestApp, _) = (TestApp::new, endpoint.target());
    let of = |(shown, target)| (shown, new, "GET", target, READER);
    let good: Vec<Case<'_>> = endpoint.good.iter().copied().map(of).collect();
    add_each(&mut all, &good).await;
    add_each(&mut all, &[("its head", new, "HEAD", target, READER)]).await;

    let (app, other) = (new(), new());
    let ask = |app| TestApp::get(app, target).key("reader");
    let first = ask(&app).send().await;
    // Only lists are cached; a record gets the same response every time.
    if first.header("x-cache") == Some("MISS") {
        all.add("a list that is remembered", ask(&app)).await;
    }
    let with_tag = ask(&other).header("if-none-match", first.header("etag").unwrap());
    all.add("with the tag of the current body", with_tag).await;

    let bad: Vec<Case<'_>> = endpoint.bad.iter().copied().map(of).collect();
    add_each(&mut all, &bad).await;
    let scopeless = Some("without_scopes");
    let cases: [Case<'_>; 2] = [
        ("no key", new, "GET", target, None),
        ("a key without scopes", new, "GET", target, scopeless),
    ];
    add_each(&mut all, &cases).await;
    if let Some(missing) = endpoint.missing {
        add_each(&mut all, &[of(("no such record", missing))]).await;
    }
    let app = new();
    let delete = app.ask("DELETE", target).key("reader");
    all.add("another method", delete).await;
    add_third(&mut all, target).await;
    #[rustfmt::skip]
    let cases: [Case<'_>; 3] = [
        ("no request of the month is left", new, "GET", target, Some("exhausted")),
        ("a panic", panicking, "GET", target, READER),
        ("keys that cannot be confirmed", without_keys, "GET", target, READER),
    ];
    add_each(&mut all, &cases).await;
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
        let new: fn() -> TestApp = TestApp::new;
        all.add("when the server starts", new().get(target)).await;
        if target == "/health" {
            let app = new();
            app.advance(Duration::from_millis(90_999));
            all.add("90.999 seconds later", app.get(target)).await;
        }
        let with_parameter = format!("{target}?x=1");
        let with_credential = format!("{target}?api_key=x");
        #[rustfmt::skip]
        let cases: [Case<'_>; 4] = [
            ("a parameter, since it takes none", new, "GET", &with_parameter, None),
            ("a credential in the query", new, "GET", &with_credential, None),
            ("another method", new, "POST", target, None),
            ("a panic", panicking, "GET", target, None),
        ];
        add_each(&mut all, &cases).await;
    }
    all.check(
        "service",
        "What needs no key: `GET /v1` and `GET /health`, each by status.",
    );
}
