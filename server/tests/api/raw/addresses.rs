//! Request lines: methods, versions and addresses in every form.

use super::case::{Case, Expected, first_lines, requests};
use super::framing::ConcatAll;
use Expected::{Answered, Refused};

pub(super) fn cases() -> Vec<Case> {
    [methods(), versions(), forms(), characters(), paths()].concat_all()
}

fn methods() -> Vec<Case> {
    let family = "method";
    let long = format!("{} /health HTTP/1.1", "M".repeat(4000));
    [
        first_lines(
            family,
            Answered(&[405]),
            [
                "POST /health HTTP/1.1",
                "get /health HTTP/1.1",
                "GETT /health HTTP/1.1",
                "TRACE /health HTTP/1.1",
                "OPTIONS /health HTTP/1.1",
                "PATCH /v1/boats HTTP/1.1",
                "PROPFIND /v1/boats HTTP/1.1",
                "!#$%&'*+-.^_`|~ /v1 HTTP/1.1",
                &long,
            ],
        ),
        first_lines(
            family,
            Answered(&[404]),
            ["CONNECT test:80 HTTP/1.1", "OPTIONS * HTTP/1.1"],
        ),
        first_lines(
            family,
            Refused(400),
            [
                "G(T /health HTTP/1.1",
                "GET\t/health HTTP/1.1",
                " GET /health HTTP/1.1",
                "\"GET\" /health HTTP/1.1",
                "GÉT /health HTTP/1.1",
                "GE\0T /health HTTP/1.1",
                "/health HTTP/1.1",
                "HTTP/1.1 200 OK",
            ],
        ),
        first_lines(family, Answered(&[200]), ["HEAD /health HTTP/1.1"]),
    ]
    .concat_all()
}

fn versions() -> Vec<Case> {
    let family = "version";
    let versions = [
        "HTTP/0.9",
        "HTTP/1.2",
        "HTTP/1.10",
        "HTTP/01.1",
        "HTTP/1.1x",
        "HTTP/1",
        "HTTP/1.",
        "HTTP/2",
        "HTTP/2.0",
        "HTTP/3.0",
        "http/1.1",
        "HTTP /1.1",
        "HTTP/1.1 ",
        "HTTPS/1.1",
        "HTTP/1.1\0",
        "HTTP/1,1",
        "",
        " ",
    ];
    [
        first_lines(
            family,
            Refused(400),
            versions.map(|version| format!("GET /health {version}")),
        ),
        requests(
            family,
            Refused(400),
            [
                "GET /health\r\n",
                "GET /health\n",
                "GET\r\n",
                "GET /health\r\n\r\n",
            ],
        ),
    ]
    .concat_all()
}

fn forms() -> Vec<Case> {
    let family = "form";
    let line = |address: &str| format!("GET {address} HTTP/1.1");
    [
        first_lines(
            family,
            Answered(&[200]),
            [
                "http://test/health",
                "http://other.example/health",
                "HTTPS://test:443/health",
                "http://[::1]/health",
            ]
            .map(line),
        ),
        first_lines(
            family,
            Answered(&[404]),
            ["*", "//test/health", "///health"].map(line),
        ),
        first_lines(family, Answered(&[308]), [line("http://test")]),
        first_lines(
            family,
            Refused(400),
            [
                "http://user@test/health",
                "http://user:pass@test/health",
                "http://test:port/health",
                "http:///health",
                "http://",
                "http:/health",
                "ftp://test/health",
                "file:///etc/passwd",
                "test:80",
                "test",
                "health",
                "?a",
                "**",
                "http://te st/health",
            ]
            .map(line),
        ),
    ]
    .concat_all()
}

/// Requests for these addresses.
fn gets(expected: Expected, addresses: &[&[u8]]) -> Vec<Case> {
    let line = |address: &&[u8]| [b"GET ", *address, b" HTTP/1.1"].concat();
    first_lines("path", expected, addresses.iter().map(line))
}

fn characters() -> Vec<Case> {
    gets(
        Refused(400),
        &[
            b"/health#part",
            b"/hea lth",
            b"/health\tx",
            b"/health\0",
            b"/\x01",
            b"/health\x7f",
            b"/<",
            b"/>",
            b"/`",
            b"/\xff",
            b"/v1/boats?search=\xff\xfe",
            b"/\xc3",
        ],
    )
}

fn paths() -> Vec<Case> {
    [
        gets(
            Answered(&[404]),
            &[
                b"/health/",
                b"/./health",
                b"/x/../health",
                b"/%2e%2e/health",
                b"/health%00",
                b"/health%2f",
                b"/%68ealth",
                b"/health;a=b",
                b"/Health",
                b"/v1/../../etc/passwd",
                b"/v1%2fboats",
                b"/\\health",
                b"/v1/boats/b1/x",
                b"/%",
                b"/\"",
                b"/%zz",
                b"/health%",
            ],
        ),
        gets(
            Answered(&[400]),
            &[
                b"/health?a",
                b"/health?%",
                b"/health?%zz",
                b"/health?%ff",
                b"/health?a=%00",
                b"/v1?a=b&a=b",
                b"/health?\xc3\xa5",
            ],
        ),
        gets(
            Answered(&[401]),
            &[
                b"/v1/boats?search=%zz",
                b"/v1/boats/..",
                b"/v1/boats/%00",
                b"/v1/boats/%2e%2e",
                b"/v1/boats/a%2fb",
                b"/health?key=x",
            ],
        ),
        gets(Answered(&[200]), &[b"/health?", b"/health?&&"]),
    ]
    .concat_all()
}
