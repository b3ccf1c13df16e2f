//! The blocks of Strapi: a list of trees of typed nodes, of which `text` has the words.

use serde_json::Value;

use super::page::Page;
use super::{NoPlainText, deeper, parts, word};

/// Adds one block. Images have no text.
pub(super) fn write(block: &Value, page: &mut Page) -> Result<(), NoPlainText> {
    write_at(block, page, 1)
}

fn write_at(node: &Value, page: &mut Page, depth: usize) -> Result<(), NoPlainText> {
    let children = |page: &mut Page| {
        let depth = deeper(depth)?;
        let mut nodes = parts(node, "children").iter();
        nodes.try_for_each(|node| write_at(node, page, depth))
    };
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
