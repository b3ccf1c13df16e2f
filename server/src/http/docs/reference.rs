//! The reference: every operation as the page shows it, made from the parts of the OpenAPI
//! document.

use askama::Template;
use serde_json::Value;

use super::example::{self, Example};
use super::page::prose;
use crate::http::openapi::{self, Field, Operation, Parameter};

/// Operations that belong together.
pub(super) struct Group {
    pub(super) about: openapi::Group,
    pub(super) entries: Vec<Entry>,
}

/// An operation.
pub(super) struct Entry {
    pub(super) operation: Operation,
    pub(super) id: &'static str,
    /// The target that is requested unless parameters are given.
    pub(super) target: String,
    pub(super) parameters: Vec<Row>,
    /// The fields of its 200, as HTML.
    pub(super) fields: String,
    pub(super) example: Example,
    /// Statuses other than 200.
    pub(super) others: Vec<String>,
}

/// A parameter and its input control.
pub(super) struct Row {
    pub(super) parameter: Parameter,
    pub(super) form: String,
    pub(super) control: Control,
}

pub(super) enum Control {
    /// One of these words.
    Choice(Vec<String>),
    /// Any text, with the list of known values, if there is one.
    Text(Option<&'static str>),
    /// A header, which the page sends by itself.
    None,
}

/// Every operation, by group.
pub(super) fn groups() -> Vec<Group> {
    let group = |about: openapi::Group| {
        let operations = openapi::operations();
        let of_group = operations.filter(|operation| operation.about.tag == about.name);
        let entries = of_group.map(Entry::of).collect();
        Group { about, entries }
    };
    openapi::GROUPS.into_iter().map(group).collect()
}

impl Entry {
    fn of(operation: Operation) -> Self {
        let id = operation.about.id;
        Self {
            id,
            target: operation.route.path.to_string(),
            parameters: operation.parameters().into_iter().map(Row::of).collect(),
            fields: fields(operation.fields(), id),
            example: example::request(&operation),
            others: openapi::other_statuses(&operation),
            operation,
        }
    }

    /// Whether it has so many parameters that they come first.
    pub(super) fn is_list(&self) -> bool {
        self.parameters
            .iter()
            .any(|row| row.parameter.location == "query")
    }
}

impl Row {
    fn of(parameter: Parameter) -> Self {
        Self {
            form: openapi::in_words(&parameter.schema),
            control: Control::of(&parameter),
            parameter,
        }
    }
}

impl Control {
    fn of(parameter: &Parameter) -> Self {
        if parameter.location == "header" {
            return Self::None;
        }
        if let Some(words) = parameter.schema.get("enum").and_then(Value::as_array) {
            let words = words.iter().filter_map(Value::as_str);
            return Self::Choice(words.map(str::to_owned).collect());
        }
        Self::Text(match parameter.name {
            "type" => Some("types"),
            "category" => Some("categories"),
            "activity" => Some("activities"),
            _ => None,
        })
    }
}

/// Fields with their nested fields.
#[derive(Template)]
#[template(path = "docs/fields.html")]
struct Fields {
    rows: Vec<FieldRow>,
}

struct FieldRow {
    id: String,
    field: Field,
    /// The field's own fields, as HTML; empty if it has none.
    inner: String,
}

/// Fields as HTML; their ids begin with `of`, the id of their owner.
fn fields(fields: Vec<Field>, of: &str) -> String {
    if fields.is_empty() {
        return String::new();
    }
    let row = |mut field: Field| {
        let id = format!("{of}.{}", field.name);
        let inner = self::fields(std::mem::take(&mut field.fields), &id);
        FieldRow { id, field, inner }
    };
    let list = Fields {
        rows: fields.into_iter().map(row).collect(),
    };
    let written = list.render();
    written.unwrap_or_else(|why| unreachable!("the fields cannot be written: {why}"))
}
