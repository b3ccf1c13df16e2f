//! Every response of the API, whole, for reviewers: every error by its code, and what is an
//! endpoint's own. The other files test why each must be as it is.
//!
//! Each response comes from a new app, so none depends on earlier requests.

use std::time::Duration;

use crate::app::{Ask, TestApp, Unusual};
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
        match self.good {
            [] => self.path,
            [(_, target), ..] => target,
        }
    }
}

pub(crate) const CATALOGUE: [Endpoint; 8] = [
    Endpoint {
        id: "list_boats",
        path: "/v1/boats",
        good: &[
            ("a page between others", "/v1/boats?limit=2&offset=2"),
            ("past the end", "/v1/boats?offset=1000"),
        ],
        bad: &[(
            "many problems, in the order of the request",
            "/v1/boats?colour=red&limit=0&type=&sort=price&yearFrom=2000&yearTo=1999&limit=5",
        )],
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
        good: &[(
            "a page between others",
            "/v1/manufacturers?limit=1&offset=1",
        )],
        bad: &[(
            "a sort and a parameter that are none",
            "/v1/manufacturers?sort=boatCount&country=se",
        )],
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
    Endpoint {
        id: "get_facets",
        path: "/v1/facets",
        good: &[
            ("under a type", "/v1/facets?type=sailing-yacht"),
            (
                "under what nothing matches",
                "/v1/facets?search=none&type=unknown",
            ),
        ],
        bad: &[(
            "what is of a page, and a range the wrong way round",
            "/v1/facets?limit=10&yearFrom=2000&yearTo=1999",
        )],
        missing: None,
    },
    Endpoint {
        id: "list_changes",
        path: "/v1/changes",
        good: &[
            (
                "all changes",
                "/v1/changes?since=20260901T000000Z-0000000000000000",
            ),
            (
                "a page between others",
                "/v1/changes?limit=1&since=20260901T000000Z-0000000000000000&offset=2",
            ),
        ],
        bad: &[
            ("no release", "/v1/changes"),
            (
                "no whole release, and other problems",
                "/v1/changes?kind=boat&since=20260901T000000Z&limit=1001",
            ),
        ],
        missing: Some("/v1/changes?since=20260801T000000Z-0000000000000000"),
    },
];

/// The endpoints that send all records of a kind.
pub(crate) const WHOLE: [Endpoint; 4] = [
    whole("get_all_boats_ndjson", "/v1/boats.ndjson"),
    whole("get_all_boats_parquet", "/v1/boats.parquet"),
    whole("get_all_manufacturers_ndjson", "/v1/manufacturers.ndjson"),
    whole("get_all_manufacturers_parquet", "/v1/manufacturers.parquet"),
];

const fn whole(id: &'static str, path: &'static str) -> Endpoint {
    Endpoint {
        id,
        path,
        good: &[],
        bad: &[],
        missing: None,
    }
}

/// The endpoints about the service, by the name of their operation.
pub(crate) const SERVICE: [(&str, &str); 2] =
    [("describe_version", "/v1"), ("check_health", "/health")];

const READER: Option<&str> = Some("reader");
const BOATS: &str = "/v1/boats";

/// A request with the key of that purpose, if there is one.
fn with_key<'a>(ask: Ask<'a>, key: Option<&str>) -> Ask<'a> {
    match key {
        Some(key) => ask.key(key),
        None => ask,
    }
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

/// What is shown, the app, the method and the key of a request.
type Refused = (
    &'static str,
    fn() -> TestApp,
    &'static str,
    Option<&'static str>,
);

/// Requests that every endpoint of the catalogue refuses in the same words.
#[rustfmt::skip]
const REFUSED: [Refused; 13] = [
    ("no key", TestApp::new, "GET", None),
    ("a key that was never issued", TestApp::new, "GET", Some("unknown")),
    ("a key for the other environment", TestApp::new, "GET", Some("live")),
    ("a revoked key", TestApp::new, "GET", Some("revoked")),
    ("an expired key", TestApp::new, "GET", Some("expired")),
    ("a rotated key after its grace", TestApp::new, "GET", Some("past_grace")),
    ("a disabled key", TestApp::new, "GET", Some("disabled")),
    ("a key of a disabled subscription", TestApp::new, "GET", Some("inactive")),
    ("another method", TestApp::new, "DELETE", READER),
    ("no request of the month is left", TestApp::new, "GET", Some("exhausted")),
    ("a panic", panicking, "GET", READER),
    ("keys that cannot be confirmed", without_keys, "GET", READER),
    ("a quota that cannot be counted", without_ledger, "GET", READER),
];

/// How a target refuses all of these, and the third request with a key that may make two a minute.
async fn refused(target: &str) -> Exchanges {
    let mut all = Exchanges::default();
    for (shown, app, method, key) in REFUSED {
        let app = app();
        all.add(shown, with_key(app.ask(method, target), key)).await;
    }
    let app = TestApp::new();
    for _ in 0..2 {
        app.get(target).key("two_a_minute").send().await;
    }
    let third = app.get(target).key("two_a_minute");
    all.add("the third request of two a minute", third).await;
    all
}

/// Every error by its code, in the order of the statuses.
pub(crate) async fn errors() -> Exchanges {
    let mut all = refused(BOATS).await;
    add_of_requests(&mut all).await;
    add_of_heads(&mut all).await;
    add_unknown_quota(&mut all).await;
    all.all.sort_by_key(|exchange| exchange.answer.status);
    all
}

async fn add_of_requests(all: &mut Exchanges) {
    for (shown, target, key) in [
        (
            "a sort and a parameter that are none",
            "/v1/boats?sort=size&colour=red",
            READER,
        ),
        ("a credential in the query", "/v1/boats?token=x", READER),
        ("a key without the scope", BOATS, Some("manufacturers_only")),
        ("no such record", "/v1/boats/none", READER),
        (
            "a release that is not kept",
            "/v1/changes?since=20260801T000000Z-0000000000000000",
            READER,
        ),
        ("no such path", "/v2", None),
    ] {
        let app = TestApp::new();
        all.add(shown, with_key(app.get(target), key)).await;
    }
    let app = TestApp::new();
    let behind = app
        .get("/v1/boats.ndjson")
        .header("range", "bytes=9999999-");
    all.add("a range behind the end of a file", behind.key("reader"))
        .await;
    let app = TestApp::new();
    let basic = app.get(BOATS).header("authorization", "Basic dTpw");
    all.add("another scheme", basic).await;
}

async fn add_of_heads(all: &mut Exchanges) {
    let (request, answer) = serve::unreadable_target().await;
    all.add_sent("a target that cannot be read", request, answer);
    let (request, answer) = serve::unfinished_head().await;
    all.add_sent("a head that never ends", request, answer);
    let (request, answer) = connections::refused_over_the_total().await;
    all.add_sent("a connection too many", request, answer);
    let app = TestApp::new();
    let with_body = app.get(BOATS).header("content-length", "1");
    all.add("a body", with_body).await;
    let app = TestApp::new();
    let long = format!("/v1?{}", "&".repeat(8193 - "/v1?".len()));
    all.add("a target over 8 KiB", app.get(&long)).await;
    let app = TestApp::new();
    // The app's requests have a `Host` field already.
    let many = (1..65).fold(app.get("/v1"), |ask, index| {
        ask.header(&format!("x-{index}"), "1")
    });
    all.add("over 64 header fields", many).await;
}

async fn add_unknown_quota(all: &mut Exchanges) {
    let (boat, app) = ("/v1/boats/b1", TestApp::new());
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

#[tokio::test]
async fn every_endpoint_refuses_in_the_same_words() {
    let boats = refused(BOATS).await;
    let expected = boats.texts();
    for endpoint in CATALOGUE.iter().chain(&WHOLE) {
        let found = refused(endpoint.target()).await.texts();
        assert_eq!(found, expected, "{}", endpoint.id);
    }
    // A key is described also when no request of the month is left, and is not charged for it.
    let described = refused("/v1/key").await;
    for (shown, ..) in REFUSED {
        if shown != "no request of the month is left" {
            assert_eq!(described.text_of(shown), boats.text_of(shown), "{shown}");
        }
    }
}

/// What is an endpoint's own, in the order of the statuses.
async fn of_endpoint(endpoint: &Endpoint) -> Exchanges {
    let mut all = Exchanges::default();
    let target = endpoint.target();
    add_each(&mut all, endpoint.good).await;
    let app = TestApp::new();
    let etag = all.all[0].answer.header("etag").unwrap().to_owned();
    let ask = app.get(target).key("reader");
    let ask = ask.header("if-none-match", &etag);
    all.add("with the tag of the current body", ask).await;
    add_each(&mut all, endpoint.bad).await;
    let app = TestApp::new();
    let scopeless = app.get(target).key("without_scopes");
    all.add("a key without scopes", scopeless).await;
    if let Some(missing) = endpoint.missing {
        add_each(&mut all, &[("no such record", missing)]).await;
    }
    all
}

/// Adds the answer to each target, from a new app.
async fn add_each(all: &mut Exchanges, targets: &[(&str, &str)]) {
    for (shown, target) in targets {
        let app = TestApp::new();
        all.add(shown, app.get(target).key("reader")).await;
    }
}

#[tokio::test]
async fn endpoints_of_the_catalogue_answer_as_recorded() {
    for endpoint in &CATALOGUE {
        let all = of_endpoint(endpoint).await;
        let about = format!("`GET {}`: what is its own, by status.", endpoint.path);
        all.check(endpoint.id, &about);
    }
}

#[tokio::test]
async fn endpoints_of_the_service_answer_as_recorded() {
    let mut all = Exchanges::default();
    for (_, target) in SERVICE {
        let app = TestApp::new();
        all.add("when the server starts", app.get(target)).await;
    }
    let app = TestApp::new();
    app.advance(Duration::from_millis(90_999));
    all.add("90.999 seconds later", app.get("/health")).await;
    let app = TestApp::new();
    let unknown = "a parameter, since it takes none";
    all.add(unknown, app.get("/v1?x=1")).await;
    all.check("service", "What needs no key: `GET /v1` and `GET /health`.");

    let health = TestApp::new().get("/health?x=1").send().await;
    assert_eq!(health.text(), all.text_of(unknown));
    let (errors, new): (_, fn() -> TestApp) = (errors().await, TestApp::new);
    for (_, target) in SERVICE {
        for (shown, app, method, query) in [
            ("another method", new, "POST", ""),
            ("a credential in the query", new, "GET", "?API_KEY=x"),
            ("a panic", panicking, "GET", ""),
        ] {
            let app = app();
            let answer = app.ask(method, &format!("{target}{query}")).send().await;
            assert_eq!(answer.text(), errors.text_of(shown), "{method} {target}");
        }
    }
}
