//! Trees of nodes with a `type`: blocks of Strapi, and documents of Lexical, ProseMirror and the
//! editors built on it.
//!
//! They differ in the names of their types and in where a node keeps its children. A node of
//! unknown type is treated as a block among blocks, and as part of the line among words.

use serde_json::Value;

use super::markdown::markdown;
use super::page::{NoPlainText, Page};
use super::parts::{word, write_any, write_html};

/// The types of blocks of Strapi that have children.
const BLOCKS: [&str; 5] = ["paragraph", "heading", "list", "quote", "code"];
/// The keys of Ghost's cards that hold HTML.
const CARD_KEYS: [&str; 3] = ["html", "calloutText", "heading"];

/// Whether a block is a block of text or is known to have no text.
pub(super) fn knows(block: &Value) -> bool {
    let has_children = block.get("children").is_some_and(Value::is_array);
    let name = word(block, "type");
    matches!(name, "doc" | "image" | "text") || (BLOCKS.contains(&name) && has_children)
}

/// Whether it is a Lexical document.
pub(super) fn knows_root(document: &Value) -> bool {
    let children = document.get("root").and_then(|root| root.get("children"));
    children.is_some_and(Value::is_array)
}

/// Adds one block, or a whole document. Images have no text.
pub(super) fn write(block: &Value, page: &mut Page) -> Result<(), NoPlainText> {
    write_among_blocks(block, page, 1)
}

/// Adds a document of Lexical.
pub(super) fn write_root(document: &Value, page: &mut Page) -> Result<(), NoPlainText> {
    document
        .get("root")
        .map_or(Ok(()), |root| write(root, page))
}

fn write_among_blocks(node: &Value, page: &mut Page, depth: usize) -> Result<(), NoPlainText> {
    write_at(node, page, depth, true)
}

fn write_among_words(node: &Value, page: &mut Page, depth: usize) -> Result<(), NoPlainText> {
    write_at(node, page, depth, false)
}

fn write_at(
    node: &Value,
    page: &mut Page,
    depth: usize,
    is_among_blocks: bool,
) -> Result<(), NoPlainText> {
    let blocks = |page: &mut Page| write_any(node, page, depth, write_among_blocks);
    let words = |page: &mut Page| write_any(node, page, depth, write_among_words);
    match word(node, "type") {
        // Slate's leaves have no type.
        "text" | "" if node.get("text").is_some() => page.write(word(node, "text")),
        "linebreak" | "hardBreak" | "hard_break" => page.break_line(),
        "link" | "autolink" => words(page)?,
        "list" | "bulletList" | "bullet_list" | "orderedList" | "ordered_list" | "taskList" => {
            page.begin_list();
            blocks(page)?;
            page.end_list();
        }
        "list-item" | "listitem" | "listItem" | "list_item" | "taskItem" => {
            page.begin_item();
            words(page)?;
            page.end_item();
        }
        "table" => {
            page.begin_table();
            blocks(page)?;
            page.end_table();
        }
        "tablerow" | "tableRow" | "table_row" => {
            page.begin_row();
            blocks(page)?;
        }
        "tablecell" | "tableCell" | "tableHeader" | "table_cell" | "table_header" => {
            page.begin_cell();
            words(page)?;
        }
        "image" => {}
        // The part that Ghost shows to everybody ends here.
        "paywall" => page.close(),
        "paragraph" | "heading" | "quote" | "blockquote" | "code" | "codeBlock" | "code_block" => {
            page.part();
            words(page)?;
            page.part();
        }
        _ if is_among_blocks => {
            page.part();
            write_card(node, page)?;
            blocks(page)?;
            page.part();
        }
        _ => words(page)?,
    }
    Ok(())
}

/// Adds the text of a card, a block without children.
fn write_card(card: &Value, page: &mut Page) -> Result<(), NoPlainText> {
    for key in CARD_KEYS {
        write_html(word(card, key), page)?;
        page.part();
    }
    page.write(&markdown(word(card, "markdown"))?.unwrap_or_default());
    Ok(())
}
