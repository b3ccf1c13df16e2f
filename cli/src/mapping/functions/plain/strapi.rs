//! The blocks of Strapi: a list of trees of typed nodes, of which `text` has the words.

use serde_json::Value;

use super::page::Page;
use super::{NoPlainText, word, write_any};

/// The types of blocks that have children.
pub(super) const BLOCKS: [&str; 5] = ["paragraph", "heading", "list", "quote", "code"];

/// Whether a block is one of text, or known to have none.
pub(super) fn knows(block: &Value) -> bool {
    let has_children = block.get("children").is_some_and(Value::is_array);
    let name = word(block, "type");
    name == "image" || name == "text" || (BLOCKS.contains(&name) && has_children)
}

/// Adds one block. Images have no text.
pub(super) fn write(block: &Value, page: &mut Page) -> Result<(), NoPlainText> {
    write_at(block, page, 1)
}

fn write_at(node: &Value, page: &mut Page, depth: usize) -> Result<(), NoPlainText> {
    let children = |page: &mut Page| write_any(node, page, depth, write_at);
    match word(node, "type") {
        "text" => page.write(word(node, "text")),
        "link" => children(page)?,
        "list" => {
            page.begin_list();
            children(page)?;
            page.end_list();
        }
        "list-item" => {
            page.begin_item();
            children(page)?;
            page.end_item();
        }
        "image" => {}
        _ => {
            page.part();
            children(page)?;
            page.part();
        }
    }
    Ok(())
}
