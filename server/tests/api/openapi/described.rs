//! The document describes every response that a snapshot shows, whichever test wrote it, down to
//! the last member of its body and the last header.

use std::collections::BTreeSet;

use salvo::http::HeaderName;
use serde_json::{Value, json};
use server::api_tables::routes::{self, MatchedPath};

use super::document::{DOCUMENT, check_schema, operations, undocumented};
use crate::answer::Answer;

/// Headers about the connection and its time, which the document does not describe.
const OF_CONNECTIONS: [&str; 2] = ["connection", "date"];
/// Statuses of responses to methods that no operation has. The document describes them once, in
/// words.
pub(super) const OF_OTHER_METHODS: [u16; 2] = [204, 405];

/// The operations that may have given a response: the one at the path, or all if no route has that
/// path. Files of the documentation belong to no operation.
fn possible(path: &str) -> Vec<&'static str> {
    let id = |operation: &'static Value| operation["operationId"].as_str().unwrap();
    match routes::find(path) {
        Some(MatchedPath::Endpoint(route, _)) => {
            vec![id(&DOCUMENT["paths"][route.path.to_string()]["get"])]
        }
        Some(MatchedPath::File(_)) => Vec::new(),
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

/// Checks that the document describes the response to this request: its method, its target and the
/// rest.
pub(crate) fn check_described(request: &str, answer: &Answer) {
    let mut answer = answer.clone();
    for name in OF_CONNECTIONS {
        answer.headers.remove(name);
    }
    if OF_OTHER_METHODS.contains(&answer.status) {
        check_other_method(&answer, request);
        return;
    }
    if answer.error_code().is_some() {
        let id = &answer.json()["error"]["requestId"];
        assert_eq!(id.as_str(), answer.header("x-request-id"), "{request}");
    }
    let target = request.split([' ', '\n']).nth(1).unwrap();
    let possible = possible(target.split('?').next().unwrap()).into_iter();
    let faults: Vec<_> = possible.map(|id| (id, undocumented(id, &answer))).collect();
    let is_described = faults.iter().any(|(_, faults)| faults.is_empty());
    assert!(is_described || faults.is_empty(), "{request}: {faults:#?}");
}

#[test]
fn an_answer_that_the_document_does_not_describe_is_found() {
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
