//! A native record as it is written: its JSON, and where each member stands in it.

use std::borrow::Cow;
use std::ops::Range;

use super::images::with_sizes;
use crate::finding::Kind;

/// A native record that was made.
pub(super) struct Native<'e> {
    /// Its JSON.
    pub(super) text: String,
    /// The position in it of each member's value, except the kind.
    pub(super) members: Vec<(&'e str, Range<usize>)>,
    /// The URLs of images left out because they have no size.
    pub(super) left_out: Vec<String>,
}

impl Native<'_> {
    /// A record without members.
    pub(super) fn new(kind: Kind) -> Self {
        Self {
            text: format!("{{\"kind\":\"{}\"", kind.as_str()),
            members: Vec::new(),
            left_out: Vec::new(),
        }
    }

    /// Removes images without a size from the value of a member, which starts at `start`; returns
    /// whether anything is left of it.
    pub(super) fn keep_sized(&mut self, kind: Kind, name: &str, start: usize) -> bool {
        match with_sizes(kind, name, &self.text[start..], &mut self.left_out) {
            None => false,
            Some(Cow::Borrowed(_all)) => true,
            Some(Cow::Owned(some)) => {
                self.text.truncate(start);
                self.text.push_str(&some);
                true
            }
        }
    }

    /// The JSON of a member.
    pub(super) fn member(&self, name: &str) -> &str {
        let mut members = self.members.iter();
        let member = members.find(|(member, _)| *member == name);
        member.map_or("null", |(_, value)| &self.text[value.clone()])
    }
}
