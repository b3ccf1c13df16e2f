//! Counts the records of each kind in an export, and what happens to them.

use serde::Serialize;

use crate::finding::Kind;

/// Records of one kind.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct TallyOfKind {
    /// Valid and published.
    pub published: u64,
    /// Valid drafts.
    pub unpublished: u64,
    /// With errors: left out if the import continues at all.
    pub invalid: u64,
}

impl TallyOfKind {
    /// All records of the kind.
    pub const fn total(&self) -> u64 {
        self.published + self.unpublished + self.invalid
    }

    /// Counts a record.
    pub(crate) const fn count(&mut self, is_valid: bool, is_published: bool) {
        match (is_valid, is_published) {
            (false, _) => self.invalid += 1,
            (true, true) => self.published += 1,
            (true, false) => self.unpublished += 1,
        }
    }
}

/// Records by kind.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Tally {
    /// Boats.
    pub boat: TallyOfKind,
    /// Manufacturers.
    pub manufacturer: TallyOfKind,
    /// Terms; always published.
    pub term: TallyOfKind,
    /// Designers; always published.
    pub designer: TallyOfKind,
    /// Lines whose kind cannot be read.
    pub unreadable: u64,
}

impl Tally {
    /// The kinds of records that are served, with their tallies, in the order shown to people.
    pub const fn by_kind(&self) -> [(Kind, TallyOfKind); 4] {
        [
            (Kind::Boat, self.boat),
            (Kind::Manufacturer, self.manufacturer),
            (Kind::Term, self.term),
            (Kind::Designer, self.designer),
        ]
    }

    /// The tally of a kind, if it is counted.
    pub(crate) const fn of_mut(&mut self, kind: Kind) -> Option<&mut TallyOfKind> {
        match kind {
            Kind::Catalogue => None,
            Kind::Manufacturer => Some(&mut self.manufacturer),
            Kind::Term => Some(&mut self.term),
            Kind::Designer => Some(&mut self.designer),
            Kind::Boat => Some(&mut self.boat),
        }
    }

    /// Whether the kind of any record could be read.
    pub fn has_records(&self) -> bool {
        self.by_kind().into_iter().any(|(_, of)| of.total() != 0)
    }

    /// The number of all records that are left out if the import continues at all.
    pub fn invalid(&self) -> u64 {
        let invalid = self.by_kind().into_iter().map(|(_, tally)| tally.invalid);
        self.unreadable + invalid.sum::<u64>()
    }
}
