//! The result of a check, as it is shown. Its JSON always has all keys.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use serde::Serialize;

/// What the rules make of the records.
#[derive(Debug, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct CheckReport {
    /// In the order of the mapping.
    pub rules: Vec<RuleReport>,
    /// Records that no rule is for, by type: with all their keys if references lead to them,
    /// otherwise only with their links.
    pub linked: Vec<LinkedReport>,
    /// Records that nothing reads, by their types.
    pub unread_types: BTreeMap<String, u64>,
    /// Fields of links from keys that no record has, with the number of these keys, and one of
    /// them for a sample.
    pub lone_links: Vec<UnreadKey>,
    /// Keys that the envelope asks for and no record has, by the part that asks. That may be right:
    /// the key that marks archived records is missing if none is archived.
    pub envelope: BTreeMap<&'static str, Vec<String>>,
    /// Variables that still have an example's address, with the address: images would be looked for
    /// there in vain.
    pub examples: BTreeMap<String, String>,
    /// All types of records, read or not.
    #[serde(skip)]
    pub(crate) types: BTreeSet<String>,
}

/// Records of a type that no rule is for.
#[derive(Debug, Serialize)]
pub struct LinkedReport {
    /// Their type.
    #[serde(rename = "type")]
    pub record_type: String,
    /// Those that are published.
    pub records: u64,
    /// Their keys, and fields of their links, that nothing reads.
    pub unread: Vec<UnreadKey>,
}

/// What an `[[emit]]` makes.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct RuleReport {
    /// The kind of native record.
    pub kind: &'static str,
    /// The types of record it is made of.
    pub types: Vec<String>,
    /// Published records of these types.
    pub records: u64,
    /// In the order of the mapping.
    pub fields: Vec<FieldReport>,
    /// Keys of the records, and fields of their links, that nothing reads. Those of a type are
    /// reported with the first rule that is for it.
    pub unread: Vec<UnreadKey>,
}

/// How often a field has a value, and what is wrong with it.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct FieldReport {
    /// Its name in the native format; for members of lists as in `engines[].maker`.
    pub field: String,
    /// The expression that makes it; null if the envelope does.
    pub expression: Option<String>,
    /// Records, or members of lists, that have a value.
    pub filled: u64,
    /// Those that have none.
    pub null: u64,
    /// Those for which the expression failed, or whose value is not a valid one.
    pub errors: u64,
    /// One of the values.
    pub sample: Option<String>,
    /// One of the errors.
    pub error: Option<String>,
    /// Keys that the expression asks for, and that no record has.
    pub missing: Vec<MissingKey>,
    /// Where the expression stands in the mapping file.
    #[serde(skip)]
    pub(crate) span: Option<Range<usize>>,
}

/// A key that an expression asks for and no record has.
#[derive(Debug, Serialize)]
pub struct MissingKey {
    /// Its path in the record, as in `hull.colour`.
    pub key: String,
    /// The path of an unread key that may be meant.
    pub suggestion: Option<String>,
}

/// A key that nothing reads.
#[derive(Debug, Serialize)]
pub struct UnreadKey {
    /// Its path in the record, as in `hull.colour` or `engines[].hours`.
    pub key: String,
    /// Records that have it, with another value than null.
    pub records: u64,
    /// A value of it.
    pub sample: String,
}

impl UnreadKey {
    /// Whether the value that is shown is a list.
    pub(crate) fn is_list(&self) -> bool {
        self.sample.starts_with('[')
    }
}
