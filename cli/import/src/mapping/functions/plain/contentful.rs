//! Contentful's rich text: a tree of nodes whose `text` nodes hold the words.

use serde_json::Value;

use super::page::{NoPlainText, Page};
use super::parts::{word, write_any};

/// Whether a node is a document or one of its parts.
pub(super) fn knows(node: &Value) -> bool {
    let name = word(node, "nodeType");
    let is_part = name.starts_with("embedded-") || matches!(name, "text" | "hr");
    let has_content = node.get("content").is_some_and(Value::is_array);
    is_part || name == "document" || has_content
}

/// Adds a node, which may be a whole document. Embedded records have no text of their own.
pub(super) fn write(node: &Value, page: &mut Page) -> Result<(), NoPlainText> {
    write_at(node, page, 1)
}

fn write_at(node: &Value, page: &mut Page, depth: usize) -> Result<(), NoPlainText> {
    let contents = |page: &mut Page| write_any(node, page, depth, write_at);
    match word(node, "nodeType") {
        "text" => page.write(word(node, "value")),
        "unordered-list" | "ordered-list" => {
            page.begin_list();
            contents(page)?;
            page.end_list();
        }
        "list-item" => {
            page.begin_item();
            contents(page)?;
            page.end_item();
        }
        "table" => {
            page.begin_table();
            contents(page)?;
            page.end_table();
        }
        "table-row" => {
            page.begin_row();
            contents(page)?;
        }
        "table-cell" | "table-header-cell" => {
            page.begin_cell();
            contents(page)?;
        }
        inline if inline.ends_with("hyperlink") => contents(page)?,
        embedded if embedded.starts_with("embedded-") => {}
        _ => {
            page.part();
            contents(page)?;
            page.part();
        }
    }
    Ok(())
}
