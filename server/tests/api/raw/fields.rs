//! Header fields: line ends, white space, control characters, hosts, and fields about the
//! connection.

use super::case::{Case, Expected, lines, requests};
use super::framing::ConcatAll;
use Expected::{Answered, Ended, Refused};

pub(super) fn cases() -> Vec<Case> {
    [line_ends(), names_and_values(), hosts(), connections()].concat_all()
}

fn line_ends() -> Vec<Case> {
    let family = "line end";
    [
        requests(
            family,
            Refused(400),
            [
                "GET /health HTTP/1.1\nHost: test\n\n",
                "GET /health HTTP/1.1\r\nHost: test\n\r\n",
                "GET /health HTTP/1.1\nHost: test\r\n\r\n",
                "GET /health HTTP/1.1\r\nHost: test\r\n\n",
                "GET /health HTTP/1.1\rHost: test\r\r",
                "GET /health HTTP/1.1\r\r\nHost: test\r\n\r\n",
                "GET /health HTTP/1.1\r\nHost: test\r\r\n\r\n",
                "GET /health HTTP/1.1\r\nHost: test\r\n\r\r\n",
                "GET /health HTTP/1.1\n\rHost: test\n\r\n\r",
                "\nGET /health HTTP/1.1\r\nHost: test\r\n\r\n",
                "\rGET /health HTTP/1.1\r\nHost: test\r\n\r\n",
                "\r\r\nGET /health HTTP/1.1\r\nHost: test\r\n\r\n",
            ],
        ),
        lines(
            family,
            Refused(400),
            [
                "X: a\rY: b",
                "X: a\nY: b",
                "X: a\r\n\tb",
                "X: a\r\n b",
                "X:\r\n b",
                "X: a\r\n \r\nY: b",
                "X: a\r",
            ],
        ),
        requests(
            family,
            Answered(&[200]),
            [
                "\r\nGET /health HTTP/1.1\r\nHost: test\r\n\r\n".to_owned(),
                "\r\n\r\n\r\nGET /health HTTP/1.1\r\nHost: test\r\n\r\n".to_owned(),
                format!(
                    "{}GET /health HTTP/1.1\r\nHost: test\r\n\r\n",
                    "\r\n".repeat(9000)
                ),
                "GET /health HTTP/1.1\r\nHost: test\r\n\r\n\r\n".to_owned(),
            ],
        ),
    ]
    .concat_all()
}

fn names_and_values() -> Vec<Case> {
    let family = "field";
    [
        lines(
            family,
            Refused(400),
            [
                &b"X : y"[..],
                b"X\t: y",
                b" X: y",
                b"\tX: y",
                b": y",
                b":",
                b"X",
                b"X y",
                b"X(: y",
                b"X\": y",
                b"X/: y",
                b"X@: y",
                b"X\xe9: y",
                b"\xc3\xa9: y",
                b"X\0: y",
                b"X\x01: y",
                b"X\x7f: y",
                b"X: \0",
                b"X: a\0b",
                b"X: \x01",
                b"X: \x08",
                b"X: \x0b",
                b"X: \x0c",
                b"X: \x1b[31m",
                b"X: \x1f",
                b"X: \x7f",
                b"GET /v1 HTTP/1.1",
            ],
        ),
        lines(
            family,
            Answered(&[200]),
            [
                &b"X:"[..],
                b"X: ",
                b"X:y",
                b"X: \t y \t ",
                b"X: a\tb",
                b"X: \xff\x80",
                b"X: \xc3\xa5",
                b"X: GET /v1 HTTP/1.1",
                b"!#$%&'*+-.^_`|~1: y",
                b"X: 1\r\nX: 2",
            ],
        ),
    ]
    .concat_all()
}

fn hosts() -> Vec<Case> {
    let head = |host: &str| format!("GET /health HTTP/1.1\r\n{host}\r\n");
    let family = "host";
    [
        requests(
            family,
            Refused(400),
            [
                "",
                "Host: a\r\nHost: a\r\n",
                "Host: a\r\nhost: b\r\n",
                "Host: a b\r\n",
                "Host: a, b\r\n",
                "Host: a/b\r\n",
                "Host: user@a\r\n",
                "Host: a:b\r\n",
                "Host: a:80:80\r\n",
                "Host: [::1\r\n",
                "Host: http://a\r\n",
                "Host: a?b\r\n",
                "Host: \"a\"\r\n",
                "Host: a\0\r\n",
                "Host : a\r\n",
                "Host: a\r\n b\r\n",
            ]
            .map(head),
        ),
        requests(
            family,
            Answered(&[200]),
            [
                "Host:\r\n",
                "Host: other.example:81\r\n",
                "Host: [::1]:80\r\n",
                "HOST: a\r\n",
                "Host:a\r\n",
            ]
            .map(head),
        ),
    ]
    .concat_all()
}

fn connections() -> Vec<Case> {
    let family = "connection";
    [
        lines(
            family,
            Ended(&[200]),
            [
                "Connection: close",
                "connection: CLOSE",
                "Connection: keep-alive, close",
                "Connection: close, X",
                "Connection: keep-alive\r\nConnection: close",
                "Connection: close\r\nConnection: keep-alive",
            ],
        ),
        lines(
            family,
            Answered(&[200]),
            [
                "Connection: keep-alive",
                "Connection: closed",
                "Connection: Host",
                "Connection: Authorization",
                "Connection: ,,",
                "Proxy-Connection: close",
                "Keep-Alive: timeout=0",
                "Upgrade: h2c\r\nConnection: Upgrade, HTTP2-Settings\r\nHTTP2-Settings: AAMAAABkAARAAAAAAAIAAAAA",
                "Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\nSec-WebSocket-Version: 13",
                "Upgrade: TLS/1.2\r\nConnection: Upgrade",
                "Expect: 100-continue",
                "Expect: 200-maybe",
                "Range: bytes=0-0",
                "Range: bytes=5-1,-",
                "Accept-Encoding: gzip;q=x",
                "X-Forwarded-For: 127.0.0.1",
                "X-HTTP-Method-Override: DELETE",
                "X-Original-URL: /v1/boats",
            ],
        ),
        requests(family, Ended(&[200]), ["GET /health HTTP/1.0\r\n\r\n", "GET /health HTTP/1.0\r\nConnection: close\r\n\r\n"]),
        requests(family, Answered(&[200]), ["GET /health HTTP/1.0\r\nConnection: keep-alive\r\n\r\n"]),
    ]
    .concat_all()
}
