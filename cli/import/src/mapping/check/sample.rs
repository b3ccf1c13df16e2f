//! One of many values, to be shown.

use crate::finding::cut;
use crate::mapping::expression::{Jq, text};

/// Characters of a value that are shown.
const SAMPLE_MAX: usize = 40;

/// The value in the first record of the export that has one.
#[derive(Default)]
pub(super) struct Sample(Option<(usize, String)>);

impl Sample {
    /// Takes what the record at a place of the export has, if it is the first.
    pub(super) fn offer(&mut self, place: usize, sample: impl FnOnce() -> String) {
        if self.0.as_ref().is_none_or(|(first, _)| place < *first) {
            self.0 = Some((place, sample()));
        }
    }

    pub(super) fn merge(&mut self, other: Self) {
        if let Some((place, sample)) = other.0 {
            self.offer(place, || sample);
        }
    }

    pub(super) fn as_ref(&self) -> Option<&str> {
        self.0.as_ref().map(|(_, sample)| sample.as_str())
    }

    pub(super) fn take(self) -> Option<String> {
        self.0.map(|(_, sample)| sample)
    }
}

/// The beginning of a value, on one line.
pub(super) fn sample(value: &Jq) -> String {
    let whole = match text(value) {
        Some(text) => text.to_owned(),
        None => value.to_string(),
    };
    let whole = whole.split_whitespace().collect::<Vec<_>>().join(" ");
    match whole.char_indices().nth(SAMPLE_MAX) {
        None => cut(&whole),
        Some((end, _)) => format!("{}…", &whole[..end]),
    }
}
