//! The document's examples are the service's own responses, except for the parts that differ in
//! every response.

use std::collections::BTreeSet;

use serde_json::{Map, Value, json};

use super::check_all_are_here;
use super::described::OF_OTHER_METHODS;
use super::document::{DOCUMENT, check_schema, operation, operations};
use crate::answers::{CATALOGUE, SERVICE, WHOLE, errors};
use crate::app::{Ask, TestApp};
use crate::records::EARLIER;

/// Masks ids, and the numbers in a message, which depend on the key.
fn masked(mut body: Value) -> Value {
    for place in [
        "/data/catalogue/release",
        "/prefix",
        "/release",
        "/version",
        "/error/requestId",
    ] {
        if let Some(value) = body.pointer_mut(place) {
            *value = "masked".into();
        }
    }
    if let Some(message) = body.pointer_mut("/error/message") {
        let text = message.as_str().unwrap();
        *message = text.replace(|c: char| c.is_ascii_digit(), "").into();
    }
    body
}

#[tokio::test]
async fn every_example_of_a_200_is_the_answer_to_its_question() {
    let asked = CATALOGUE.iter().map(|endpoint| endpoint.id);
    let asked = asked.chain(SERVICE.iter().map(|(id, _)| *id));
    // The document is no example of itself, and a whole file would be too long for one.
    let without = WHOLE.map(|endpoint| endpoint.id).into_iter();
    check_all_are_here(asked.chain(without).chain(["get_key", "describe_api"]));
    let app = TestApp::new();
    check_answer("get_key", app.get("/v1/key").key("boats_only")).await;
    for endpoint in &CATALOGUE {
        let app = TestApp::new();
        check_answer(endpoint.id, app.get(endpoint.target()).key("reader")).await;
    }
    for (id, target) in SERVICE {
        check_answer(id, TestApp::new().get(target)).await;
    }
}

async fn check_answer(id: &str, ask: Ask<'_>) {
    let answer = ask.send().await;
    let content = &operation(id)["responses"]["200"]["content"]["application/json"];
    let example = &content["examples"]["example"]["value"];
    assert_eq!(masked(example.clone()), masked(answer.json()), "{id}");
    check_schema(&content["schema"], example, id);
}

#[test]
fn every_example_of_a_header_is_one() {
    for (name, header) in DOCUMENT["components"]["headers"].as_object().unwrap() {
        check_schema(&header["schema"], &header["example"], name);
    }
}

#[tokio::test]
async fn every_example_of_a_parameter_is_accepted() {
    for (path, item) in DOCUMENT["paths"].as_object().unwrap() {
        for parameter in item["get"]["parameters"].as_array().into_iter().flatten() {
            let app = TestApp::new();
            let (name, example) = (parameter["name"].as_str().unwrap(), &parameter["example"]);
            check_schema(&parameter["schema"], example, name);
            let text = match example {
                Value::String(text) => text.replace(' ', "%20"),
                number => number.to_string(),
            };
            let record = if path.contains("boats/") { "b1" } else { "m1" };
            let target = path.replace(
                "{idOrSlug}",
                if name == "idOrSlug" { &text } else { record },
            );
            let since = format!("since={EARLIER}");
            let target = if path == "/v1/changes" && name != "since" {
                format!("{target}?{since}&")
            } else {
                format!("{target}?")
            };
            let ask = match parameter["in"].as_str() {
                Some("query") => app.get(&format!("{target}{name}={text}")),
                Some("header") => app.get(&target).header(name, &text),
                _ => app.get(&target),
            };
            let status = ask.key("reader").send().await.status;
            // The example of a range lies behind the end of a small file.
            let expected = if name == "Range" { 416 } else { 200 };
            assert_eq!(status, expected, "{target} {name}={text}");
        }
    }
}

#[tokio::test]
async fn every_example_of_an_error_is_the_answer_to_a_mistake() {
    let errors = errors().await;
    let answers = errors.all.iter().map(|exchange| &exchange.answer);
    let bodies: Vec<Value> = answers.map(|answer| masked(answer.json())).collect();
    for (code, example) in examples_of_errors() {
        let example = masked(example["value"].clone());
        assert!(bodies.contains(&example), "{code}: {example}");
    }
    let codes = bodies.iter().map(|body| body["error"]["code"].as_str());
    let elsewhere = ["METHOD_NOT_ALLOWED"];
    let codes = codes.flatten().filter(|code| !elsewhere.contains(code));
    let codes: BTreeSet<String> = codes.map(str::to_owned).collect();
    assert_eq!(codes, documented_codes());
}

#[tokio::test]
async fn every_status_of_an_error_is_that_of_a_mistake() {
    let errors = errors().await;
    let found = errors.all.iter().map(|exchange| exchange.answer.status);
    let found = found.filter(|status| !OF_OTHER_METHODS.contains(status));
    let documented = operations().flat_map(|operation| operation["responses"].as_object().unwrap());
    let documented = documented.map(|(status, _)| status.parse().unwrap());
    let documented: BTreeSet<u16> = documented.filter(|status| 400 <= *status).collect();
    assert_eq!(found.collect::<BTreeSet<u16>>(), documented);
}

#[test]
fn every_response_refers_to_the_examples_of_its_codes() {
    let responses = DOCUMENT["components"]["responses"].as_object().unwrap();
    let mut referred = BTreeSet::new();
    for response in responses.values() {
        let examples = &response["content"]["application/json"]["examples"];
        for (code, example) in examples.as_object().unwrap() {
            let place = format!("#/components/examples/{code}");
            assert_eq!(*example, json!({ "$ref": place }));
            referred.insert(code.clone());
        }
    }
    assert_eq!(referred, documented_codes());
}

fn examples_of_errors() -> &'static Map<String, Value> {
    DOCUMENT["components"]["examples"].as_object().unwrap()
}

fn documented_codes() -> BTreeSet<String> {
    examples_of_errors().keys().cloned().collect()
}
