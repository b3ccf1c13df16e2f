//! Observes the expressions of one thread: which keys of which records they look up and read.
//!
//! A value does not know where it is from, but an object of a record keeps its address wherever an
//! expression takes it. An object that an expression makes is nowhere in a record; what it is made
//! of was looked up before.

use std::sync::Arc;

use super::Checker;
use super::observed_keys::{Asker, Objects, Read};
use crate::mapping::documents::Document;
use crate::mapping::expression::Jq;
use crate::mapping::index::Index;

/// The observations of a thread.
#[derive(Default)]
pub(in crate::mapping) struct Observer {
    checker: Checker,
    /// The place of the current record.
    place: usize,
    /// Its source and type.
    of: (usize, Arc<str>),
    objects: Objects,
}

/// A record being examined.
pub(in crate::mapping) struct Looked<'a> {
    /// Its place in the export.
    pub(super) place: usize,
    pub(super) source: usize,
    pub(super) record_type: &'a Arc<str>,
    pub(super) is_published: bool,
    /// The fields of its links.
    pub(super) links: Vec<&'a str>,
}

impl<'a> Looked<'a> {
    /// The record at a place.
    pub(in crate::mapping) fn of(place: usize, index: &'a Index) -> Self {
        let document = index.documents.at(place);
        Self {
            place,
            source: document.source.into(),
            record_type: &document.record_type,
            is_published: document.is_published,
            links: index.links.fields_of(document.key, &index.keys),
        }
    }
}

impl Observer {
    /// Examines a record. Later observations are about this one.
    pub(in crate::mapping) fn record(&mut self, looked: &Looked<'_>, record: &Jq) {
        self.place = looked.place;
        self.of = (looked.source, Arc::clone(looked.record_type));
        self.objects.clear();
        let counted = looked.is_published.then_some(looked.place);
        let keys = &mut self.checker.keys;
        let of = (looked.source, looked.record_type);
        keys.record(of, record, counted, &mut self.objects);
        if looked.is_published {
            let keys = keys.of_type(looked.source, looked.record_type);
            keys.records += 1;
            for field in &looked.links {
                *keys.links.entry((*field).to_owned()).or_default() += 1;
            }
        }
    }

    /// Notes that an expression came to another record.
    pub(in crate::mapping) fn led(&mut self, expression: usize, to: &Document, record: &Jq) {
        let of = (usize::from(to.source), &to.record_type);
        let keys = &mut self.checker.keys;
        keys.of_type(of.0, of.1).led_by.insert(expression);
        if self.objects.node_of(record).is_none() {
            keys.record(of, record, None, &mut self.objects);
        }
    }

    /// Notes that links by this field were asked for, of the current record or of any other.
    pub(in crate::mapping) fn asked_for_links(&mut self, is_of_current: bool, field: &str) {
        if is_of_current {
            let (source, record_type) = &self.of;
            let keys = self.checker.keys.of_type(*source, record_type);
            keys.links_asked.insert(field.to_owned());
        } else {
            self.checker.links_asked.insert(field.to_owned());
        }
    }

    /// Notes that a key, or each key, of a value is looked up.
    pub(in crate::mapping) fn looked_up(
        &mut self,
        of: &Jq,
        key: Option<&str>,
        asker: Option<Asker>,
    ) {
        if let (Some(key), Some(Asker { expression, .. })) = (key, asker) {
            let (source, record_type) = &self.of;
            let keys = self.checker.keys.of_type(*source, record_type);
            let reached = keys.reached.entry(expression).or_default();
            if !reached.contains(key) {
                reached.insert(key.to_owned());
            }
        }
        let Some(node) = self.objects.node_of(of) else {
            return;
        };
        match key {
            Some(key) => self.checker.keys.look_up(node, key, asker),
            None => self.checker.keys.read(node, Read::EachKey),
        }
    }

    /// Notes that everything in a value is read.
    pub(in crate::mapping) fn read(&mut self, value: &Jq) {
        match value {
            Jq::Arr(items) => items.iter().for_each(|item| self.read(item)),
            Jq::Obj(members) => match self.objects.node_of(value) {
                Some(node) => self.checker.keys.read(node, Read::Everything),
                None => members.values().for_each(|member| self.read(member)),
            },
            _ => {}
        }
    }

    /// Counts the value, or the error, that a rule (given by its place) produced for a field.
    pub(in crate::mapping) fn field(&mut self, rule: usize, path: &str, value: Result<&Jq, &str>) {
        self.checker.field(rule, path, value, self.place);
    }

    /// What was observed.
    pub(in crate::mapping) fn finish(self) -> Checker {
        self.checker
    }
}
