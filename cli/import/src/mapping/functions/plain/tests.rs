//! Tests of one text in all forms, the edge cases of each form, and what is rejected.

mod documents;
mod html;
mod markdown;
mod shortcodes;
mod systems;

use serde_json::{Value, json};

use super::*;

/// The plain text of a value where the mapping says nothing about rich text.
fn plain(value: &Value) -> Result<Option<String>, NoPlainText> {
    Ok(RichText::default().plain(value)?.text)
}

#[track_caller]
fn check(table: &[(&str, &str)]) {
    for (given, expected) in table {
        let text = plain(&json!(given)).unwrap().unwrap_or_default();
        assert_eq!(text, *expected, "{given}");
    }
}

const PLAIN: &str = "A fast cruiser\n\nBuilt in Ellös, for two & more.\nSince 1943.\n\n\
                     - Fin keel\n- Teak deck\n- Bow thruster\n\nLaunched at Ellös.";

fn html() -> Value {
    json!(
        "<h2>A fast <em>cruiser</em></h2>\n<p>Built in\n   <a href='https://x'>Ellös</a>, for two \
         &amp; more.<br/>Since&#32;1943. </p><figure><img src='a.jpg' alt='a boat'></figure>\n\
         <ul>\n <li>Fin keel</li>\n <li><p>Teak deck</p></li>\n</ul><ol><li>Bow thruster</ol>\n\
         <style>p { color: red }</style><p>&nbsp;</p><p>Launched at Ell&ouml;s.</p>"
    )
}

fn portable_text() -> Value {
    let span = |text: &str| json!({"_type": "span", "marks": ["a"], "text": text});
    let block = |spans: &[Value]| json!({"_type": "block", "style": "normal", "children": spans});
    let item = |list: &str, text: &str| {
        let spans = [span(text)];
        json!({"_type": "block", "listItem": list, "level": 1, "children": spans})
    };
    json!([
        block(&[span("A fast "), span("cruiser")]),
        block(&[
            span("Built in "),
            span("Ellös"),
            json!({"_type": "icon", "name": "no text"}),
            span(", for two & more.\nSince 1943. "),
        ]),
        {"_type": "image", "asset": {"_ref": "image-1"}, "caption": "a boat"},
        item("bullet", "Fin keel"),
        item("bullet", "Teak deck"),
        item("number", "Bow thruster"),
        block(&[span("")]),
        block(&[span("Launched at Ellös.")]),
    ])
}

fn contentful() -> Value {
    let text = |value: &str| json!({"nodeType": "text", "value": value, "marks": [], "data": {}});
    let node =
        |kind: &str, content: &[Value]| json!({"nodeType": kind, "data": {}, "content": content});
    let item = |value: &str| node("list-item", &[node("paragraph", &[text(value)])]);
    node(
        "document",
        &[
            node("heading-2", &[text("A fast "), text("cruiser")]),
            node(
                "paragraph",
                &[
                    text("Built in "),
                    node("hyperlink", &[text("Ellös")]),
                    text(", for two & more.\nSince 1943. "),
                    node("embedded-entry-inline", &[]),
                ],
            ),
            node("embedded-asset-block", &[text("a boat")]),
            node("unordered-list", &[item("Fin keel"), item("Teak deck")]),
            node("ordered-list", &[item("Bow thruster")]),
            node("hr", &[]),
            node("paragraph", &[text("Launched at Ellös.")]),
            node("paragraph", &[text("")]),
        ],
    )
}

fn strapi() -> Value {
    let text = |text: &str| json!({"type": "text", "text": text, "bold": true});
    let node = |kind: &str, children: &[Value]| json!({"type": kind, "children": children});
    let item = |words: &str| node("list-item", &[text(words)]);
    json!([
        node("heading", &[text("A fast "), text("cruiser")]),
        node(
            "paragraph",
            &[
                text("Built in "),
                node("link", &[text("Ellös")]),
                text(", for two & more.\nSince 1943. "),
            ],
        ),
        node("image", &[text("a boat")]),
        node("list", &[item("Fin keel"), item("Teak deck")]),
        node("list", &[item("Bow thruster")]),
        node("quote", &[text("Launched at Ellös.")]),
    ])
}

#[test]
fn the_same_text_is_the_same_in_every_form() {
    let known = [html(), portable_text(), contentful(), strapi()];
    for form in known.into_iter().chain(documents::all()) {
        assert_eq!(plain(&form).unwrap().as_deref(), Some(PLAIN), "{form}");
        if !form.is_string() {
            let text = json!(format!(" {form:#}\n"));
            assert_eq!(plain(&text).unwrap().as_deref(), Some(PLAIN), "{form}");
        }
    }
}

#[test]
fn a_text_without_markup_is_only_trimmed() {
    check(&[
        (
            "  fast,   dry \n\n\n and 5 < 6 > 4 ",
            "fast,   dry \n\n\n and 5 < 6 > 4",
        ),
        ("one\r\ntwo\rthree", "one\ntwo\nthree"),
        ("R&D, [a](http://b)", "R&D, [a](http://b)"),
        ("a <b", "a <b"),
        ("", ""),
    ]);
}

#[test]
fn parts_of_an_unknown_type_keep_their_text() {
    let span = |text: &str| json!({"_type": "span", "text": text});
    let note = json!({"_type": "footnote", "text": "or so"});
    let callout = json!({"_type": "callout", "children": [span("Note: "), note]});
    let nested = json!({"_type": "box", "content": [
        {"_type": "block", "children": [span("one")]},
        {"_type": "block", "children": [span("two")]},
    ]});
    let gallery = json!({"_type": "gallery", "images": ["a"]});
    let strapi = |of: &str, key: &str, value: Value| json!({"type": of, key: value});
    let text = json!([{"type": "text", "text": "text"}]);
    for (value, expected) in [
        (json!([callout]), "Note: or so"),
        (callout.clone(), "Note: or so"),
        (
            json!([nested, gallery, callout]),
            "one\n\ntwo\n\nNote: or so",
        ),
        (json!([{"_type": "code", "text": "a < b"}]), "a < b"),
        (
            json!([{"_type": "lines", "content": ["one ", "two"]}]),
            "one two",
        ),
        (
            json!([
                strapi("callout", "content", text.clone()),
                strapi("x", "y", json!(1))
            ]),
            "text",
        ),
        (
            json!([strapi(
                "paragraph",
                "children",
                json!([strapi("mark", "children", text)])
            )]),
            "text",
        ),
        (
            json!({"nodeType": "document", "content": [{"nodeType": "note", "text": "text"}]}),
            "text",
        ),
    ] {
        assert_eq!(plain(&value).unwrap().as_deref(), Some(expected), "{value}");
    }
}

#[test]
fn tables_of_contentful_are_lines() {
    let text = |value: &str| json!({"nodeType": "text", "value": value});
    let node = |kind: &str, content: &[Value]| json!({"nodeType": kind, "content": content});
    let cell = |value: &str| node("table-cell", &[node("paragraph", &[text(value)])]);
    let table = node(
        "table",
        &[
            node("table-row", &[cell("Sail"), cell("Area")]),
            node("table-row", &[cell("Main"), cell("30 m²")]),
        ],
    );
    let read = plain(&node("document", &[table])).unwrap();
    assert_eq!(read.as_deref(), Some("Sail | Area\nMain | 30 m²"));
}

#[test]
fn nothing_is_none() {
    let image = json!([{"_type": "image", "asset": {"_ref": "a"}}]);
    let document = json!({"nodeType": "document", "content": []});
    let blank = json!([{"type": "paragraph", "children": []}]);
    let nothings = [json!(null), json!(" \n"), json!([]), json!("<p> </p>")];
    for nothing in nothings.into_iter().chain([image, document, blank]) {
        assert_eq!(plain(&nothing), Ok(None), "{nothing}");
    }
}

#[test]
fn what_is_no_text_is_refused() {
    for (value, expected) in [
        (json!(12), "could not read 12 as a text"),
        (json!({"a": 1}), "an object with the keys [\"a\"]"),
        (json!(["a"]), "\"a\" within a list"),
        (json!([[]]), "a list within the list"),
        (
            json!({"_type": "localeText", "en": "Hi"}),
            "an object with the `_type` \"localeText\" and the keys [\"_type\", \"en\"] as a text: \
             known are texts, HTML, Portable Text, rich text",
        ),
        (
            json!([{"_type": "localeText", "en": "Hi"}]),
            "an object with the `_type` \"localeText\"",
        ),
        (
            json!([{"type": "paragraph", "data": {"text": "Hi"}}]),
            "an object with the `type` \"paragraph\" and the keys [\"data\", \"type\"] as a text",
        ),
        (
            json!("{\"a\": 1}"),
            "could not read a text that is the JSON of an object with the keys [\"a\"] as a text",
        ),
        (
            json!({"nodeType": "chart", "data": {}}),
            "an object with the `nodeType` \"chart\"",
        ),
        (
            json!({"time": 1, "blocks": {}}),
            "an object with the keys [\"blocks\", \"time\"]",
        ),
    ] {
        let refused = plain(&value).unwrap_err().to_string();
        assert!(refused.contains(expected), "{refused}");
    }
}

#[test]
fn a_text_that_is_too_long_is_refused() {
    let long = "a".repeat(LENGTH_MAX + 1);
    let span = json!({"_type": "span", "text": long});
    for value in [
        json!(long),
        json!(format!("<p>{long}")),
        json!([{"_type": "block", "children": [span]}]),
    ] {
        assert_eq!(plain(&value), Err(NoPlainText::TooLong));
    }
}

#[test]
fn parts_that_are_nested_too_deep_are_refused() {
    const DEPTH: usize = 10_000;
    for (key, children) in [
        ("nodeType", "content"),
        ("type", "children"),
        ("type", "content"),
    ] {
        let mut node = json!({key: "text"});
        for _ in 0..DEPTH {
            let mut outer = json!({key: "quote"});
            outer[children] = Value::Array(vec![node]);
            node = outer;
        }
        assert_eq!(plain(&node), Err(NoPlainText::TooDeep));
        // Dropping it would overflow the stack.
        std::mem::forget(node);
    }
    check(&[
        (&"<div>".repeat(DEPTH), ""),
        (&format!("{}x", "<ul><li>".repeat(DEPTH)), "- x"),
    ]);
}

#[test]
fn plain_text_is_its_own_plain_text() {
    let alphabet = "(<p>|</p>|<br>|<ul>|<li>|</ul>|<td>|<pre>|[a-z \n]){0,12}";
    proptest::proptest!(|(html in alphabet)| {
        let once = plain(&json!(html)).unwrap();
        proptest::prop_assert_eq!(plain(&json!(once)).unwrap(), once);
    });
}

#[test]
fn no_text_panics() {
    let marks = "(<|>|&|;|/|[a-zé]|\"|'|=| |\n|-|!|#|_|\\*|\\[|\\]|\\{|\\}|\\[/a\\]|\\[a ){0,40}";
    proptest::proptest!(|(text in marks, any in "\\PC{0,40}")| {
        for text in [text, any] {
            let read = [plain(&json!(text)), super::markdown::markdown(&text)];
            for read in read.into_iter().flatten().flatten() {
                proptest::prop_assert_eq!(read.trim(), read.as_str());
            }
            looks_like_markdown(&text);
        }
    });
}

#[test]
fn what_is_for_members_only_is_left_out() {
    let text =
        |text: &str| json!({"type": "paragraph", "children": [{"type": "text", "text": text}]});
    let children = [
        text("For all"),
        json!({"type": "paywall", "version": 1}),
        text("For members"),
    ];
    let read = plain(&json!({"root": {"children": children}}));
    assert_eq!(read.unwrap().as_deref(), Some("For all"));
    let read = plain(&json!(
        "<p>For all</p><!--members-only--><ul><li>For members</li></ul>"
    ));
    assert_eq!(read.unwrap().as_deref(), Some("For all"));
}
