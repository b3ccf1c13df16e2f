//! The report of a check, as it is shown. Its JSON always has every key.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use serde::Serialize;
use shared::base::number::Number;

use super::numbers::NumberRange;

/// What the mapping makes of the records, rule by rule.
#[derive(Debug, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct CheckReport {
    /// In the mapping's order.
    pub rules: Vec<RuleReport>,
    /// Records that no rule covers, by type: with all unread keys if references lead to them,
    /// otherwise only with unread links.
    pub linked: Vec<LinkedReport>,
    /// The number of records that nothing reads, by type.
    pub unread_types: BTreeMap<String, u64>,
    /// Fields of links from keys that no record has, with the number of these keys and one of them
    /// as a sample.
    pub lone_links: Vec<UnreadKey>,
    /// Keys that the envelope asks for and no record has, by the part that asks. This may be no
    /// mistake: if nothing is archived, no record has the key of archived records.
    pub envelope: BTreeMap<&'static str, Vec<String>>,
    /// Variables that still hold an example URL, with the URL: images would be fetched from a host
    /// that does not exist.
    pub examples: BTreeMap<String, String>,
    /// All types of records, whether or not anything reads them.
    #[serde(skip)]
    pub(crate) types: BTreeSet<String>,
}

/// Records of a type that no rule covers.
#[derive(Debug, Serialize)]
pub struct LinkedReport {
    /// Their type.
    #[serde(rename = "type")]
    pub record_type: String,
    /// The number of published records.
    pub records: u64,
    /// Keys, and fields of links, that nothing reads.
    pub unread: Vec<UnreadKey>,
    /// Keys that an expression names and came to look up in no record.
    pub unknown: Vec<UnreadKey>,
}

/// What an `[[emit]]` makes.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct RuleReport {
    /// The kind of native record.
    pub kind: &'static str,
    /// The types of the records it is made from.
    pub types: Vec<String>,
    /// The number of published records of these types.
    pub records: u64,
    /// In the mapping's order.
    pub fields: Vec<FieldReport>,
    /// Keys of the records, and fields of their links, that nothing reads. Each type is reported
    /// with the first rule that covers it.
    pub unread: Vec<UnreadKey>,
    /// Keys of the records that an expression names and came to look up in no record, so that it
    /// is not known whether they are read.
    pub unknown: Vec<UnreadKey>,
    /// The paths of unread keys that are null in every published record.
    #[serde(skip)]
    pub(crate) null: Vec<String>,
}

/// How a field is filled.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct FieldReport {
    /// Its name in the native format; a member of a list is written as in `engines[].maker`.
    pub field: String,
    /// The expression that makes it; null if the envelope does.
    pub expression: Option<String>,
    /// The number of records, or members of lists, with a value.
    pub filled: u64,
    /// The number without a value.
    pub null: u64,
    /// The number whose expression failed or whose value is invalid.
    pub errors: u64,
    /// A sample value.
    pub sample: Option<String>,
    /// The least, the median and the greatest of its numbers; null without a number.
    pub numbers: Option<NumberRange>,
    /// A sample error.
    pub error: Option<String>,
    /// Keys that the expression asks for and no record has.
    pub missing: Vec<MissingKey>,
    /// The expression's position in the mapping file.
    #[serde(skip)]
    pub(crate) span: Option<Range<usize>>,
}

/// A key that an expression asks for and no record has.
#[derive(Debug, Serialize)]
pub struct MissingKey {
    /// Its path in the record, as in `hull.colour`.
    pub key: String,
    /// The path of an unread key that may be the intended one.
    pub suggestion: Option<String>,
}

/// A key that nothing reads.
#[derive(Clone, Debug, Serialize)]
pub struct UnreadKey {
    /// Its path in the record, as in `hull.colour` or `engines[].hours`.
    pub key: String,
    /// The number of records that have it with a value other than null.
    pub records: u64,
    /// A sample value.
    pub sample: String,
    /// The paths of the keys inside it, which nothing reads either, and how many records have a
    /// value for each.
    #[serde(skip)]
    pub(crate) within: BTreeMap<String, u64>,
}

impl FieldReport {
    /// The sample, and the range of the numbers if they differ, for people.
    pub fn shown(&self) -> String {
        let sample = self.sample.as_deref().unwrap_or_default();
        match self.numbers {
            Some(NumberRange { min, median, max }) if min < max => {
                let [min, median, max] = [min, median, max].map(Number::get);
                format!("{sample} ({min} to {max}, median {median})")
            }
            _ => sample.to_owned(),
        }
    }
}

impl UnreadKey {
    /// Whether the sample value is a list.
    pub(crate) fn is_list(&self) -> bool {
        self.sample.starts_with('[')
    }
}
