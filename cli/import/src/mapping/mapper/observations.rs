//! Observations made while records are mapped and reported at the end: references to unpublished
//! records, references to records changed after publication, and texts that look like Markdown.

use std::collections::HashSet;

use crate::finding::CountAndFirst;

/// A reference, as the places of the records at both ends.
#[derive(Clone, Copy, Debug)]
pub(super) struct Reference {
    pub(super) from: usize,
    pub(super) to: usize,
}

/// The references followed, and other observations.
#[derive(Default)]
pub(super) struct Followed {
    /// The place of the record being mapped; `None` while records are only being identified.
    from: Option<usize>,
    /// The places of the unpublished records it refers to.
    refused_of_one: Vec<usize>,
    pub(super) refused: CountAndFirst<Reference>,
    /// The places of changed records whose values others use.
    pub(super) changed: HashSet<usize>,
    /// The places of records with texts that look like Markdown.
    pub(super) markdown: CountAndFirst<usize>,
    /// The place of the last of these, which counts once.
    last_markdown: Option<usize>,
}

impl Followed {
    /// Starts on another record.
    pub(super) fn begin(&mut self, from: usize) {
        self.from = Some(from);
        self.refused_of_one.clear();
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
        if let Some(from) = self.from
            && self.last_markdown != Some(from)
        {
            self.markdown.add(|| from);
            self.last_markdown = Some(from);
        }
    }

    /// Notes a reference to an unpublished record; one that is followed repeatedly counts once.
    pub(super) fn refuse(&mut self, to: usize) {
        let Some(from) = self.from else { return };
        if !self.refused_of_one.contains(&to) {
            self.refused_of_one.push(to);
            self.refused.add(|| Reference { from, to });
        }
    }

    /// Adds the references of records that come after these.
    pub(super) fn merge(&mut self, later: Self) {
        self.refused.merge(later.refused);
        self.changed.extend(later.changed);
        self.markdown.merge(later.markdown);
    }
}
