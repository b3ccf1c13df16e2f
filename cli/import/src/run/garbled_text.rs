//! Explains words that a mapping does not know where the encoding of their file is doubtful: they
//! are probably garbled.
//!
//! Without this, a person would add the garbled words to a table. This only sets hints.

use std::collections::HashSet;
use std::ops::RangeInclusive;

use crate::finding::{Code, Finding, Findings};

const HINT: &str = "drop `encoding` from the source in the mapping first, as the warning about the \
    file says: this text is probably garbled by it";

/// What the first byte of a letter beyond ASCII in UTF-8 becomes in another encoding.
const GARBLED: RangeInclusive<char> = '\u{c2}'..='\u{f4}';

/// Sets the hint of findings about garbled text in files whose encoding is doubtful.
pub(super) fn explain(findings: &mut Findings) {
    if !findings.counts().contains_key(&Code::EncodingDoubtful) {
        return;
    }
    let listed = findings.listed().into_iter();
    let doubtful = listed.filter(|finding| finding.code == Code::EncodingDoubtful);
    let doubtful: HashSet<String> = doubtful.filter_map(file_of).map(str::to_owned).collect();
    findings.set_hints(|finding| {
        let is_in_doubt = file_of(finding).is_some_and(|name| doubtful.contains(name));
        let is_garbled = finding.message.contains(|c| GARBLED.contains(&c));
        (is_in_doubt && is_garbled && finding.code == Code::MappingFailed).then(|| HINT.to_owned())
    });
}

fn file_of(finding: &Finding) -> Option<&str> {
    finding.place.as_ref().map(|place| place.file.name.as_str())
}
