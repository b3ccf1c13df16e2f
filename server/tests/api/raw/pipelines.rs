//! Several requests at once on one connection.

use super::case::{Case, Expected, GOOD};
use super::framing::ConcatAll;
use Expected::{Answered, Ended};

const BAD: &[u8] = b"GET /health HTTP/1.1\r\nHost: a b\r\n\r\n";
const BODY: &[u8] = b"POST /v1 HTTP/1.1\r\nHost: test\r\nContent-Length: 3\r\n\r\nabc";
const CLOSE: &[u8] = b"GET /health HTTP/1.1\r\nHost: test\r\nConnection: close\r\n\r\n";
const HEAD: &[u8] = b"HEAD /health HTTP/1.1\r\nHost: test\r\n\r\n";
const OLD: &[u8] = b"GET /health HTTP/1.0\r\n\r\n";
const UNKNOWN: &[u8] = b"GET /unknown HTTP/1.1\r\nHost: test\r\n\r\n";
const METHOD: &[u8] = b"POST /health HTTP/1.1\r\nHost: test\r\n\r\n";

pub(super) fn cases() -> Vec<Case> {
    [of_get(), of_head()].concat_all()
}

fn of_get() -> Vec<Case> {
    [
        (
            "two good ones",
            [GOOD, GOOD].concat(),
            Answered(&[200, 200]),
        ),
        (
            "good ones of several kinds",
            [GOOD, UNKNOWN, METHOD, GOOD].concat(),
            Answered(&[200, 404, 405, 200]),
        ),
        (
            "with empty lines between",
            [GOOD, b"\r\n", GOOD, b"\r\n\r\n"].concat(),
            Answered(&[200, 200]),
        ),
        ("good, bad", [GOOD, BAD].concat(), Ended(&[200, 400])),
        ("bad, good", [BAD, GOOD].concat(), Ended(&[400])),
        (
            "good, bad, good",
            [GOOD, BAD, GOOD].concat(),
            Ended(&[200, 400]),
        ),
        ("bad, bad", [BAD, BAD].concat(), Ended(&[400])),
        (
            "good, body, good",
            [GOOD, BODY, GOOD].concat(),
            Ended(&[200, 413]),
        ),
        (
            "good, last, good",
            [GOOD, CLOSE, GOOD].concat(),
            Ended(&[200, 200]),
        ),
        ("HTTP/1.0, good", [OLD, GOOD].concat(), Ended(&[200])),
        (
            "good, TLS",
            [GOOD, b"\x16\x03\x01"].concat(),
            Ended(&[200, 400]),
        ),
        ("100 good ones", GOOD.repeat(100), Answered(&[200; 100])),
        (
            "99 good ones, bad",
            [&GOOD.repeat(99)[..], BAD].concat(),
            Ended(&HUNDRED),
        ),
        (
            "1000 after the last",
            [CLOSE, &GOOD.repeat(1000)].concat(),
            Ended(&[200]),
        ),
    ]
    .into_iter()
    .map(|(name, sent, expected)| Case::new(name, "pipeline", sent, expected))
    .collect()
}

/// Pipelines that contain `HEAD`, with the indices of those requests.
fn of_head() -> Vec<Case> {
    let long = |method: &str| format!("{method} /{}", "a".repeat(20_000)).into_bytes();
    let rows: [(&str, Vec<u8>, Expected, &'static [usize]); 8] = [
        (
            "HEAD, good",
            [HEAD, GOOD].concat(),
            Answered(&[200, 200]),
            &[0],
        ),
        (
            "good, HEAD",
            [GOOD, HEAD].concat(),
            Answered(&[200, 200]),
            &[1],
        ),
        (
            "HEAD, GET with NUL",
            [HEAD, b"GET /\0"].concat(),
            Ended(&[200, 400]),
            &[0],
        ),
        (
            "HEAD, TLS",
            [HEAD, b"\x16\x03\x01"].concat(),
            Ended(&[200, 400]),
            &[0],
        ),
        (
            "HEAD, GET of 20 kB",
            [HEAD, &long("GET")].concat(),
            Ended(&[200, 414]),
            &[0],
        ),
        (
            "good, HEAD with NUL",
            [GOOD, b"HEAD /\0"].concat(),
            Ended(&[200, 400]),
            &[1],
        ),
        (
            "good, HEAD of 20 kB",
            [GOOD, &long("HEAD")].concat(),
            Ended(&[200, 414]),
            &[1],
        ),
        (
            "good, HEAD with a field with NUL",
            [GOOD, b"HEAD / HTTP/1.1\r\nHost: a\r\nX: \0"].concat(),
            Ended(&[200, 400]),
            &[1],
        ),
    ];
    let case = |(name, sent, expected, heads)| Case {
        heads,
        ..Case::new(name, "pipeline", sent, expected)
    };
    rows.map(case).into()
}

const HUNDRED: [u16; 100] = {
    let mut statuses = [200; 100];
    statuses[99] = 400;
    statuses
};
