//! What is noted while records are mapped and becomes warnings at the end: references to unpublished
//! records, references to records changed after publication, and texts that look like Markdown.
//!
//! Every import has these; what only a check reports is for its observer.

use std::collections::HashSet;

/// A reference, as the places of the records at both ends.
#[derive(Clone, Copy, Debug)]
pub(super) struct Reference {
    pub(super) from: usize,
    pub(super) to: usize,
}

/// What is noted of records.
#[derive(Default)]
pub(super) struct Noted {
    /// The place of the record being mapped; `None` while records are only being identified.
    from: Option<usize>,
    /// The places of the unpublished records it refers to.
    refused: Vec<usize>,
    pub(super) refused_count: u64,
    pub(super) first_refused: Option<Reference>,
    /// The places of changed records whose values others use.
    pub(super) changed: HashSet<usize>,
    /// Records with texts that look like Markdown.
    pub(super) markdown: Counted,
}

/// Records that are reported together.
#[derive(Default)]
pub(super) struct Counted {
    pub(super) count: u64,
    /// The place of the first.
    pub(super) first: Option<usize>,
    last: Option<usize>,
}

impl Counted {
    /// Counts a record once, even if it is noted repeatedly.
    fn add(&mut self, place: usize) {
        if self.last != Some(place) {
            self.count += 1;
            self.first.get_or_insert(place);
            self.last = Some(place);
        }
    }

    /// Adds records that come after these.
    fn merge(&mut self, later: &Self) {
        self.count += later.count;
        self.first = self.first.or(later.first);
    }
}

impl Noted {
    /// Starts on another record.
    pub(super) fn begin(&mut self, from: usize) {
        self.from = Some(from);
        self.refused.clear();
    }

    /// Turns to a record that is not mapped: its references do not count.
    pub(super) const fn pause(&mut self) {
        self.from = None;
    }

    /// The place of the record being mapped.
    pub(super) const fn from(&self) -> Option<usize> {
        self.from
    }

    /// Notes that a text of the record looks like Markdown.
    pub(super) fn note_markdown(&mut self) {
        if let Some(from) = self.from {
            self.markdown.add(from);
        }
    }

    /// Notes a reference to an unpublished record; one that is followed repeatedly counts once.
    pub(super) fn refuse(&mut self, to: usize) {
        let Some(from) = self.from else { return };
        if !self.refused.contains(&to) {
            self.refused.push(to);
            self.refused_count += 1;
            self.first_refused.get_or_insert(Reference { from, to });
        }
    }

    /// Adds what is noted of records that come after these.
    pub(super) fn merge(&mut self, later: Self) {
        self.refused_count += later.refused_count;
        self.first_refused = self.first_refused.or(later.first_refused);
        self.changed.extend(later.changed);
        self.markdown.merge(&later.markdown);
    }
}
