//! Does everything that depends on the order of records: deciding which of several with the same id
//! is kept, and reporting on many at once. It takes the output of the threads in the export's
//! order.

use std::collections::HashSet;

use anyhow::Context as _;

use super::difference::Difference;
use super::distinct::{Distinct, MadeOf};
use super::make::{Applied, Failure, Piece};
use super::noted::{Noted, Reference};
use super::rules_for;
use crate::finding::{Code, CountAndFirst, Finding, Line, Made, RecordName, cut, listed};
use crate::image::ImageTally;
use crate::mapping::check::{CheckReport, Checker};
use crate::mapping::definition::{Definition, ExpressionId};
use crate::mapping::documents::Document;
use crate::mapping::index::Index;
use crate::source::{FailedRecord, Incoming, LINE_MAX, Original, Sink};

/// The most expressions whose key no record has that a warning names.
const KEYS_NAMED: usize = 8;

/// Takes the output of the threads.
pub(in crate::mapping) struct Merge<'a> {
    definition: &'a Definition,
    index: &'a Index,
    distinct: Distinct,
    noted: Noted,
    images: ImageTally,
    checker: Option<Checker>,
}

impl<'a> Merge<'a> {
    /// Starts with nothing taken. If `is_checked`, the threads' observations are merged.
    pub(in crate::mapping) fn new(
        definition: &'a Definition,
        index: &'a Index,
        is_checked: bool,
    ) -> Self {
        Self {
            definition,
            index,
            distinct: Distinct::default(),
            noted: Noted::default(),
            images: ImageTally::default(),
            checker: is_checked.then(Checker::default),
        }
    }

    /// Takes the next records.
    pub(in crate::mapping) fn take(
        &mut self,
        piece: Piece,
        sink: &mut Sink<'_>,
    ) -> anyhow::Result<()> {
        for applied in piece.applied {
            self.applied(applied, sink)?;
        }
        self.noted.merge(piece.noted);
        if let (Some(checker), Some(later)) = (&mut self.checker, piece.checker) {
            checker.merge(later);
        }
        Ok(())
    }

    fn applied(&mut self, applied: Applied, sink: &mut Sink<'_>) -> anyhow::Result<()> {
        let Applied { rule, place, made } = applied;
        let document = self.index.documents.at(place);
        let mut failures = Vec::new();
        for (input, made) in made.into_iter().enumerate() {
            let made = match made {
                Ok(made) => made,
                Err(more) => {
                    failures.extend(more);
                    continue;
                }
            };
            let made_of = MadeOf { rule, place, input };
            let is_merged = |dedup_key| self.distinct.merge(made_of, dedup_key);
            if made.dedup_key.is_some_and(is_merged) {
                continue;
            }
            made.images.count(&mut self.images);
            let kind = self.definition.rules[rule].kind;
            let of_images = (kind, made.text.as_str());
            for finding in made.images.findings(&document.place(), of_images) {
                sink(Incoming::Finding(finding))?;
            }
            if LINE_MAX < made.text.len() {
                failures.push(Failure::too_long(made.text.len()));
                continue;
            }
            sink(Incoming::Mapped(Line {
                file: &document.file,
                start: document.start,
                raw: made.text.as_bytes(),
                is_unterminated: false,
                made: Some(Made {
                    rule: u32::try_from(rule).context("too many rules")?,
                    of: document.text,
                }),
            }))?;
        }
        if failures.is_empty() {
            return Ok(());
        }
        let failed = self.failed(rule, document, failures);
        sink(Incoming::Failed(failed))
    }

    fn failed(&self, rule: usize, document: &Document, failures: Vec<Failure>) -> FailedRecord {
        let of = &self.definition.rules[rule];
        let id = (!of.makes_ids()).then(|| cut(self.index.id_of(document)));
        let finding = |failure: Failure| {
            let place = Some(document.place());
            let mut finding = Finding::new(failure.code, place, failure.message);
            finding.record = Some(RecordName {
                kind: of.kind,
                id: failure.id.or_else(|| id.clone()),
                name: failure.name,
                left_out: 0,
            });
            finding.rule = u32::try_from(rule).ok();
            finding.path = failure.path;
            finding
        };
        FailedRecord {
            kind: Some(of.kind),
            findings: failures.into_iter().map(finding).collect(),
            original: Original::Stored(document.text),
        }
    }

    /// The rules and places of what unpublished records would have become, unless another record
    /// with the same type and id is published or among them already: a system may keep several
    /// versions of a record. Native records made of values that several records share have no state
    /// of their own and are not among them.
    pub(in crate::mapping) fn unpublished(&self) -> Vec<MadeOf> {
        let documents = self.index.documents.all();
        if documents.iter().all(|document| document.is_published) {
            return Vec::new();
        }
        let published = documents.iter().filter(|document| document.is_published);
        let mut known: HashSet<u64> = published.map(|of| self.index.identity(of)).collect();
        let mut unpublished = Vec::new();
        for (place, document) in documents.iter().enumerate() {
            if document.is_published || !known.insert(self.index.identity(document)) {
                continue;
            }
            let rules = rules_for(self.definition, document);
            let rules = rules.filter(|(_, rule)| rule.each.is_none() && !rule.merges_records());
            unpublished.extend(rules.map(|(rule, _)| MadeOf {
                rule,
                place,
                input: 0,
            }));
        }
        unpublished
    }

    /// How many images there are.
    pub(in crate::mapping) const fn images(&self) -> ImageTally {
        self.images
    }

    /// The report on the mapping, if a check was requested.
    pub(in crate::mapping) fn report(self) -> anyhow::Result<Option<CheckReport>> {
        let Some(mut checker) = self.checker else {
            return Ok(None);
        };
        let Index {
            documents,
            keys,
            links,
            ..
        } = self.index;
        for (from, field) in links.fields() {
            if documents.place_of(from).is_none() {
                checker.lone_link(keys.text(from), keys.text(field));
            }
        }
        checker.report(self.definition).map(Some)
    }

    /// The findings about many records at once.
    pub(in crate::mapping) fn summaries(
        &self,
        differences: Vec<((MadeOf, MadeOf), Option<Difference>)>,
    ) -> impl Iterator<Item = Finding> {
        let of_records = [self.changed(), self.unpublished_references()];
        let differences = differences.into_iter();
        let of_rules = differences.map(|(records, difference)| self.merged(records, difference));
        let findings = of_records.into_iter().chain(of_rules);
        let findings = findings.chain([self.markdown()]);
        let numbers = self.numbers();
        findings
            .flatten()
            .chain(numbers)
            .chain(self.unknown_nodes())
            .chain(self.keys_not_found())
    }

    /// The findings about columns of numbers that are not written in one way.
    fn numbers(&self) -> impl Iterator<Item = Finding> {
        let place = move |place: usize| self.index.documents.at(place).place();
        let numbers = self.noted.numbers.iter();
        numbers.flat_map(move |(id, written)| written.findings(*id, self.definition, place))
    }

    /// The finding about published records that were changed afterwards and whose values are
    /// published.
    fn changed(&self) -> Option<Finding> {
        let documents = self.index.documents.all().iter().enumerate();
        let changed = documents.filter(|(place, document)| {
            let is_mapped = || rules_for(self.definition, document).next().is_some();
            let is_reported = || is_mapped() || self.noted.changed.contains(place);
            document.is_published && document.is_changed && is_reported()
        });
        let mut counted = CountAndFirst::default();
        changed.for_each(|(_, document)| counted.add(|| document));
        let several = |count| format!("{count} published records, from here on, were");
        let (first, records) = counted.told("1 published record was", several)?;
        let why = "changed after publication; the export has the changed contents";
        let code = Code::ChangedSincePublication;
        Some(Finding::new(
            code,
            Some(first.place()),
            format!("{records} {why}"),
        ))
    }

    fn unpublished_references(&self) -> Option<Finding> {
        let refused = &self.noted.refused;
        let Reference { from, to } = *refused.first.as_ref()?;
        let documents = &self.index.documents;
        let (from, to) = (documents.at(from), documents.at(to));
        let key = cut(self.index.keys.text(to.key));
        let first = format!("to `{key}` ({})", to.place());
        let message = match refused.count {
            1 => format!(
                "1 reference leads to a record that is not published, and came to nothing; it is {first}"
            ),
            count => format!(
                "{count} references, from here on, lead to records that are not published, and came to nothing; the first is {first}"
            ),
        };
        Some(Finding::new(
            Code::UnpublishedReference,
            Some(from.place()),
            message,
        ))
    }

    fn markdown(&self) -> Option<Finding> {
        let one = "1 record has a text that looks like Markdown, and stays as it is";
        let several = |count| {
            format!(
                "{count} records, from here on, have texts that look like Markdown, and stay as they are"
            )
        };
        let (first, records) = self.noted.markdown.records.told(one, several)?;
        Some(Finding::new(
            Code::MarkdownNotRead,
            Some(self.index.documents.at(*first).place()),
            format!("{records}; `markdown` reads it, in place of `plain`"),
        ))
    }

    /// For each kind of nodes of rich text that is not known, how many records have it.
    fn unknown_nodes(&self) -> impl Iterator<Item = Finding> {
        let nodes = self.noted.unknown_nodes.iter();
        nodes.filter_map(|(kind, counted)| {
            let several = |count| format!("{count} records, from here on, have");
            let (first, records) = counted.records.told("1 record has", several)?;
            let first = self.index.documents.at(*first);
            let message = format!(
                "{records} rich text with nodes of the kind `{kind}`, which is not known: of these \
                 `plain` keeps no more than their `text`, `content` and `children`"
            );
            let code = Code::RichTextNotRead;
            let hint = "say in [rich_text.blocks] of the mapping what such a node is, and where \
                        its text is";
            Some(Finding::new(code, Some(first.place()), message).hint(hint))
        })
    }

    /// The finding about keys that expressions begin with and no record that they are run for has. A check says more of them.
    fn keys_not_found(&self) -> Option<Finding> {
        let rules = self.definition.rules.iter();
        let rules = rules.filter(|_| self.checker.is_none());
        let expressions = rules.flat_map(|rule| {
            let made = rule.made().into_iter().map(|(_, id)| id);
            rule.condition.into_iter().chain(rule.each).chain(made)
        });
        let is_found = |id: &ExpressionId| self.noted.keys_found.get(id.0).copied().flatten();
        let without = expressions.filter(|id| is_found(id) == Some(false));
        let mut without = without.peekable();
        without.peek()?;
        let named = without.map(|id| self.definition.expressions[id.0].to_string());
        let named = listed(named, KEYS_NAMED);
        let message = format!("no published record has the first key of {named}");
        let hint = "`catalogue mapping check` shows what such a key may be called now; one that may \
                    be missing is written `.key?`";
        Some(Finding::new(Code::KeysNotFound, None, message).hint(hint))
    }

    /// For each rule, the first two records that were merged although they differ.
    pub(in crate::mapping) fn differing(&self) -> Vec<(MadeOf, MadeOf)> {
        let rules = self.distinct.differing.values();
        rules.filter_map(|differing| differing.first).collect()
    }

    /// Reports records of a rule that were merged although they differ, with these two as an
    /// example.
    fn merged(
        &self,
        (kept, merged): (MadeOf, MadeOf),
        difference: Option<Difference>,
    ) -> Option<Finding> {
        let count = self.distinct.differing.get(&kept.rule)?.count;
        let Difference {
            name,
            kept_value,
            merged_value,
        } = difference?;
        let documents = &self.index.documents;
        let (kept, merged) = (documents.at(kept.place), documents.at(merged.place));
        let merged_into = match count {
            1 => "1 record, and kept the first".to_owned(),
            count => format!("{count} records, and kept the first of each"),
        };
        let message = format!(
            "`distinct` merged records that differ into {merged_into}: `{name}` is {merged_value} here, and {kept_value} at {}",
            kept.place()
        );
        Some(Finding::new(
            Code::MergedRecordsDiffer,
            Some(merged.place()),
            message,
        ))
    }
}
