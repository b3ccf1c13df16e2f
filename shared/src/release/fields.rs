//! How many records of a release have each field: what its coverage is, and what it promises.
//!
//! Counted while records are written, from what was seen when they were rendered.

use serde::{Deserialize, Serialize};

use crate::base::render::coverage::{Coverage, Fields};

/// How many records of one kind have a field.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FieldCount {
    /// Path of the field in the body, such as `hull.keelType`.
    pub path: String,
    /// Records in which it is neither null nor an empty list.
    pub present: u64,
    /// Whether it is, in some record, a number that is not whole.
    pub fractional: bool,
}

/// The fields of the records of a release, in the order of their bodies.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FieldCounts {
    /// Fields of boats.
    pub boats: Vec<FieldCount>,
    /// Fields of manufacturers.
    pub manufacturers: Vec<FieldCount>,
}

/// Counts the fields of one kind of record.
pub(super) struct FieldCounter(Vec<FieldCount>);

impl FieldCounter {
    pub(super) fn new(fields: &Fields) -> Self {
        let none_yet = |path: &&str| FieldCount {
            path: (*path).to_owned(),
            present: 0,
            fractional: false,
        };
        Self(fields.paths().iter().map(none_yet).collect())
    }

    /// Adds one record.
    pub(super) fn add(&mut self, coverage: Coverage) {
        for place in coverage.present() {
            self.0[place].present += 1;
        }
        for place in coverage.fractional() {
            self.0[place].fractional = true;
        }
    }

    pub(super) fn finish(self) -> Vec<FieldCount> {
        self.0
    }
}
