//! Findings: everything that is wrong with an export, collected rather than stopped at.
//!
//! A finding is a result of validation, not an error of the program. Counts are always exact; only
//! the list is cut, and it keeps errors in preference to warnings.

mod causes;
mod code;
mod count_and_first;
mod excerpt;
mod kind;
mod mistake;
pub(crate) mod nearest;
mod origins;
mod place;
pub mod report;

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use shared::base::field_path::FieldPath;

use self::causes::Causes;
pub use self::causes::{Cause, EXAMPLES_MAX};
pub use self::code::{Blame, Code, Severity};
pub(crate) use self::count_and_first::CountAndFirst;
pub use self::excerpt::Excerpt;
pub use self::kind::Kind;
pub use self::mistake::Mistake;
pub use self::nearest::nearest;
pub(crate) use self::origins::{Origins, RuleOrigins};
pub(crate) use self::place::BYTE_ORDER_MARK;
pub use self::place::{ExportFile, Line, Place};

/// How many findings are listed by default.
pub const LISTED_DEFAULT: usize = 1_000;
/// How many characters of an offending value are shown.
pub const VALUE_MAX: usize = 200;

/// One thing that is wrong, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// What kind of problem it is; decides the severity.
    pub code: Code,
    /// The file and line; `None` if the finding is about the export as a whole.
    pub place: Option<Place>,
    /// From 1, in characters; `None` if no single place is wrong.
    pub column: Option<usize>,
    /// What is known of the record's kind and id.
    pub record: Option<RecordName>,
    /// The way to the value within the record.
    pub path: Option<FieldPath<'static>>,
    /// The offending value, cut at [`VALUE_MAX`] characters.
    pub value: Option<String>,
    /// What is wrong, for people.
    pub message: String,
    /// What to do about it, if known.
    pub hint: Option<String>,
    /// The mapping rule that made the record, if one did.
    pub rule: Option<u32>,
    /// The part of a mapping that makes the value, if one does.
    pub origin: Option<String>,
    /// The text around the place in its line.
    pub excerpt: Option<Excerpt>,
}

/// How messages name a record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecordName {
    /// What it is.
    pub kind: Kind,
    /// Its id, if that could be read.
    pub id: Option<String>,
}

impl Finding {
    /// A finding about a place, or the export, as a whole.
    pub fn new(code: Code, place: Option<Place>, message: impl Into<String>) -> Self {
        Self {
            code,
            place,
            column: None,
            record: None,
            path: None,
            value: None,
            message: message.into(),
            hint: None,
            rule: None,
            origin: None,
            excerpt: None,
        }
    }

    /// A finding about a file, or a line of it.
    pub(crate) fn in_file(
        code: Code,
        file: &Arc<ExportFile>,
        line: Option<u64>,
        message: impl Into<String>,
    ) -> Self {
        let file = Arc::clone(file);
        Self::new(code, Some(Place { file, line }), message)
    }

    /// Whether this is an error that remains when its record is left out.
    fn blocks_import(&self) -> bool {
        let kind = self.record.as_ref().map(|record| record.kind);
        let blames_export = self.code.blame() == Blame::Export || kind == Some(Kind::Catalogue);
        self.code.severity() == Severity::Error && blames_export
    }

    /// Approximate size in memory, in bytes.
    fn size(&self) -> usize {
        let record = self.record.as_ref().and_then(|record| record.id.as_ref());
        let texts = [&self.value, &self.hint, &self.origin];
        let texts = texts.into_iter().flatten().chain(record);
        let excerpt = self.excerpt.as_ref().map(|excerpt| &excerpt.text);
        let texts = texts.chain(excerpt).chain([&self.message]);
        let path = self.path.as_ref().map_or(0, FieldPath::size);
        size_of::<Self>() + path + texts.map(String::capacity).sum::<usize>()
    }

    /// Sorts by file, line and column; findings about the export as a whole come last.
    fn order(&self) -> impl Ord + '_ {
        let place = self.place.as_ref().map(|place| (&place.file, place.line));
        (place.is_none(), place, self.column)
    }
}

/// Cuts `value` to at most [`VALUE_MAX`] characters.
pub fn cut(value: &str) -> String {
    match value.char_indices().nth(VALUE_MAX) {
        None => value.to_owned(),
        Some((end, _)) => format!("{}…", &value[..end]),
    }
}

/// How many are not named, as in `2 others`.
pub(crate) fn others(count: usize) -> String {
    let noun = if count == 1 { "other" } else { "others" };
    format!("{count} {noun}")
}

/// All findings of a run: exact counts, and the findings that will be listed.
#[derive(Clone, Debug)]
pub struct Findings {
    listed_max: usize,
    errors: Vec<Finding>,
    warnings: Vec<Finding>,
    counts: BTreeMap<Code, u64>,
    blocking: u64,
    /// `None` for the findings of one record: causes are counted once these are added to others.
    causes: Option<Causes>,
}

impl Findings {
    /// Nothing found yet; at most `listed_max` findings will be listed.
    pub fn new(listed_max: usize) -> Self {
        Self {
            listed_max,
            causes: Some(Causes::default()),
            ..Self::of_record(listed_max)
        }
    }

    /// The same for one record, without grouping by cause.
    pub(crate) const fn of_record(listed_max: usize) -> Self {
        Self {
            // Causes are counted whatever the limit of the list is.
            listed_max: if listed_max < LISTED_DEFAULT {
                LISTED_DEFAULT
            } else {
                listed_max
            },
            errors: Vec::new(),
            warnings: Vec::new(),
            counts: BTreeMap::new(),
            blocking: 0,
            causes: None,
        }
    }

    /// Counts a finding, and keeps it if there is room.
    pub fn add(&mut self, finding: Finding) {
        *self.counts.entry(finding.code).or_default() += 1;
        self.blocking += u64::from(finding.blocks_import());
        self.keep(finding);
    }

    /// Whether another finding of this severity would be kept.
    pub fn has_room(&self, severity: Severity) -> bool {
        self.kept(severity).len() < self.listed_max
    }

    /// Adds the findings in `later`, which must have been collected with the same limit.
    pub fn append(&mut self, later: Self) {
        for (code, count) in later.counts {
            *self.counts.entry(code).or_default() += count;
        }
        self.blocking += later.blocking;
        later
            .errors
            .into_iter()
            .chain(later.warnings)
            .for_each(|finding| self.keep(finding));
    }

    /// From now on lists no more than `listed_max` findings.
    pub const fn list_at_most(&mut self, listed_max: usize) {
        self.listed_max = listed_max;
    }

    /// How many findings are listed at most.
    pub const fn listed_max(&self) -> usize {
        self.listed_max
    }

    /// Errors found.
    pub fn errors(&self) -> u64 {
        self.count(Severity::Error)
    }

    /// Warnings found.
    pub fn warnings(&self) -> u64 {
        self.count(Severity::Warning)
    }

    /// Errors that remain when invalid records are left out.
    pub const fn blocking_errors(&self) -> u64 {
        self.blocking
    }

    /// How often each code was found.
    pub const fn counts(&self) -> &BTreeMap<Code, u64> {
        &self.counts
    }

    /// Sets the origin of each kept finding: the part of a mapping that makes its value.
    ///
    /// Drops their columns, which are positions in the record that the mapping made, not in the
    /// export.
    pub(crate) fn set_origins(&mut self, origins: &Origins) {
        for finding in self.kept_mut() {
            if let (Some(_), Some(path)) = (&finding.record, &finding.path) {
                let origin = finding.rule.and_then(|rule| origins.find(rule, path));
                finding.origin = origin.map(str::to_owned);
                finding.column = None;
            }
        }
    }

    /// Sets the hint of each kept finding for which `find` returns one.
    pub(crate) fn set_hints(&mut self, find: impl Fn(&Finding) -> Option<String>) {
        for finding in self.kept_mut() {
            if let Some(hint) = find(finding) {
                finding.hint = Some(hint);
            }
        }
    }

    /// Approximate size of the kept findings in memory, in bytes.
    pub fn size(&self) -> usize {
        let kept = self.errors.iter().chain(&self.warnings);
        kept.map(Finding::size).sum()
    }

    /// The findings to list, in the order of the export.
    pub fn listed(&self) -> Vec<&Finding> {
        let all = self.errors.iter().chain(&self.warnings);
        let mut listed: Vec<&Finding> = all.take(self.listed_max).collect();
        listed.sort_by(|a, b| a.order().cmp(&b.order()));
        listed
    }

    /// The causes of the findings, in the order of the export.
    pub fn causes(&self) -> Vec<&Cause> {
        let mut causes: Vec<&Cause> = self.causes.iter().flat_map(Causes::all).collect();
        causes.sort_by(|a, b| {
            let (a, b) = (a.examples.first(), b.examples.first());
            a.map(Finding::order).cmp(&b.map(Finding::order))
        });
        causes
    }

    /// The causes, each with its listed findings, or with its examples if none of them is listed.
    pub fn by_cause(&self) -> Vec<(&Cause, Vec<&Finding>)> {
        let mut listed: HashMap<causes::Key, Vec<&Finding>> = HashMap::new();
        for finding in self.listed() {
            listed
                .entry(causes::key(finding))
                .or_default()
                .push(finding);
        }
        let mut of_cause = |cause: &Cause| listed.remove(&causes::key(cause.examples.first()?));
        self.causes()
            .into_iter()
            .map(|cause| {
                let findings = of_cause(cause);
                (
                    cause,
                    findings.unwrap_or_else(|| cause.examples.iter().collect()),
                )
            })
            .collect()
    }

    fn count(&self, severity: Severity) -> u64 {
        let of_severity = |(code, count): (&Code, &u64)| {
            if code.severity() == severity {
                *count
            } else {
                0
            }
        };
        self.counts.iter().map(of_severity).sum()
    }

    fn keep(&mut self, finding: Finding) {
        if let Some(causes) = &mut self.causes {
            causes.add(&finding);
        }
        let severity = finding.code.severity();
        if !self.has_room(severity) {
            return;
        }
        match severity {
            Severity::Error => self.errors.push(finding),
            Severity::Warning => self.warnings.push(finding),
        }
    }

    /// All kept findings, those that are examples of a cause once more.
    fn kept_mut(&mut self) -> impl Iterator<Item = &mut Finding> {
        let listed = self.errors.iter_mut().chain(&mut self.warnings);
        listed.chain(self.causes.iter_mut().flat_map(Causes::examples_mut))
    }

    const fn kept(&self, severity: Severity) -> &Vec<Finding> {
        match severity {
            Severity::Error => &self.errors,
            Severity::Warning => &self.warnings,
        }
    }
}

#[cfg(test)]
mod tests;
