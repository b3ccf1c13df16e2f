//! Heads as text, and the verdict on each, wherever reads cut it.

use super::*;

/// The verdict on `bytes` that arrive in two pieces: the lines that pass, how many heads they end,
/// and why the next line does not pass.
fn read_cut(bytes: &[u8], cut: usize) -> (Vec<u8>, usize, Option<BadHead>) {
    let (mut heads, mut held, mut given, mut whole) =
        (RequestHeads::default(), Vec::new(), Vec::new(), 0);
    let (first, second) = bytes.split_at(cut);
    for piece in [first, second] {
        held.extend_from_slice(piece);
        loop {
            let checked = match heads.read(&held) {
                Ok(checked) => checked,
                Err(bad) => return (given, whole, Some(bad)),
            };
            held.drain(..checked.dropped);
            given.extend(held.drain(..checked.given));
            whole += usize::from(checked.is_whole);
            if !checked.is_whole {
                break;
            }
        }
    }
    (given, whole, None)
}

/// Checks that `bytes` hold so many whole heads, or are refused for that reason, however they are
/// cut.
fn check(bytes: &[u8], expected: Result<usize, BadHead>) {
    for cut in 0..=bytes.len() {
        let (_, whole, bad) = read_cut(bytes, cut);
        let found = bad.map_or(Ok(whole), Err);
        assert_eq!(
            found,
            expected,
            "{:?} cut at {cut}",
            bytes.escape_ascii().to_string()
        );
    }
}

/// The verdict on a head that comes after another one on its connection, and on the same alone.
fn after(first: &str, second: &str) -> [Result<Checked, BadHead>; 2] {
    let mut heads = RequestHeads::default();
    assert!(heads.read(first.as_bytes()).unwrap().is_whole, "{first:?}");
    let alone = RequestHeads::default().read(second.as_bytes());
    [heads.read(second.as_bytes()), alone]
}

#[test]
fn a_head_gets_the_verdict_that_it_gets_alone_whatever_came_before_on_its_connection() {
    let long = "x".repeat(HEAD_BYTES_MAX - 600);
    let fields = [
        "Host: a\r\n\r\n",
        "\r\n",
        "Host: a\r\nHost: a\r\n\r\n",
        "Host: a\r\nA: b\r\n\r\n",
        "Host: a\r\nA : b\r\n\r\n",
        "Host: a\r\nContent-Length: 0\r\n\r\n",
        "Host: a\r\nContent-Length: 1\r\n\r\n",
        "Host: a\r\n",
        "Host: a\r\n\r",
        "Host: a\r\n\r\nGET / HTTP/1.1\r\n",
        &format!("Host: a\r\nA: {}\r\n\r\n", "b".repeat(600)),
        &format!("Host: a\r\nA: {long}\r\n\r\n"),
    ];
    let query = "y".repeat(URI_BYTES_MAX - 2);
    let lines = [
        "GET / HTTP/1.1\r\n",
        "HEAD /b HTTP/1.0\r\n",
        "\r\nGET / HTTP/1.1\r\n",
        &format!("GET /?{query} HTTP/1.1\r\n"),
        "GET / HTTP/2\r\n",
    ];
    let all: Vec<String> = lines
        .iter()
        .flat_map(|line| fields.iter().map(move |fields| format!("{line}{fields}")))
        .collect();
    let is_whole = |head: &&String| {
        let read = RequestHeads::default().read(head.as_bytes());
        read.is_ok_and(|checked| checked.is_whole)
    };
    for first in all.iter().filter(is_whole) {
        for second in &all {
            let [found, alone] = after(first, second);
            assert_eq!(found, alone, "{first:?}, then {second:?}");
        }
    }
}

#[test]
fn the_origin_of_a_refused_head_is_known_as_far_as_it_was_read() {
    let found = |bytes: &[u8], cut: usize| {
        let (mut heads, mut held) = (RequestHeads::default(), bytes[..cut].to_vec());
        let first = heads.read(&held).unwrap();
        held.drain(..first.dropped + first.given);
        held.extend_from_slice(&bytes[cut..]);
        assert!(heads.read(&held).is_err());
        heads.origin(&held).map(<[u8]>::to_vec)
    };
    let begun = "POST / HTTP/1.1\r\nHost: a\r\n";
    for (head, origin) in [
        (format!("{begun}ORIGIN:  https://a \r\nA : b\r\n"), true),
        (
            format!("{begun}Content-Length: 1\r\nOrigin: https://a\r\n\r\n"),
            true,
        ),
        (format!("{begun}A : b\r\nOrigin: https://a\r\n\r\n"), true),
        (format!("{begun}A : b\r\n"), false),
        (format!("{begun}A : b\r\nOrigin: https://a"), false),
        (
            format!("{begun}A : b\r\n\r\nOrigin: https://a\r\n\r\n"),
            false,
        ),
    ] {
        let expected = origin.then(|| b"https://a".to_vec());
        for cut in 0..begun.len() {
            assert_eq!(
                found(head.as_bytes(), cut),
                expected,
                "{head:?} cut at {cut}"
            );
        }
    }
    // Nothing of the head before is remembered.
    let next = b"GET / HTTP/1.1\r\nHost: a\r\nOrigin: https://a\r\n\r\nG(T / HTTP/1.1\r\n";
    assert_eq!(found(next, next.len() - 16), None);
}

#[test]
fn whole_heads_pass_and_empty_lines_before_them_do_not() {
    let one = &b"GET /v1 HTTP/1.1\r\nHost: a\r\nX:\ty \r\n\r\n"[..];
    check(one, Ok(1));
    check(&[b"\r\n\r\n", one, b"\r\n", one].concat(), Ok(2));
    check(&[one, b"GET"].concat(), Ok(1));
    check(b"GET / HTTP/1.0\r\n\r\n", Ok(1));
    check(
        b"GET / HTTP/1.1\r\nhost:\r\ncontent-length: 0\r\n\r\n",
        Ok(1),
    );
    let (given, _, _) = read_cut(&[b"\r\n", one, b"\r\n"].concat(), 3);
    assert_eq!(given, one);
}

#[test]
fn request_lines_are_method_address_and_version() {
    for (line, bad) in [
        ("GET /v1", BadHead::RequestLine),
        ("GET", BadHead::RequestLine),
        (" GET / HTTP/1.1", BadHead::RequestLine),
        ("GET / http/1.1", BadHead::RequestLine),
        ("G(T / HTTP/1.1", BadHead::RequestLine),
        ("GET HTTP/1.1", BadHead::RequestLine),
        ("GET / HTTP/1.2", BadHead::Version),
        ("PRI * HTTP/2.0", BadHead::Version),
        ("GET  HTTP/1.1", BadHead::Address),
        ("GET /a b HTTP/1.1", BadHead::Address),
        ("GET /\t HTTP/1.1", BadHead::Address),
        ("GET /< HTTP/1.1", BadHead::Address),
        ("GET /v1#part HTTP/1.1", BadHead::Address),
        ("GET v1 HTTP/1.1", BadHead::Address),
        ("GET host:80 HTTP/1.1", BadHead::Address),
        ("GET ftp://host/v1 HTTP/1.1", BadHead::Address),
        ("GET http://me@host/v1 HTTP/1.1", BadHead::Address),
        ("GET http:///v1 HTTP/1.1", BadHead::Address),
    ] {
        check(format!("{line}\r\n").as_bytes(), Err(bad));
    }
    for line in [
        "GET http://host/v1 HTTP/1.1",
        "GET HTTPS://[::1]:8080/v1 HTTP/1.1",
        "OPTIONS * HTTP/1.1",
        "CONNECT host:443 HTTP/1.1",
        "get /v1?a=^|{\\} HTTP/1.1",
        "GET /v1/boats?search=å HTTP/1.1",
        "HEAD //v1 HTTP/1.1",
    ] {
        check(format!("{line}\r\nHost: a\r\n\r\n").as_bytes(), Ok(1));
    }
    check(b"GET /\xff HTTP/1.1\r\n", Err(BadHead::Address));
}

#[test]
fn header_fields_are_read_in_one_way_only() {
    for (fields, bad) in [
        ("A : b", BadHead::Field),
        (" A: b", BadHead::Field),
        ("\tA: b", BadHead::Field),
        ("A", BadHead::Field),
        (": b", BadHead::Field),
        ("A: b\r\n c", BadHead::Field),
        ("A: b\n", BadHead::ControlCharacter),
        ("A: b\rC: d", BadHead::ControlCharacter),
        ("A: b\r\r\n", BadHead::ControlCharacter),
        ("A: \0", BadHead::ControlCharacter),
        ("A: \x7f", BadHead::ControlCharacter),
        ("A\x0b: b", BadHead::ControlCharacter),
        ("Host: b", BadHead::Host),
        ("Content-Length: 5", BadHead::Body),
        ("Content-Length: 00", BadHead::Body),
        ("Content-Length: +0", BadHead::Length),
        ("Content-Length: 0, 0", BadHead::Length),
        ("Content-Length: 0x0", BadHead::Length),
        ("Content-Length:", BadHead::Length),
        ("Content-Length: 0\r\ncontent-length: 0", BadHead::Length),
        ("transfer-ENCODING: identity", BadHead::Body),
    ] {
        let head = format!("GET / HTTP/1.1\r\nHost: a\r\n{fields}\r\n");
        check(head.as_bytes(), Err(bad));
    }
    check(b"GET / HTTP/1.1\n", Err(BadHead::ControlCharacter));
    check(b"\nGET / HTTP/1.1\r\n", Err(BadHead::ControlCharacter));
}

#[test]
fn hosts_are_named_and_without_a_user() {
    let head = |host: &str| format!("GET / HTTP/1.1\r\nHost: {host}\r\n\r\n");
    for host in ["a", "a.b:80", "a:", "127.0.0.1", "[::1]", "[::1]:80", ""] {
        check(head(host).as_bytes(), Ok(1));
    }
    for host in ["a b", "a/b", "me@a", "a:b", "a:80:80", "[::1", "a?b", "a#b"] {
        check(head(host).as_bytes(), Err(BadHead::Host));
    }
    check(b"GET / HTTP/1.1\r\n\r\n", Err(BadHead::Host));
}

#[test]
fn limits_hold_to_the_byte_also_before_a_line_ends() {
    let address = |length: usize| format!("GET /{} HTTP/1.1\r\n", "a".repeat(length - 1));
    let host = "Host: a\r\n";
    let at_limit = address(URI_BYTES_MAX);
    assert_eq!(read_cut(at_limit.as_bytes(), 9).2, None);
    let over = address(URI_BYTES_MAX + 1);
    assert_eq!(
        read_cut(over.as_bytes(), 9).2,
        Some(BadHead::AddressTooLong)
    );
    let endless = format!("GET {}", "a".repeat(URI_BYTES_MAX + AROUND_ADDRESS));
    assert_eq!(
        read_cut(endless.as_bytes(), 9).2,
        Some(BadHead::AddressTooLong)
    );
    let method = "A".repeat(HEAD_BYTES_MAX + 1);
    assert_eq!(read_cut(method.as_bytes(), 9).2, Some(BadHead::TooLarge));

    let begun = format!("GET / HTTP/1.1\r\n{host}X: ");
    let large = |length: usize| format!("{begun}{}\r\n\r\n", "a".repeat(length - begun.len() - 4));
    let at_limit = large(HEAD_BYTES_MAX);
    for cut in [
        9,
        HEAD_BYTES_MAX - 4,
        HEAD_BYTES_MAX - 3,
        HEAD_BYTES_MAX - 1,
    ] {
        assert_eq!(read_cut(at_limit.as_bytes(), cut).1, 1, "cut at {cut}");
    }
    let over = large(HEAD_BYTES_MAX + 1);
    assert_eq!(read_cut(over.as_bytes(), 9).2, Some(BadHead::TooLarge));
    // This unfinished line leaves no room for the two line ends.
    let endless = &over.as_bytes()[..HEAD_BYTES_MAX - 3];
    assert_eq!(read_cut(endless, 9).2, Some(BadHead::TooLarge));
    let endless = &endless[..HEAD_BYTES_MAX - 4];
    assert_eq!(read_cut(endless, 9).2, None);

    let fields = |count: usize| format!("GET / HTTP/1.1\r\n{host}{}", "X: y\r\n".repeat(count - 1));
    assert_eq!(read_cut(fields(HEADERS_MAX).as_bytes(), 9).2, None);
    let over = fields(HEADERS_MAX + 1);
    assert_eq!(read_cut(over.as_bytes(), 9).2, Some(BadHead::TooLarge));
}

#[test]
fn what_is_no_http_is_refused_at_its_first_byte() {
    for bytes in [&b"\x16"[..], b"\0", b"\x80", b" ", b"{", b"<"] {
        assert!(read_cut(bytes, 0).2.is_some(), "{bytes:?}");
    }
}
