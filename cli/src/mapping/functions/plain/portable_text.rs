//! Portable Text: a flat list of blocks, each with its spans.

use serde_json::Value;

use super::page::Page;
use super::{parts, word};

/// Adds one block. Blocks of other types, such as images, have no text.
pub(super) fn write(block: &Value, page: &mut Page) {
    if word(block, "_type") != "block" {
        return;
    }
    let is_item = block.get("listItem").is_some_and(Value::is_string);
    if is_item {
        page.begin_item();
    } else {
        page.part();
    }
    for child in parts(block, "children") {
        if word(child, "_type") == "span" {
            page.write(word(child, "text"));
        }
    }
    if is_item {
        page.end_item();
    } else {
        page.part();
    }
}
