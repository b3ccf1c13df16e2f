//! The rules of a mapping file: what is made of the records, joins between them, and native records in
//! the file itself.

use std::ops::Range;

use serde_json::Value;
use toml::Spanned;
use toml::de::DeValue;

use super::Parser;
use crate::finding::Kind;
use crate::mapping::definition::{Constant, Field, Join, Rest, Rule};
use crate::mapping::file_keys::{JOIN, LIST, LIST_OF_OBJECTS, RULE, VALUE};
use crate::mapping::mistake::Mistake;
use crate::mapping::section::{Section, json};

impl Parser {
    pub(super) fn joins(&mut self, root: &mut Section<'_>) -> Vec<Join> {
        let Some((joins, _)) = self.optional_table(root, "joins") else {
            return Vec::new();
        };
        let joins = joins.iter();
        joins
            .filter_map(|(name, value)| self.join(name.get_ref(), value))
            .collect()
    }

    fn join<'t>(&mut self, name: &str, value: &'t Spanned<DeValue<'t>>) -> Option<Join> {
        let mut section = Section::of(value, &JOIN, &mut self.mistakes)?;
        section.required("type", &mut self.mistakes);
        let types = section.texts("type", &mut self.mistakes);
        section.required("to", &mut self.mistakes);
        let to = self.expression(&mut section, "to");
        let order = self.expression(&mut section, "order");
        let span = section.span();
        section.finish(&mut self.mistakes);
        let names = |texts: Vec<(&str, Range<usize>)>| {
            texts.into_iter().map(|(text, _)| text.to_owned()).collect()
        };
        Some(Join {
            name: name.to_owned(),
            types: names(types?),
            to: to?,
            order,
            span,
        })
    }

    pub(super) fn constants(&mut self, root: &mut Section<'_>) -> Vec<Constant> {
        let Some(value) = root.take("records") else {
            return Vec::new();
        };
        let before = self.mistakes.len();
        let read = json(value, &mut self.mistakes);
        let Some(Value::Array(records)) = read else {
            // Mistakes inside were already reported.
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

    pub(super) fn rules(&mut self, root: &mut Section<'_>) -> Option<Vec<Rule>> {
        let sections = self.list_of_tables(root, "emit", &RULE)?;
        let rules: Vec<Option<Rule>> = sections
            .into_iter()
            .map(|section| self.rule(section))
            .collect();
        rules.into_iter().collect()
    }

    fn rule(&mut self, mut section: Section<'_>) -> Option<Rule> {
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
        Some(Rule {
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

    /// The fields of an object in the file's order.
    fn fields<'t>(&mut self, value: &'t Spanned<DeValue<'t>>) -> Option<Vec<(String, Field)>> {
        let Some(table) = value.get_ref().as_table() else {
            let message = "fields are a table: the name of each, and where its value comes from";
            self.mistakes.push(Mistake::new(value.span(), message));
            return None;
        };
        let fields = table.iter().map(|(name, value)| {
            let field = self.field(value)?;
            Some((name.get_ref().to_string(), field))
        });
        let fields: Vec<Option<_>> = fields.collect();
        fields.into_iter().collect()
    }

    fn field<'t>(&mut self, value: &'t Spanned<DeValue<'t>>) -> Option<Field> {
        if let Some(code) = value.get_ref().as_str() {
            return Some(Field::Value {
                from: self.number(code, value.span()),
                rest: Rest::default(),
            });
        }
        let Some(table) = value.get_ref().as_table() else {
            let message = "a field is an expression, or a table with `from` or `each`";
            self.mistakes.push(Mistake::new(value.span(), message));
            return None;
        };
        if table.contains_key("from") {
            self.value(value)
        } else if table.contains_key("each") {
            self.list(value)
        } else {
            self.fields(value).map(Field::Object)
        }
    }

    fn value<'t>(&mut self, value: &'t Spanned<DeValue<'t>>) -> Option<Field> {
        let mut section = Section::of(value, &VALUE, &mut self.mistakes)?;
        let from = self.expression(&mut section, "from");
        let rest = self.rest(&mut section);
        section.finish(&mut self.mistakes);
        Some(Field::Value { from: from?, rest })
    }

    fn list<'t>(&mut self, value: &'t Spanned<DeValue<'t>>) -> Option<Field> {
        let table = value.get_ref().as_table();
        let has_fields = table.is_some_and(|table| table.contains_key("fields"));
        let language = if has_fields { &LIST_OF_OBJECTS } else { &LIST };
        let mut section = Section::of(value, language, &mut self.mistakes)?;
        let each = self.expression(&mut section, "each");
        let member = if let Some(fields) = section.take("fields") {
            self.fields(fields).map(Field::Object)
        } else {
            let given = self.expression(&mut section, "value");
            let from = given.unwrap_or_else(|| self.number(".", value.span()));
            let rest = self.rest(&mut section);
            Some(Field::Value { from, rest })
        };
        section.finish(&mut self.mistakes);
        Some(Field::List {
            each: each?,
            member: Box::new(member?),
        })
    }

    fn rest(&mut self, section: &mut Section<'_>) -> Rest {
        let default = section.take("default");
        let unlisted = section.take("unlisted");
        let table = self.table_name(section);
        if let (Some(unlisted), None) = (unlisted, &table) {
            let message = "`unlisted` stands for words that a table does not have, and no `table` is named here";
            self.mistakes.push(Mistake::new(unlisted.span(), message));
        }
        Rest {
            table,
            unlisted: unlisted.and_then(|value| json(value, &mut self.mistakes)),
            default: default.and_then(|value| json(value, &mut self.mistakes)),
        }
    }
}
