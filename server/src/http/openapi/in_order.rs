//! JSON for people: members in the order in which they are written, each on a line of its own.
//! `serde_json` sorts members, or keeps their order everywhere in the program.

use indexmap::IndexMap;
use serde::Serialize;
use serde_json::value::{RawValue, to_raw_value};

/// An object's members, by name.
pub(crate) type InOrder<T> = IndexMap<String, T>;

/// A value as its text.
pub(super) fn raw(value: &impl Serialize) -> Box<RawValue> {
    to_raw_value(value).unwrap_or_else(|why| unreachable!("a part is not JSON: {why}"))
}

/// A value as JSON on many lines, with a final line end.
pub(crate) fn on_many_lines(value: &impl Serialize) -> String {
    let compact = raw(value);
    let mut lines = Vec::new();
    let mut from = serde_json::Deserializer::from_str(compact.get());
    let mut to = serde_json::Serializer::pretty(&mut lines);
    let copied = serde_transcode::transcode(&mut from, &mut to);
    copied.unwrap_or_else(|why| unreachable!("a part is not JSON: {why}"));
    lines.push(b'\n');
    String::from_utf8(lines).unwrap_or_else(|why| unreachable!("JSON is not text: {why}"))
}
