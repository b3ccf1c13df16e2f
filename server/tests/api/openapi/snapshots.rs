//! Every snapshot of an answer, whichever test wrote it, is one that the document describes: to the
//! last member of its body and the last of its headers.
//!
//! Snapshots are found by looking at all files, so that none can be forgotten.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use salvo::http::{HeaderMap, HeaderName, HeaderValue};
use serde_json::json;

use super::document::{DOCUMENT, check_schema, operations, undocumented};
use crate::answer::Answer;

/// How an answer begins.
const STATUS_LINE: &str = "HTTP/1.1 ";
/// What only bodies of answers contain, and the documents that have them as examples.
const OF_BODIES: [&str; 2] = ["\"requestId\"", "\"pagination\""];
const DOCUMENTS: [&str; 2] = ["llms.snap", "openapi.snap"];
/// Written by the HTTP library, and by whoever ends a connection.
const OF_CONNECTIONS: [&str; 2] = ["connection", "date"];
/// In place of a number that depends on the compressor.
const OF_COMPRESSION: [&str; 2] = ["less", "the same"];
/// What is no answer of any operation, but of a method that none has: described once, in words.
const OF_OTHER_METHODS: [u16; 2] = [204, 405];

/// How the names begin of what the administration address answers, which the document is not about.
const OF_ADMINISTRATION: &str = "admin__";

/// Every snapshot, with its text, but those of the administration address.
fn snapshots() -> Vec<(PathBuf, String)> {
    let mut folders = vec![Path::new(env!("CARGO_MANIFEST_DIR")).join("../snapshots")];
    let mut found = Vec::new();
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else {
                let text = fs::read_to_string(&path).unwrap();
                let (_about, text) = text[3..].split_once("\n---\n").unwrap();
                let name = path.file_name().unwrap().to_string_lossy();
                if !name.starts_with(OF_ADMINISTRATION) {
                    found.push((path.clone(), text.to_owned()));
                }
            }
        }
    }
    found
}

/// The answers that a snapshot consists of; none, where it is of something else.
fn answers(text: &str) -> Vec<Answer> {
    if !text.starts_with(STATUS_LINE) {
        return Vec::new();
    }
    let texts = text[STATUS_LINE.len()..].split("\n\nHTTP/1.1 ");
    texts.map(answer).collect()
}

fn answer(text: &str) -> Answer {
    let (head, body) = text.split_once("\n\n").unwrap_or((text.trim_end(), ""));
    let (status, fields) = head.split_once('\n').unwrap();
    let mut headers = HeaderMap::new();
    for field in fields.lines() {
        let (name, value) = field.split_once(": ").unwrap();
        if !OF_CONNECTIONS.contains(&name) && !OF_COMPRESSION.contains(&value) {
            let name: HeaderName = name.parse().unwrap();
            headers.append(name, HeaderValue::from_str(value).unwrap());
        }
    }
    Answer {
        status: status[..3].parse().unwrap(),
        headers,
        body: body.as_bytes().to_owned(),
    }
}

/// The operations that may have given what a snapshot of that name shows: the one that the name
/// begins with, or any.
fn possible(path: &Path) -> Vec<&'static str> {
    let ids = || operations().map(|operation| operation["operationId"].as_str().unwrap());
    let name = path.file_name().unwrap().to_str().unwrap();
    let named = |id: &&str| {
        name.split("__")
            .any(|part| part.trim_end_matches(".snap") == *id)
    };
    let found: Vec<&str> = ids().filter(named).collect();
    if found.is_empty() {
        ids().collect()
    } else {
        found
    }
}

/// What is wrong with an answer to another method than `GET`.
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

fn check(path: &Path, answer: &Answer) {
    let what = path.display().to_string();
    if OF_OTHER_METHODS.contains(&answer.status) {
        check_other_method(answer, &what);
        return;
    }
    let faults: Vec<_> = possible(path)
        .into_iter()
        .map(|id| (id, undocumented(id, answer)))
        .collect();
    let is_described = faults.iter().any(|(_, faults)| faults.is_empty());
    assert!(is_described, "{what}: {faults:#?}");
}

fn documented_statuses() -> BTreeSet<u16> {
    let responses = operations().flat_map(|operation| operation["responses"].as_object().unwrap());
    let statuses = responses.map(|(status, _)| status.parse().unwrap());
    statuses.chain(OF_OTHER_METHODS).collect()
}

#[test]
fn every_snapshot_of_an_answer_is_described_and_there_is_one_of_every_status() {
    // While all snapshots are written anew, other tests are at it and some are missing. They are
    // looked at whenever tests compare with them.
    if std::env::var("INSTA_UPDATE").is_ok_and(|update| update == "always") {
        return;
    }
    let mut statuses = BTreeSet::new();
    for (path, text) in snapshots() {
        let answers = answers(&text);
        let is_body = OF_BODIES.iter().any(|member| text.contains(member));
        let is_document = DOCUMENTS.iter().any(|name| path.ends_with(name));
        assert!(
            !is_body || is_document || !answers.is_empty(),
            "{}: a body that is not looked at",
            path.display()
        );
        for answer in &answers {
            check(&path, answer);
            statuses.insert(answer.status);
        }
    }
    assert_eq!(statuses, documented_statuses());
}

#[test]
fn a_snapshot_that_the_document_does_not_describe_is_found() {
    let sound = "200 OK\ncontent-type: application/json\nx-request-id: \
                 00000000000000000000000001\ncache-control: no-store\n\n\
                 {\"status\": \"ok\", \"version\": \"1\", \"uptimeSeconds\": 1}";
    let faults = |text: &str| undocumented("check_health", &answer(text)).len();
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
