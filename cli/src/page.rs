//! A report as one HTML page, for editors: findings, field coverage, and what changes for
//! consumers.
//!
//! A page is self-contained, without scripts or external resources, so it can be opened from an
//! email. The template escapes all text. Nothing here knows a command.

use std::io::{self, Write};

use askama::Template;
use import::finding::{Cause, Finding, Findings, Kind, Severity};

use crate::terminal::counted;
use crate::terminal::escape::escape_control;

/// The beginning of every page, and of no other file.
pub const BEGINNING: &str = "<!doctype html>\n<!-- A report of the boat catalogue. -->\n";
/// How many findings of a cause are shown.
const FINDINGS_MAX: usize = 100;
/// How many causes are shown.
const CAUSES_MAX: usize = 500;

/// A page.
#[derive(Debug, Template)]
#[template(path = "page/page.html")]
pub struct Page {
    /// What was done, and to what.
    pub title: String,
    /// The result.
    pub verdict: Verdict,
    /// Further facts, by name.
    pub facts: Vec<(&'static str, String)>,
    /// Records of each kind: published, unpublished, invalid.
    pub tally: Vec<(&'static str, [u64; 3])>,
    /// What is wrong.
    pub causes: Vec<CauseSection>,
    /// How many findings are not shown.
    pub not_shown: u64,
    /// How many records have each field.
    pub coverage: Vec<CoverageSection>,
    /// What changes for consumers.
    pub changes: Vec<ChangeSection>,
}

impl Page {
    /// An empty page.
    pub fn new(title: &str) -> Self {
        Self {
            title: escape_control(title).into_owned(),
            verdict: Verdict {
                tone: Tone::Good,
                text: String::new(),
            },
            facts: Vec::new(),
            tally: Vec::new(),
            causes: Vec::new(),
            not_shown: 0,
            coverage: Vec::new(),
            changes: Vec::new(),
        }
    }

    /// Writes it.
    pub fn write_into(&self, out: &mut dyn Write) -> io::Result<()> {
        Template::write_into(self, out)
    }

    /// Adds a fact.
    pub fn fact(&mut self, name: &'static str, value: impl AsRef<str>) {
        let value = escape_control(value.as_ref()).into_owned();
        self.facts.push((name, value));
    }

    /// Sets the result.
    pub fn set_verdict(&mut self, tone: Tone, text: impl Into<String>) {
        let text = text.into();
        self.verdict = Verdict { tone, text };
    }

    /// Adds the findings, by cause. `edit_url` returns the page of a record in its content system.
    pub fn add_findings(
        &mut self,
        findings: &Findings,
        edit_url: impl Fn(&Finding) -> Option<String>,
    ) {
        let causes = findings.by_cause();
        let sections = causes.into_iter().take(CAUSES_MAX);
        let sections = sections.map(|(cause, listed)| section(cause, &listed, &edit_url));
        self.causes = sections.collect();
        let of_causes = self.causes.iter();
        let shown: u64 = of_causes.map(|of| of.count).sum();
        let total = findings.errors() + findings.warnings();
        self.not_shown = total.saturating_sub(shown);
    }
}

/// A result.
#[derive(Debug)]
pub struct Verdict {
    /// How good it is.
    pub tone: Tone,
    /// In a sentence.
    pub text: String,
}

/// How good a result is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tone {
    /// Nothing is wrong.
    Good,
    /// Something may be wrong.
    Warning,
    /// Something is wrong.
    Bad,
}

impl Tone {
    /// The tone for these findings.
    pub fn of(findings: &Findings) -> Self {
        match (findings.errors(), findings.warnings()) {
            (0, 0) => Self::Good,
            (0, _) => Self::Warning,
            _ => Self::Bad,
        }
    }

    const fn class(self) -> &'static str {
        match self {
            Self::Good => "good",
            Self::Warning => "warning",
            Self::Bad => "bad",
        }
    }
}

/// Findings of one cause.
#[derive(Debug)]
pub struct CauseSection {
    tone: Tone,
    code: &'static str,
    title: String,
    records: String,
    explanation: &'static str,
    hint: Option<String>,
    /// How many there are.
    count: u64,
    findings: Vec<FindingRow>,
    not_shown: u64,
}

/// A finding.
#[derive(Debug)]
struct FindingRow {
    place: String,
    record: String,
    /// The page of the record in its content system.
    edit_url: Option<String>,
    /// The text of the record: before, at and after the wrong part.
    excerpt: Option<[String; 3]>,
    message: Option<String>,
    origin: Option<String>,
}

/// How many of some records have each field.
#[derive(Debug)]
pub struct CoverageSection {
    /// What the records are.
    pub title: String,
    /// Whether the earlier shares are known.
    pub has_before: bool,
    /// Its fields.
    pub fields: Vec<FieldRow>,
}

/// How many records have a field.
#[derive(Debug)]
pub struct FieldRow {
    /// Its path.
    pub name: String,
    /// How many records have it.
    pub present: u64,
    /// How many records there are.
    pub records: u64,
    /// The share of records that had it in the earlier release, in percent.
    pub before: Option<u8>,
    /// One of its values, or what is wrong with it.
    pub sample: String,
}

impl FieldRow {
    fn percent(&self) -> u8 {
        percent(self.present, self.records)
    }
}

/// Whole percent; 100 only if every record has the field, and 0 only if none has it.
pub fn percent(present: u64, records: u64) -> u8 {
    if present == 0 || records == 0 {
        return 0;
    }
    if records <= present {
        return 100;
    }
    let share = u128::from(present) * 100 / u128::from(records);
    u8::try_from(share).unwrap_or(99).clamp(1, 99)
}

/// What changes in one kind of record.
#[derive(Debug)]
pub struct ChangeSection {
    /// What the records are.
    pub title: String,
    /// How many are added, removed and changed.
    pub sentence: String,
    /// The fields that changed, with the number of records.
    pub fields: Vec<(String, u64)>,
    /// Records that are new: ids and slugs.
    pub added: NameList,
    /// Records that are gone.
    pub removed: NameList,
    /// Records that changed.
    pub changed: Vec<ChangedRecord>,
    /// How many changed records are not shown.
    pub not_shown: u64,
}

impl ChangeSection {
    fn lists(&self) -> [(&'static str, &NameList); 2] {
        [("Added", &self.added), ("Removed", &self.removed)]
    }
}

/// Names of records.
#[derive(Debug)]
pub struct NameList {
    /// The first names.
    pub names: Vec<String>,
    /// How many more there are.
    pub more: u64,
}

/// A record that changed.
#[derive(Debug)]
pub struct ChangedRecord {
    /// Its name.
    pub name: String,
    /// Its page in the content system.
    pub edit_url: Option<String>,
    /// The fields, each with its old and its new value.
    pub fields: Vec<[String; 3]>,
}

fn section(
    cause: &Cause,
    listed: &[&Finding],
    edit_url: impl Fn(&Finding) -> Option<String>,
) -> CauseSection {
    let first = cause.examples.first();
    let title = match (first, cause.name()) {
        (Some(first), _) if cause.says_one => first.message.clone(),
        (_, Some(field)) => format!("`{field}`: {}", cause.code.explanation()),
        _ => cause.code.explanation().to_owned(),
    };
    let is_somewhere = |finding: &&&Finding| finding.place.is_some() || finding.record.is_some();
    let elsewhere = listed
        .iter()
        .filter(|finding| !is_somewhere(finding))
        .count() as u64;
    let findings: Vec<FindingRow> = listed
        .iter()
        .filter(is_somewhere)
        .take(FINDINGS_MAX)
        .map(|finding| FindingRow {
            place: place(finding),
            record: record(finding),
            edit_url: edit_url(finding),
            excerpt: finding.excerpt.as_ref().map(|excerpt| {
                let (text, marked) = (&excerpt.text, &excerpt.marked);
                let parts = [
                    &text[..marked.start],
                    &text[marked.clone()],
                    &text[marked.end..],
                ];
                parts.map(|part| escape_control(part).into_owned())
            }),
            message: (!cause.says_one).then(|| escape_control(&finding.message).into_owned()),
            origin: finding
                .origin
                .as_deref()
                .map(|text| escape_control(text).into_owned()),
        })
        .collect();
    CauseSection {
        tone: match cause.code.severity() {
            Severity::Error => Tone::Bad,
            Severity::Warning => Tone::Warning,
        },
        code: cause.code.as_str(),
        title: escape_control(&title).into_owned(),
        records: counted(cause.count, cause.kind.map_or("place", Kind::as_str)),
        explanation: cause.code.explanation(),
        hint: first
            .and_then(|first| first.hint.as_deref())
            .map(|hint| escape_control(hint).into_owned()),
        count: cause.count,
        not_shown: cause
            .count
            .saturating_sub(findings.len() as u64 + elsewhere),
        findings,
    }
}

fn place(finding: &Finding) -> String {
    let Some(place) = &finding.place else {
        return String::new();
    };
    let file = escape_control(&place.file.name);
    match (place.line, finding.column) {
        (Some(line), Some(column)) => format!("{file}:{line}:{column}"),
        (Some(line), None) => format!("{file}:{line}"),
        (None, _) => file.into_owned(),
    }
}

fn record(finding: &Finding) -> String {
    match &finding.record {
        Some(record) => {
            let id = record.id.as_deref().unwrap_or("without a readable id");
            format!("{} {}", record.kind.as_str(), escape_control(id))
        }
        None => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_begins_as_it_is_known_and_nothing_in_it_runs() {
        let mut page = Page::new("</title><script>alert(1)</script>");
        page.fact("Mapping", "\"><img src=x onerror=alert(1)>\u{202e}");
        page.coverage.push(CoverageSection {
            title: "<b>".to_owned(),
            has_before: true,
            fields: vec![FieldRow {
                name: "<i>".to_owned(),
                present: 1,
                records: 3,
                before: Some(40),
                sample: "'\"&".to_owned(),
            }],
        });
        let mut written = Vec::new();
        page.write_into(&mut written).unwrap();
        let written = String::from_utf8(written).unwrap();
        assert!(written.starts_with(BEGINNING), "{written}");
        for hostile in ["<script", "<img", "<b>", "<i>", "\u{202e}", "\"'"] {
            assert!(!written.contains(hostile), "{hostile}: {written}");
        }
    }

    #[test]
    fn a_share_is_whole_and_full_or_empty_only_where_it_is() {
        let shares = [
            (0, 3),
            (1, 3),
            (3, 3),
            (999, 1_000),
            (1, 1_000),
            (0, 0),
            (u64::MAX, u64::MAX),
        ];
        let shares = shares.map(|(present, records)| percent(present, records));
        assert_eq!(shares, [0, 33, 100, 99, 1, 0, 100]);
    }
}
