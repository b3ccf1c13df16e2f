//! What is noted while records are mapped and becomes warnings at the end: references to unpublished
//! records, references to records changed after publication, texts that look like Markdown, how numbers
//! are written, keys that no input of an expression has, and nodes of rich text that are not known.
//!
//! Every import has these; what only a check reports is for its observer.

use std::collections::{BTreeMap, HashSet};
use std::mem;

use super::numbers::Written;
use crate::finding::{CountAndFirst, cut};
use crate::mapping::definition::ExpressionId;
use crate::mapping::functions::measure::Convention;

/// The most kinds of unknown nodes that are told apart; the names are the export's.
const KINDS_MAX: usize = 100;
/// What stands for all other kinds.
pub(super) const OTHER_KINDS: &str = "others";

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
    refused_of_one: Vec<usize>,
    last_refused: Option<usize>,
    pub(super) refused: CountAndFirst<Reference>,
    /// The places of changed records whose values others use.
    pub(super) changed: HashSet<usize>,
    /// Records with texts that look like Markdown.
    pub(super) markdown: Counted,
    /// How the numbers that each expression reads are written.
    pub(super) numbers: BTreeMap<ExpressionId, Written>,
    /// By the index of each expression: [`Program::is_key_found`](crate::mapping::expression::Program).
    pub(super) keys_found: Vec<Option<bool>>,
    /// Records with nodes of rich text that are not known, by the nodes' kinds.
    pub(super) unknown_nodes: BTreeMap<String, Counted>,
}

/// Records that are reported together.
#[derive(Default)]
pub(super) struct Counted {
    /// By their places.
    pub(super) records: CountAndFirst<usize>,
    last: Option<usize>,
}

impl Counted {
    /// Counts a record once, even if it is noted repeatedly.
    fn add(&mut self, place: usize) {
        if self.last != Some(place) {
            self.records.add(|| place);
            self.last = Some(place);
        }
    }

    /// Adds records that come after these.
    fn merge(&mut self, later: Self) {
        self.records.merge(later.records);
    }
}

impl Noted {
    /// Starts on another record.
    pub(super) fn begin(&mut self, from: usize) {
        self.pause();
        self.from = Some(from);
    }

    /// Turns to a record that is not mapped: its references do not count.
    pub(super) fn pause(&mut self) {
        let refused = mem::take(&mut self.refused_of_one);
        if let Some(from) = self.from.take() {
            for to in refused {
                self.refused.add(|| Reference { from, to });
            }
        }
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

    /// Notes how a number that an expression reads is written.
    pub(super) fn note_number(
        &mut self,
        expression: ExpressionId,
        given: &str,
        convention: Convention,
    ) {
        if let Some(from) = self.from {
            let written = self.numbers.entry(expression).or_default();
            written.add(convention, from, given);
        }
    }

    /// Notes that rich text of the record has nodes of a kind that is not known.
    pub(super) fn note_unknown_node(&mut self, kind: &str) {
        if let Some(from) = self.from {
            self.unknown_node(cut(kind)).add(from);
        }
    }

    fn unknown_node(&mut self, kind: String) -> &mut Counted {
        let nodes = &mut self.unknown_nodes;
        let is_one_more = KINDS_MAX <= nodes.len() && !nodes.contains_key(&kind);
        let kind = if is_one_more {
            OTHER_KINDS.to_owned()
        } else {
            kind
        };
        nodes.entry(kind).or_default()
    }

    /// Notes a reference to an unpublished record; one that is followed repeatedly counts once.
    pub(super) fn refuse(&mut self, to: usize) {
        self.last_refused = Some(to);
        if !self.refused_of_one.contains(&to) {
            self.refused_of_one.push(to);
        }
    }

    /// Forgets which reference to an unpublished record was the last.
    pub(super) const fn begin_field(&mut self) {
        self.last_refused = None;
    }

    /// The last reference to an unpublished record since a field was begun. It is an error of the
    /// record then, and no longer one that comes to nothing.
    pub(super) fn take_refused(&mut self) -> Option<usize> {
        let last = self.last_refused.take()?;
        self.refused_of_one.retain(|to| *to != last);
        Some(last)
    }

    /// Adds what is noted of records that come after these.
    pub(super) fn merge(&mut self, mut later: Self) {
        later.pause();
        self.refused.merge(later.refused);
        self.changed.extend(later.changed);
        self.markdown.merge(later.markdown);
        for (expression, written) in later.numbers {
            self.numbers.entry(expression).or_default().merge(written);
        }
        self.keys_found.resize(later.keys_found.len(), None);
        for (own, later) in self.keys_found.iter_mut().zip(later.keys_found) {
            *own = later.max(*own);
        }
        for (kind, counted) in later.unknown_nodes {
            self.unknown_node(kind).merge(counted);
        }
    }
}
