//! Pages of other origins: the response headers with each setting, and that none is sent by
//! default.

use std::collections::BTreeMap;
use std::fmt::Write;

use server::cors::AllowedOrigins;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use crate::answer::{Answer, check_text};
use crate::answers::panicking_with;
use crate::app::{Ask, TestApp, Unusual};
use crate::exchanges::Exchanges;
use crate::wire::while_served;

const NAMED: &str = "https://boats.example";
const OTHER: &str = "https://other.example";

/// The headers that only these settings add.
const OF_CORS: [&str; 5] = [
    "access-control-allow-origin",
    "access-control-expose-headers",
    "access-control-allow-methods",
    "access-control-allow-headers",
    "access-control-max-age",
];

fn unusual(named: &[&str]) -> Unusual {
    let named: Vec<_> = named.iter().map(|text| text.parse().unwrap()).collect();
    Unusual {
        allowed_origins: AllowedOrigins::of(&named).unwrap(),
        ..Unusual::default()
    }
}

pub(crate) fn app(named: &[&str]) -> TestApp {
    TestApp::with(unusual(named))
}

/// The settings, with their names.
const SETTINGS: [(&str, &[&str]); 3] = [
    ("off", &[]),
    ("two origins", &["http://localhost:3000", NAMED]),
    ("any origin", &["*"]),
];

/// The fields of a request, with their names.
const ORIGINS: [(&str, &[&str]); 4] = [
    ("no origin", &[]),
    ("a named one", &[NAMED]),
    ("another", &[OTHER]),
    ("two", &[NAMED, NAMED]),
];

fn from<'a>(ask: Ask<'a>, origins: &[&str]) -> Ask<'a> {
    let with_origin = |ask: Ask<'a>, origin: &&str| ask.header("origin", origin);
    origins.iter().fold(ask, with_origin)
}

/// One request for every status that can be tested without a connection.
fn of_every_status(app: &TestApp) -> Vec<Ask<'_>> {
    let boat = || app.get("/v1/boats/b1");
    vec![
        app.get("/health"),
        app.get("/v1"),
        app.get("/openapi.json"),
        boat().key("reader"),
        app.get("/v1/boats?limit=1").key("reader"),
        app.ask("HEAD", "/v1/boats/b1").key("reader"),
        boat().key("reader").header("if-none-match", "*"),
        app.get("/v1?x=1"),
        boat(),
        boat().key("without_scopes"),
        app.get("/v1/boats/none").key("reader"),
        app.get("/nowhere"),
        app.ask("DELETE", "/v1/boats"),
        app.ask("OPTIONS", "/v1/boats"),
        boat().header("content-length", "1"),
        app.get(&format!("/v1?{}", "x".repeat(8 * 1024))),
        boat().key("exhausted"),
        boat().header("x-long", &"x".repeat(16 * 1024)),
    ]
}

/// The CORS headers of a response.
fn said(answer: &Answer) -> String {
    let said = |name: &&str| Some(format!("{name}: {}", answer.header(name)?));
    let names = ["access-control-allow-origin", "vary"];
    let mut said: Vec<String> = names.iter().filter_map(said).collect();
    if answer.header("access-control-expose-headers").is_some() {
        said.push("headers exposed".to_owned());
    }
    if said.is_empty() {
        said.push("nothing".to_owned());
    }
    said.join("; ")
}

fn by_what_is_said(answers: &[Answer]) -> BTreeMap<String, Vec<String>> {
    let mut grouped = BTreeMap::<String, Vec<String>>::new();
    for answer in answers {
        let statuses = grouped.entry(said(answer)).or_default();
        statuses.push(answer.status.to_string());
    }
    grouped
}

#[tokio::test]
async fn every_status_tells_the_pages_that_are_let_in_and_no_others() {
    let mut table = String::new();
    for (setting, named) in SETTINGS {
        for (origin, fields) in ORIGINS {
            writeln!(table, "{setting}, {origin}").unwrap();
            let app = app(named);
            let mut answers = Vec::new();
            for ask in of_every_status(&app) {
                answers.push(from(ask, fields).send().await);
            }
            let panicking = panicking_with(unusual(named));
            answers.push(from(panicking.get("/health"), fields).send().await);
            app.lose_key_store();
            let unsure = app.get("/v1/boats").key("reader");
            answers.push(from(unsure, fields).send().await);
            for (said, statuses) in by_what_is_said(&answers) {
                writeln!(table, "  {}\n    {said}", statuses.join(" ")).unwrap();
            }
        }
    }
    check_text(
        "cors",
        "What every status says to pages of other origins, by the setting and by who asks.",
        &table,
    );
}

#[tokio::test]
async fn nothing_else_of_an_answer_depends_on_the_setting() {
    let mut all = Vec::new();
    for (_, named) in SETTINGS {
        let app = app(named);
        let mut answers = Vec::new();
        for ask in of_every_status(&app) {
            let mut answer = from(ask, &[NAMED]).send().await;
            for name in OF_CORS {
                let is_there = answer.headers.remove(name).is_some();
                assert!(!is_there || !named.is_empty(), "{name} without the setting");
            }
            let vary = answer.headers.remove("vary");
            let vary = vary.map(|vary| vary.to_str().unwrap().replace("Origin", ""));
            let vary = vary.unwrap_or_default();
            let rest = vary.trim_end_matches(", ").to_owned();
            // The OpenAPI document does not depend on settings, so it is the same too.
            answers.push((answer.text(), rest));
        }
        all.push(answers);
    }
    assert_eq!(all[0], all[1]);
    assert_eq!(all[0], all[2]);
}

fn preflight<'a>(app: &'a TestApp, target: &str, method: &str, fields: Option<&str>) -> Ask<'a> {
    let ask = app
        .ask("OPTIONS", target)
        .header("origin", NAMED)
        .header("access-control-request-method", method);
    match fields {
        Some(fields) => ask.header("access-control-request-headers", fields),
        None => ask,
    }
}

#[tokio::test]
async fn a_preflight_is_a_204_that_needs_no_key_and_counts_nowhere() {
    let asked = "authorization,if-none-match, Content-Type ,x-mine,cache-control";
    let mut all = Exchanges::default();
    for (shown, fields) in [("without fields", None), ("with fields", Some(asked))] {
        let app = app(&[NAMED]);
        let ask = preflight(&app, "/v1/boats", "GET", fields);
        all.add(shown, ask).await;
    }
    all.check(
        "preflight",
        "What a browser asks before a page of another origin may ask.",
    );
    let app = app(&[NAMED]);
    let ask = |fields| preflight(&app, "/v1/boats", "GET", fields);
    for target in [
        "/v1",
        "/health",
        "/openapi.json",
        "/v1/boats/none",
        "/nowhere",
    ] {
        for method in ["GET", "HEAD", "DELETE"] {
            let answer = preflight(&app, target, method, None).send().await;
            assert_eq!(answer.status, 204, "{method} {target}");
            assert!(answer.body.is_empty());
        }
    }
    for _ in 0..3 {
        let answer = ask(Some("authorization")).key("two_a_minute").send().await;
        assert_eq!(answer.status, 204);
    }
    let counted = app.get("/v1/boats/b1").key("two_a_minute").send().await;
    assert_eq!(counted.header("x-ratelimit-remaining"), Some("1"));
}

#[tokio::test]
async fn what_is_no_preflight_of_a_page_that_is_let_in_is_answered_as_ever() {
    let (off, named) = (app(&[]), app(&[NAMED]));
    let options = |origins: &[&str], asks: bool| {
        let ask = from(named.ask("OPTIONS", "/v1/boats"), origins);
        if asks {
            ask.header("access-control-request-method", "GET")
        } else {
            ask
        }
    };
    for ask in [
        preflight(&off, "/v1/boats", "GET", None),
        options(&[], true),
        options(&[OTHER], true),
        options(&["null"], true),
        options(&[NAMED, NAMED], true),
        options(&[NAMED], false),
    ] {
        let answer = ask.send().await;
        assert_eq!(answer.code(), "METHOD_NOT_ALLOWED");
        assert_eq!(answer.header("allow"), Some("GET, HEAD"));
        assert_eq!(answer.header("access-control-allow-methods"), None);
    }
    let too_long = format!("/v1?{}", "x".repeat(8 * 1024));
    let answer = preflight(&named, &too_long, "GET", None).send().await;
    assert_eq!(answer.code(), "URI_TOO_LONG");
}

/// What the clients that send these bytes receive, each up to the end of its connection.
async fn received(named: &[&str], sent: &[&[&str]]) -> Vec<String> {
    let (app, mut all) = (app(named), Vec::new());
    while_served(&app, async |address| {
        for pieces in sent {
            let (mut client, mut text) =
                (TcpStream::connect(address).await.unwrap(), String::new());
            for piece in *pieces {
                client.write_all(piece.as_bytes()).await.unwrap();
            }
            client.read_to_string(&mut text).await.unwrap();
            all.push(text);
        }
    })
    .await;
    all
}

#[tokio::test]
async fn the_last_answer_of_a_connection_tells_a_page_whose_origin_was_read() {
    let begun = "POST /v1/boats HTTP/1.1\r\nHost: a\r\n";
    let origin = format!("Origin: {NAMED}\r\n");
    // So long that the server refuses the head before it reads `Origin`.
    let long = format!("GET /v1?{} HTTP/1.1\r\n", "x".repeat(20 * 1024));
    let large = format!("X-Long: {}\r\n", "x".repeat(28 * 1024));
    let as_browsers_send_it = format!("{begun}Content-Length: 1\r\n{origin}\r\nx");
    let clients = [
        (
            &[begun, &origin, "Content-Length: 1\r\n\r\nx"][..],
            413,
            true,
        ),
        (&[&as_browsers_send_it], 413, true),
        (&[begun, &origin, &large], 431, true),
        (&[begun, &origin, "A : b\r\n"], 400, true),
        // These two are refused before `Origin` is read.
        (&[&long, &origin], 414, false),
        (&[begun, &large, &origin], 431, false),
    ];
    let sent = clients.map(|(sent, ..)| sent);
    let told = format!("access-control-allow-origin: {NAMED}\r\n");
    for (text, (_, status, is_told)) in received(&[NAMED], &sent).await.iter().zip(clients) {
        assert!(text.starts_with(&format!("HTTP/1.1 {status} ")), "{text}");
        assert_eq!(text.contains(&told), is_told, "{text}");
        assert!(text.contains("vary: Origin\r\n"), "{text}");
    }
    for text in received(&[], &sent).await {
        assert!(
            !text.contains("access-control") && !text.contains("vary"),
            "{text}"
        );
    }
}
