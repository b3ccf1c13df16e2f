//! Collects the findings about one line and tracks which part of the record is being read.

use std::ops::Range;
use std::sync::Arc;

use shared::base::field_path::{FieldPath, Step};

use crate::address::shown;
use crate::finding::{
    Code, Excerpt, ExportFile, Finding, Findings, Kind, Line, Place, RecordName, Severity, Start,
    cut,
};
use crate::json::{NATIVE_DEPTH_MAX, Node, Value, parse_line};
use crate::steps;

/// The place of a line and its text.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LineText<'n> {
    pub(crate) file: &'n Arc<ExportFile>,
    pub(crate) start: Start,
    pub(crate) text: &'n str,
    pub(crate) rule: Option<u32>,
}

impl LineText<'_> {
    /// The line's place, for other records to refer to.
    pub(crate) fn place(&self) -> Place {
        Place::at(self.file, self.start)
    }
}

/// Parses a line of the native format into its text and value.
pub(crate) fn open(line: Line<'_>) -> Result<(LineText<'_>, Node<'_>), Box<Finding>> {
    let (text, node) = parse_line(line, NATIVE_DEPTH_MAX)?;
    let text = LineText {
        file: line.file,
        start: line.start,
        text,
        rule: line.made.map(|made| made.rule),
    };
    Ok((text, node))
}

/// A text of a record, trimmed.
pub(super) fn text_of<'n>(record: &'n Node<'_>, key: &str) -> Option<&'n str> {
    record.member(key)?.text().map(str::trim)
}

/// A problem at some span of the line.
pub(crate) struct Problem {
    pub(crate) code: Code,
    pub(crate) message: String,
    pub(crate) hint: Option<String>,
}

impl Problem {
    pub(crate) fn new(code: Code, message: impl Into<String>) -> Self {
        Self {
            code,
            message: message.into(),
            hint: None,
        }
    }

    pub(crate) fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }
}

/// The findings about one line, as they are collected.
pub(crate) struct Reporter<'n> {
    line: LineText<'n>,
    /// The kind of the record, and the record if it can be named.
    record: Option<(Kind, Option<&'n Node<'n>>)>,
    path: FieldPath<'n>,
    columns: Columns,
    findings: Findings,
    /// Whether an error in an optional field costs that field and not the record.
    pub(super) drops_fields: bool,
    /// The errors that cost a field only.
    dropped: u64,
    left_out_with: Vec<(Kind, String)>,
}

/// Counts columns. Findings mostly come in the line's order or not far before the previous one, so
/// counting continues forwards or backwards from where it ended. Starting at the beginning each
/// time would take time quadratic in the line's length.
struct Columns {
    /// The byte offset up to which characters are counted.
    at: usize,
    before: usize,
}

impl Columns {
    /// The column of the character at a byte offset, starting at 1.
    fn of(&mut self, offset: usize, text: &str) -> usize {
        let between = offset.min(self.at)..offset.max(self.at);
        steps::count(between.len());
        let between = text[between].chars().count();
        if offset < self.at {
            self.before -= between;
        } else {
            self.before += between;
        }
        self.at = offset;
        self.before + 1
    }
}

impl<'n> Reporter<'n> {
    /// Starts without findings and without knowing the record.
    pub(crate) const fn new(line: LineText<'n>, listed_max: usize) -> Self {
        Self {
            line,
            record: None,
            path: FieldPath::record(),
            columns: Columns { at: 0, before: 0 },
            findings: Findings::of_record(listed_max),
            drops_fields: false,
            dropped: 0,
            left_out_with: Vec::new(),
        }
    }

    /// Sets the record that later findings are about.
    pub(crate) const fn set_record(&mut self, kind: Kind, record: Option<&'n Node<'n>>) {
        self.record = Some((kind, record));
    }

    /// The place of the line.
    pub(crate) fn place(&self) -> Place {
        self.line.place()
    }

    /// Whether anything found so far makes the record unusable.
    pub(crate) fn has_errors(&self) -> bool {
        self.errors() != 0
    }

    /// The number of errors found so far that make the record unusable.
    fn errors(&self) -> u64 {
        self.findings.errors() - self.dropped
    }

    /// The number of errors before a field that may be optional; 0 if it is not asked for.
    pub(super) fn begin_optional(&self) -> u64 {
        if self.drops_fields { self.errors() } else { 0 }
    }

    /// Ends an optional field, before which there were this many errors.
    pub(super) fn end_optional(&mut self, errors_before: u64) {
        if self.drops_fields {
            self.dropped = self.findings.errors() - errors_before;
        }
    }

    /// The first error found so far, if any makes the record unusable.
    pub(super) fn first_error(&self) -> Option<&Finding> {
        self.findings
            .first_error()
            .filter(|_error| self.has_errors())
    }

    /// Notes an invalid record to which this one refers.
    pub(super) fn left_out_with(&mut self, kind: Kind, id: &str) {
        let is_it = |(of, known): &(Kind, String)| *of == kind && known == id;
        if !self.left_out_with.iter().any(is_it) {
            self.left_out_with.push((kind, id.to_owned()));
        }
    }

    /// The kinds and ids of the invalid records that were noted, each once.
    pub(super) fn take_left_out_with(&mut self) -> Vec<(Kind, String)> {
        std::mem::take(&mut self.left_out_with)
    }

    /// All findings collected.
    pub(crate) fn into_findings(self) -> Findings {
        self.findings
    }

    /// Goes one step further in.
    pub(super) fn enter(&mut self, step: Step<'n>) {
        self.path.push(step);
    }

    /// Goes back to where it was before [`Self::enter`].
    pub(super) fn leave(&mut self) {
        self.path.pop();
    }

    /// Reports a problem with the field of a record that these keys lead to.
    pub(super) fn report_field(
        &mut self,
        record: &Node<'_>,
        keys: &[&'static str],
        problem: Problem,
    ) {
        for key in keys {
            self.enter(Step::key(*key));
        }
        let value = keys
            .iter()
            .try_fold(record, |within, key| within.member(key));
        match value {
            Some(value) => self.report_value(value, problem),
            None => self.report_span(&record.span, problem),
        }
        for _key in keys {
            self.leave();
        }
    }

    /// Reports a problem with the value being read.
    pub(crate) fn report_value(&mut self, node: &Node<'_>, problem: Problem) {
        self.add(&node.span, problem, |line| match &node.value {
            Value::Text(text) => Some(cut(text)),
            _ => Some(cut(&line[node.span.clone()])),
        });
    }

    /// Reports a problem at a span, for which no value can be shown.
    pub(crate) fn report_span(&mut self, span: &Range<usize>, problem: Problem) {
        self.add(span, problem, |_line| None);
    }

    fn add(
        &mut self,
        span: &Range<usize>,
        problem: Problem,
        value: impl FnOnce(&'n str) -> Option<String>,
    ) {
        let Problem {
            code,
            message,
            hint,
        } = problem;
        let text = self.line.text;
        let mut finding = Finding::new(code, Some(self.place()), message);
        finding.record = self.record.map(|(kind, _)| RecordName::of_kind(kind));
        finding.rule = self.line.rule;
        // A finding that is only counted needs no details, and a hostile line can have very many.
        if self.findings.has_room(code.severity()) {
            finding.column = Some(self.columns.of(span.start, text));
            if let (Some(name), Some((_, Some(record)))) = (&mut finding.record, self.record) {
                let text = |key| text_of(record, key).filter(|text| !text.is_empty());
                name.id = text_of(record, "id").map(cut);
                name.name = text(name.kind.name_key()).map(cut);
            }
            finding.path = self.record.is_some().then(|| self.shown_path());
            let value = value(text);
            // A password is not shown, and so not what stands around it either.
            let has_user = value.as_deref().is_some_and(|value| value.contains('@'));
            let is_secret = code == Code::InvalidUrl && has_user;
            finding.value = value.map(|value| if is_secret { shown(&value) } else { value });
            finding.hint = hint;
            finding.excerpt = (!is_secret).then(|| Excerpt::new(text, span));
        }
        self.findings.add(finding);
    }

    /// Whether a hint would be shown, for hints that are expensive to find.
    pub(crate) fn wants_hints(&self) -> bool {
        self.findings.has_room(Severity::Error)
    }

    /// The way to what is being read. Keys are shortened like values: a key may fill nearly the
    /// whole line, and every listed finding may be below it.
    pub(super) fn shown_path(&self) -> FieldPath<'static> {
        let steps = self.path.steps().iter().map(|step| match step {
            Step::Key(key) => Step::key(cut(key)),
            Step::Index(index) => Step::Index(*index),
            Step::Each => Step::Each,
        });
        steps.collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::steps::check_each;

    #[test]
    fn columns_take_as_many_steps_as_they_are_apart() {
        check_each(4, "pairs in the wrong order", |pairs| {
            let text = "ab".repeat(pairs);
            let mut columns = Columns { at: 0, before: 0 };
            for pair in 0..pairs {
                columns.of(2 * pair + 1, &text);
                columns.of(2 * pair, &text);
            }
        });
    }

    #[test]
    fn columns_are_the_same_in_every_order() {
        let text = "aé船b";
        let mut columns = Columns { at: 0, before: 0 };
        let found = [3, 6, 6, 1, 7, 0, 3].map(|offset| columns.of(offset, text));
        assert_eq!(found, [3, 4, 4, 2, 5, 1, 3]);
    }
}
