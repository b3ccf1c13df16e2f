//! `/docs` with its files, `/llms.txt`, and what `guides/api.md` says about lists. `.ci/browser`
//! tests in a browser how the page looks and works.

use std::collections::BTreeSet;
use std::fmt::Write;
use std::fs;
use std::path::Path;

use serde_json::Value;
use server::api_tables::routes::{FILES, File};
use server::http::openapi;
use server::params::{BOATS, MANUFACTURERS, Parameter, Role, Vocabulary};

use crate::answer::{WIDTH, check_text, folded};
use crate::app::TestApp;
use crate::log::{logged, start_logging};
use crate::openapi::DOCUMENT;

const POLICIES: [&str; 4] = [
    "content-security-policy",
    "x-content-type-options",
    "referrer-policy",
    "permissions-policy",
];

/// The paths of the files, without those that only lead to one.
fn files() -> impl Iterator<Item = String> {
    let all = FILES.iter().filter(|file| file.operation != File::ToPage);
    all.map(|file| file.path.to_string())
}

async fn page() -> String {
    let answer = TestApp::new().get("/docs").send().await;
    String::from_utf8(answer.body).unwrap()
}

/// Every text between `before` and `after`.
fn between<'a>(text: &'a str, before: &str, after: char) -> Vec<&'a str> {
    let rest = text.split(before).skip(1);
    rest.map(|rest| rest.split(after).next().unwrap()).collect()
}

#[tokio::test]
async fn every_filter_by_a_term_offers_the_known_ones() {
    let page = page().await;
    let offered: BTreeSet<_> = between(&page, " list=\"", '"').into_iter().collect();
    let lists: BTreeSet<_> = between(&page, "<datalist id=\"", '"').into_iter().collect();
    assert_eq!(offered, lists);
    let is_term = |parameter: &&Parameter| match parameter.role {
        Role::Slug(vocabulary) => vocabulary != Vocabulary::Manufacturers,
        _ => false,
    };
    assert_eq!(
        offered.len(),
        BOATS.parameters.iter().filter(is_term).count()
    );
}

#[tokio::test]
async fn every_file_has_its_type_and_the_policies() {
    let (mut table, mut rest) = (String::new(), BTreeSet::new());
    for target in files() {
        let mut answer = TestApp::new().get(&target).send().await;
        assert!(!answer.body.is_empty());
        // These change with every edit of a file.
        for name in ["content-length", "etag", "x-request-id"] {
            assert!(answer.headers.remove(name).is_some(), "{name}");
        }
        let kind = answer.headers.remove("content-type").unwrap();
        writeln!(table, "{target}: {}", kind.to_str().unwrap()).unwrap();
        rest.insert(answer.head());
    }
    let rest: Vec<String> = rest.into_iter().collect();
    assert_eq!(rest.len(), 1, "{rest:#?}");
    check_text(
        "docs",
        "The files of the documentation: the type of each, and the head that all have.",
        &format!("{table}\n{}", rest[0]),
    );
}

#[tokio::test]
async fn every_file_is_compressed_and_asked_for_anew_with_its_tag() {
    let app = TestApp::new();
    for target in files() {
        let plain = app.get(&target).send().await;
        let head = app.ask("HEAD", &target).send().await;
        assert!(head.body.is_empty());
        let length = plain.body.len().to_string();
        assert_eq!(head.header("content-length"), Some(length.as_str()));

        let packed = app.get(&target).header("accept-encoding", "zstd").send();
        let packed = packed.await;
        assert_eq!(packed.decoded(), plain.body, "{target}");
        // The icon is too short to be worth compressing.
        assert!(packed.body.len() < plain.body.len() || plain.body.len() < 512);

        let tag = packed.header("etag").unwrap();
        let again = app.get(&target).header("if-none-match", tag).send().await;
        assert_eq!(again.status, 304, "{target}");
        for name in POLICIES {
            assert_eq!(again.header(name), plain.header(name), "{target}: {name}");
        }
    }
}

#[tokio::test]
async fn refusals_are_the_envelope_as_everywhere() {
    let app = TestApp::new();
    for (method, target, code) in [
        ("GET", "/docs?api_key=x", "CREDENTIAL_IN_QUERY"),
        ("GET", "/llms.txt?token=x", "CREDENTIAL_IN_QUERY"),
        ("POST", "/docs", "METHOD_NOT_ALLOWED"),
        ("GET", "/docs//", "NOT_FOUND"),
        ("POST", "/docs/", "METHOD_NOT_ALLOWED"),
        ("GET", "/?api_key=x", "CREDENTIAL_IN_QUERY"),
        ("GET", "/docs/page.js.map", "NOT_FOUND"),
        ("GET", "/postman.json", "NOT_FOUND"),
    ] {
        let answer = app.ask(method, target).send().await;
        assert_eq!(answer.code(), code, "{method} {target}");
        assert_eq!(answer.header("content-type"), Some("application/json"));
        assert!(POLICIES.iter().all(|name| answer.header(name).is_none()));
    }
}

/// Programs for mail and chat add parameters to links.
#[tokio::test]
async fn a_query_changes_nothing_of_a_file() {
    let app = TestApp::new();
    for (plain, with_query) in [
        ("/docs", "/docs?utm_source=mail&fbclid=x"),
        ("/docs/page.css", "/docs/page.css?v=1"),
        ("/llms.txt", "/llms.txt?%"),
    ] {
        let (plain, with_query) = (
            app.get(plain).send().await,
            app.get(with_query).send().await,
        );
        assert_eq!(with_query.status, 200);
        assert_eq!(with_query.body, plain.body);
    }
}

#[tokio::test]
async fn other_addresses_of_the_page_lead_to_it() {
    for (method, target) in [
        ("GET", "/"),
        ("GET", "/docs/"),
        ("HEAD", "/docs/?utm_source=mail"),
    ] {
        let answer = TestApp::new().ask(method, target).send().await;
        assert_eq!(answer.status, 308, "{target}");
        assert_eq!(answer.header("location"), Some("/docs"));
        assert_eq!(answer.header("cache-control"), Some("no-store"));
        assert!(answer.body.is_empty());
    }
}

#[tokio::test]
async fn files_need_no_key_and_count_against_no_limit() {
    let app = TestApp::new();
    app.lose_key_store();
    for _ in 0..5 {
        let answer = app.get("/docs").key("two_a_minute").send().await;
        assert_eq!(answer.status, 200);
        assert_eq!(answer.header("x-ratelimit-remaining"), None);
    }
}

#[tokio::test]
async fn a_file_is_named_in_the_log_as_an_endpoint_is() {
    start_logging();
    let app = TestApp::new();
    app.get("/docs/page.css").send().await;
    assert!(logged().contains("route=/docs/page.css status=200"));
}

#[tokio::test]
async fn every_page_loads_files_of_its_own_only_and_its_links_lead_somewhere() {
    let app = TestApp::new();
    for page in ["/docs", "/docs/typescript", "/docs/python", "/docs/rust"] {
        let html = String::from_utf8(app.get(page).send().await.body).unwrap();
        for attribute in [" src=\"", " href=\""] {
            for target in between(&html, attribute, '"') {
                if let Some(id) = target.strip_prefix('#') {
                    assert!(html.contains(&format!(" id=\"{id}\"")), "{target}");
                } else {
                    let file = target.split('#').next().unwrap();
                    assert_eq!(app.get(file).send().await.status, 200, "{target}");
                }
            }
        }
        // The policy forbids all of these.
        for inline in ["<style", "<script>", " style=", " onclick=", "javascript:"] {
            assert!(!html.contains(inline), "{page}: {inline}");
        }
    }
}

#[tokio::test]
async fn no_two_places_of_the_page_have_one_name() {
    let page = page().await;
    let mut ids = between(&page, " id=\"", '"');
    let all = ids.len();
    ids.sort_unstable();
    ids.dedup();
    assert_eq!(ids.len(), all);
}

#[tokio::test]
async fn the_guide_has_every_operation_scope_and_code_of_the_document() {
    let page = page().await;
    for (path, methods) in DOCUMENT["paths"].as_object().unwrap() {
        assert!(page.contains(&format!("<td><code>{path}</code></td>")));
        let summary = methods["get"]["summary"].as_str().unwrap();
        assert!(page.contains(summary), "{summary}");
    }
    let codes = &DOCUMENT["components"]["schemas"]["ErrorObject"]["properties"]["code"];
    for code in codes["x-extensible-enum"].as_array().unwrap() {
        let code = code.as_str().unwrap();
        assert!(page.contains(&format!("<td><code>{code}</code></td>")));
    }
}

#[tokio::test]
async fn the_reference_has_every_parameter_and_field_of_the_document() {
    let page = page().await;
    let has = |id: &str| assert!(page.contains(&format!(" id=\"{id}\"")), "{id}");
    for methods in DOCUMENT["paths"].as_object().unwrap().values() {
        let operation = &methods["get"];
        let id = operation["operationId"].as_str().unwrap();
        has(id);
        for parameter in operation["parameters"].as_array().into_iter().flatten() {
            has(&format!("{id}-{}", parameter["name"].as_str().unwrap()));
        }
        let body = &operation["responses"]["200"]["content"]["application/json"];
        fields_below(&body["schema"], id, &has);
    }
}

/// Calls `has` with the path of every field of a schema, following references.
fn fields_below(schema: &Value, path: &str, has: &impl Fn(&str)) {
    let schema = match schema["$ref"].as_str() {
        Some(to) => DOCUMENT.pointer(to.trim_start_matches('#')).unwrap(),
        None => schema,
    };
    for inner in [&schema["items"], &schema["anyOf"][0]] {
        if !inner.is_null() {
            fields_below(inner, path, has);
        }
    }
    for (name, field) in schema["properties"].as_object().into_iter().flatten() {
        let path = format!("{path}.{name}");
        has(&path);
        fields_below(field, &path, has);
    }
}

#[tokio::test]
async fn the_text_for_language_models_is_the_document() {
    let text = openapi::llms();
    let about = "`GET /llms.txt`, its body, with short objects and lists on one line.";
    check_text("llms", about, &folded(&text, WIDTH));
    for (path, methods) in DOCUMENT["paths"].as_object().unwrap() {
        let heading = format!("\n### GET {path}\n");
        let rest = text.split_once(&heading).unwrap().1;
        let section = rest.split("\n### ").next().unwrap();
        for parameter in methods["get"]["parameters"]
            .as_array()
            .into_iter()
            .flatten()
        {
            let name = parameter["name"].as_str().unwrap();
            assert!(section.contains(&format!("- `{name}` (")), "{path}: {name}");
        }
    }
    let served = TestApp::new().get("/llms.txt").send().await;
    assert_eq!(served.body, text.into_bytes());
}

#[test]
fn the_page_of_the_api_has_every_parameter_and_every_sort_of_the_lists() {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("guides/api.md");
    let page = fs::read_to_string(page).unwrap();
    let (_, section) = page.split_once("\n## Parameters\n").unwrap();
    let (section, _) = section.split_once("\n## ").unwrap();
    for list in [&BOATS, &MANUFACTURERS] {
        let parameters = list.parameters.iter().map(|parameter| parameter.name);
        for name in parameters.chain(list.sorts.iter().map(|sort| sort.name)) {
            assert!(section.contains(&format!("`{name}`")), "{name}: {section}");
        }
    }
}

/// curl heeds `Retry-After` but does not read error codes, so it would wait for a month when a
/// quota is used up.
#[tokio::test]
async fn an_example_in_which_curl_asks_again_says_for_how_long() {
    let page = page().await;
    let commands = between(&page, "curl -sS ", '\n');
    let asking_again: Vec<_> = commands
        .iter()
        .filter(|command| command.contains("--retry "))
        .collect();
    assert!(!asking_again.is_empty());
    for command in asking_again {
        assert!(command.contains(" --retry-max-time "), "{command}");
    }
}
