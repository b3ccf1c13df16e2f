//! Where a request ends: lengths, chunks, and bodies that contain other requests.

use super::case::{Case, Expected, HIDDEN, lines, requests};
use Expected::{Answered, Refused};

pub(super) fn cases() -> Vec<Case> {
    [lengths(), encodings(), both(), bodies()].concat_all()
}

/// Joins the groups of a family.
pub(super) trait ConcatAll {
    fn concat_all(self) -> Vec<Case>;
}

impl<const N: usize> ConcatAll for [Vec<Case>; N] {
    fn concat_all(self) -> Vec<Case> {
        self.into_iter().flatten().collect()
    }
}

fn lengths() -> Vec<Case> {
    let family = "length";
    [
        lines(
            family,
            Answered(&[200]),
            [
                "Content-Length: 0",
                "content-length:0",
                "Content-Length:\t0 ",
            ],
        ),
        lines(
            family,
            Refused(413),
            [
                "Content-Length: 1",
                "Content-Length: 00",
                "Content-Length: 5\r\nContent-Length: 5",
                "Content-Length: 5\r\nContent-Length: 6",
                "CONTENT-LENGTH: 18446744073709551615",
                "Content-Length: 18446744073709551616",
                "Content-Length: 99999999999999999999999999999999",
            ],
        ),
        lines(
            family,
            Refused(400),
            [
                "Content-Length: 0\r\nContent-Length: 0",
                "Content-Length: 0\r\nContent-Length: 5",
                "Content-Length: 0\r\nContent-Length: -1",
                "Content-Length:",
                "Content-Length: +0",
                "Content-Length: +5",
                "Content-Length: -5",
                "Content-Length: 5 5",
                "Content-Length: 5,5",
                "Content-Length: 5, 6",
                "Content-Length: 0, 0",
                "Content-Length: 0x5",
                "Content-Length: 5e0",
                "Content-Length: 5.0",
                "Content-Length: five",
                "Content-Length: \"5\"",
                "Content-Length: 5;a=b",
                "Content-Length: 5\x0b",
                "Content-Length: \x0c5",
                "Content-Length: ٥",
                "Content-Length: 0\r\n 5",
                "Content-Length : 5",
                "Content-Length\t: 5",
                " Content-Length: 5",
                "Content-Length\0: 5",
                "\0Content-Length: 5",
            ],
        ),
        // Other names that must not be confused with a length either.
        lines(
            family,
            Answered(&[200]),
            [
                "Content_Length: 5",
                "X-Content-Length: 5",
                "Content-Lengt: 5",
            ],
        ),
    ]
    .concat_all()
}

fn encodings() -> Vec<Case> {
    let family = "encoding";
    [
        lines(
            family,
            Refused(413),
            [
                "Transfer-Encoding: chunked",
                "transfer-encoding: chunked",
                "Transfer-Encoding: cHuNkEd",
                "Transfer-Encoding:chunked",
                "Transfer-Encoding:  chunked  ",
                "Transfer-Encoding:\tchunked",
                "Transfer-Encoding: identity",
                "Transfer-Encoding: identity, chunked",
                "Transfer-Encoding: chunked, identity",
                "Transfer-Encoding: chunked, chunked",
                "Transfer-Encoding: gzip, chunked",
                "Transfer-Encoding: gzip",
                "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked",
                "Transfer-Encoding: chunked\r\nTransfer-Encoding: identity",
                "Transfer-Encoding: x\r\nTransfer-Encoding: chunked",
                "Transfer-Encoding:",
                "Transfer-Encoding: ,chunked",
                "Transfer-Encoding: chunked,",
                "Transfer-Encoding: \"chunked\"",
                "Transfer-Encoding: chunked;q=1",
                "Transfer-Encoding: xchunked",
                "Transfer-Encoding: chunke",
                "Transfer-Encoding: ćhunked",
            ],
        ),
        lines(
            family,
            Refused(400),
            [
                "Transfer-Encoding : chunked",
                "Transfer-Encoding\t: chunked",
                " Transfer-Encoding: chunked",
                "X: y\r\n Transfer-Encoding: chunked",
                "Transfer-Encoding\r\n : chunked",
                "Transfer-Encoding: \x0bchunked",
                "Transfer-Encoding: chunked\x0b",
                "Transfer-Encoding: chun\0ked",
                "Transfer-Encoding\x0b: chunked",
                "X: y\nTransfer-Encoding: chunked",
                "X: y\rTransfer-Encoding: chunked",
                "Transfer-Encoding",
                "Transfer Encoding: chunked",
            ],
        ),
        lines(
            family,
            Answered(&[200]),
            [
                "Transfer_Encoding: chunked",
                "TE: chunked",
                "Trailer: X",
                "TE: trailers",
            ],
        ),
        requests(
            family,
            Refused(413),
            ["GET /health HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"],
        ),
    ]
    .concat_all()
}

fn both() -> Vec<Case> {
    let hidden_in = |fields: &str, body: &str| {
        format!("POST /v1/boats HTTP/1.1\r\nHost: test\r\n{fields}\r\n\r\n{body}{HIDDEN}")
    };
    [
        requests(
            "both",
            Refused(413),
            [
                hidden_in(
                    "Content-Length: 5\r\nTransfer-Encoding: chunked",
                    "0\r\n\r\n",
                ),
                hidden_in(
                    "Transfer-Encoding: chunked\r\nContent-Length: 5",
                    "0\r\n\r\n",
                ),
                hidden_in(
                    "Content-Length: 0\r\nTransfer-Encoding: chunked",
                    "0\r\n\r\n",
                ),
                hidden_in("Transfer-Encoding: chunked\r\nContent-Length: 0", ""),
                hidden_in("Transfer-Encoding: identity\r\nContent-Length: 3", "abc"),
                hidden_in("Content-Length: 4\r\nTransfer-Encoding: xchunked", "2a\r\n"),
            ],
        ),
        requests(
            "both",
            Refused(400),
            [
                hidden_in(
                    "Content-Length: 0\r\nTransfer-Encoding : chunked",
                    "0\r\n\r\n",
                ),
                hidden_in(
                    "Content-Length: 0\r\n Transfer-Encoding: chunked",
                    "0\r\n\r\n",
                ),
                hidden_in("Content-Length: 0\r\nContent-Length: 44", ""),
                hidden_in("Content-Length: 0\nTransfer-Encoding: chunked", "0\r\n\r\n"),
            ],
        ),
    ]
    .concat_all()
}

fn bodies() -> Vec<Case> {
    let request = |method: &str, fields: &str, body: &str| {
        format!("{method} /health HTTP/1.1\r\nHost: test\r\n{fields}\r\n\r\n{body}")
    };
    let length = HIDDEN.len();
    let chunk = format!("{length:x}\r\n{HIDDEN}\r\n0\r\n\r\n");
    let of_length = format!("Content-Length: {length}");
    let short = format!("Content-Length: {}", length - 10);
    let long = format!("Content-Length: {}", length + 1000);
    let chunked = "Transfer-Encoding: chunked";
    requests(
        "body",
        Refused(413),
        [
            request("GET", &of_length, HIDDEN),
            request("HEAD", &of_length, HIDDEN),
            request("POST", &of_length, HIDDEN),
            request("PUT", &short, HIDDEN),
            request("DELETE", &long, HIDDEN),
            request("OPTIONS", &of_length, HIDDEN),
            request("CONNECT", &of_length, HIDDEN).replacen("/health", "test:80", 1),
            request("GET", chunked, &chunk),
            request("HEAD", chunked, &chunk),
            request("POST", chunked, &format!("0\r\n\r\n{HIDDEN}")),
            request("POST", chunked, &format!("0\r\nX: y\r\n\r\n{HIDDEN}")),
            request("POST", chunked, &format!("0\r\n{HIDDEN}")),
            request("POST", chunked, &format!("0x0\r\n\r\n{HIDDEN}")),
            request("POST", chunked, &format!("-1\r\n\r\n{HIDDEN}")),
            request(
                "POST",
                chunked,
                &format!("1;a=\"\r\n\"\r\nx\r\n0\r\n\r\n{HIDDEN}"),
            ),
            request("POST", chunked, &format!("1\nx\n0\n\n{HIDDEN}")),
            request(
                "POST",
                chunked,
                &format!("ffffffffffffffff1\r\nx\r\n{HIDDEN}"),
            ),
            request(
                "GET",
                &format!("{of_length}\r\nExpect: 100-continue"),
                HIDDEN,
            ),
            request("GET", &format!("Expect: 100-continue\r\n{chunked}"), &chunk),
            request("GET", &format!("{of_length}\r\nUpgrade: h2c"), HIDDEN),
            request(
                "GET",
                &format!("{of_length}\r\nConnection: Content-Length"),
                HIDDEN,
            ),
            request(
                "GET",
                &of_length,
                "GET /< HTTP/1.1\r\n\r\nGET /v1 HTTP/1.1\r\n\r\n",
            ),
        ],
    )
}
