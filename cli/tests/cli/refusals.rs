//! Every reason for refusing a request, seen over a real socket.

use std::fmt::Write;

use crate::harness::assert_snapshot;
use crate::process::{catalogue, catalogue_json, issue_key, issue_key_with};
use crate::sample::{Sample, prefix};

/// The description of a request, its target, and the name of its key.
#[rustfmt::skip]
const REQUESTS: [(&str, &str, &str); 45] = [
    ("no header",                      "/v1/boats",                                 "none"),
    ("another scheme",                 "/v1/boats",                                 "basic"),
    ("a bad checksum",                 "/v1/boats",                                 "bad checksum"),
    ("two headers",                    "/v1/boats",                                 "two headers"),
    ("a credential in the query",      "/v1/boats?api_key=x",                       "all"),
    ("an unknown key",                 "/v1/boats",                                 "unknown"),
    ("a key of the other environment", "/v1/boats",                                 "test"),
    ("a revoked key",                  "/v1/boats",                                 "revoked"),
    ("a rotated key after its grace",  "/v1/boats",                                 "rotated"),
    ("a disabled key",                 "/v1/boats",                                 "disabled"),
    ("a key without the scope",        "/v1/manufacturers",                         "boats only"),
    ("a key with one of two scopes",   "/v1/manufacturers/x/boats",                 "boats only"),
    ("the first of a minute",          "/v1/boats?limit=1",                         "one a minute"),
    ("the second of a minute",         "/v1/boats?limit=1",                         "one a minute"),
    ("the first of a month",           "/v1/boats?limit=1",                         "one a month"),
    ("the second of a month",          "/v1/boats?limit=1",                         "one a month"),
    ("an unknown parameter",           "/v1/boats?colour=red",                      "all"),
    ("an unknown sort",                "/v1/manufacturers?sort=boatCount",          "all"),
    ("a field selector",               "/v1/boats/x?fields=id",                     "all"),
    ("a manufacturer twice",           "/v1/manufacturers/x/boats?manufacturer=y",  "all"),
    ("years the wrong way round",      "/v1/boats?yearFrom=2000&yearTo=1990",       "all"),
    ("lengths the wrong way round",    "/v1/boats?lengthMin=12&lengthMax=9",        "all"),
    ("a parameter of the descriptor",  "/v1?x=1",                                   "none"),
    ("a parameter of the health check", "/health?x=1",                              "none"),
    ("an unknown boat",                "/v1/boats/none",                            "all"),
    ("an unknown manufacturer",        "/v1/manufacturers/none",                    "all"),
    ("boats of an unknown one",        "/v1/manufacturers/none/boats",              "all"),
    ("an odd path",                    "/",                                         "all"),
    ("an odd path",                    "/v1/",                                      "all"),
    ("an odd path",                    "/v1/boats/",                                "all"),
    ("an odd path",                    "//v1/boats",                                "all"),
    ("an odd path",                    "/v1//boats",                                "all"),
    ("an odd path",                    "/v1/boats//",                               "all"),
    ("an odd path",                    "/v1/./boats",                               "all"),
    ("an odd path",                    "/v1/../v1/boats",                           "all"),
    ("an odd path",                    "/v1/boats/.",                               "all"),
    ("an odd path",                    "/v1/boats/..",                              "all"),
    ("an odd path",                    "/v1/boats/%2e%2e",                          "all"),
    ("an odd path",                    "/v1/boats/a%2Fb",                           "all"),
    ("an odd path",                    "/v1/boats/a/b",                             "all"),
    ("an odd path",                    "/v1/manufacturers//boats",                  "all"),
    ("an odd path",                    "/v1/manufacturers/x/boats/",                "all"),
    ("an odd path",                    "/V1/boats",                                 "all"),
    ("an odd path",                    "/v2/boats",                                 "all"),
    ("an odd path",                    "/health/",                                  "all"),
];

#[test]
fn every_refusal_is_seen_over_a_real_socket() {
    let sample = Sample::start();
    let keys = issue_keys(&sample);
    let mut table = String::new();
    for (what, target, key) in REQUESTS {
        let (_, header) = keys.iter().find(|(name, _)| *name == key).unwrap();
        let answer = sample.server.get_with(target, header);
        let line = format!(
            "{what:<32} {target:<42} {} {}",
            answer.status,
            answer.code()
        );
        writeln!(table, "{}", line.trim_end()).unwrap();
    }
    assert_snapshot("served__refusals", &table);
}

/// Header lines by the name of their key. The server knows all keys when this returns.
fn issue_keys(sample: &Sample) -> Vec<(&'static str, String)> {
    let data = sample.data.path();
    let both = ["--scope", "boats.read,manufacturers.read"];
    let bearer = |key: &str| format!("Authorization: Bearer {key}\r\n");
    let changed = |change: &[&str]| {
        let key = issue_key_with(data, &both);
        catalogue(
            data,
            &[&["keys", change[0], prefix(&key)], &change[1..]].concat(),
        );
        bearer(&key)
    };
    let all = bearer(&sample.key);
    let keys = vec![
        ("none", String::new()),
        ("basic", "Authorization: Basic YTpi\r\n".to_owned()),
        (
            "bad checksum",
            bearer("boat_live_00000000000000000000000000000000000000"),
        ),
        ("two headers", format!("{all}{all}")),
        ("all", all),
        (
            "unknown",
            bearer("boat_test_789ABCDEFGHIJKLMNOPQRSTUVWXYZabc2uHPRw"),
        ),
        (
            "test",
            bearer(&issue_key_with(
                data,
                &[&both[..], &["--env", "test"]].concat(),
            )),
        ),
        ("revoked", changed(&["revoke"])),
        ("rotated", changed(&["rotate", "--grace", "0s"])),
        ("disabled", changed(&["disable"])),
        (
            "boats only",
            bearer(&issue_key_with(data, &["--scope", "boats.read"])),
        ),
        (
            "one a minute",
            bearer(&issue_key_with(
                data,
                &[&both[..], &["--rate-limit", "1"]].concat(),
            )),
        ),
        ("one a month", bearer(&issue_key_with_a_quota_of_1(sample))),
    ];
    // The server sees changes in order: once it knows the newest key, it knows all.
    let newest = issue_key(data);
    sample.server.wait_for("/v1/boats", &newest, 200, 401);
    keys
}

fn issue_key_with_a_quota_of_1(sample: &Sample) -> String {
    let data = sample.data.path();
    catalogue(data, &["subscriptions", "create", "small", "--quota", "1"]);
    let issue = [
        "keys",
        "issue",
        "--subscription",
        "small",
        "--scope",
        "boats.read",
    ];
    catalogue_json(data, &issue)["key"]
        .as_str()
        .unwrap()
        .to_owned()
}
