//! Portable Text: a flat list of blocks, each with its spans.

use serde_json::Value;

use super::page::{NoPlainText, Page};
use super::parts::{holds_text, parts, word, write_any};

/// Whether a block is a block of text or is known to have no text.
pub(super) fn knows(block: &Value) -> bool {
    match word(block, "_type") {
        "block" => block.get("children").is_some_and(Value::is_array),
        "span" | "image" | "file" | "reference" => true,
        _ => false,
    }
}

/// Adds one block. Blocks of other types, such as images, add only the text they hold.
pub(super) fn write(block: &Value, page: &mut Page) -> Result<(), NoPlainText> {
    write_block(block, page, 1)
}

fn write_block(block: &Value, page: &mut Page, depth: usize) -> Result<(), NoPlainText> {
    let is_item = block.get("listItem").is_some_and(Value::is_string);
    if is_item {
        page.begin_item();
    } else if holds_text(block) || !parts(block, "children").is_empty() {
        page.part();
    } else {
        return Ok(());
    }
    write_any(block, page, depth, write_within)?;
    if is_item {
        page.end_item();
    } else {
        page.part();
    }
    Ok(())
}

/// Adds the contents of a block: spans, inline objects between them, or further blocks.
fn write_within(part: &Value, page: &mut Page, depth: usize) -> Result<(), NoPlainText> {
    match word(part, "_type") {
        "block" => write_block(part, page, depth),
        _ => write_any(part, page, depth, write_within),
    }
}
