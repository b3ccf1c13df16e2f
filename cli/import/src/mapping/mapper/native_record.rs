//! A native record as it is written: its JSON, and where each member stands in it.

use std::borrow::Cow;
use std::ops::Range;
use std::sync::OnceLock;

use super::images::Images;
use crate::finding::Kind;
use crate::image::MeasuredImages;

/// A native record that was made.
pub(super) struct Native<'e> {
    /// Its JSON.
    pub(super) text: String,
    /// The position in it of each member's value, except the kind.
    pub(super) members: Vec<(&'e str, Range<usize>)>,
    /// Its images.
    pub(super) images: Images,
}

impl Native<'_> {
    /// A record without members.
    pub(super) fn new(kind: Kind) -> Self {
        Self {
            text: format!("{{\"kind\":\"{}\"", kind.as_str()),
            members: Vec::new(),
            images: Images::default(),
        }
    }

    /// Removes images without a size from the value of a member, which starts at `start`, unless
    /// they were `measured`; returns whether anything is left of it.
    pub(super) fn keep_sized(
        &mut self,
        member: (Kind, &str),
        start: usize,
        measured: Option<&OnceLock<MeasuredImages>>,
    ) -> bool {
        let json = &self.text[start..];
        match self.images.with_sizes(member, json, measured) {
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
