//! One of many values, shown as a sample.

use crate::finding::cut;
use crate::mapping::expression::{Jq, text};

/// The most characters shown of a value.
const SAMPLE_MAX: usize = 40;

/// The value of the first record in the export that has one.
#[derive(Default)]
pub(super) struct Sample(Option<(usize, String)>);

impl Sample {
    /// Takes the value of the record at this place of the export if no earlier record has offered
    /// one.
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

/// The beginning of a value on one line.
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
