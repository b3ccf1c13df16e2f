//! The examples of the document are answers of the service, but for what no two answers share.

use std::collections::BTreeSet;

use serde_json::Value;

use super::document::{DOCUMENT, check_schema, operation};
use crate::app::{Ask, TestApp};
use crate::every_status::{CATALOGUE, SERVICE, panicking};

/// Numbers of a message, which depend on the key, and ids.
fn masked(mut body: Value) -> Value {
    for place in ["/data/catalogue/release", "/version", "/error/requestId"] {
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
    for &(id, target, ..) in &CATALOGUE {
        check_answer(id, TestApp::new().get(target).key("reader")).await;
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
            let ask = match parameter["in"].as_str() {
                Some("query") => app.get(&format!("{target}?{name}={text}")),
                Some("header") => app.get(&target).header(name, &text),
                _ => app.get(&target),
            };
            assert_eq!(
                ask.key("reader").send().await.status,
                200,
                "{target} {name}={text}"
            );
        }
    }
}

#[tokio::test]
async fn every_example_of_an_error_is_the_answer_to_a_mistake() {
    let app = TestApp::new();
    let boats = || app.get("/v1/boats");
    for _ in 0..2 {
        boats().key("two_a_minute").send().await;
    }
    let panicking = panicking();
    let mut asked = BTreeSet::from(["REQUEST_TIMEOUT".to_owned()]);
    for ask in [
        app.get("/v1/boats?sort=size&colour=red").key("reader"),
        boats(),
        boats().header("authorization", "Basic x"),
        app.get("/v1/boats?token=x"),
        boats().key("unknown"),
        boats().key("live"),
        boats().key("revoked"),
        boats().key("expired"),
        boats().key("disabled"),
        boats().key("without_scopes"),
        app.get("/v1/boats/none").key("reader"),
        boats().header("content-length", "1"),
        app.get(&format!("/v1?{}", "x".repeat(8 * 1024))),
        boats().header("x-long", &"x".repeat(16 * 1024)),
        boats().key("two_a_minute"),
        boats().key("exhausted"),
        panicking.get("/v1"),
    ] {
        asked.insert(check_error(ask).await);
    }
    app.lose_key_store();
    asked.insert(check_error(boats().key("reader")).await);
    assert_eq!(asked, documented_codes());
}

/// The code of the answer, once every example of that code is like it.
async fn check_error(ask: Ask<'_>) -> String {
    let body = ask.send().await.json();
    let code = body["error"]["code"].as_str().unwrap().to_owned();
    let examples: Vec<&Value> = examples_of_errors()
        .filter_map(|examples| examples.get(&code))
        .collect();
    assert!(!examples.is_empty(), "{code}");
    for example in examples {
        assert_eq!(masked(example["value"].clone()), masked(body.clone()));
    }
    code
}

fn examples_of_errors() -> impl Iterator<Item = &'static Value> {
    let responses = DOCUMENT["components"]["responses"].as_object().unwrap();
    let contents = responses.values().map(|response| &response["content"]);
    contents.map(|content| &content["application/json"]["examples"])
}

fn documented_codes() -> BTreeSet<String> {
    let examples = examples_of_errors().filter_map(Value::as_object);
    examples
        .flat_map(|examples| examples.keys().cloned())
        .collect()
}
