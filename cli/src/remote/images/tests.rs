//! Tests of asking a misbehaving server for images.

use std::{fs, thread};

use shared::base::clock::ManualClock;
use tempfile::TempDir;

use super::*;
use crate::remote::tests::{Request, TestServer, answer, redirect, whole};

const HOUR: Duration = Duration::from_hours(1);

/// The beginning of a PNG of this width.
fn png(width: u32) -> Vec<u8> {
    let head = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR";
    [&head[..], &width.to_be_bytes(), &2_u32.to_be_bytes()].concat()
}

/// A JPEG with this many bytes before its size, in parts as long as they may be.
fn jpeg(before: usize) -> Vec<u8> {
    let mut image = vec![0xff, 0xd8];
    for _ in 0..before / 60_000 {
        let [a, b] = 60_000_u16.to_be_bytes();
        image.extend([0xff, 0xe1, a, b]);
        image.extend(vec![0; 60_000 - 2]);
    }
    image.extend([0xff, 0xc0, 0, 17, 8, 0, 2, 0, 1]);
    image.extend(vec![0; 300_000]);
    image
}

/// As much of a file as a request asks for.
fn part(request: &Request, file: &[u8]) -> Vec<u8> {
    let range = request.header("range").unwrap();
    let end: usize = range.strip_prefix("bytes=0-").unwrap().parse().unwrap();
    let part = &file[..file.len().min(end + 1)];
    let head = format!(
        "206 Partial Content\r\nContent-Length: {}\r\nContent-Range: bytes 0-{end}/{}",
        part.len(),
        file.len()
    );
    answer(&head, part)
}

/// Where the servers of tests are.
fn host() -> ImageHost {
    "127.0.0.1".parse().unwrap()
}

/// What is found at these paths, in their order, with no time for those that are not asked for.
fn asked(server: &TestServer, limits: Limits, paths: &[&str]) -> Vec<Result<u32, Unmeasured>> {
    super::super::use_ring();
    let policy = Arc::new(Policy::new(&[host()]));
    let asker = Asker::new(&policy).unwrap();
    let questions = paths.iter().map(|path| Question {
        address: (*path).to_owned(),
        url: format!("http://{}{path}", server.address).parse().unwrap(),
        known: None,
    });
    let mut found = vec![Err(Unmeasured::NoTime); paths.len()];
    let mut take = |answers: Vec<Answer>| {
        for (question, answer) in answers {
            let place = paths.iter().position(|path| *path == question.address);
            found[place.unwrap()] = answer.map(|answer| match answer {
                Found::Image { size, .. } => size.width,
                Found::Same => 0,
            });
        }
    };
    let runtime = threads::runtime("images", THREADS, BLOCKING).unwrap();
    let hosts = Hosts::new(asker, limits);
    runtime.block_on(hosts.ask(questions.collect(), &mut take));
    runtime.shutdown_background();
    found
}

fn asked_one(server: &TestServer) -> Result<u32, Unmeasured> {
    asked(server, Limits::default(), &["/a"]).remove(0)
}

#[test]
fn a_request_says_nothing_of_whoever_asks() {
    let server = TestServer::new(|request| part(request, &png(7)));
    let policy = Arc::new(Policy::new(&[host()]));
    let address = format!("http://me:secret@{}/a.png?sig=1#top", server.address);
    super::super::use_ring();
    let asker = Asker::new(&policy).unwrap();
    let runtime = threads::runtime("images", THREADS, BLOCKING).unwrap();
    let url = address.parse().unwrap();
    let found = runtime.block_on(asker.find(&url, None)).unwrap();
    assert!(matches!(found, Found::Image { size, .. } if size.width == 7));
    let mut lines = server.requests().remove(0).lines;
    lines.sort();
    let host = format!("host: {}", server.address);
    let agent = format!("user-agent: catalogue/{}", env!("CARGO_PKG_VERSION"));
    let expected = [
        "GET /a.png?sig=1 HTTP/1.1",
        "accept-encoding: identity",
        "accept: image/*",
        &host,
        "range: bytes=0-32767",
        &agent,
    ];
    assert_eq!(lines, expected);
}

#[test]
fn more_is_asked_for_only_if_the_first_bytes_do_not_tell() {
    let server = TestServer::new(|request| part(request, &jpeg(120_000)));
    assert_eq!(asked_one(&server), Ok(1));
    let ranges = |server: &TestServer| -> Vec<String> {
        let requests = server.requests();
        let ranges = requests.iter().map(|request| request.header("range"));
        ranges.map(|range| range.unwrap().to_owned()).collect()
    };
    assert_eq!(ranges(&server), ["bytes=0-32767", "bytes=0-262143"]);

    let server = TestServer::new(|request| part(request, &jpeg(240_000)));
    assert_eq!(asked_one(&server), Ok(1));
    let server = TestServer::new(|request| part(request, &jpeg(300_000)));
    assert_eq!(asked_one(&server), Err(Unmeasured::NoImage));
    assert_eq!(ranges(&server).len(), 2);
}

#[test]
fn a_server_that_ignores_the_range_is_read_no_further_than_needed() {
    for (before, expected) in [
        (0, Ok(1)),
        (120_000, Ok(1)),
        (300_000, Err(Unmeasured::NoImage)),
    ] {
        let server = TestServer::new(move |_request| whole("", &jpeg(before)));
        assert_eq!(asked_one(&server), expected, "{before}");
        assert_eq!(server.requests().len(), 1);
    }
}

#[test]
fn what_is_sent_tells_whether_it_is_an_image_and_not_what_is_said_of_it() {
    let gzip = b"\x1f\x8b\x08\0\0\0\0\0\0\x03\xed\xc1\x01";
    for (reply, expected) in [
        (whole("\r\nContent-Type: text/html", &png(7)), Ok(7)),
        (whole("\r\nContent-Encoding: gzip", &png(7)), Ok(7)),
        // The connection broke off, after enough had come.
        (answer("200 OK\r\nContent-Length: 9999", &png(7)), Ok(7)),
        (
            whole("\r\nContent-Type: image/png", b"<html>"),
            Err(Unmeasured::Page),
        ),
        (
            whole("\r\nContent-Encoding: gzip", gzip),
            Err(Unmeasured::NoImage),
        ),
        (whole("", &png(0)), Err(Unmeasured::NoImage)),
        (whole("", &png(1_000_000_000)), Err(Unmeasured::NoImage)),
        (whole("", &png(7)[..20]), Err(Unmeasured::NoImage)),
        (whole("", b""), Err(Unmeasured::NoImage)),
        (b"nonsense\r\n\r\n".to_vec(), Err(Unmeasured::NoAnswer)),
        (Vec::new(), Err(Unmeasured::NoAnswer)),
    ] {
        let shown = String::from_utf8_lossy(&reply).into_owned();
        let server = TestServer::new(move |_request| reply.clone());
        assert_eq!(asked_one(&server), expected, "{shown}");
    }
}

#[test]
fn a_redirect_is_followed_where_the_address_itself_could_be_asked() {
    let server = TestServer::new(|request| match request.path() {
        "/a" => redirect("/b"),
        _ => part(request, &png(7)),
    });
    assert_eq!(asked_one(&server), Ok(7));

    for (to, expected, requests) in [
        ("/a", Unmeasured::Redirected, 6),
        ("file:///etc/passwd", Unmeasured::Redirected, 1),
        ("ftp://127.0.0.1/", Unmeasured::Redirected, 1),
        ("http://", Unmeasured::Redirected, 1),
        ("http://169.254.169.254/latest", Unmeasured::NotPublic, 1),
        ("http://[::ffff:127.0.0.1]/", Unmeasured::NotPublic, 1),
        ("//0/", Unmeasured::NotPublic, 1),
        // A name for an address that may be asked is looked up, and refused for what it leads to.
        ("http://localhost:1/", Unmeasured::NotPublic, 1),
    ] {
        let server = TestServer::new(move |_request| redirect(to));
        assert_eq!(asked_one(&server), Err(expected), "{to}");
        assert_eq!(server.requests().len(), requests, "{to}");
    }
}

fn busy(seconds: &str) -> Vec<u8> {
    answer(
        &format!("429 Slow\r\nRetry-After: {seconds}\r\nContent-Length: 0"),
        b"",
    )
}

/// Limits under which one image is asked for after the other.
fn one_by_one() -> Limits {
    Limits {
        at_once: 1,
        of_a_host: 1,
        ..Limits::default()
    }
}

#[test]
fn a_server_that_asks_to_wait_is_asked_again_but_not_for_ever_nor_after_long() {
    let server = TestServer::new(|request| match request.number {
        0 | 2 => busy("0"),
        _ => part(request, &png(7)),
    });
    assert_eq!(asked(&server, one_by_one(), &["/a", "/b"]), [Ok(7), Ok(7)]);
    assert_eq!(server.requests().len(), 4);

    let server = TestServer::new(|_request| busy("0"));
    assert_eq!(asked_one(&server), Err(Unmeasured::Busy));
    assert_eq!(server.requests().len(), 3);

    for seconds in ["61", "99999999999999999999"] {
        let server = TestServer::new(move |_request| busy(seconds));
        let paths = ["/1", "/2", "/3", "/4", "/5", "/6", "/7", "/8", "/9"];
        let found = asked(&server, one_by_one(), &paths);
        assert_eq!(found, [Err(Unmeasured::Busy); 9]);
        let most = if seconds == "61" { 1 } else { 8 };
        assert_eq!(server.requests().len(), most, "{seconds}");
    }
}

#[test]
fn a_host_that_never_answers_is_given_up() {
    let server = TestServer::new(|_request| {
        loop {
            thread::park();
        }
    });
    let limits = Limits {
        each: Duration::from_millis(20),
        in_vain: 2,
        ..one_by_one()
    };
    let found = asked(&server, limits, &["/a", "/b", "/c"]);
    assert_eq!(found, [Err(Unmeasured::NoAnswer); 3]);

    let limits = Limits {
        all: Duration::from_millis(20),
        ..one_by_one()
    };
    assert_eq!(asked(&server, limits, &["/a"]), [Err(Unmeasured::NoTime)]);
}

#[test]
fn an_answer_of_any_kind_shows_that_a_host_is_there() {
    let server = TestServer::new(|request| match request.path() {
        "/b" => answer("404 Not Found\r\nContent-Length: 0", b""),
        _ => answer("500 Oops\r\nContent-Length: 0", b""),
    });
    let limits = Limits {
        in_vain: 2,
        ..one_by_one()
    };
    let found = asked(&server, limits, &["/a", "/b", "/c", "/d", "/e"]);
    let (missing, none) = (Err(Unmeasured::Missing), Err(Unmeasured::NoAnswer));
    assert_eq!(found, [none, missing, none, none, none]);
    assert_eq!(server.requests().len(), 4);
}

/// A data directory, and the time of its imports.
struct Nights {
    directory: TempDir,
    clock: Arc<ManualClock>,
    hosts: [ImageHost; 1],
}

impl Nights {
    fn new() -> Self {
        Self {
            directory: tempfile::tempdir().unwrap(),
            clock: Arc::new(ManualClock::at(1_790_000_000)),
            hosts: [host()],
        }
    }

    /// The width of an image, and what an import says of asking for it.
    fn told(
        &self,
        asks: bool,
        recheck: Option<Duration>,
        address: &str,
    ) -> (Result<u32, Unmeasured>, Vec<String>) {
        let images = Images {
            data: DataDir::new(self.directory.path().join("data")),
            asks,
            hosts: &self.hosts,
            recheck,
            clock: Arc::clone(&self.clock) as Arc<_>,
            progress: &Progress::new(false),
            warnings: RefCell::default(),
        };
        let measured = images.measure(vec![address.to_owned()]).unwrap();
        assert_eq!(measured.len(), 1);
        let size = measured[address];
        (size.map(|size| size.width), images.warnings.into_inner())
    }

    fn measure(
        &self,
        asks: bool,
        recheck: Option<Duration>,
        address: &str,
    ) -> Result<u32, Unmeasured> {
        self.told(asks, recheck, address).0
    }
}

#[test]
fn what_was_measured_is_not_asked_for_until_it_is_old_and_then_by_its_etag() {
    let server = TestServer::new(|request| match request.number {
        0 => whole("\r\nETag: \"a\"", &png(7)),
        1 => answer("304 Not Modified", b""),
        2 => whole("\r\nETag: \"b\"", &png(8)),
        3 => answer("500 Oops\r\nContent-Length: 0", b""),
        _ => answer("404 Not Found\r\nContent-Length: 0", b""),
    });
    let (nights, address) = (Nights::new(), format!("http://{}/a", server.address));
    let measure = |asks, recheck| nights.measure(asks, recheck, &address);
    assert_eq!(measure(false, None), Err(Unmeasured::NotAsked));
    assert!(nights.directory.path().read_dir().unwrap().next().is_none());
    assert_eq!(measure(true, None), Ok(7));
    assert_eq!(measure(true, None), Ok(7));
    assert_eq!(measure(false, None), Ok(7));
    assert_eq!(measure(true, Some(HOUR)), Ok(7));
    let asked = || {
        server
            .requests()
            .iter()
            .map(|of| of.header("if-none-match").map(str::to_owned))
            .collect::<Vec<_>>()
    };
    assert_eq!(asked(), [None]);

    let tag = |tag: &str| Some(tag.to_owned());
    nights.clock.advance(HOUR * 2);
    assert_eq!(measure(true, Some(HOUR)), Ok(7));
    assert_eq!(measure(true, Some(HOUR)), Ok(7));
    assert_eq!(asked(), [tag("\"a\"")]);
    nights.clock.advance(HOUR * 2);
    assert_eq!(measure(true, Some(HOUR)), Ok(8));
    nights.clock.advance(HOUR * 2);
    // It does not answer, so what is known holds, which is told.
    let told = nights.told(true, Some(HOUR), &address);
    let warning = "warning: images could not be asked for again, and keep the sizes that are known: \
                   1 without an answer";
    assert_eq!(told, (Ok(8), vec![warning.to_owned()]));
    assert_eq!(measure(true, Some(HOUR)), Err(Unmeasured::Missing));
    assert_eq!(measure(false, None), Err(Unmeasured::NotAsked));
    assert_eq!(asked(), [tag("\"a\""), tag("\"b\""), tag("\"b\"")]);
}

#[test]
fn what_may_not_be_asked_is_told_without_asking() {
    let nights = Nights::new();
    for (address, expected) in [
        ("a.jpg", Unmeasured::NoAddress),
        ("ftp://images.example/a.jpg", Unmeasured::NoAddress),
        ("https://images.example/a b.jpg", Unmeasured::NoAddress),
        (
            "https://me:secret@images.example/a.jpg",
            Unmeasured::NoAddress,
        ),
        ("http://10.0.0.1/a.jpg", Unmeasured::NotPublic),
        ("http://localhost:1/a.jpg", Unmeasured::NotPublic),
    ] {
        assert_eq!(
            nights.measure(true, None, address),
            Err(expected),
            "{address}"
        );
    }
}

#[test]
fn sizes_that_cannot_be_kept_are_measured_all_the_same() {
    let server = TestServer::new(|_request| whole("", &png(7)));
    let (nights, address) = (Nights::new(), format!("http://{}/a", server.address));
    let file = nights.directory.path().join("data/images.sqlite");
    fs::create_dir_all(&file).unwrap();
    for asks in [true, false] {
        let (size, warnings) = nights.told(asks, None, &address);
        let expected = if asks {
            Ok(7)
        } else {
            Err(Unmeasured::NotAsked)
        };
        assert_eq!(size, expected);
        let [warning] = &warnings[..] else {
            panic!("{warnings:?}");
        };
        assert!(
            warning.starts_with("warning: the sizes of images in "),
            "{warning}"
        );
    }
}
