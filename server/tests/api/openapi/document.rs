//! The document as tests read it, and checks that it describes a response, down to the last member
//! and header.

use std::collections::BTreeMap;
use std::sync::{Arc, LazyLock};

use jsonschema::Validator;
use parking_lot::Mutex;
use serde_json::{Value, json};
use server::http::openapi;

use crate::answer::Answer;

pub(crate) static DOCUMENT: LazyLock<Value> =
    LazyLock::new(|| serde_json::from_str(&openapi::text()).unwrap());

/// Headers of every response with a body; `content` describes them.
const OF_BODIES: [&str; 2] = ["content-type", "content-length"];

/// The document's components with every object closed, so validation finds members that it does not
/// describe.
static CLOSED: LazyLock<Value> = LazyLock::new(|| {
    let mut components = DOCUMENT["components"].clone();
    for (_, schema) in components["schemas"].as_object_mut().unwrap() {
        let members = schema.as_object_mut().unwrap();
        assert!(
            members.contains_key("properties"),
            "not an object: {members:?}"
        );
        members.insert("additionalProperties".to_owned(), false.into());
    }
    components
});

pub(crate) fn operations() -> impl Iterator<Item = &'static Value> {
    let paths = DOCUMENT["paths"].as_object().unwrap();
    paths.values().map(|path| &path["get"])
}

pub(super) fn operation(id: &str) -> &'static Value {
    operations()
        .find(|operation| operation["operationId"] == id)
        .unwrap()
}

/// The object itself, or the one that it refers to.
pub(super) fn resolved(object: &'static Value) -> &'static Value {
    match object["$ref"].as_str() {
        Some(reference) => DOCUMENT.pointer(reference.trim_start_matches('#')).unwrap(),
        None => object,
    }
}

/// What is wrong with a value, including members that the schema does not describe.
pub(super) fn faults(schema: &Value, value: &Value) -> Vec<String> {
    let validator = validator(schema);
    let faults = validator.iter_errors(value);
    faults
        .map(|fault| format!("{} {fault}", fault.instance_path()))
        .collect()
}

/// The validator of a schema, which takes milliseconds to build, once.
fn validator(schema: &Value) -> Arc<Validator> {
    static KEPT: Mutex<BTreeMap<String, Arc<Validator>>> = Mutex::new(BTreeMap::new());
    let build = || {
        let whole = json!({ "allOf": [schema], "components": *CLOSED });
        let options = jsonschema::options().should_validate_formats(true);
        Arc::new(options.build(&whole).unwrap())
    };
    let mut kept = KEPT.lock();
    Arc::clone(kept.entry(schema.to_string()).or_insert_with(build))
}

pub(super) fn check_schema(schema: &Value, value: &Value, what: &str) {
    let faults = faults(schema, value);
    assert!(faults.is_empty(), "{what}: {faults:#?}");
}

/// What is wrong with a response's headers.
fn faults_of_headers(documented: &'static Value, answer: &Answer) -> Vec<String> {
    let documented = documented.as_object().unwrap();
    let mut all = Vec::new();
    for (name, header) in documented {
        let header = resolved(header);
        let Some(text) = answer.header(name) else {
            if header["required"] != false {
                all.push(format!("{name} is missing"));
            }
            continue;
        };
        let value = match header["schema"]["type"].as_str() {
            Some("integer") => text.parse::<u64>().unwrap().into(),
            _ => Value::from(text),
        };
        let found = faults(&header["schema"], &value);
        all.extend(found.iter().map(|fault| format!("{name}: {fault}")));
    }
    for name in answer.headers.keys() {
        let name = name.as_str();
        let mut names = documented.keys();
        let is_documented = names.any(|other| other.eq_ignore_ascii_case(name));
        if !is_documented && !OF_BODIES.contains(&name) {
            all.push(format!("{name} is not documented"));
        }
    }
    all
}

/// The parts of a response that the document does not describe for this operation.
pub(super) fn undocumented(id: &str, answer: &Answer) -> Vec<String> {
    let documented = operation(id)["responses"].as_object().unwrap();
    let Some(documented) = documented.get(&answer.status.to_string()) else {
        return vec![format!("{} is not documented", answer.status)];
    };
    let documented = resolved(documented);
    let mut all = faults_of_headers(&documented["headers"], answer);
    if answer.body.is_empty() {
        return all;
    }
    let media_type = answer.header("content-type").unwrap();
    let content = &documented["content"][media_type];
    if media_type != "application/json" {
        assert!(content.is_object(), "{media_type} of {id}");
        return all;
    }
    let body = answer.json();
    all.extend(faults(&content["schema"], &body));
    if 400 <= answer.status {
        let code = body["error"]["code"].as_str().unwrap();
        if content["examples"].get(code).is_none() {
            all.push(format!("no example of {code}"));
        }
    }
    all
}

/// Checks that the document describes this response for this operation.
pub(crate) fn check_documented(id: &str, answer: &Answer) {
    let faults = undocumented(id, answer);
    assert!(faults.is_empty(), "{} of {id}: {faults:#?}", answer.status);
}
