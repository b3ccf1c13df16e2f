//! What exports and mapping files may hold, for people and for editors: as fields and keys, and as
//! JSON Schema; and what is published of them, as typed columns.
//!
//! The table of the native format says which values a field may have. What a field means comes from
//! the response types, where consumers read it. Nothing here decides what is valid.

mod columns;
mod descriptions;
mod json;
mod mapping_json;

use serde_json::Value;

pub use self::columns::columns;
pub use crate::finding::Kind;
pub use crate::format::{Field, LIST_MAX, Shape, TEXT_MAX, fields};
pub use crate::mapping::file_keys::{Key, Table, Takes};

use crate::json::NATIVE_DEPTH_MAX;
use crate::mapping;
use crate::source::LINE_MAX;
use crate::validate::RULES;

/// Rules about several records that no schema of one record can express, a sentence each.
const ACROSS: [&str; 4] = [
    "An id is unique within its kind, and the id of a term within its vocabulary.",
    "The slug of a published record is unique too, and not the id of another record of its kind.",
    "What a published record refers to is in the export, valid and published.",
    "There is at most one catalogue record, and of each kind there are as many records as it counts.",
];
/// The same about single values and lines.
const WITHIN: [&str; 3] = [
    "A number has no more digits than a double keeps, and `lengthOverall` at most 3 decimals.",
    "The host of an address is valid, and a time is one that exists.",
    "A line has at most 1 MiB and 32 levels, and no object has a key twice.",
];

// The last sentence states both limits.
const _: () = assert!(NATIVE_DEPTH_MAX == 32 && LINE_MAX == 1 << 20);

/// Rules of the native format that no schema of one record can express, a sentence each.
pub fn beyond() -> Vec<String> {
    let compared = RULES.map(|rule| rule.asks).join(", and ");
    let sentences = ACROSS.into_iter().map(str::to_owned);
    let sentences = sentences.chain([format!("{compared}.")]);
    sentences.chain(WITHIN.map(str::to_owned)).collect()
}

/// The JSON Schema of a line of a native export.
pub fn native() -> Value {
    json::of_records()
}

/// The tables of a mapping file, except one whose keys another table has as well.
pub fn mapping_tables() -> [Table; 10] {
    mapping::tables()
}

/// The JSON Schema of a mapping file.
pub fn mapping() -> Value {
    mapping_json::of_mappings()
}

#[cfg(test)]
mod tests;
