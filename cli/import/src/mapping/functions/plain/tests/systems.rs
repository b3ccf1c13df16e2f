//! Tests of the nodes of each system in the table, of nodes that are not known, and of what a
//! mapping says about them.

use super::*;

/// Checks the text of a value, and the kinds of nodes in it that are not known.
#[track_caller]
fn check(value: &Value, expected: &str, unknown: &[&str]) {
    check_with(&RichText::default(), value, expected, unknown);
}

#[track_caller]
fn check_with(rich_text: &RichText, value: &Value, expected: &str, unknown: &[&str]) {
    let plain = rich_text.plain(value).unwrap();
    assert_eq!(plain.text.unwrap_or_default(), expected, "{value}");
    let told: Vec<&str> = plain.unknown.iter().map(String::as_str).collect();
    assert_eq!(told, unknown, "{value}");
}

#[test]
fn blocks_and_properties_of_notion_are_read() {
    let text = |text: &str| json!({"type": "text", "text": {"content": text}, "plain_text": text});
    let block = |kind: &str, words: &str| json!({"object": "block", "type": kind, kind: {"rich_text": [text(words)]}});
    let row = |cells: [&str; 2]| {
        let cells = cells.map(|cell| json!([text(cell)]));
        json!({"object": "block", "type": "table_row", "table_row": {"cells": cells}})
    };
    let mention = json!({"type": "mention", "mention": {"type": "user"}, "plain_text": "@Ada"});
    check(
        &json!([text("A dry boat"), mention, text(" in a seaway.")]),
        "A dry boat@Ada in a seaway.",
        &[],
    );
    check(
        &json!({"id": "a", "type": "rich_text", "rich_text": [text("A boat")]}),
        "A boat",
        &[],
    );
    let mut nested = block("bulleted_list_item", "Teak deck");
    nested["bulleted_list_item"]["children"] = json!([block("to_do", "oiled")]);
    let blocks = json!([
        block("heading_1", "A fast cruiser"),
        block("paragraph", "Built in Ellös."),
        {"object": "block", "type": "image", "image": {"caption": [text("a boat")]}},
        block("bulleted_list_item", "Fin keel"),
        nested,
        {"object": "block", "type": "table", "table": {"table_width": 2}, "children": [
            row(["Sail", "Area"]),
            row(["Main", "30 m²"]),
        ]},
        {"object": "block", "type": "equation", "equation": {"expression": "a = b"}},
        {"object": "block", "type": "tab", "tab": {"rich_text": [text("Kept")]}},
    ]);
    let expected = "A fast cruiser\n\nBuilt in Ellös.\n\n- Fin keel\n- Teak deck\n- oiled\n\n\
                    Sail | Area\nMain | 30 m²\n\na = b\n\nKept";
    check(&blocks, expected, &["tab"]);
    check(
        &json!({"object": "list", "type": "block", "results": blocks}),
        expected,
        &["tab"],
    );
}

#[test]
fn mentions_and_emoji_are_words() {
    let paragraph = |inline: Value| {
        let text = |text: &str| json!({"type": "text", "text": text});
        let content = [text("Ask "), inline, text(" now.")];
        json!({"type": "doc", "content": [{"type": "paragraph", "content": content}]})
    };
    for (inline, expected) in [
        (
            json!({"type": "mention", "attrs": {"id": "7", "label": "Ada Quay"}}),
            "Ask Ada Quay now.",
        ),
        (
            json!({"type": "mention", "attrs": {"id": "ada", "label": null}}),
            "Ask ada now.",
        ),
        (
            json!({"type": "mention", "value": "Ada", "children": [{"text": ""}]}),
            "Ask Ada now.",
        ),
        (
            json!({"type": "emoji", "attrs": {"name": "star", "emoji": "⭐"}}),
            "Ask ⭐ now.",
        ),
    ] {
        check(&paragraph(inline), expected, &[]);
    }
    check(
        &paragraph(json!({"type": "mention", "attrs": {}})),
        "Ask  now.",
        &["mention"],
    );
}

#[test]
fn components_of_storyblok_and_blocks_of_payload_keep_their_text_and_are_told() {
    let warning = "Keel bolts to be renewed.";
    let component = json!({"type": "blok", "attrs": {"id": "a", "body": [
        {"_uid": "u", "component": "warning", "text": warning},
    ]}});
    check(
        &json!({"type": "doc", "content": [component]}),
        warning,
        &["warning"],
    );
    let text = json!({"type": "paragraph", "children": [{"type": "text", "text": "A fine boat."}]});
    let block = json!({"type": "block", "fields": {"blockType": "warning", "text": warning}});
    let document = json!({"root": {"type": "root", "children": [text, block]}});
    check(
        &document,
        "A fine boat.\n\nKeel bolts to be renewed.",
        &["warning"],
    );
    let layout = json!([
        {"blockType": "banner", "content": {"root": {"children": [text]}}},
        {"blockType": "map", "lat": 1},
    ]);
    check(&layout, "A fine boat.", &["banner", "map"]);
}

#[test]
fn both_forms_of_prismic_are_read() {
    let api = |kind: &str, text: &str| json!({"type": kind, "text": text, "spans": []});
    let export =
        |kind: &str, text: &str| json!({"type": kind, "content": {"text": text, "spans": []}});
    for node in [api, export] {
        let blocks = json!([
            node("heading1", "A 31"),
            node("paragraph", "One\ntwo."),
            node("list-item", "Fin keel"),
            node("o-list-item", "Teak deck"),
            {"type": "image", "url": "https://x"},
            node("preformatted", "a < b"),
        ]);
        check(
            &blocks,
            "A 31\n\nOne\ntwo.\n\n- Fin keel\n- Teak deck\n\na < b",
            &[],
        );
    }
}

#[test]
fn dast_is_read() {
    let span = |text: &str| json!({"type": "span", "value": text, "marks": ["strong"]});
    let paragraph = |text: &str| json!({"type": "paragraph", "children": [span(text)]});
    let document = json!({"schema": "dast", "document": {"type": "root", "children": [
        {"type": "heading", "level": 1, "children": [span("A "), {"type": "link", "children": [span("31")]}]},
        {"type": "list", "style": "bulleted", "children": [
            {"type": "listItem", "children": [paragraph("Fin < keel")]},
        ]},
        {"type": "block", "item": "123"},
        {"type": "blockquote", "attribution": "Ada", "children": [paragraph("Fast.")]},
        {"type": "code", "code": "let a;"},
        {"type": "thematicBreak"},
    ]}});
    let expected = "A 31\n\n- Fin < keel\n\nFast.\n\nAda\n\nlet a;";
    check(&document, expected, &[]);
    check(
        &json!({"value": document, "blocks": [], "links": []}),
        expected,
        &[],
    );
}

#[test]
fn slate_is_read_with_and_without_types() {
    let nodes = json!([
        {"type": "heading-one", "children": [{"text": "A 31"}]},
        {"children": [{"text": "Built in "}, {"type": "link", "url": "x", "children": [{"text": "Ellös"}]}, {"text": "."}]},
        {"type": "bulleted-list", "children": [
            {"type": "list-item", "children": [{"text": "Fin "}, {"text": "keel", "bold": true}]},
            {"type": "list-item", "children": [{"text": "Teak deck"}]},
        ]},
        {"type": "block-quote", "children": [{"text": "Fast."}]},
    ]);
    check(
        &nodes,
        "A 31\n\nBuilt in Ellös.\n\n- Fin keel\n- Teak deck\n\nFast.",
        &[],
    );
}

#[test]
fn deltas_of_quill_are_read() {
    let line = |format: Value| json!({"insert": "\n", "attributes": format});
    let ops = json!([
        {"insert": "A 31"},
        line(json!({"header": 1})),
        {"insert": "Ask "},
        {"insert": {"mention": {"value": "Ada", "denotationChar": "@"}}},
        {"insert": " now", "attributes": {"bold": true}},
        {"insert": ".\nSecond\n\nFin keel"},
        line(json!({"list": "bullet"})),
        {"insert": "Teak deck"},
        line(json!({"list": "ordered"})),
        {"insert": {"image": "data:image/png;base64,AA=="}},
        {"insert": {"poll": {"title": "Which?"}}},
        {"insert": "\nlet a;"},
        line(json!({"code-block": true})),
        {"insert": "let b;"},
        line(json!({"code-block": true})),
        {"insert": "End"},
    ]);
    let expected =
        "A 31\n\nAsk Ada now.\n\nSecond\n\n- Fin keel\n- Teak deck\n\nlet a;\nlet b;\n\nEnd";
    check(&ops, expected, &["poll"]);
    check(&json!({"ops": ops}), expected, &["poll"]);
}

#[test]
fn stream_fields_of_wagtail_are_read() {
    let block = |kind: &str, value: Value| json!({"type": kind, "value": value, "id": "a"});
    let stream = json!([
        block("heading", json!("A 31")),
        block("paragraph", json!("<p>Fast &amp; dry.</p><p>New.</p>")),
        block("image", json!(12)),
        block(
            "list",
            json!([
                block("item", json!("Fin keel")),
                block("item", json!("Teak deck"))
            ])
        ),
        block("list", json!(["Bow thruster"])),
        block("specs", json!({"length": 12, "text": "Kept"})),
        block("quote", json!({"text": "Fast.", "attribution": "Ada"})),
    ]);
    let expected =
        "A 31\n\nFast & dry.\n\nNew.\n\n- Fin keel\n- Teak deck\n- Bow thruster\n\nFast.";
    check(&stream, expected, &["quote", "specs"]);
}

#[test]
fn tables_and_code_of_portable_text_are_read() {
    let blocks = json!([
        {"_type": "code", "language": "c", "code": "a < b"},
        {"_type": "table", "rows": [
            {"_type": "tableRow", "cells": ["Sail", "Area"]},
            {"_type": "tableRow", "cells": ["Main", "30 m²"]},
        ]},
    ]);
    check(&blocks, "a < b\n\nSail | Area\nMain | 30 m²", &[]);
}

#[test]
fn numbers_of_lists_that_do_not_begin_with_1_stay() {
    let paragraph = json!({"type": "paragraph", "content": [{"type": "text", "text": "Step"}]});
    let item = json!({"type": "listItem", "content": [paragraph]});
    let list = |start: u64| {
        let list =
            json!({"type": "orderedList", "attrs": {"start": start}, "content": [item, item]});
        json!({"type": "doc", "content": [list]})
    };
    check(&list(3), "3. Step\n4. Step", &[]);
    check(&list(1), "- Step\n- Step", &[]);
}

#[test]
fn a_node_that_is_not_known_is_told_and_never_an_error_in_a_document() {
    let span = |text: &str| json!({"_type": "span", "text": text});
    let measure = json!({"_type": "measure", "value": "1.7 m"});
    let block =
        json!({"_type": "block", "children": [span("She draws "), measure, span(" only.")]});
    check(
        &json!([block, {"_type": "gallery", "images": []}]),
        "She draws  only.",
        &["gallery", "measure"],
    );
    let map = json!({"blocks": [{"type": "map", "data": {"lat": 1}}]});
    check(&map, "", &["map"]);
    check(&json!(map.to_string()), "", &["map"]);
}

#[test]
fn a_mapping_says_what_a_kind_is_and_where_its_text_is() {
    let kinds = [
        ("measure", Kind::Text, vec!["value", "unit.name"]),
        ("note", Kind::Paragraph, vec!["title", "body"]),
        ("gallery", Kind::Ignored, vec![]),
        ("step", Kind::Item, vec![]),
        ("span", Kind::Ignored, vec![]),
    ];
    let blocks = kinds.map(|(name, kind, from)| {
        let from = from.into_iter().map(str::to_owned).collect();
        (name.to_owned(), Block { kind, from })
    });
    let own = RichText {
        blocks: BTreeMap::from(blocks),
        ..RichText::default()
    };
    let text = |text: &str| json!({"_type": "text", "text": text});
    let children = [
        text("She draws "),
        json!({"_type": "measure", "value": 1.7, "unit": {"name": "m"}}),
        text(" only."),
        json!({"_type": "span", "text": "hidden"}),
    ];
    let nodes = json!([
        {"_type": "block", "children": children},
        {"_type": "note", "title": "Note", "body": "<p>Dry &amp; fast</p>"},
        {"_type": "gallery", "text": "no text"},
        {"_type": "step", "children": ["Step the mast"]},
    ]);
    let expected = "She draws 1.7 m only.\n\nNote\n\nDry & fast\n\n- Step the mast";
    check_with(&own, &nodes, expected, &["text"]);
}
