//! The whole catalogue in one response: lines and Parquet, with codings, ranges and charges, whatever
//! happens to the release and to the client meanwhile.

use std::fmt::Write as _;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use futures_util::future::join_all;
use server::catalogue::Catalogue;
use server::ops::follow::{Follower, Step};
use shared::base::ids::{IdOrSlug, Slug};
use shared::base::model::{ManufacturerDetails, ManufacturerSummary};
use shared::base::timestamp::Timestamp;
use shared::release::{ReleaseId, ReleaseStore, Releases, RenderedManufacturer};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use crate::answer::{Answer, check_text};
use crate::answers::WHOLE;
use crate::app::{Ask, TestApp, Unusual};
use crate::openapi::check_described;
use crate::records::{self, PUBLISHED_AT, columns, empty_store, settings};
use crate::wire::while_served;

const LINES: &str = "/v1/boats.ndjson";
const PARQUET: &str = "/v1/boats.parquet";
const MAKERS: &str = "/v1/manufacturers.ndjson";

/// The response, which the OpenAPI document describes.
async fn sent(ask: Ask<'_>) -> Answer {
    let request = ask.text();
    let answer = ask.key("reader").send().await;
    check_described(&request, &answer);
    answer
}

async fn whole(target: &str) -> Answer {
    sent(TestApp::new().get(target)).await
}

fn number(answer: &Answer, name: &str) -> Option<u64> {
    Some(answer.header(name)?.parse().unwrap())
}

#[tokio::test]
async fn each_file_answers_as_recorded() {
    let mut told = String::new();
    for endpoint in &WHOLE {
        let target = endpoint.target();
        let is_text = target.ends_with("ndjson");
        let app = TestApp::new();
        for (name, value) in [
            ("accept", "*/*"),
            ("range", "bytes=0-99"),
            ("range", "bytes=-8"),
            ("range", "bytes=9999999-"),
            ("accept-encoding", "zstd"),
        ] {
            let answer = sent(app.get(target).header(name, value)).await;
            let mut head = answer.head();
            if !is_text {
                // Its bytes change with the version of the library that writes it.
                head = masked(&head);
            }
            write!(told, "## GET {target}, {name}: {value}\n{head}").unwrap();
            if is_text && answer.header("content-encoding").is_none() {
                let text = str::from_utf8(&answer.body).unwrap();
                let lines = text.lines().map(|line| line.chars().take(100).collect());
                let lines: Vec<String> = lines.collect();
                write!(told, "\n{}", lines.join("\n")).unwrap();
            }
            told.push_str("\n\n");
        }
    }
    let about = "The whole catalogue: heads, and the beginnings of lines.";
    check_text("whole", about, told.trim_end());
}

/// The head without what depends on the bytes of a file.
fn masked(head: &str) -> String {
    let lines = head.lines().map(|line| match line.split_once(": ") {
        Some((name @ ("content-length" | "content-range" | "etag"), _)) => format!("{name}: ...\n"),
        _ => format!("{line}\n"),
    });
    lines.collect()
}

#[tokio::test]
async fn a_line_is_the_data_of_its_record_byte_for_byte_in_the_order_of_ids() {
    for (target, record) in [(LINES, "/v1/boats"), (MAKERS, "/v1/manufacturers")] {
        let answer = whole(target).await;
        assert_eq!(answer.status, 200);
        let text = String::from_utf8(answer.body).unwrap();
        assert!(text.ends_with('\n'));
        let mut ids = Vec::new();
        for line in text.lines() {
            let id = serde_json::from_str::<serde_json::Value>(line).unwrap()["id"].clone();
            let id = id.as_str().unwrap().to_owned();
            let one = TestApp::new();
            let one = one
                .get(&format!("{record}/{id}"))
                .key("reader")
                .send()
                .await;
            assert_eq!(
                format!("{{\"data\":{line}}}").into_bytes(),
                one.body,
                "{id}"
            );
            ids.push(id);
        }
        assert!(ids.is_sorted(), "{ids:?}");
        let list = TestApp::new();
        let list = list.get(&format!("{record}?limit=1")).key("reader").send();
        let total = list.await.json()["pagination"]["total"].as_u64().unwrap();
        assert_eq!(ids.len() as u64, total);
    }
}

#[tokio::test]
async fn lines_are_sent_in_the_coding_that_is_accepted_and_parquet_never_is() {
    let plain = whole(LINES).await;
    let etag = plain.header("etag").unwrap().trim_matches('"').to_owned();
    for (accepted, coding) in [
        ("zstd, gzip", "-zstd"),
        ("gzip", "-gzip"),
        ("gzip, zstd;q=0.5", "-gzip"),
        ("x-gzip, br", "-gzip"),
        ("*", "-zstd"),
        ("br", ""),
        ("identity", ""),
        ("zstd;q=0", ""),
        ("br, identity;q=0", ""),
    ] {
        let answer = sent(
            TestApp::new()
                .get(LINES)
                .header("accept-encoding", accepted),
        )
        .await;
        let sent = answer.header("content-encoding").unwrap_or("");
        assert_eq!(
            format!("-{sent}").trim_end_matches('-'),
            coding,
            "{accepted}"
        );
        let expected = format!("\"{etag}{coding}\"");
        assert_eq!(answer.header("etag"), Some(&*expected), "{accepted}");
        assert_eq!(answer.decoded(), plain.body, "{accepted}");
        assert_eq!(
            number(&answer, "content-length"),
            Some(answer.body.len() as u64)
        );
        let vary = Some("Authorization, Accept-Encoding");
        assert_eq!(answer.header("vary"), vary);
    }
    let parquet = sent(
        TestApp::new()
            .get(PARQUET)
            .header("accept-encoding", "zstd"),
    )
    .await;
    assert_eq!(parquet.header("content-encoding"), None);
    assert!(parquet.body.starts_with(b"PAR1") && parquet.body.ends_with(b"PAR1"));
}

#[tokio::test]
async fn a_range_is_sent_as_a_part_and_what_is_none_as_the_whole() {
    let plain = whole(LINES).await.body;
    let length = plain.len();
    let last = length - 1;
    for (range, expected) in [
        ("bytes=0-".to_owned(), Some(0..length)),
        ("bytes=0-0".to_owned(), Some(0..1)),
        ("bytes=5-9".to_owned(), Some(5..10)),
        (format!("bytes={last}-"), Some(last..length)),
        (format!("bytes=5-{length}"), Some(5..length)),
        ("bytes=5-18446744073709551615".to_owned(), Some(5..length)),
        (
            "bytes=5-99999999999999999999999".to_owned(),
            Some(5..length),
        ),
        ("bytes=-1".to_owned(), Some(last..length)),
        (format!("bytes=-{}", length + 1), Some(0..length)),
        ("BYTES=1-2".to_owned(), Some(1..3)),
        ("bytes=0-1,5-6".to_owned(), None),
        ("bytes=2-1".to_owned(), None),
        ("bytes=x-".to_owned(), None),
        ("lines=0-1".to_owned(), None),
        ("bytes".to_owned(), None),
    ] {
        let answer = sent(TestApp::new().get(LINES).header("range", &range)).await;
        assert_eq!(answer.header("accept-ranges"), Some("bytes"), "{range}");
        let part = expected.clone().unwrap_or(0..length);
        let content =
            expected.map(|part| format!("bytes {}-{}/{length}", part.start, part.end - 1));
        assert_eq!(
            answer.status,
            if content.is_some() { 206 } else { 200 },
            "{range}"
        );
        assert_eq!(
            answer.header("content-range"),
            content.as_deref(),
            "{range}"
        );
        assert!(answer.body == plain[part], "{range}");
    }
    let twice = TestApp::new();
    let twice = twice
        .get(LINES)
        .header("range", "bytes=0-1")
        .header("range", "bytes=0-1");
    assert_eq!(sent(twice).await.status, 200);
    let with_coding = TestApp::new();
    let with_coding = with_coding.get(LINES).header("accept-encoding", "zstd");
    let part = sent(with_coding.header("range", "bytes=5-9")).await;
    assert_eq!(
        (part.header("content-encoding"), &*part.body),
        (None, &plain[5..10])
    );
    assert_eq!(part.header("etag"), whole(LINES).await.header("etag"));
}

#[tokio::test]
async fn a_range_behind_the_end_is_refused_with_the_length_of_the_file() {
    let length = whole(LINES).await.body.len();
    for range in [format!("bytes={length}-"), "bytes=-0".to_owned()] {
        let answer = sent(TestApp::new().get(LINES).header("range", &range)).await;
        assert_eq!(
            (answer.status, &*answer.code()),
            (416, "RANGE_NOT_SATISFIABLE")
        );
        let expected = format!("bytes */{length}");
        assert_eq!(answer.header("content-range"), Some(&*expected));
        for name in ["etag", "x-quota-remaining", "x-ratelimit-remaining"] {
            assert_eq!(answer.header(name), None, "{name}");
        }
    }
}

#[tokio::test]
async fn a_range_is_sent_only_of_the_file_that_if_range_names() {
    let plain = whole(LINES).await;
    let etag = plain.header("etag").unwrap();
    let zstd = format!("{}-zstd\"", etag.trim_end_matches('"'));
    let weak = format!("W/{etag}");
    for (if_range, status) in [
        (etag, 206),
        (&*weak, 200),
        (&*zstd, 200),
        ("\"other\"", 200),
        ("*", 200),
        ("Thu, 01 Oct 2026 00:00:00 GMT", 200),
        ("x", 200),
    ] {
        let app = TestApp::new();
        let ask = app.get(LINES).header("range", "bytes=5-9");
        let ask = ask.header("accept-encoding", "gzip");
        let answer = sent(ask.header("if-range", if_range)).await;
        assert_eq!(answer.status, status, "{if_range}");
        // What is sent as a whole is sent as if no range had been asked for.
        let coding = (status == 200).then_some("gzip");
        assert_eq!(answer.header("content-encoding"), coding, "{if_range}");
    }
    let app = TestApp::new();
    let behind = app.get(LINES).header("range", "bytes=9999999-");
    assert_eq!(
        sent(behind.header("if-range", "\"other\"")).await.status,
        200
    );
    assert_eq!(
        sent(app.get(LINES).header("if-range", "\"other\""))
            .await
            .status,
        200
    );
}

#[tokio::test]
async fn who_has_the_file_already_gets_a_304_in_any_coding_and_with_a_range() {
    for target in [LINES, PARQUET] {
        let etag = whole(target).await.header("etag").unwrap().to_owned();
        let app = TestApp::new();
        for range in ["bytes=5-9", "bytes=9999999-"] {
            let ask = app.get(target).header("if-none-match", &etag);
            let answer = sent(ask.header("range", range)).await;
            assert_eq!((answer.status, answer.body.len()), (304, 0), "{target}");
            assert_eq!(answer.header("etag"), Some(&*etag));
        }
        let any = sent(app.get(target).header("if-none-match", "*")).await;
        assert_eq!(any.status, 304);
        let other = sent(app.get(target).header("if-none-match", "\"other\"")).await;
        assert_eq!(other.status, 200);
    }
    let app = TestApp::new();
    let zstd = sent(app.get(LINES).header("accept-encoding", "zstd")).await;
    let held = zstd.header("etag").unwrap();
    let answer = sent(app.get(LINES).header("if-none-match", held)).await;
    assert_eq!((answer.status, answer.header("etag")), (304, Some(held)));
}

#[tokio::test]
async fn what_begins_at_0_is_charged_and_its_rest_is_not_and_each_counts_in_the_minute() {
    let app = TestApp::new();
    let etag = whole(LINES).await.header("etag").unwrap().to_owned();
    let length = whole(LINES).await.body.len();
    let longer = format!("bytes=-{}", length + 5);
    let (mut requests, mut paid) = (0, 0);
    let terms = || app.get("/v1/terms").key("thousand_a_minute").send();
    let before = terms().await;
    let (minute, month) = (
        number(&before, "x-ratelimit-remaining").unwrap(),
        number(&before, "x-quota-remaining").unwrap(),
    );
    let table: [(&str, &str, &str, u16, u64); 9] = [
        ("GET", "accept", "*/*", 200, 1),
        ("HEAD", "accept", "*/*", 200, 1),
        ("GET", "range", "bytes=0-", 206, 1),
        ("GET", "range", "bytes=0-0", 206, 1),
        ("GET", "range", &longer, 206, 1),
        ("GET", "range", "bytes=1-", 206, 0),
        ("GET", "range", "bytes=-8", 206, 0),
        ("GET", "range", "bytes=9999999-", 416, 0),
        ("GET", "if-none-match", &etag, 304, 0),
    ];
    for (method, name, value, status, charge) in table {
        let answer = app
            .ask(method, LINES)
            .header(name, value)
            .key("thousand_a_minute")
            .send()
            .await;
        requests += 1;
        paid += charge;
        let what = format!("{method} {name}: {value}");
        assert_eq!(answer.status, status, "{what}");
        let left = number(&answer, "x-ratelimit-remaining");
        assert!(left.is_none_or(|left| left == minute - requests), "{what}");
        let left = number(&answer, "x-quota-remaining");
        assert!(left.is_none_or(|left| left == month - paid), "{what}");
        assert_eq!(left.is_some(), matches!(status, 200 | 206), "{what}");
    }
    let after = terms().await;
    assert_eq!(
        number(&after, "x-ratelimit-remaining"),
        Some(minute - requests - 1)
    );
    assert_eq!(number(&after, "x-quota-remaining"), Some(month - paid - 1));
    let exhausted = app.get(LINES).key("exhausted").header("range", "bytes=5-");
    assert_eq!(exhausted.send().await.code(), "QUOTA_EXCEEDED");
}

#[tokio::test]
async fn a_key_needs_the_scope_of_whole_files_and_that_of_their_kind() {
    let app = TestApp::new();
    for (key, target, missing) in [
        ("reads_only", LINES, Some("catalogue.export")),
        (
            "reads_only",
            "/v1/manufacturers.parquet",
            Some("catalogue.export"),
        ),
        ("exports_boats", LINES, None),
        ("exports_boats", PARQUET, None),
        ("exports_boats", MAKERS, Some("manufacturers.read")),
        (
            "without_scopes",
            MAKERS,
            Some("catalogue.export and manufacturers.read"),
        ),
    ] {
        let answer = app.get(target).key(key).send().await;
        match missing {
            None => assert_eq!(answer.status, 200, "{key} {target}"),
            Some(missing) => {
                assert_eq!(answer.code(), "INSUFFICIENT_PERMISSIONS", "{key} {target}");
                let message = answer.json()["error"]["message"].to_string();
                assert!(message.contains(&format!(" {missing};")), "{message}");
            }
        }
    }
}

#[tokio::test]
async fn a_whole_file_takes_no_parameters() {
    for endpoint in &WHOLE {
        let app = TestApp::new();
        let answer = sent(app.get(&format!("{}?limit=1", endpoint.target()))).await;
        assert_eq!(answer.json()["error"]["details"]["field"], "limit");
    }
}

#[tokio::test]
async fn head_has_the_head_of_get_and_ignores_ranges() {
    let (one, other) = (TestApp::new(), TestApp::new());
    let head = one.ask("HEAD", PARQUET).header("range", "bytes=0-9");
    let head = head.key("reader").send().await;
    let get = other.get(PARQUET).key("reader").send().await;
    assert_eq!((head.status, head.headers), (200, get.headers));
    assert!(head.body.is_empty());
}

/// A release without boats, of so many manufacturers with very long descriptions.
fn publish_long(store: &ReleaseStore, count: usize, at: &str) -> ReleaseId {
    let mut writer = store.begin(columns()).unwrap();
    for number in 0..count {
        let summary = ManufacturerSummary {
            id: &IdOrSlug::parse(&format!("m{number}")).unwrap(),
            slug: &Slug::parse(&format!("maker-{number}")).unwrap(),
            name: "Maker".into(),
            website: None,
            logo: None,
            updated_at: Timestamp::from_unix_seconds(0),
        };
        let details = ManufacturerDetails {
            description: Some(format!("{at} {number} ").repeat(20_000).into()),
            boat_count: 0,
        };
        let maker = RenderedManufacturer::new(&summary, &details).unwrap();
        writer.push_manufacturer(maker).unwrap();
    }
    let finished = store
        .finish(writer, &Timestamp::parse(at).unwrap())
        .unwrap();
    records::activate(store, &finished.id, &finished.lock).unwrap();
    finished.id
}

fn app_of(store: &ReleaseStore, id: &ReleaseId) -> TestApp {
    let opened = Catalogue::open(&store.open(id).unwrap(), settings()).unwrap();
    TestApp::with(Unusual {
        catalogue: Arc::new(opened),
        ..Unusual::default()
    })
}

#[tokio::test]
async fn a_catalogue_without_records_has_empty_files_and_no_ranges_of_them() {
    let (_directory, store) = empty_store();
    let id = publish_long(&store, 0, PUBLISHED_AT);
    let app = app_of(&store, &id);
    for target in [LINES, MAKERS] {
        for coding in ["identity", "zstd", "gzip"] {
            let answer = sent(app.get(target).header("accept-encoding", coding)).await;
            assert_eq!(
                (answer.status, answer.body.len()),
                (200, 0),
                "{target} {coding}"
            );
            assert_eq!(number(&answer, "content-length"), Some(0));
        }
        for range in ["bytes=0-", "bytes=-1"] {
            let answer = sent(app.get(target).header("range", range)).await;
            assert_eq!(answer.header("content-range"), Some("bytes */0"), "{range}");
        }
    }
    app.advance(Duration::from_mins(1));
    let parquet = sent(app.get(PARQUET)).await;
    assert!(parquet.body.starts_with(b"PAR1") && parquet.body.ends_with(b"PAR1"));
}

/// A connection that has sent `request` with a key.
async fn asking(address: SocketAddr, app: &TestApp, request: &str) -> TcpStream {
    let key = app.keys.secret("thousand_a_minute");
    let request = format!("{request}\r\nHost: a\r\nAuthorization: Bearer {key}\r\n\r\n");
    let mut connection = TcpStream::connect(address).await.unwrap();
    connection.write_all(request.as_bytes()).await.unwrap();
    connection
}

/// Reads a head, which is not longer than a part of a file.
async fn head_of(connection: &mut TcpStream) -> (String, Vec<u8>) {
    let (mut received, mut part) = (Vec::new(), vec![0; 1024]);
    loop {
        let length = connection.read(&mut part).await.unwrap();
        assert_ne!(length, 0, "{received:?}");
        received.extend_from_slice(&part[..length]);
        let end = received.windows(4).position(|four| four == b"\r\n\r\n");
        if let Some(end) = end {
            let body = received.split_off(end + 4);
            return (String::from_utf8(received).unwrap(), body);
        }
    }
}

async fn rest_of(connection: &mut TcpStream, mut body: Vec<u8>, length: usize) -> Vec<u8> {
    let begun = body.len();
    body.resize(length, 0);
    connection.read_exact(&mut body[begun..]).await.unwrap();
    body
}

#[tokio::test]
async fn a_file_is_that_of_the_release_with_which_it_began_also_when_that_is_pruned() {
    let (_directory, store) = empty_store();
    let first = publish_long(&store, 20, PUBLISHED_AT);
    let app = app_of(&store, &first);
    let expected = sent(app.get(MAKERS)).await.body;
    assert!(4 << 20 < expected.len());
    while_served(&app, async |address| {
        let mut slow = asking(address, &app, "GET /v1/manufacturers.ndjson HTTP/1.1").await;
        let (head, begun) = head_of(&mut slow).await;
        assert!(head.starts_with("HTTP/1.1 200 OK\r\n"), "{head}");
        let last = publish_long(&store, 1, "2026-10-02T00:00:00Z");
        let releases = Arc::new(store.clone());
        let mut follower = Follower::new(Arc::clone(&app.app), releases, settings());
        assert_eq!(follower.step().unwrap(), Step::Activated(last));
        std::fs::remove_dir_all(store.directory(&first)).unwrap();
        let mut next = asking(address, &app, "GET /v1/manufacturers.ndjson HTTP/1.1").await;
        let (head, begun_next) = head_of(&mut next).await;
        assert!(!head.contains(&format!("content-length: {}\r\n", expected.len())));
        drop(begun_next);
        assert!(rest_of(&mut slow, begun, expected.len()).await == expected);
    })
    .await;
}

#[tokio::test]
async fn many_clients_at_once_each_get_all_of_it_and_some_that_leave_disturb_none() {
    let (_directory, store) = empty_store();
    let id = publish_long(&store, 10, PUBLISHED_AT);
    let app = app_of(&store, &id);
    let expected = sent(app.get(MAKERS)).await.body;
    while_served(&app, async |address| {
        let client = async |number: usize| {
            let mut connection =
                asking(address, &app, "GET /v1/manufacturers.ndjson HTTP/1.1").await;
            let (head, begun) = head_of(&mut connection).await;
            assert!(head.starts_with("HTTP/1.1 200 OK\r\n"), "{head}");
            if number.is_multiple_of(4) {
                return;
            }
            assert!(rest_of(&mut connection, begun, expected.len()).await == expected);
        };
        join_all((0..64).map(client)).await;
    })
    .await;
}

#[tokio::test]
async fn what_follows_a_request_for_a_file_is_answered_after_all_of_it() {
    let (_directory, store) = empty_store();
    let id = publish_long(&store, 10, PUBLISHED_AT);
    let app = app_of(&store, &id);
    let expected = sent(app.get(MAKERS)).await.body;
    while_served(&app, async |address| {
        for (after, status) in [
            ("GET /health HTTP/1.1\r\nHost: a\r\n\r\n", 200),
            ("nonsense\r\n", 400),
        ] {
            let mut client = asking(address, &app, "GET /v1/manufacturers.ndjson HTTP/1.1").await;
            client.write_all(after.as_bytes()).await.unwrap();
            let (_head, begun) = head_of(&mut client).await;
            assert!(rest_of(&mut client, begun, expected.len()).await == expected);
            let (head, _body) = head_of(&mut client).await;
            assert!(head.starts_with(&format!("HTTP/1.1 {status} ")), "{head}");
        }
    })
    .await;
}
