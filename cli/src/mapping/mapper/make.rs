//! The second pass: native records from the records that were set aside.

use std::collections::HashSet;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;
use std::sync::atomic::Ordering;

use super::distinct::MadeOf;
use super::field::{Failure, Making, json_text, list, push_member};
use super::images::with_sizes;
use super::subject::Subject;
use super::{Event, Failed, Mapper, rules_for};
use crate::export::LINE_MAX;
use crate::findings::{Code, Finding, RecordName, cut};
use crate::mapping::definition::{Emit, Rest};
use crate::mapping::documents::Document;
use crate::mapping::expression::Jq;
use crate::validate::Kind;

/// Watches what becomes of each field.
pub(in crate::mapping) trait Observe {
    /// A field of a record of a rule of the mapping, by its place, came to this.
    fn field(&mut self, rule: usize, path: &str, value: Result<&Jq, &str>);
}

/// Nobody watches.
pub(in crate::mapping) struct Unobserved;

impl Observe for Unobserved {
    fn field(&mut self, _rule: usize, _path: &str, _value: Result<&Jq, &str>) {}
}

/// A native record that was made: its members but for its kind, each with its JSON.
pub(super) struct Native<'e> {
    pub(super) members: Vec<(&'e str, String)>,
    /// The addresses of images that it lacks because they have no size.
    left_out: Vec<String>,
}

impl Native<'_> {
    /// The JSON of a member.
    pub(super) fn member(&self, name: &str) -> &str {
        let mut members = self.members.iter();
        let member = members.find(|(member, _)| *member == name);
        member.map_or("null", |(_, value)| value)
    }

    /// The JSON of the record.
    fn text(&self, kind: Kind) -> String {
        let mut text = format!("{{\"kind\":\"{}\"", kind.as_str());
        for (name, value) in &self.members {
            push_member(&mut text, name, value);
        }
        text.push('}');
        text
    }
}

impl Mapper {
    /// What the mapping makes of the record at a place.
    pub(in crate::mapping) fn make(
        &mut self,
        place: usize,
        observer: &mut dyn Observe,
    ) -> anyhow::Result<Vec<Event>> {
        let document = self.documents.at(place);
        self.position.begin(&document.file, document.line);
        let (definition, is_published) = (Arc::clone(&self.definition), document.is_published);
        let rules = rules_for(&definition, document).filter(|_| is_published);
        let mut events = Vec::new();
        let mut subject = None;
        for (rule, emit) in rules {
            let subject = if let Some(subject) = &subject {
                subject
            } else {
                let record = self.documents.read(place)?;
                subject.insert(self.subject(self.documents.at(place), record))
            };
            self.followed.borrow_mut().begin(place);
            self.apply((rule, emit), place, subject, observer, &mut events);
        }
        for event in &mut events {
            if let Event::Failed(failed) = event {
                failed.raw = self.documents.text(place)?.into_bytes();
            }
        }
        Ok(events)
    }

    /// The kinds and ids of what an unpublished record would have become, unless another record of
    /// its type and id is published or was told of before: a system may keep several of one.
    pub(in crate::mapping) fn unpublished(&mut self, place: usize) -> Vec<Event> {
        let document = self.documents.at(place);
        if document.is_published || !self.told.insert(self.identity(document)) {
            return Vec::new();
        }
        let document = self.documents.at(place);
        let rules = rules_for(&self.definition, document);
        let emits = rules.filter(|(_, emit)| emit.each.is_none());
        let unpublished = |(_, emit): (usize, &Emit)| Event::Unpublished {
            kind: emit.kind,
            id: self.id_of(document),
        };
        emits.map(unpublished).collect()
    }

    /// The published records by what identifies them to consumers.
    pub(super) fn published(&self) -> HashSet<u64> {
        let documents = (0..self.len()).map(|place| self.documents.at(place));
        let published = documents.filter(|document| document.is_published);
        published.map(|document| self.identity(document)).collect()
    }

    /// The hash of the type and id of a record: there may be many, and only counts hang on it.
    fn identity(&self, document: &Document) -> u64 {
        let mut hasher = DefaultHasher::new();
        (&document.record_type, self.id_of(document)).hash(&mut hasher);
        hasher.finish()
    }

    pub(super) fn id_of(&self, document: &Document) -> String {
        let id = document.id.as_deref();
        id.unwrap_or_else(|| self.keys.text(document.key))
            .to_owned()
    }

    fn apply(
        &mut self,
        (rule, emit): (usize, &Emit),
        place: usize,
        subject: &Subject,
        observer: &mut dyn Observe,
        events: &mut Vec<Event>,
    ) {
        let document = &self.documents.at(place).clone();
        let inputs = self.inputs(emit, subject);
        let inputs = match inputs {
            Ok(inputs) => inputs,
            Err(failure) => {
                let failed = self.failed(emit, document, vec![failure]);
                events.push(Event::Failed(failed));
                return;
            }
        };
        let mut failures = Vec::new();
        for (number, input) in inputs.iter().enumerate() {
            // Each of them may take its time.
            self.position.steps.fetch_add(1, Ordering::Relaxed);
            let native = match self.native(rule, emit, document, (subject, input), observer) {
                Ok(native) => native,
                Err(more) => {
                    failures.extend(more);
                    continue;
                }
            };
            let made_of = MadeOf {
                rule,
                place,
                input: number,
            };
            if emit.is_distinct && self.merge(made_of, &native) {
                continue;
            }
            let text = native.text(emit.kind);
            self.left_out.add(place, native.left_out);
            if LINE_MAX < text.len() {
                failures.push(Failure::too_long(text.len()));
                continue;
            }
            events.push(Event::Made {
                file: Arc::clone(&document.file),
                line: document.line,
                text,
            });
        }
        if !failures.is_empty() {
            events.push(Event::Failed(self.failed(emit, document, failures)));
        }
    }

    /// What native records are made of: the record, or each member of a list in it.
    pub(super) fn inputs(&self, emit: &Emit, subject: &Subject) -> Result<Vec<Jq>, Failure> {
        if let Some(condition) = emit.condition {
            let holds = self.evaluate(condition, subject.record().clone(), subject);
            match holds.map_err(|error| Failure::of_rule("where", &error))? {
                Jq::Null | Jq::Bool(false) => return Ok(Vec::new()),
                _ => {}
            }
        }
        let Some(each) = emit.each else {
            return Ok(vec![subject.record().clone()]);
        };
        let members = self.evaluate(each, subject.record().clone(), subject);
        let members = members.and_then(|members| list(&members));
        members.map_err(|error| Failure::of_rule("each", &error))
    }

    /// A native record.
    pub(super) fn native<'e>(
        &self,
        rule: usize,
        emit: &'e Emit,
        document: &Document,
        (subject, input): (&Subject, &Jq),
        observer: &mut dyn Observe,
    ) -> Result<Native<'e>, Vec<Failure>> {
        let mut making = Making {
            mapper: self,
            rule,
            subject,
            observer,
            path: Vec::new(),
            failures: Vec::new(),
        };
        let has = |name: &str| emit.fields.iter().any(|(field, _)| field == name);
        let mut members = Vec::with_capacity(emit.fields.len() + 2);
        let mut left_out = Vec::new();
        if !has("id") {
            members.push(("id", json_text(&self.id_of(document))));
        }
        for (name, field) in &emit.fields {
            let made = making.within(name, |making| making.field(field, input));
            let made = made.and_then(|made| with_sizes(emit.kind, name, made, &mut left_out));
            members.extend(made.map(|made| (name.as_str(), made)));
        }
        if !has("updatedAt") && matches!(emit.kind, Kind::Boat | Kind::Manufacturer) {
            let updated_at = self.definition.sources[usize::from(document.source)]
                .envelope
                .updated_at;
            let made = updated_at.and_then(|from| {
                making.within("updatedAt", |making| {
                    making.value(from, &Rest::default(), subject.record())
                })
            });
            members.extend(made.map(|made| ("updatedAt", made)));
        }
        if making.failures.is_empty() {
            Ok(Native { members, left_out })
        } else {
            Err(making.failures)
        }
    }

    fn finding(&self, code: Code, message: String, emit: &Emit, document: &Document) -> Finding {
        let mut finding = Finding::new(code, Some(document.whereabouts()), message);
        finding.record = Some(RecordName {
            kind: emit.kind,
            id: Some(cut(&self.id_of(document))),
        });
        finding
    }

    fn failed(&self, emit: &Emit, document: &Document, failures: Vec<Failure>) -> Failed {
        let finding = |failure: Failure| {
            let mut finding = self.finding(failure.code, failure.message, emit, document);
            finding.pointer = failure.path;
            finding
        };
        Failed {
            kind: Some(emit.kind),
            findings: failures.into_iter().map(finding).collect(),
            id: Some(self.id_of(document)),
            raw: Vec::new(),
        }
    }
}
