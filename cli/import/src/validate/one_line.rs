//! Checks one line by itself, for tests: what is wrong with it regardless of the rest of an export.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::boats;
use std::path::Path;

use super::Policy;
use super::collector::{Collector, LineOutcome};
use super::references::References;
use crate::finding::{Code, ExportFile, Line};

/// The codes of the findings about a line.
pub(crate) fn codes(text: &str) -> BTreeSet<Code> {
    let file = Arc::new(ExportFile {
        ordinal: 0,
        name: String::new(),
        path: String::new(),
    });
    let line = Line {
        file: &file,
        start: 1.into(),
        raw: text.as_bytes(),
        is_unterminated: false,
        made: None,
    };
    let mut collector = Collector::new(Policy {
        temp_dir: Path::new(""),
        listed_max: 0,
        skip_invalid: false,
        is_mapped: false,
        progress: &(),
    });
    let findings = match collector.line(line) {
        LineOutcome::Boat => boats::validate(line, &References::default(), 0, |_| Ok(())).findings,
        LineOutcome::Valid | LineOutcome::Rejected => collector.finish().findings,
    };
    findings.counts().keys().copied().collect()
}
