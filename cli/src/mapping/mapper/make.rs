//! The second pass: native records from the records that were set aside.

use std::collections::HashSet;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;
use std::sync::atomic::Ordering;

use super::field::{Failure, Making, json_text, list, push_member};
use super::{Event, Failed, Mapper, rules_for};
use crate::export::LINE_MAX;
use crate::findings::{Code, Finding, Place, RecordName, cut};
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

impl Mapper {
    /// What the mapping makes of the record at a place.
    pub(in crate::mapping) fn make(
        &mut self,
        place: usize,
        observer: &mut dyn Observe,
    ) -> anyhow::Result<Vec<Event>> {
        let document = self.documents.at(place).clone();
        self.position.begin(&document.file, document.line);
        let definition = Arc::clone(&self.definition);
        let rules = rules_for(&definition, &document).filter(|_| document.is_published);
        let mut events = Vec::new();
        let mut record = None;
        for (rule, emit) in rules {
            let record = match &record {
                Some(record) => record,
                None => record.insert(self.documents.read(place)?),
            };
            self.followed.borrow_mut().begin(place);
            self.apply(rule, emit, &document, record, observer, &mut events);
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
        rule: usize,
        emit: &Emit,
        document: &Document,
        record: &Jq,
        observer: &mut dyn Observe,
        events: &mut Vec<Event>,
    ) {
        let inputs = self.inputs(emit, record);
        let inputs = match inputs {
            Ok(inputs) => inputs,
            Err(failure) => {
                let failed = self.failed(emit, document, vec![failure]);
                events.push(Event::Failed(failed));
                return;
            }
        };
        let mut failures = Vec::new();
        for input in inputs {
            // Each of them may take its time.
            self.position.steps.fetch_add(1, Ordering::Relaxed);
            match self.native(rule, emit, document, (record, &input), observer) {
                Ok((id, _)) if emit.is_distinct && !self.made.insert((rule, id.clone())) => {}
                Ok((_, text)) if LINE_MAX < text.len() => {
                    failures.push(Failure::too_long(text.len()));
                }
                Ok((_, text)) => events.push(Event::Made {
                    file: Arc::clone(&document.file),
                    line: document.line,
                    text,
                }),
                Err(more) => failures.extend(more),
            }
        }
        if !failures.is_empty() {
            events.push(Event::Failed(self.failed(emit, document, failures)));
        }
    }

    /// What native records are made of: the record, or each member of a list in it.
    fn inputs(&self, emit: &Emit, record: &Jq) -> Result<Vec<Jq>, Failure> {
        if let Some(condition) = emit.condition {
            let holds = self.evaluate(condition, record.clone(), record.clone());
            match holds.map_err(|error| Failure::of_rule("where", &error))? {
                Jq::Null | Jq::Bool(false) => return Ok(Vec::new()),
                _ => {}
            }
        }
        let Some(each) = emit.each else {
            return Ok(vec![record.clone()]);
        };
        let members = self.evaluate(each, record.clone(), record.clone());
        let members = members.and_then(|members| list(&members));
        members.map_err(|error| Failure::of_rule("each", &error))
    }

    /// The text of a native record, and its id.
    fn native(
        &self,
        rule: usize,
        emit: &Emit,
        document: &Document,
        (record, input): (&Jq, &Jq),
        observer: &mut dyn Observe,
    ) -> Result<(String, String), Vec<Failure>> {
        let mut making = Making {
            mapper: self,
            rule,
            record,
            observer,
            path: Vec::new(),
            failures: Vec::new(),
        };
        let mut text = format!("{{\"kind\":\"{}\"", emit.kind.as_str());
        let has = |name: &str| emit.fields.iter().any(|(field, _)| field == name);
        let mut id = String::new();
        if !has("id") {
            id = json_text(&self.id_of(document));
            push_member(&mut text, "id", &id);
        }
        for (name, field) in &emit.fields {
            let made = making.within(name, |making| making.field(field, input));
            let Some(made) = made else { continue };
            push_member(&mut text, name, &made);
            if name == "id" {
                id = made;
            }
        }
        if !has("updatedAt") && matches!(emit.kind, Kind::Boat | Kind::Manufacturer) {
            let updated_at = self.definition.sources[document.source].envelope.updated_at;
            let made = updated_at.and_then(|from| {
                making.within("updatedAt", |making| {
                    making.value(from, &Rest::default(), record)
                })
            });
            if let Some(made) = made {
                push_member(&mut text, "updatedAt", &made);
            }
        }
        text.push('}');
        if making.failures.is_empty() {
            Ok((id, text))
        } else {
            Err(making.failures)
        }
    }

    fn finding(&self, code: Code, message: String, emit: &Emit, document: &Document) -> Finding {
        let place = Place {
            file: Arc::clone(&document.file),
            line: Some(document.line),
        };
        let mut finding = Finding::new(code, Some(place), message);
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
