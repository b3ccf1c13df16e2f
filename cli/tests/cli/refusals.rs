//! What commands make of keys and subscriptions is what a running server refuses requests for.
//!
//! Which requests are refused for other reasons, and in which order reasons are told, is tested
//! with the server.

use std::fmt::Write;

use crate::harness::assert_snapshot;
use crate::process::{catalogue, issue_key_with};
use crate::sample::{Sample, prefix};

/// Requests in turn: what a key is, and what the request asks for.
const REQUESTS: [(&str, &str); 10] = [
    ("of another environment", "/v1/boats"),
    ("revoked", "/v1/boats"),
    ("rotated without a grace", "/v1/boats"),
    ("disabled", "/v1/boats"),
    ("for boats only", "/v1/manufacturers"),
    ("for boats only", "/v1/manufacturers/x/boats"),
    ("for one request a minute", "/v1/boats?limit=1"),
    ("for one request a minute", "/v1/boats?limit=1"),
    ("for one request a month", "/v1/boats?limit=1"),
    ("for one request a month", "/v1/boats?limit=1"),
];

#[test]
fn a_running_server_refuses_what_commands_have_forbidden() {
    let sample = Sample::start();
    let keys = issue_keys(&sample);
    let mut table = String::new();
    for (what, target) in REQUESTS {
        let (_, key) = keys.iter().find(|(name, _)| *name == what).unwrap();
        let answer = sample.server.get(target, key);
        let line = format!("{what:<26}{target:<27}{} {}", answer.status, answer.code());
        writeln!(table, "{}", line.trim_end()).unwrap();
    }
    assert_snapshot("served__refusals", &table);
}

/// Keys by what they are. The server knows them all when this returns.
fn issue_keys(sample: &Sample) -> [(&'static str, String); 7] {
    let data = sample.data.path();
    let both = ["--scope", "boats.read,manufacturers.read"];
    let issue = |args: &[&str]| issue_key_with(data, &[&both, args].concat());
    let changed = |change: &[&str]| {
        let key = issue(&[]);
        let change = [&["keys", change[0], prefix(&key)], &change[1..]].concat();
        catalogue(data, &change);
        key
    };
    catalogue(data, &["subscriptions", "create", "small", "--quota", "1"]);
    let of_small = "keys issue --subscription small --scope boats.read";
    let of_small = catalogue(data, &of_small.split(' ').collect::<Vec<_>>());
    [
        ("of another environment", issue(&["--env", "test"])),
        ("revoked", changed(&["revoke"])),
        (
            "rotated without a grace",
            changed(&["rotate", "--grace", "0s"]),
        ),
        ("disabled", changed(&["disable"])),
        (
            "for boats only",
            issue_key_with(data, &["--scope", "boats.read"]),
        ),
        ("for one request a minute", issue(&["--rate-limit", "1"])),
        ("for one request a month", of_small.trim_end().to_owned()),
    ]
}
