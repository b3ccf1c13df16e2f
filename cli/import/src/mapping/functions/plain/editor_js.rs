//! Documents of Editor.js: a flat list of blocks whose texts are HTML. Documents of Draft.js have
//! the same form, but the texts of their blocks are plain.

use serde_json::Value;

use super::page::{NoPlainText, Page};
use super::parts::{deeper, parts, word, write_html};

/// The keys of a block's data that hold text.
const TEXT_KEYS: [&str; 4] = ["title", "text", "message", "caption"];
/// The types of blocks known to have no text of their own.
const WITHOUT_TEXT: [&str; 7] = [
    "attaches",
    "atomic",
    "delimiter",
    "embed",
    "image",
    "linkTool",
    "simpleImage",
];

/// Whether a document has blocks of text or no blocks at all.
pub(super) fn knows(document: &Value) -> bool {
    let blocks = parts(document, "blocks");
    blocks.is_empty() || blocks.iter().any(knows_block)
}

fn knows_block(block: &Value) -> bool {
    let data = block.get("data").unwrap_or(&Value::Null);
    let has = |of: &Value, key: &str| of.get(key).is_some_and(Value::is_string);
    let is_list = |key: &str| data.get(key).is_some_and(Value::is_array);
    WITHOUT_TEXT.contains(&word(block, "type"))
        || has(block, "text")
        || TEXT_KEYS.iter().any(|key| has(data, key))
        || ["code", "html"].iter().any(|key| has(data, key))
        || is_list("items")
        || is_list("content")
}

/// Adds a whole document.
pub(super) fn write(document: &Value, page: &mut Page) -> Result<(), NoPlainText> {
    let blocks = parts(document, "blocks").iter();
    let with_text = blocks.filter(|block| !WITHOUT_TEXT.contains(&word(block, "type")));
    for block in with_text {
        page.part();
        page.write(word(block, "text"));
        if let Some(data) = block.get("data") {
            write_data(data, page)?;
        }
        page.part();
    }
    Ok(())
}

/// Adds the text in a block's data, whatever the block's type.
fn write_data(data: &Value, page: &mut Page) -> Result<(), NoPlainText> {
    for key in TEXT_KEYS {
        write_html(word(data, key), page)?;
        page.part();
    }
    page.write(word(data, "code"));
    write_html(word(data, "html"), page)?;
    if data.get("items").is_some_and(Value::is_array) {
        page.begin_list();
        write_items(data, page, 1)?;
        page.end_list();
    }
    if data.get("content").is_some_and(Value::is_array) {
        write_table(parts(data, "content"), page)?;
    }
    Ok(())
}

/// Adds the items of a list, or the items nested in an item.
fn write_items(list: &Value, page: &mut Page, depth: usize) -> Result<(), NoPlainText> {
    let depth = deeper(depth)?;
    for item in parts(list, "items") {
        page.begin_item();
        for text in [
            item.as_str().unwrap_or_default(),
            word(item, "content"),
            word(item, "text"),
        ] {
            write_html(text, page)?;
        }
        page.end_item();
        write_items(item, page, depth)?;
    }
    Ok(())
}

fn write_table(rows: &[Value], page: &mut Page) -> Result<(), NoPlainText> {
    page.begin_table();
    for row in rows {
        page.begin_row();
        for cell in row.as_array().map_or(&[][..], Vec::as_slice) {
            page.begin_cell();
            write_html(cell.as_str().unwrap_or_default(), page)?;
        }
    }
    page.end_table();
    Ok(())
}
