//! Deltas of Quill: a flat list of insertions, in which a line's format is that of the line feed at
//! its end. So its lines are gathered here, and the walker writes what is inserted besides text.

use serde_json::Value;

use super::page::NoPlainText;
use super::systems::{Kind, QUILL};
use super::walker::{Surroundings, Walker};

/// The key of what an operation inserts.
const INSERT: &str = "insert";

/// The insertions of a delta, whether in an object or by themselves.
pub(super) fn insertions(value: &Value) -> Option<&[Value]> {
    let list = value.get("ops").unwrap_or(value).as_array()?;
    let is_delta = list.first()?.get(INSERT).is_some();
    is_delta.then_some(list)
}

/// A part of a line.
enum Piece<'v> {
    Words(&'v str),
    /// An insertion by its only key.
    Inserted(&'v str, &'v Value),
}

/// Writes the lines of a delta.
pub(super) fn write(insertions: &[Value], walker: &mut Walker<'_>) -> Result<(), NoPlainText> {
    let mut line = Vec::new();
    for operation in insertions {
        match operation.get(INSERT) {
            Some(Value::String(text)) => {
                for part in text.split_inclusive('\n') {
                    line.push(Piece::Words(part.trim_end_matches('\n')));
                    if part.ends_with('\n') {
                        write_line(&mut line, operation.get("attributes"), walker)?;
                    }
                }
            }
            Some(inserted @ Value::Object(members)) => {
                let keys = members.keys();
                line.extend(keys.map(|key| Piece::Inserted(key, inserted)));
            }
            _ => {}
        }
    }
    write_line(&mut line, None, walker)
}

fn write_line(
    line: &mut Vec<Piece<'_>>,
    format: Option<&Value>,
    walker: &mut Walker<'_>,
) -> Result<(), NoPlainText> {
    let has = |key| format.is_some_and(|format| format.get(key).is_some());
    let kind = match (has("list"), has("code-block")) {
        (true, _) => Kind::Item,
        (_, true) => Kind::Row,
        _ => Kind::Paragraph,
    };
    walker.page.open(kind, None);
    for piece in line.drain(..) {
        match piece {
            Piece::Words(words) => walker.page.write(words),
            Piece::Inserted(key, inserted) => {
                walker.named(key, inserted, Surroundings::within_line(&QUILL))?;
            }
        }
    }
    walker.page.close(kind);
    Ok(())
}
