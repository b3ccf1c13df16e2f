//! What hangs on the order of records: which of several with one id counts, and what is said of many
//! at once. It takes what the threads made in the order of the export.

use std::collections::HashSet;

use super::distinct::{Distinct, MadeOf};
use super::field::Failure;
use super::followed::Followed;
use super::images::LeftOut;
use super::make::{Applied, Piece};
use super::rules_for;
use crate::finding::Line;
use crate::finding::{Finding, RecordName, cut};
use crate::mapping::check::{CheckReport, Checker};
use crate::mapping::definition::Definition;
use crate::mapping::documents::Document;
use crate::mapping::index::Index;
use crate::source::{FailedRecord, Incoming, LINE_MAX, Take};

/// Takes what was made.
pub(in crate::mapping) struct Merge<'a> {
    pub(super) definition: &'a Definition,
    pub(super) index: &'a Index,
    pub(super) distinct: Distinct,
    pub(super) followed: Followed,
    pub(super) left_out: LeftOut,
    checker: Option<Checker>,
}

impl<'a> Merge<'a> {
    /// Nothing taken yet. What the threads have watched is put together where that `is_checked`.
    pub(in crate::mapping) fn new(
        definition: &'a Definition,
        index: &'a Index,
        is_checked: bool,
    ) -> Self {
        Self {
            definition,
            index,
            distinct: Distinct::default(),
            followed: Followed::default(),
            left_out: LeftOut::default(),
            checker: is_checked.then(Checker::default),
        }
    }

    /// Takes the next records.
    pub(in crate::mapping) fn take(
        &mut self,
        piece: Piece,
        take: &mut Take<'_>,
    ) -> anyhow::Result<()> {
        for applied in piece.applied {
            self.applied(applied, take)?;
        }
        self.followed.merge(piece.followed);
        if let (Some(checker), Some(later)) = (&mut self.checker, piece.checker) {
            checker.merge(later);
        }
        Ok(())
    }

    fn applied(&mut self, applied: Applied, take: &mut Take<'_>) -> anyhow::Result<()> {
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
            let is_merged = |likeness| self.distinct.merge(made_of, likeness);
            if made.likeness.is_some_and(is_merged) {
                continue;
            }
            self.left_out.add(place, made.left_out);
            if LINE_MAX < made.text.len() {
                failures.push(Failure::too_long(made.text.len()));
                continue;
            }
            take(Incoming::Line(Line {
                file: &document.file,
                number: document.line,
                raw: made.text.as_bytes(),
                is_unterminated: false,
                rule: u32::try_from(rule).ok(),
            }))?;
        }
        if failures.is_empty() {
            return Ok(());
        }
        let mut failed = self.failed(rule, document, failures);
        failed.raw = self.index.documents.text(place)?.into_bytes();
        take(Incoming::Failed(failed))
    }

    fn failed(&self, rule: usize, document: &Document, failures: Vec<Failure>) -> FailedRecord {
        let kind = self.definition.emits[rule].kind;
        let id = self.index.id_of(document);
        let finding = |failure: Failure| {
            let place = Some(document.whereabouts());
            let mut finding = Finding::new(failure.code, place, failure.message);
            finding.record = Some(RecordName {
                kind,
                id: Some(cut(id)),
            });
            finding.rule = u32::try_from(rule).ok();
            finding.pointer = failure.path;
            finding
        };
        FailedRecord {
            kind: Some(kind),
            findings: failures.into_iter().map(finding).collect(),
            id: Some(id.to_owned()),
            raw: Vec::new(),
        }
    }

    /// Tells the kinds and ids of what unpublished records would have become, unless another record
    /// of their type and id is published or was told of before: a system may keep several of one.
    pub(in crate::mapping) fn unpublished(&self, take: &mut Take<'_>) -> anyhow::Result<()> {
        let documents = self.index.documents.all();
        if documents.iter().all(|document| document.is_published) {
            return Ok(());
        }
        let published = documents.iter().filter(|document| document.is_published);
        let mut told: HashSet<u64> = published.map(|of| self.index.identity(of)).collect();
        for document in documents.iter().filter(|document| !document.is_published) {
            if !told.insert(self.index.identity(document)) {
                continue;
            }
            let rules = rules_for(self.definition, document);
            for (_, emit) in rules.filter(|(_, emit)| emit.each.is_none()) {
                let (kind, id) = (emit.kind, self.index.id_of(document));
                take(Incoming::Unpublished { kind, id })?;
            }
        }
        Ok(())
    }

    /// What the records tell about the mapping, where it is to be known.
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
}
