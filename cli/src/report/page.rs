//! A report as one HTML page, for editors: below what is wrong stand the parts of the report.
//!
//! A page is self-contained, without scripts or external resources, so it can be opened from an
//! email. The template escapes all text. Nothing here knows a command.

use std::io::Write;

use askama::Template;
use import::finding::{Cause, Finding, Findings, Kind, Place, RecordName, Severity};

use super::coverage::Coverage;
use super::cut::cut;
use super::{ChangedRecord, Changes, List, Part, Report, Table};
use crate::terminal::counted;
use crate::terminal::escape::escape_control;
use crate::terminal::table::Cell;

/// The beginning of every page, and of no other file.
pub const BEGINNING: &str = "<!doctype html>\n<!-- A report of the boat catalogue. -->\n";
/// How many findings of a cause are shown.
const FINDINGS_MAX: usize = 100;
/// How many causes are shown.
const CAUSES_MAX: usize = 500;
/// Longest value that changed, in columns.
const VALUE_MAX: usize = 1_000;

/// A page.
pub struct Page<'a> {
    title: String,
    verdict: Verdict,
    /// What stands above what is wrong.
    pub head: Report<'a>,
    causes: Vec<CauseSection>,
    not_shown: u64,
    /// What stands below it.
    pub body: Report<'a>,
}

/// A page, with all that it shows in memory.
#[derive(Template)]
#[template(path = "report/page.html")]
struct Filled<'p> {
    title: &'p str,
    verdict: &'p Verdict,
    head: Vec<Section<'p>>,
    causes: &'p [CauseSection],
    not_shown: u64,
    body: Vec<Section<'p>>,
}

/// A part of a report as it stands on a page.
enum Section<'p> {
    Facts(&'p [(&'static str, Cell)]),
    Table(String, &'p Table),
    List(String, &'p List),
    Coverage(&'p Coverage<'p>),
    Changes(&'p str, Vec<ChangedRecord>, String),
    Note(String),
}

impl Page<'_> {
    /// An empty page.
    pub fn new(title: &str) -> Self {
        Self {
            title: escape_control(title).into_owned(),
            verdict: Verdict {
                tone: Tone::Good,
                text: String::new(),
            },
            head: Report::new(),
            causes: Vec::new(),
            not_shown: 0,
            body: Report::new(),
        }
    }

    /// Writes it.
    pub fn write_into(&self, out: &mut dyn Write) -> anyhow::Result<()> {
        let filled = Filled {
            title: &self.title,
            verdict: &self.verdict,
            head: sections(&self.head)?,
            causes: &self.causes,
            not_shown: self.not_shown,
            body: sections(&self.body)?,
        };
        Ok(filled.write_into(out)?)
    }

    /// Sets the result.
    pub fn set_verdict(&mut self, tone: Tone, text: impl Into<String>) {
        let text = escape_control(&text.into()).into_owned();
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
    /// What to do about the first; else what to do about all of this code.
    hint: String,
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
    /// How many boats are left out with the record.
    cost: Option<String>,
}

/// The parts of a report, with the records that changed.
fn sections<'p>(report: &'p Report<'_>) -> anyhow::Result<Vec<Section<'p>>> {
    let mut sections = Vec::new();
    for part in &report.parts {
        match part {
            Part::Facts(facts) => sections.push(Section::Facts(facts)),
            Part::Table(table) => sections.push(Section::Table(heading(&table.title), table)),
            Part::List(list) => sections.push(Section::List(heading(&list.title), list)),
            Part::Coverage(of_kinds) => sections.extend(of_kinds.iter().map(Section::Coverage)),
            Part::Changes(changes) => sections.push(changed(changes)?),
            Part::Note { text, .. } | Part::Verbatim(text) => {
                sections.push(Section::Note(escape_control(text).into_owned()));
            }
        }
    }
    Ok(sections)
}

/// A title without the colon that leads to the table below it.
fn heading(title: &str) -> String {
    let title = title.strip_suffix(':').unwrap_or(title);
    escape_control(title).into_owned()
}

fn changed<'p>(changes: &'p Changes<'_>) -> anyhow::Result<Section<'p>> {
    let records = (changes.records)().map(|record| {
        let mut record = record?;
        for change in &mut record.changes {
            let values = [&change.old, &change.new]
                .map(|value| escape_control(value.as_deref().unwrap_or_default()).into_owned());
            let [old, new] = cut(values.each_ref().map(String::as_str), VALUE_MAX);
            change.path = escape_control(&change.path).into_owned();
            (change.old, change.new) = (Some(old), Some(new));
        }
        Ok(record)
    });
    let title = changes.title.as_deref().unwrap_or_default();
    let records = records.collect::<anyhow::Result<Vec<_>>>()?;
    let more = match changes.more {
        0 => String::new(),
        more => format!("{more} more changed records are not shown."),
    };
    Ok(Section::Changes(title, records, more))
}

fn section(
    cause: &Cause,
    listed: &[&Finding],
    edit_url: impl Fn(&Finding) -> Option<String>,
) -> CauseSection {
    let first = cause.examples.first();
    let hint = first.and_then(|first| first.hint.as_deref());
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
            cost: finding.record.as_ref().and_then(RecordName::cost),
        })
        .collect();
    CauseSection {
        tone: match cause.code.severity() {
            Severity::Error => Tone::Bad,
            Severity::Warning => Tone::Warning,
        },
        code: cause.code.as_str(),
        title: escape_control(&cause.title()).into_owned(),
        records: counted(cause.count, cause.kind.map_or("place", Kind::as_str)),
        explanation: cause.code.explanation(),
        hint: escape_control(hint.unwrap_or(cause.code.fix())).into_owned(),
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
    let place = match (place.line(), finding.column) {
        (Some(line), Some(column)) => format!("{file}:{line}:{column}"),
        (Some(line), None) => format!("{file}:{line}"),
        (None, _) => file.into_owned(),
    };
    match finding.place.as_ref().and_then(Place::nth) {
        Some(nth) => format!("{place}, {nth}"),
        None => place,
    }
}

fn record(finding: &Finding) -> String {
    match &finding.record {
        Some(record) => {
            let id = record.id.as_deref().unwrap_or("without a readable id");
            let name = record.name.as_ref().map(|name| format!(" ({name})"));
            let name = name.unwrap_or_default();
            let named = format!("{} {id}{name}", record.kind.as_str());
            escape_control(&named).into_owned()
        }
        None => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_begins_as_it_is_known_and_nothing_in_it_runs() {
        let hostile = "\"><img src=x onerror=alert(1)>\u{202e}<b>'\"&";
        let mut page = Page::new("</title><script>alert(1)</script>");
        page.set_verdict(Tone::Bad, hostile);
        page.head.facts([("Mapping", hostile)]);
        let rows = || [[hostile]];
        page.body
            .table(hostile, ["FIELD"], rows())
            .list(hostile, rows(), 0)
            .note(hostile);
        let mut written = Vec::new();
        page.write_into(&mut written).unwrap();
        let written = String::from_utf8(written).unwrap();
        assert!(written.starts_with(BEGINNING), "{written}");
        for hostile in ["<script", "<img", "<b>", "\u{202e}", "\"'"] {
            assert!(!written.contains(hostile), "{hostile}: {written}");
        }
    }
}
