//! How an export is validated: how many findings are listed, and what is left out.

use std::path::Path;

use crate::finding::Findings;
use crate::source::ProgressListener;

/// How an export is validated.
#[derive(Clone, Copy)]
pub(crate) struct Policy<'a> {
    /// The directory of spools.
    pub(crate) temp_dir: &'a Path,
    /// The most findings to list.
    pub(crate) listed_max: usize,
    /// Whether valid records are handed on although others have errors.
    pub(crate) skip_invalid: bool,
    /// Whether a mapping makes the records.
    pub(crate) is_mapped: bool,
    /// Shows how many boats were read.
    pub(crate) progress: &'a dyn ProgressListener,
}

impl Policy<'_> {
    /// Whether anything may be served despite the findings.
    pub(crate) fn is_usable(&self, findings: &Findings) -> bool {
        findings.blocking_errors() == 0 && (self.skip_invalid || findings.errors() == 0)
    }
}
