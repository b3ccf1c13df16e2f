//! Reading what a mapping file makes of records, and the native records it has itself.

use std::ops::Range;

use serde_json::Value;
use toml::Spanned;

use super::Parser;
use crate::finding::Kind;
use crate::mapping::definition::{Constant, Emit};
use crate::mapping::mistake::Mistake;
use crate::mapping::section::{Section, json};

impl Parser {
    pub(super) fn constants(&mut self, root: &mut Section<'_>) -> Vec<Constant> {
        let Some(value) = root.take("records") else {
            return Vec::new();
        };
        let before = self.mistakes.len();
        let read = json(value, &mut self.mistakes);
        let Some(Value::Array(records)) = read else {
            // What is wrong within was told already.
            if before < self.mistakes.len() {
                return Vec::new();
            }
            let message = "native records are written as [[records]]";
            self.mistakes.push(Mistake::new(value.span(), message));
            return Vec::new();
        };
        let spans = value.get_ref().as_array();
        let spans = spans.into_iter().flatten().map(Spanned::span);
        let mut constants = Vec::new();
        for (record, span) in records.into_iter().zip(spans) {
            if let Value::Object(record) = record {
                constants.push(Constant { record, span });
            } else {
                let message = "a native record is a table";
                self.mistakes.push(Mistake::new(span, message));
            }
        }
        constants
    }

    pub(super) fn emits(&mut self, root: &mut Section<'_>) -> Option<Vec<Emit>> {
        let sections = self.list_of_tables(root, "emit", true)?;
        let emits: Vec<Option<Emit>> = sections
            .into_iter()
            .map(|section| self.emit(section))
            .collect();
        emits.into_iter().collect()
    }

    fn emit(&mut self, mut section: Section<'_>) -> Option<Emit> {
        let kinds = Kind::COUNTED.map(|kind| (kind.as_str(), kind));
        let kind = section.required("kind", &mut self.mistakes);
        let kind = kind.and_then(|value| self.word(value, &kinds));
        section.required("type", &mut self.mistakes);
        let types = section.texts("type", &mut self.mistakes);
        let condition = self.expression(&mut section, "where");
        let each = self.expression(&mut section, "each");
        let distinct = section.take("distinct");
        let is_distinct = distinct.is_some_and(|value| self.flag(value));
        let ignored = self.names(&mut section, "ignore");
        let fields = section.required("fields", &mut self.mistakes);
        let fields = fields.and_then(|value| self.fields(value));
        let span = section.span();
        section.finish(&mut self.mistakes);
        let fields = fields?;
        if each.is_some() && !fields.iter().any(|(name, _)| name == "id") {
            let message =
                "`each` makes several records of one, so `fields` must say what their `id` is";
            self.mistakes.push(Mistake::new(span.clone(), message));
        }
        let names = |texts: Vec<(&str, Range<usize>)>| {
            texts.into_iter().map(|(text, _)| text.to_owned()).collect()
        };
        Some(Emit {
            kind: kind?,
            types: names(types?),
            condition,
            each,
            is_distinct,
            ignored,
            span,
            fields,
        })
    }
}
