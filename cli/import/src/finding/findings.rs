//! The findings of a run or of one record: exact counts, their causes, and those that are listed.
//!
//! What a finding says is of no concern here.

use std::collections::{BTreeMap, HashMap};

use super::causes::{self, Cause, Causes};
use super::{Code, Finding, Kind, Origins, Severity};

/// How many findings are listed by default.
pub const LISTED_DEFAULT: usize = 1_000;

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

    /// Tells the errors of each record how many boats are left out with it, by its kind and id.
    pub(crate) fn set_left_out(&mut self, boats: &BTreeMap<(Kind, String), u64>) {
        let is_error = |finding: &&mut Finding| finding.code.severity() == Severity::Error;
        for finding in self.kept_mut().filter(is_error) {
            if let Some(record) = &mut finding.record
                && let Some(id) = &record.id
            {
                let boats = boats.get(&(record.kind, id.clone()));
                record.left_out = boats.copied().unwrap_or_default();
            }
        }
    }

    /// The first error that is kept.
    pub(crate) fn first_error(&self) -> Option<&Finding> {
        self.errors.first()
    }

    /// Approximate size of the kept findings in memory, in bytes.
    pub fn size(&self) -> usize {
        let kept = self.errors.iter().chain(&self.warnings);
        kept.map(Finding::size).sum()
    }

    /// The findings to list: errors first, each severity in the order of the export.
    pub fn listed(&self) -> Vec<&Finding> {
        let all = self.errors.iter().chain(&self.warnings);
        let mut listed: Vec<&Finding> = all.take(self.listed_max).collect();
        listed.sort_by(|a, b| a.order().cmp(&b.order()));
        listed
    }

    /// The causes of the findings, in the same order.
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
