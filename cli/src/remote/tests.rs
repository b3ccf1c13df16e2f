//! Tests of fetching from a misbehaving server.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;
use std::time::Duration;

use percent_encoding::percent_decode_str;
use shared::base::clock::ManualClock;
use shared::base::hash::sha256_hex;

use super::download::WHOLE_MAX;
use super::*;
use crate::terminal::progress::Progress;

/// What a server sends: the bytes of a response, after which it closes the connection.
type Answers = dyn Fn(&Request) -> Vec<u8> + Send;

/// A request, as the server receives it.
pub(super) struct Request {
    /// How many came before.
    pub(super) number: usize,
    /// Its request line, and its headers in lower case.
    pub(super) lines: Vec<String>,
}

pub(super) struct TestServer {
    pub(super) address: SocketAddr,
    requests: Receiver<Request>,
}

impl Request {
    pub(super) fn header(&self, name: &str) -> Option<&str> {
        let mut lines = self.lines.iter();
        lines.find_map(|line| line.strip_prefix(name)?.strip_prefix(": "))
    }

    pub(super) fn path(&self) -> &str {
        self.lines[0].split(' ').nth(1).unwrap()
    }
}

impl TestServer {
    pub(super) fn new(answers: impl Fn(&Request) -> Vec<u8> + Send + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let (sender, requests) = channel();
        // It ends with the test, when the receiver is dropped.
        thread::spawn(move || serve(&listener, &answers, &sender));
        Self { address, requests }
    }

    fn fetch(&self, path: &str) -> Result<Fetched, String> {
        fetch(&format!("http://{}{path}", self.address), BYTES_MAX_DEFAULT)
    }

    /// The error of fetching, with `[server]` for the address of this server.
    fn error(&self, path: &str) -> String {
        let error = self.fetch(path).map(|_fetched| ()).unwrap_err();
        error.replace(&self.address.to_string(), "[server]")
    }

    pub(super) fn requests(&self) -> Vec<Request> {
        self.requests.try_iter().collect()
    }
}

fn serve(listener: &TcpListener, answers: &Answers, requests: &Sender<Request>) {
    for (number, client) in listener.incoming().enumerate() {
        let mut client = client.unwrap();
        let request = Request {
            number,
            lines: head(&client),
        };
        let answer = answers(&request);
        // Before it is answered, or the test may look before it is known.
        if requests.send(request).is_err() {
            return;
        }
        // The client may have closed the connection.
        _ = client.write_all(&answer);
    }
}

fn head(client: &TcpStream) -> Vec<String> {
    let lines = BufReader::new(client).lines().map(Result::unwrap);
    let lines = lines.take_while(|line| !line.is_empty()).enumerate();
    let lower = |(number, line): (usize, String)| match line.split_once(": ") {
        Some((name, value)) if number != 0 => format!("{}: {value}", name.to_lowercase()),
        _ => line,
    };
    lines.map(lower).collect()
}

/// Says that the connection closes: the client could send its next request on it otherwise.
pub(super) fn answer(head: &str, body: &[u8]) -> Vec<u8> {
    let end = b"\r\nConnection: close\r\n\r\n";
    [b"HTTP/1.1 ", head.as_bytes(), end, body].concat()
}

/// A whole file.
pub(super) fn whole(headers: &str, body: &[u8]) -> Vec<u8> {
    let length = body.len();
    answer(
        &format!("200 OK\r\nContent-Length: {length}{headers}"),
        body,
    )
}

pub(super) fn redirect(to: &str) -> Vec<u8> {
    answer(
        &format!("302 Found\r\nLocation: {to}\r\nContent-Length: 0"),
        b"",
    )
}

fn address(text: &str) -> Address {
    match Source::parse(text.as_ref()).unwrap() {
        Source::Address(address) => address,
        Source::Path(_) => panic!("{text} is a path"),
    }
}

/// Fetches with these settings; an error is its whole chain.
fn fetch_with(
    settings: &RemoteSettings,
    text: &str,
    bytes_max: u64,
    pauses: &mut Vec<Duration>,
) -> Result<Fetched, String> {
    let directory = tempfile::tempdir().unwrap();
    let clock = ManualClock::at(0);
    let mut fetching = Fetching {
        bytes_max,
        temp_dir: directory.path(),
        progress: &Progress::new(false),
        clock: &clock,
        pause: &mut |pause| {
            pauses.push(pause);
            clock.advance(pause);
        },
    };
    let remote = Remote::new(settings).unwrap();
    let fetched = remote.fetch(&address(text), &mut fetching);
    assert_eq!(std::fs::read_dir(&directory).unwrap().count(), 0);
    fetched.map_err(|error| format!("{:#}", anyhow::Error::new(error)))
}

fn fetch(text: &str, bytes_max: u64) -> Result<Fetched, String> {
    fetch_with(&RemoteSettings::default(), text, bytes_max, &mut Vec::new())
}

fn contents(fetched: &Fetched) -> Vec<u8> {
    let mut contents = Vec::new();
    let whole = 0..fetched.file.length();
    fetched.file.part(whole).read_to_end(&mut contents).unwrap();
    assert_eq!(fetched.origin.sha256, sha256_hex(&contents));
    contents
}

#[test]
fn a_file_is_fetched_with_its_name_and_its_etag() {
    let server = TestServer::new(|_request| whole("\r\nETag: \"a\"", b"{}\n"));
    let fetched = server.fetch("/boats.ndjson?sig=s3cret").unwrap();
    assert_eq!(fetched.origin.file_name, "boats.ndjson");
    assert_eq!(fetched.origin.etag.as_deref(), Some("\"a\""));
    let shown = format!("http://{}/boats.ndjson?…", server.address);
    assert_eq!(fetched.origin.name, shown);
    assert_eq!(contents(&fetched), b"{}\n");
    assert_eq!(server.requests()[0].path(), "/boats.ndjson?sig=s3cret");
}

/// A response of ten bytes, cut after `after` of them.
fn cut(request: &Request, etag: &str, after: usize) -> Vec<u8> {
    const WHOLE: &[u8] = b"0123456789";
    let range = request.header("range");
    let start = range.and_then(|range| range["bytes=".len()..].strip_suffix('-'));
    let Some(start) = start.map(|start| start.parse::<usize>().unwrap()) else {
        let head = format!("200 OK\r\nContent-Length: 10\r\nETag: {etag}");
        return answer(&head, &WHOLE[..after]);
    };
    let length = 10 - start;
    let head = format!(
        "206 Partial Content\r\nContent-Length: {length}\r\n\
         Content-Range: bytes {start}-9/10\r\nETag: {etag}"
    );
    answer(&head, &WHOLE[start..10.min(start + after)])
}

#[test]
fn what_breaks_off_is_gone_on_with_in_the_state_in_which_it_began() {
    let server = TestServer::new(|request| cut(request, "\"a\"", 4));
    assert_eq!(contents(&server.fetch("/a").unwrap()), b"0123456789");
    let requests = server.requests();
    let asked = |request: &Request| {
        let header = |name| request.header(name).map(str::to_owned);
        (header("range"), header("if-match"))
    };
    let state = || Some("\"a\"".to_owned());
    let asked: Vec<_> = requests.iter().map(asked).collect();
    let range = |start| Some(format!("bytes={start}-"));
    assert_eq!(
        asked,
        [(None, None), (range(4), state()), (range(8), state())]
    );
}

#[test]
fn without_a_strong_etag_what_breaks_off_is_begun_again() {
    for etag in ["W/\"a\"", ""] {
        let server = TestServer::new(move |request| {
            let after = if request.number == 0 { 4 } else { 10 };
            cut(request, etag, after)
        });
        assert_eq!(contents(&server.fetch("/a").unwrap()), b"0123456789");
        let requests = server.requests();
        assert_eq!(requests.len(), 2);
        assert!(
            requests
                .iter()
                .all(|request| request.header("range").is_none())
        );
    }
}

#[test]
fn what_changes_while_it_is_fetched_is_begun_again() {
    let server = TestServer::new(|request| match request.number {
        0 => cut(request, "\"a\"", 4),
        1 => answer("412 Precondition Failed\r\nContent-Length: 0", b""),
        _ => whole("\r\nETag: \"b\"", b"other"),
    });
    let fetched = server.fetch("/a").unwrap();
    assert_eq!(fetched.origin.etag.as_deref(), Some("\"b\""));
    assert_eq!(contents(&fetched), b"other");
}

#[test]
fn a_server_that_ignores_ranges_sends_the_whole_again() {
    let server = TestServer::new(|request| match request.number {
        0 => cut(request, "\"a\"", 4),
        _ => whole("\r\nETag: \"a\"", b"0123456789"),
    });
    assert_eq!(contents(&server.fetch("/a").unwrap()), b"0123456789");
}

#[test]
fn what_is_always_cut_is_given_up_after_pauses_that_grow() {
    let server = TestServer::new(|_request| answer("200 OK\r\nContent-Length: 9", b"1234"));
    let url = format!("http://{}/a", server.address);
    let mut pauses = Vec::new();
    let fetched = fetch_with(&RemoteSettings::default(), &url, 100, &mut pauses);
    let error = fetched.map(|_fetched| ()).unwrap_err();
    let expected = "it was cut at 4 of 9 bytes, 4 times in a row: ";
    assert!(error.contains(expected), "{error}");
    assert_eq!(pauses, [1, 2, 4].map(Duration::from_secs));
}

#[test]
fn a_server_that_sends_a_byte_at_a_time_for_ever_is_given_up() {
    let server = TestServer::new(|request| {
        let range = request
            .header("range")
            .map_or("0", |range| &range["bytes=".len()..]);
        let start: u64 = range.trim_end_matches('-').parse().unwrap();
        let head = format!(
            "{}\r\nContent-Length: {}\r\nContent-Range: bytes {start}-999/1000\r\nETag: \"a\"",
            if start == 0 {
                "200 OK"
            } else {
                "206 Partial Content"
            },
            1000 - start
        );
        answer(&head, b"1")
    });
    let error = server.error("/a");
    assert!(error.contains("it was cut at 100 of 1000 bytes"), "{error}");
    assert_eq!(server.requests().len(), 100);
}

#[test]
fn a_file_that_takes_too_long_is_given_up() {
    let server = TestServer::new(|request| cut(request, "\"a\"", 1));
    let directory = tempfile::tempdir().unwrap();
    let clock = ManualClock::at(0);
    let mut fetching = Fetching {
        bytes_max: 100,
        temp_dir: directory.path(),
        progress: &Progress::new(false),
        clock: &clock,
        pause: &mut |_pause| clock.advance(WHOLE_MAX / 2 + Duration::from_secs(1)),
    };
    let settings = RemoteSettings::default();
    let url = format!("http://{}/a", server.address);
    let fetched = Remote::new(&settings)
        .unwrap()
        .fetch(&address(&url), &mut fetching);
    let error = format!("{:#}", anyhow::Error::new(fetched.err().unwrap()));
    assert!(error.ends_with("it takes longer than 12 hours"), "{error}");
}

#[test]
fn what_cannot_be_an_export_is_refused_with_the_reason() {
    let page = b"\xef\xbb\xbf \n<!DOCTYPE html><title>Log in</title>";
    for (answers, reason) in [
        (
            answer("401 Unauthorized\r\nContent-Length: 0", b""),
            "its server asks for a login (401 Unauthorized)",
        ),
        (
            answer("403 Forbidden\r\nContent-Length: 0", b""),
            "its server asks for a login (403 Forbidden)",
        ),
        (
            answer("404 Not Found\r\nContent-Length: 0", b""),
            "there is nothing at this address (404 Not Found)",
        ),
        (
            answer("418 I'm a teapot\r\nContent-Length: 0", b""),
            "its server answered 418 I'm a teapot",
        ),
        (
            answer("503 Service Unavailable\r\nContent-Length: 0", b""),
            "it failed 4 times in a row: the server answered 503 Service Unavailable",
        ),
        (
            whole("\r\nContent-Type: Text/HTML; charset=utf-8", b"log in"),
            "it is a web page, not an export",
        ),
        (
            whole("\r\nContent-Type: application/octet-stream", page),
            "it is a web page, not an export",
        ),
        (
            redirect("ftp://cms.example/a?sig=s3cret"),
            "it redirects to ftp://cms.example, which has another scheme",
        ),
        (
            redirect("file:///etc/passwd"),
            "it redirects to file://, which has another scheme",
        ),
        (
            redirect("https://cms.example/a"),
            "it redirects to https://cms.example, which has another scheme",
        ),
        (redirect("/again"), "it redirects more than 5 times"),
        (redirect("http://["), "it redirects to an invalid address"),
        (
            answer("302 Found\r\nContent-Length: 0", b""),
            "it redirects to an invalid address",
        ),
    ] {
        let server = TestServer::new(move |_request| answers.clone());
        let expected = format!("could not fetch http://[server]/a?…: {reason}");
        assert_eq!(server.error("/a?sig=s3cret"), expected);
    }
}

#[test]
fn a_reply_that_may_be_cut_is_refused() {
    const CHUNKS: &[u8] = b"2\r\n{}\r\n0\r\n\r\n";
    let part = "206 Partial Content\r\nContent-Length: 2\r\nContent-Range: bytes 0-1/9";
    for (answers, reason) in [
        (
            answer("200 OK\r\nContent-Type: text/plain", b"{}"),
            "its server does not say where it ends, by Content-Length or by chunks",
        ),
        (
            answer(
                "200 OK\r\nTransfer-Encoding: chunked\r\nContent-Length: 2",
                CHUNKS,
            ),
            "its server says where it ends in two ways, by Content-Length and by chunks",
        ),
        (
            answer(part, b"{}"),
            "its server sent a part of it (206), which nobody asked for",
        ),
    ] {
        let server = TestServer::new(move |_request| answers.clone());
        let expected = format!("could not fetch http://[server]/a: {reason}");
        assert_eq!(server.error("/a"), expected);
        assert_eq!(server.requests().len(), 1);
    }
}

#[test]
fn a_part_that_nobody_asked_a_store_for_is_refused() {
    for scheme in ["s3", "gs", "az"] {
        let head = "206 Partial Content\r\nContent-Length: 2\r\nContent-Range: bytes 0-1/9";
        let part = answer(&format!("{head}\r\nETag: \"a\"{OF_OBJECT}"), b"{}");
        let server = TestServer::new(move |_request| part.clone());
        let settings = store(scheme, &server);
        let url = format!("{scheme}://exports/a");
        let fetched = fetch_with(&settings, &url, 100, &mut Vec::new());
        let error = fetched.map(|_fetched| ()).unwrap_err();
        let reason = "its server sent a part of it (206), which nobody asked for";
        assert!(error.ends_with(reason), "{error}");
    }
}

#[test]
fn a_rest_of_another_length_is_refused() {
    let server = TestServer::new(|request| match request.number {
        0 => cut(request, "\"a\"", 4),
        _ => answer(
            "206 Partial Content\r\nContent-Length: 6\r\nContent-Range: bytes 4-9/11\r\nETag: \"a\"",
            b"456789",
        ),
    });
    let expected = "its server first said 10 bytes, then 11";
    assert!(server.error("/a").ends_with(expected));
}

#[test]
fn what_is_larger_than_it_may_be_is_refused_whether_or_not_it_says_so() {
    let said = || whole("", b"12345");
    let unsaid = || {
        answer(
            "200 OK\r\nTransfer-Encoding: chunked",
            b"5\r\n12345\r\n0\r\n\r\n",
        )
    };
    for (answers, has) in [(said(), "5 B"), (unsaid(), "more bytes")] {
        let server = TestServer::new(move |_request| answers.clone());
        let url = format!("http://{}/a", server.address);
        let error = fetch(&url, 4).map(|_fetched| ()).unwrap_err();
        let expected = format!("it has {has}, more than the 4 B that it may have");
        assert!(error.ends_with(&expected), "{error}");
        assert_eq!(contents(&fetch(&url, 5).unwrap()), b"12345");
    }
}

#[test]
fn a_token_goes_to_the_server_that_was_typed_alone() {
    let other = TestServer::new(|_request| whole("", b"{}"));
    let there = format!("http://{}/b", other.address);
    let server = TestServer::new(move |request| match request.path() {
        "/a" => redirect("/here"),
        _ => redirect(&there),
    });
    let token = ("CATALOGUE_EXPORT_TOKEN".to_owned(), "s3cret".to_owned());
    let settings = RemoteSettings::of([token]);
    let url = format!("http://{}/a", server.address);
    fetch_with(&settings, &url, 100, &mut Vec::new()).unwrap();
    let tokens = |server: &TestServer| {
        let token = |request: &Request| request.header("authorization").map(str::to_owned);
        server.requests().iter().map(token).collect::<Vec<_>>()
    };
    let sent = || Some("Bearer s3cret".to_owned());
    assert_eq!(tokens(&server), [sent(), sent()]);
    assert_eq!(tokens(&other), [None]);
}

/// The logins that a server received, request by request.
fn logins(server: &TestServer) -> Vec<Vec<String>> {
    let of = |request: &Request| {
        let lines = request.lines.iter();
        let logins = lines.filter(|line| line.starts_with("authorization: "));
        logins.cloned().collect()
    };
    server.requests().iter().map(of).collect()
}

#[test]
fn a_request_has_one_login() {
    let token = ("CATALOGUE_EXPORT_TOKEN".to_owned(), "s3cret".to_owned());
    let settings = RemoteSettings::of([token]);
    let server = TestServer::new(|request| match request.path() {
        "/a" => {
            let host = request.header("host").unwrap();
            redirect(&format!("http://ana:s3cret@{host}/b"))
        }
        _ => whole("", b"{}"),
    });
    let url = format!("http://ana:s3cret@{}/b", server.address);
    let fetched = fetch_with(&settings, &url, 100, &mut Vec::new());
    let error = fetched.map(|_fetched| ()).unwrap_err();
    assert_eq!(
        error.replace(&server.address.to_string(), "[server]"),
        "could not fetch http://…@[server]/b: it names a user, and CATALOGUE_EXPORT_TOKEN is set \
         too: a request has one login"
    );
    assert!(server.requests().is_empty());
    let redirected = format!("http://{}/a", server.address);
    fetch_with(&settings, &redirected, 100, &mut Vec::new()).unwrap();
    let token = || vec!["authorization: Bearer s3cret".to_owned()];
    assert_eq!(logins(&server), [token(), token()]);
    fetch_with(&RemoteSettings::default(), &url, 100, &mut Vec::new()).unwrap();
    assert_eq!(logins(&server), [["authorization: Basic YW5hOnMzY3JldA=="]]);
}

/// A store controlled by the test, with the variables of its scheme.
fn store(scheme: &str, server: &TestServer) -> RemoteSettings {
    let endpoint = format!("http://{}", server.address);
    let variables = match scheme {
        "s3" => vec![
            ("AWS_ENDPOINT_URL", &*endpoint),
            ("AWS_ACCESS_KEY_ID", "id"),
            ("AWS_SECRET_ACCESS_KEY", "s3cret"),
            ("AWS_REGION", "nowhere"),
        ],
        "gs" => vec![
            ("GOOGLE_BASE_URL", &*endpoint),
            ("GOOGLE_SKIP_SIGNATURE", "true"),
            ("GOOGLE_ALLOW_HTTP", "true"),
        ],
        _ => vec![
            ("AZURE_STORAGE_ENDPOINT", &*endpoint),
            ("AZURE_STORAGE_ACCOUNT_NAME", "boats"),
            ("AZURE_STORAGE_SAS_KEY", "sig=s3cret"),
            ("AZURE_ALLOW_HTTP", "true"),
        ],
    };
    let owned = variables
        .into_iter()
        .map(|(name, value)| (name.to_owned(), value.to_owned()));
    RemoteSettings::of(owned)
}

/// The headers of every object.
const OF_OBJECT: &str = "\r\nLast-Modified: Thu, 01 Oct 2026 12:00:00 GMT";

#[test]
fn files_of_stores_are_fetched_and_gone_on_with() {
    for scheme in ["s3", "gs", "az"] {
        let server = TestServer::new(|request| {
            let etag = format!("\"a\"{OF_OBJECT}");
            cut(request, &etag, 6)
        });
        let settings = store(scheme, &server);
        let fetched = fetch_with(
            &settings,
            &format!("{scheme}://exports/a%20b/boats.ndjson"),
            100,
            &mut Vec::new(),
        );
        let fetched = fetched.unwrap_or_else(|error| panic!("{scheme}: {error}"));
        assert_eq!(fetched.origin.etag.as_deref(), Some("\"a\""));
        assert_eq!(contents(&fetched), b"0123456789");
        let requests = server.requests();
        // Stores differ in what they encode.
        let path = percent_decode_str(requests[0].path())
            .decode_utf8()
            .unwrap();
        assert!(path.contains("exports/a b/boats.ndjson"), "{path}");
        assert_eq!(requests[1].header("if-match"), Some("\"a\""));
        assert_eq!(requests.len(), 2);
    }
}

#[test]
fn no_redirect_of_a_store_is_followed() {
    for scheme in ["s3", "gs", "az"] {
        let other = TestServer::new(|_request| whole(OF_OBJECT, b"planted"));
        let place = format!("http://{}/planted", other.address);
        let server = TestServer::new(move |_request| redirect(&place));
        let settings = store(scheme, &server);
        let url = format!("{scheme}://exports/a");
        let fetched = fetch_with(&settings, &url, 100, &mut Vec::new());
        let error = fetched.map(|_fetched| ()).unwrap_err();
        assert!(
            error.ends_with(
                "302 Found, a redirect, which is not followed; name the store's own address"
            ),
            "{error}"
        );
        assert!(other.requests().is_empty(), "{scheme}");
    }
}

#[test]
fn a_store_that_refuses_says_why_and_shows_no_secret() {
    for scheme in ["s3", "gs", "az"] {
        for (status, reason) in [
            ("403 Forbidden", "its server asks for a login"),
            ("404 Not Found", "there is nothing at this address"),
            ("503 Slow Down", "it failed 4 times in a row"),
        ] {
            let head = format!("{status}\r\nContent-Length: 0");
            let server = TestServer::new(move |_request| answer(&head, b""));
            let url = format!("{scheme}://exports/a");
            let settings = store(scheme, &server);
            let fetched = fetch_with(&settings, &url, 100, &mut Vec::new());
            let error = fetched.map(|_fetched| ()).unwrap_err();
            assert!(
                error.starts_with(&format!("could not fetch {url}: {reason}")),
                "{error}"
            );
            assert!(!error.contains("s3cret"), "{error}");
        }
    }
}
