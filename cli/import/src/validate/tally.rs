//! How many records of each kind an export has, and what becomes of them.

use serde::Serialize;

use crate::finding::Kind;

/// Records of one kind.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct TallyOfKind {
    /// Valid and published.
    pub published: u64,
    /// Valid drafts.
    pub unpublished: u64,
    /// With errors: left out, if the import goes on at all.
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
    /// Lines of which not even the kind can be read.
    pub unreadable: u64,
}

impl Tally {
    /// The kinds that are served, with their records, in the order in which people read them.
    pub const fn by_kind(&self) -> [(Kind, TallyOfKind); 4] {
        [
            (Kind::Boat, self.boat),
            (Kind::Manufacturer, self.manufacturer),
            (Kind::Term, self.term),
            (Kind::Designer, self.designer),
        ]
    }

    /// The records of a kind that is counted.
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

    /// Everything that is left out, if the import goes on at all.
    pub fn invalid(&self) -> u64 {
        let invalid = self.by_kind().into_iter().map(|(_, tally)| tally.invalid);
        self.unreadable + invalid.sum::<u64>()
    }
}
