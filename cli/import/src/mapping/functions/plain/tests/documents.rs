//! Tests of editors' documents: Lexical, ProseMirror, Editor.js, and documents inside a text.

use super::*;

/// The same text as a document of each editor.
pub(super) fn all() -> [Value; 3] {
    [lexical(), prose_mirror(), editor_js()]
}

fn node(kind: &str, children: &[Value]) -> Value {
    json!({"type": kind, "version": 1, "children": children})
}

fn lexical() -> Value {
    let text = |text: &str| json!({"type": "text", "text": text, "format": 1, "mode": "normal"});
    let item = |words: &str| node("listitem", &[text(words)]);
    let image = json!({"type": "upload", "value": {"id": 1}, "relationTo": "media"});
    let children = [
        node("heading", &[text("A fast "), text("cruiser")]),
        node(
            "paragraph",
            &[
                text("Built in "),
                node("autolink", &[text("Ellös")]),
                text(", for two "),
                node("mark", &[text("& more.")]),
                json!({"type": "linebreak"}),
                text("Since 1943. "),
            ],
        ),
        image,
        node("list", &[item("Fin keel"), item("Teak deck")]),
        node(
            "list",
            &[node("listitem", &[node("list", &[item("Bow thruster")])])],
        ),
        json!({"type": "horizontalrule"}),
        node(
            "quote",
            &[text("Launched at "), node("link", &[text("Ellös.")])],
        ),
    ];
    json!({"root": {"children": children, "direction": "ltr"}})
}

fn prose_mirror() -> Value {
    let text = |text: &str| json!({"type": "text", "text": text, "marks": [{"type": "bold"}]});
    let node = |kind: &str, content: &[Value]| json!({"type": kind, "content": content});
    let paragraph = |words: &str| node("paragraph", &[text(words)]);
    let item = |words: &str| node("listItem", &[paragraph(words)]);
    json!({"type": "doc", "content": [
        node("heading", &[text("A fast "), text("cruiser")]),
        node(
            "paragraph",
            &[text("Built in Ellös, for two & more."), json!({"type": "hardBreak"}),
              text("Since 1943. ")],
        ),
        {"type": "image", "attrs": {"src": "a.jpg", "alt": "a boat"}},
        {"type": "paragraph"},
        node("bulletList", &[item("Fin keel"), item("Teak deck")]),
        node("ordered_list", &[node("list_item", &[paragraph("Bow thruster")])]),
        node("blockquote", &[paragraph("Launched at Ellös.")]),
    ]})
}

fn editor_js() -> Value {
    let block = |kind: &str, data: Value| json!({"id": "a", "type": kind, "data": data});
    let items = json!([{"content": "Fin <b>keel</b>", "items": [{"content": "Teak deck"}]}]);
    json!({"time": 1, "version": "2", "blocks": [
        block("header", json!({"text": "A fast cruiser", "level": 2})),
        block("paragraph", json!({"text":
            "Built in <a href=\"#\">Ellös</a>, for two &amp; more.<br>Since&#32;1943."
        })),
        block("image", json!({"file": {"url": "a.jpg"}, "caption": "a boat"})),
        block("list", json!({"style": "unordered", "items": items})),
        block("list", json!({"style": "ordered", "items": ["Bow thruster"]})),
        block("delimiter", json!({})),
        block("quote", json!({"text": "Launched at Ellös.", "caption": ""})),
    ]})
}

#[test]
fn tables_and_code_of_editors_are_lines() {
    let text = |text: &str| json!({"type": "text", "text": text});
    let row = |row: &str, cell: &str, first: &str, second: &str| {
        let cell = |words| node(cell, &[node("paragraph", &[text(words)])]);
        node(row, &[cell(first), cell(second)])
    };
    let (sail, main) = (("Sail", "Area"), ("Main", "30 m²"));
    let table = |table: &str, of: &str, cell: &str| {
        let rows = [row(of, cell, sail.0, sail.1), row(of, cell, main.0, main.1)];
        json!({"type": "doc", "children": [node(table, &rows)]})
    };
    let rows = json!([["Sail", "<b>Area</b>"], ["Main", "30 m²"]]);
    let in_editor_js = json!({"blocks": [{"type": "table", "data": {"content": rows}}]});
    for table in [
        table("table", "tablerow", "tablecell"),
        table("table", "tableRow", "tableHeader"),
        table("table", "table_row", "table_cell"),
        in_editor_js,
    ] {
        let read = plain(&table).unwrap();
        assert_eq!(
            read.as_deref(),
            Some("Sail | Area\nMain | 30 m²"),
            "{table}"
        );
    }
    let highlight = |text: &str| json!({"type": "code-highlight", "text": text});
    let line = json!({"type": "linebreak"});
    let lexical = json!({"root": node("root", &[node("code", &[
        highlight("a "), highlight("< b"), line, highlight("c"),
    ])])});
    let prose_mirror = json!({"type": "doc", "content": [
        {"type": "codeBlock", "content": [text("a < b\nc")]}
    ]});
    let editor_js = json!({"blocks": [{"type": "code", "data": {"code": "a < b\nc"}}]});
    for code in [lexical, prose_mirror, editor_js] {
        assert_eq!(plain(&code).unwrap().as_deref(), Some("a < b\nc"), "{code}");
    }
}

#[test]
fn parts_of_an_unknown_type_in_a_document_keep_their_text() {
    let text = |text: &str| json!({"type": "text", "text": text});
    let columns = node(
        "layout",
        &[
            node("column", &[text("one")]),
            node("column", &[text("two")]),
        ],
    );
    let inline = node(
        "paragraph",
        &[text("bow"), node("comment", &[text("sprit")])],
    );
    let slate =
        json!([{"type": "h1", "children": [{"text": "bow"}, {"text": "sprit", "bold": true}]}]);
    let callout = json!({"blocks": [
        {"type": "callout", "data": {"title": "Note", "message": "or <i>so</i>"}},
        {"type": "raw", "data": {"html": "<p>x</p><p>y</p>"}},
        {"type": "checklist", "data": {"items": [{"text": "z", "checked": true}]}},
    ]});
    let draft_js =
        json!({"blocks": [{"type": "unstyled", "text": "a <b", "data": {}}], "entityMap": {}});
    for (value, expected) in [
        (json!({"root": node("root", &[columns])}), "one\n\ntwo"),
        (json!({"root": node("root", &[inline])}), "bowsprit"),
        (slate, "bowsprit"),
        (callout, "Note\n\nor so\n\nx\n\ny\n\n- z"),
        (draft_js, "a <b"),
    ] {
        assert_eq!(plain(&value).unwrap().as_deref(), Some(expected), "{value}");
    }
}

#[test]
fn an_empty_document_is_none() {
    for nothing in [
        json!({"root": {"type": "root", "children": []}}),
        json!({"root": node("root", &[node("paragraph", &[])])}),
        json!({"type": "doc", "content": []}),
        json!({"type": "doc"}),
        json!({"time": 1, "blocks": []}),
        json!("[]"),
        json!("{\"type\":\"doc\"}"),
    ] {
        assert_eq!(plain(&nothing), Ok(None), "{nothing}");
    }
}

#[test]
fn json_is_never_the_text() {
    let deep = format!(
        "{}{}",
        "{\"root\":{\"children\":[".repeat(100),
        "]}}".repeat(100)
    );
    for text in [
        "{\"root\": 1}",
        "{\"type\":\"image\",\"src\":",
        " [ { \"type\"",
        "[\"Fin keel\", \"Teak deck\"]",
        "[[1]]",
        "[{\"de\":\"Boot\"}]",
        &deep,
    ] {
        assert!(plain(&json!(text)).is_err(), "{text}");
    }
    let refused = plain(&json!("{\"root\":")).unwrap_err().to_string();
    assert!(
        refused.starts_with("could not read the text: it begins like JSON, and"),
        "{refused}"
    );
}

#[test]
fn brackets_and_braces_in_prose_are_text() {
    check(&[
        ("[1] See there.", "[1] See there."),
        ("[1]", "[1]"),
        ("{new} at last", "{new} at last"),
        ("[{{ name }}]", "[{{ name }}]"),
        ("\"Sirius\"", "\"Sirius\""),
        ("[sic]", "[sic]"),
    ]);
}

#[test]
fn items_of_editor_js_that_are_nested_too_deep_are_refused() {
    let mut item = json!({"content": "a"});
    for _ in 0..200 {
        item = json!({"content": "a", "items": [item]});
    }
    let document = json!({"blocks": [{"type": "list", "data": {"items": [item]}}]});
    assert_eq!(plain(&document), Err(NoPlainText::TooDeep));
}

#[test]
fn cards_of_lexical_keep_their_text() {
    let cards = json!([
        {"type": "html", "html": "<p>Built in <b>Ellös</b></p><p>Fast</p>"},
        {"type": "markdown", "markdown": "**Two** cabins"},
        {"type": "callout", "calloutEmoji": "!", "calloutText": "<p>New &amp; dry</p>"},
        {"type": "toggle", "heading": "<span>Rig</span>", "content": "<p>Sloop<br>Ketch</p>"},
        {"type": "image", "caption": "<span>a boat</span>"},
        {"type": "extended-heading", "children": [{"type": "extended-text", "text": "a < b"}]},
        {"type": "aside", "content": "5 < 6"},
    ]);
    let document = json!({"root": {"type": "root", "children": cards}});
    let expected = "Built in Ellös\n\nFast\n\nTwo cabins\n\nNew & dry\n\nRig\n\nSloop\nKetch\n\n\
                    a < b\n\n5 < 6";
    assert_eq!(plain(&document).unwrap().as_deref(), Some(expected));
}
