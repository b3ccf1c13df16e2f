//! Findings for programs: the JSON that `--report` writes and `--json` prints.
//!
//! Keys are always present; a value that does not apply is null.

use std::collections::BTreeMap;

use serde::Serialize;
use shared::base::field_path::FieldPath;

use super::{Code, Finding, Findings, Nth, Place, Severity};

/// The findings of a run.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct FindingsReport<'a> {
    /// Exact number of errors.
    pub errors: u64,
    /// Exact number of warnings.
    pub warnings: u64,
    /// Exact number of findings of each code.
    pub counts: &'a BTreeMap<Code, u64>,
    /// Number of findings that are not listed because there are too many.
    pub not_listed: u64,
    /// The listed findings: errors first, each severity in the order of the export.
    pub findings: Vec<FindingEntry<'a>>,
}

/// One finding.
#[derive(Debug, Serialize)]
#[expect(missing_docs, reason = "the fields are those of a finding")]
pub struct FindingEntry<'a> {
    pub severity: Severity,
    pub code: Code,
    pub file: Option<&'a str>,
    pub line: Option<u64>,
    /// As a spreadsheet shows it.
    pub row: Option<u64>,
    /// Among the records of a list of JSON or XML.
    pub number: Option<u64>,
    pub column: Option<usize>,
    pub record: Option<RecordEntry<'a>>,
    pub pointer: Option<String>,
    pub value: Option<&'a str>,
    pub message: &'a str,
    pub hint: Option<&'a str>,
    pub origin: Option<&'a str>,
}

/// The record that a finding is about.
#[derive(Debug, Serialize)]
#[expect(missing_docs, reason = "the fields are those of a record's name")]
pub struct RecordEntry<'a> {
    pub kind: &'a str,
    pub id: Option<&'a str>,
    pub name: Option<&'a str>,
    #[serde(rename = "boatsLeftOut")]
    pub left_out: u64,
}

impl<'a> FindingsReport<'a> {
    /// The report on `findings`.
    pub fn new(findings: &'a Findings) -> Self {
        let (errors, warnings) = (findings.errors(), findings.warnings());
        let entries: Vec<_> = findings
            .listed()
            .into_iter()
            .map(FindingEntry::new)
            .collect();
        Self {
            errors,
            warnings,
            counts: findings.counts(),
            not_listed: errors + warnings - entries.len() as u64,
            findings: entries,
        }
    }
}

impl<'a> FindingEntry<'a> {
    fn new(finding: &'a Finding) -> Self {
        let (place, record) = (finding.place.as_ref(), finding.record.as_ref());
        let (row, number) = match place.and_then(Place::nth) {
            Some(Nth::Row(row)) => (Some(row), None),
            Some(Nth::Record(number)) => (None, Some(number)),
            None => (None, None),
        };
        Self {
            severity: finding.code.severity(),
            code: finding.code,
            file: place.map(|place| place.file.name.as_str()),
            line: place.and_then(Place::line),
            row,
            number,
            column: finding.column,
            record: record.map(|name| RecordEntry {
                kind: name.kind.as_str(),
                id: name.id.as_deref(),
                name: name.name.as_deref(),
                left_out: name.left_out,
            }),
            pointer: finding.path.as_ref().map(FieldPath::pointer),
            value: finding.value.as_deref(),
            message: &finding.message,
            hint: finding.hint.as_deref(),
            origin: finding.origin.as_deref(),
        }
    }
}
