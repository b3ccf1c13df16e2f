//! A record on its way into the export's index: its text in a file, and what identifies it.

use std::sync::Arc;

use crate::finding::{ExportFile, Finding, Place, Start};
use crate::source::Spot;

/// A record, or a row of links, as it is in a file.
pub(super) struct Raw {
    pub(super) file: Arc<ExportFile>,
    pub(super) start: Start,
    pub(super) spot: Spot,
    pub(super) text: String,
    /// Whether the file ends right after it without a line break.
    pub(super) is_unterminated: bool,
}

impl Raw {
    /// Where it is.
    pub(super) fn place(&self) -> Place {
        Place::at(&self.file, self.start)
    }
}

/// What the sections that read a record, or a row of links, made of it.
pub(super) struct ReadRecord {
    pub(super) raw: Raw,
    pub(super) identified: Vec<Identified>,
    pub(super) links: Vec<Link>,
    /// Whether it has a key and a type for some section, or has findings.
    pub(super) is_known: bool,
    /// How many of its values are errors of a spreadsheet, and the first.
    pub(super) error_cells: Option<(u64, String)>,
    /// The findings about it.
    pub(super) findings: Vec<Finding>,
}

/// What identifies a record.
pub(super) struct Identified {
    pub(super) source: usize,
    pub(super) key: String,
    pub(super) id: Option<Box<str>>,
    pub(super) record_type: String,
    pub(super) is_published: bool,
    pub(super) is_changed: bool,
    /// The paths of the keys that `published` names and looked up, with whether the record has them.
    pub(super) published_keys: Vec<(String, bool)>,
    /// Keys with a value, called like a status, that its thread has not met before.
    pub(super) status_keys: Vec<String>,
    /// Its references used by joins.
    pub(super) joinings: Vec<Joining>,
}

/// A link between two records.
pub(super) struct Link {
    pub(super) from: String,
    pub(super) field: String,
    pub(super) position: f64,
    pub(super) to: String,
}

/// A reference from a record, for a join.
pub(super) struct Joining {
    /// The key that the record refers to.
    pub(super) to: String,
    /// The name of the join.
    pub(super) join: String,
}
