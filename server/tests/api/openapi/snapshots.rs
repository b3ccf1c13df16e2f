//! The document describes every snapshot of a response, whichever test wrote it, down to the last
//! member of its body and the last header.

use std::collections::{BTreeMap, BTreeSet};

use salvo::http::HeaderName;
use serde_json::json;
use server::contract::routes::{self, Destination};

use super::document::{DOCUMENT, check_schema, operations, undocumented};
use crate::answer::Answer;
use crate::exchanges::{Exchange, Snapshot, is_writing, snapshots};

/// What only bodies of responses contain, and the snapshots of documents that have such bodies as
/// examples.
const OF_BODIES: [&str; 2] = ["\"requestId\"", "\"pagination\""];
const DOCUMENTS: [&str; 2] = ["server/llms.snap", "server/openapi.snap"];
/// The responses of the administration address, which the document does not describe.
const OF_ADMINISTRATION: &str = "server/admin.snap";
/// Headers about the connection and its time, which the document does not describe.
const OF_CONNECTIONS: [&str; 2] = ["connection", "date"];
/// What snapshots show in place of a length that depends on the compressor.
const OF_COMPRESSION: [&str; 2] = ["less", "the same"];
/// Statuses of responses to methods that no operation has. The document describes them once, in
/// words.
const OF_OTHER_METHODS: [u16; 2] = [204, 405];

/// The response of an exchange in the snapshot at `path`, even if the snapshot only refers to it.
fn answer_to(exchange: &Exchange, path: &str, all: &BTreeMap<String, Vec<Exchange>>) -> Answer {
    let Some((heading, name)) = exchange.reference() else {
        return exchange.answer().unwrap();
    };
    let path = name.map_or(path.to_owned(), |name| format!("server/{name}.snap"));
    let mut answers = all[&path].iter().filter(|other| other.heading == heading);
    let answer = answers.find_map(Exchange::answer);
    answer.unwrap_or_else(|| panic!("{path}: no answer at {heading}"))
}

/// The response without the headers that the document leaves out.
fn described(mut answer: Answer) -> Answer {
    for name in OF_CONNECTIONS {
        answer.headers.remove(name);
    }
    let length = answer.header("content-length");
    if length.is_some_and(|length| OF_COMPRESSION.contains(&length)) {
        answer.headers.remove("content-length");
    }
    answer
}

/// The operations that may have given a response: the one at the path, or all if no route has that
/// path. Files of the documentation belong to no operation.
fn possible(path: &str) -> Vec<&'static str> {
    let id = |operation: &'static serde_json::Value| operation["operationId"].as_str().unwrap();
    match routes::find(path) {
        Some(Destination::Endpoint(route, _)) => {
            vec![id(&DOCUMENT["paths"][route.path.to_string()]["get"])]
        }
        Some(Destination::File(_)) => Vec::new(),
        None => operations().map(id).collect(),
    }
}

/// Checks a response to another method than `GET`.
fn check_other_method(answer: &Answer, what: &str) {
    let words = DOCUMENT["info"]["description"].as_str().unwrap();
    assert!(words.contains(&answer.status.to_string()), "{what}");
    if answer.status == 204 {
        assert!(answer.body.is_empty(), "{what}");
        return;
    }
    let envelope = json!({ "$ref": "#/components/schemas/ErrorEnvelope" });
    check_schema(&envelope, &answer.json(), what);
    assert!(words.contains(&answer.code()), "{what}");
    let names: BTreeSet<&str> = answer.headers.keys().map(HeaderName::as_str).collect();
    let expected = ["allow", "content-length", "content-type", "x-request-id"];
    assert_eq!(names, BTreeSet::from(expected), "{what}");
}

fn check(exchange: &Exchange, answer: &Answer) {
    let what = &exchange.heading;
    if OF_OTHER_METHODS.contains(&answer.status) {
        check_other_method(answer, what);
        return;
    }
    let possible = possible(exchange.path()).into_iter();
    let faults: Vec<_> = possible.map(|id| (id, undocumented(id, answer))).collect();
    let is_described = faults.iter().any(|(_, faults)| faults.is_empty());
    assert!(is_described || faults.is_empty(), "{what}: {faults:#?}");
}

fn documented_statuses() -> BTreeSet<u16> {
    let responses = operations().flat_map(|operation| operation["responses"].as_object().unwrap());
    let statuses = responses.map(|(status, _)| status.parse().unwrap());
    statuses.chain(OF_OTHER_METHODS).collect()
}

#[test]
fn every_snapshot_of_an_answer_is_described_and_there_is_one_of_every_status() {
    if is_writing() {
        return;
    }
    let mut statuses = BTreeSet::new();
    let snapshots = snapshots();
    let of_path = |snapshot: &Snapshot| (snapshot.path.clone(), snapshot.exchanges());
    let all: BTreeMap<_, _> = snapshots.iter().map(of_path).collect();
    for snapshot in &snapshots {
        let exchanges = &all[&snapshot.path];
        let is_body = OF_BODIES
            .iter()
            .any(|member| snapshot.text.contains(member));
        let is_document = DOCUMENTS.contains(&&*snapshot.path);
        assert!(
            !is_body || is_document || !exchanges.is_empty(),
            "{}: a body that is not looked at",
            snapshot.path
        );
        if snapshot.path == OF_ADMINISTRATION {
            continue;
        }
        for exchange in exchanges {
            let answer = described(answer_to(exchange, &snapshot.path, &all));
            check(exchange, &answer);
            statuses.insert(answer.status);
        }
    }
    assert_eq!(statuses, documented_statuses());
}

#[test]
fn a_snapshot_that_the_document_does_not_describe_is_found() {
    let sound = "HTTP/1.1 200 OK\ncontent-type: application/json\nx-request-id: \
                 00000000000000000000000001\ncache-control: no-store\n\n\
                 {\"status\": \"ok\", \"version\": \"1\", \"uptimeSeconds\": 1}";
    let faults = |text: &str| undocumented("check_health", &Answer::read(text)).len();
    assert_eq!(faults(sound), 0);
    for (part, other) in [
        ("uptimeSeconds", "uptime"),
        ("no-store\n", "no-store\nage: 0\n"),
        ("cache-control: no-store\n", ""),
        ("200 OK", "404 Not Found"),
        ("00000000000000000000000001", "1"),
        (": 1}", ": null}"),
    ] {
        assert_ne!(faults(&sound.replace(part, other)), 0, "{other}");
    }
}
