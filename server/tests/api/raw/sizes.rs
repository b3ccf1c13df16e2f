//! Heads exactly at their limits, a byte below, and a byte above.

use super::case::{Case, Expected};
use Expected::{Answered, Refused};

const ADDRESS_BYTES_MAX: usize = 8 * 1024;
const HEAD_BYTES_MAX: usize = 16 * 1024;
const FIELDS_MAX: usize = 64;
const BEGIN: &str = "GET /health HTTP/1.1\r\nHost: test\r\n";

type Row = (&'static str, String, Expected);

pub(super) fn cases() -> Vec<Case> {
    let large = "a".repeat(1024 * 1024);
    let rows = addresses(&large).into_iter().chain(heads(&large));
    let case = |(name, sent, expected)| Case::new(name, "size", sent, expected);
    rows.map(case).collect()
}

fn addresses(large: &str) -> Vec<Row> {
    let unknown = Answered(&[404]);
    vec![
        (
            "an address of 8191 bytes",
            address(ADDRESS_BYTES_MAX - 1),
            unknown,
        ),
        (
            "an address of 8192 bytes",
            address(ADDRESS_BYTES_MAX),
            unknown,
        ),
        (
            "an address of 8193 bytes",
            address(ADDRESS_BYTES_MAX + 1),
            Refused(414),
        ),
        ("an address of 1 MiB", address(1024 * 1024), Refused(414)),
        (
            "an address of 1 MiB without an end",
            format!("GET /{large}"),
            Refused(414),
        ),
        (
            "a query of 8193 bytes",
            address(ADDRESS_BYTES_MAX + 1).replacen("/a", "/?", 1),
            Refused(414),
        ),
        (
            "HEAD with an address of 20 kB without an end",
            format!("HEAD /{}", "a".repeat(20_000)),
            Refused(414),
        ),
        ("HEAD with NUL", "HEAD /\0".to_owned(), Refused(400)),
        (
            "a host of 8 KiB in the address",
            address(ADDRESS_BYTES_MAX + 1).replacen("/aaaaaaa", "http://a", 1),
            Refused(414),
        ),
    ]
}

fn heads(large: &str) -> Vec<Row> {
    let fine = Answered(&[200]);
    vec![
        ("a head of 16383 bytes", head(HEAD_BYTES_MAX - 1), fine),
        ("a head of 16384 bytes", head(HEAD_BYTES_MAX), fine),
        (
            "a head of 16385 bytes",
            head(HEAD_BYTES_MAX + 1),
            Refused(431),
        ),
        (
            "a head of 16383 bytes without a space",
            tight(HEAD_BYTES_MAX - 1),
            fine,
        ),
        (
            "a head of 16384 bytes without a space",
            tight(HEAD_BYTES_MAX),
            fine,
        ),
        (
            "a head of 16385 bytes without a space",
            tight(HEAD_BYTES_MAX + 1),
            Refused(431),
        ),
        (
            "a value of 1 MiB without an end",
            format!("{BEGIN}X: {large}"),
            Refused(431),
        ),
        (
            "a name of 1 MiB without an end",
            format!("{BEGIN}{large}"),
            Refused(431),
        ),
        (
            "a name of 16 KiB",
            format!("{BEGIN}{}: x\r\n\r\n", "a".repeat(HEAD_BYTES_MAX)),
            Refused(431),
        ),
        (
            "a method of 1 MiB",
            format!("{large} / HTTP/1.1\r\nHost: test\r\n\r\n"),
            Refused(431),
        ),
        ("63 fields", fields(FIELDS_MAX - 1), fine),
        ("64 fields", fields(FIELDS_MAX), fine),
        ("65 fields", fields(FIELDS_MAX + 1), Refused(431)),
        ("10,000 fields", fields(10_000), Refused(431)),
        (
            "fields without an end",
            format!("{BEGIN}{}", "X: y\r\n".repeat(100_000)),
            Refused(431),
        ),
    ]
}

fn address(length: usize) -> String {
    format!(
        "GET /{} HTTP/1.1\r\nHost: test\r\n\r\n",
        "a".repeat(length - 1)
    )
}

/// A head of that length.
fn head(length: usize) -> String {
    let rest = "X: \r\n\r\n".len();
    let value = "a".repeat(length - BEGIN.len() - rest);
    format!("{BEGIN}X: {value}\r\n\r\n")
}

/// A head of that length with the maximum number of fields, none with a space after its colon.
fn tight(length: usize) -> String {
    let begin = BEGIN.replace(": ", ":");
    let fields = "X:y\r\n".repeat(FIELDS_MAX - 2);
    let rest = begin.len() + fields.len() + "X:\r\n\r\n".len();
    let value = "a".repeat(length - rest);
    format!("{begin}{fields}X:{value}\r\n\r\n")
}

fn fields(count: usize) -> String {
    format!("{BEGIN}{}\r\n", "X: y\r\n".repeat(count - 1))
}
