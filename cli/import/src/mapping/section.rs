//! Reads one table of a mapping file. Keys are taken by name; keys unknown to the language are
//! mistakes.

use std::ops::Range;

use serde_json::Value;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use crate::finding::nearest;
use crate::json::is_exact;
use crate::mapping::file_keys::Table;
use crate::mapping::mistake::Mistake;

/// A table and the keys it may have.
pub(super) struct Section<'t> {
    table: &'t DeTable<'t>,
    span: Range<usize>,
    language: &'static Table,
}

impl<'t> Section<'t> {
    /// The table in `value`; anything else is a mistake.
    pub(super) fn of(
        value: &'t Spanned<DeValue<'t>>,
        language: &'static Table,
        mistakes: &mut Vec<Mistake>,
    ) -> Option<Self> {
        let Some(table) = value.get_ref().as_table() else {
            mistakes.push(Mistake::new(value.span(), "this must be a table"));
            return None;
        };
        Some(Self::new(table, value.span(), language))
    }

    /// A table at a position in the file.
    pub(super) const fn new(
        table: &'t DeTable<'t>,
        span: Range<usize>,
        language: &'static Table,
    ) -> Self {
        Self {
            table,
            span,
            language,
        }
    }

    /// The table's position.
    pub(super) fn span(&self) -> Range<usize> {
        self.span.clone()
    }

    /// The value of a key.
    pub(super) fn take(&self, key: &'static str) -> Option<&'t Spanned<DeValue<'t>>> {
        debug_assert!(self.language.key(key).is_some(), "{key} is in the language");
        self.table.get(key)
    }

    /// The value of a required key.
    pub(super) fn required(
        &self,
        key: &'static str,
        mistakes: &mut Vec<Mistake>,
    ) -> Option<&'t Spanned<DeValue<'t>>> {
        let value = self.take(key);
        debug_assert!(
            self.language.key(key).is_some_and(|key| key.is_required),
            "{key} is required in the language"
        );
        if value.is_none() {
            mistakes.push(Mistake::new(
                self.head(),
                format!("`{key}` is required here"),
            ));
        }
        value
    }

    /// The text of a key.
    pub(super) fn text(
        &self,
        key: &'static str,
        mistakes: &mut Vec<Mistake>,
    ) -> Option<(&'t str, Range<usize>)> {
        text(self.take(key)?, mistakes)
    }

    /// The texts of a key, which may also be a single text.
    pub(super) fn texts(
        &self,
        key: &'static str,
        mistakes: &mut Vec<Mistake>,
    ) -> Option<Vec<(&'t str, Range<usize>)>> {
        let value = self.take(key)?;
        match value.get_ref().as_array() {
            Some(list) if list.is_empty() => {
                mistakes.push(Mistake::new(value.span(), "this must name at least one"));
                None
            }
            Some(list) => list.iter().map(|member| text(member, mistakes)).collect(),
            None => text(value, mistakes).map(|text| vec![text]),
        }
    }

    /// Reports the keys that the language does not know.
    pub(super) fn finish(self, mistakes: &mut Vec<Mistake>) {
        let known: Vec<&str> = self.language.keys.iter().map(|key| key.name).collect();
        for (key, _value) in self.table {
            let name = key.get_ref().as_ref();
            if !known.contains(&name) {
                let message = format!("`{name}` is not a key of this table");
                let hint = nearest(name, &known).map(|near| format!("did you mean `{near}`?"));
                let hint = hint.or_else(|| Some(format!("its keys are {}", known.join(", "))));
                mistakes.push(Mistake::new(key.span(), message).hint(hint));
            }
        }
    }

    /// The first bytes of the table, enough to show where it is.
    fn head(&self) -> Range<usize> {
        self.span.start..self.span.end.min(self.span.start + 1)
    }
}

/// The value of a TOML text on one line, given with its quotes.
pub(crate) fn text_of(literal: &str) -> Option<String> {
    if literal.contains('\n') {
        return None;
    }
    let line = format!("text = {literal}");
    let table = DeTable::parse(&line).ok()?;
    let value = table.get_ref().get("text")?.get_ref().as_str()?;
    Some(value.to_owned())
}

/// The text in `value`; anything else is a mistake.
pub(super) fn text<'t>(
    value: &'t Spanned<DeValue<'t>>,
    mistakes: &mut Vec<Mistake>,
) -> Option<(&'t str, Range<usize>)> {
    let text = value.get_ref().as_str();
    if text.is_none() {
        mistakes.push(Mistake::new(value.span(), "this must be a text"));
    }
    Some((text?, value.span()))
}

/// Converts any value to JSON.
pub(super) fn json(value: &Spanned<DeValue<'_>>, mistakes: &mut Vec<Mistake>) -> Option<Value> {
    let unusable = |what: &str| Mistake::new(value.span(), format!("{what} cannot be used here"));
    match value.get_ref() {
        DeValue::String(text) => Some(Value::String(text.to_string())),
        DeValue::Boolean(value) => Some(Value::Bool(*value)),
        DeValue::Integer(integer) => {
            let parsed = i64::from_str_radix(integer.as_str(), integer.radix());
            parsed
                .map(Value::from)
                .map_err(|_range| mistakes.push(unusable("so large a number")))
                .ok()
        }
        DeValue::Float(float) => {
            let spelling = float.as_str();
            let parsed = spelling.parse::<f64>().ok();
            let number = parsed
                .filter(|value| is_exact(spelling.trim_start_matches('+'), *value))
                .and_then(serde_json::Number::from_f64)
                .map(Value::Number);
            if number.is_none() {
                mistakes.push(unusable("a number that readers of JSON would change"));
            }
            number
        }
        DeValue::Datetime(time) => Some(Value::String(time.to_string())),
        DeValue::Array(list) => list.iter().map(|member| json(member, mistakes)).collect(),
        DeValue::Table(table) => table
            .iter()
            .map(|(key, value)| Some((key.get_ref().to_string(), json(value, mistakes)?)))
            .collect::<Option<_>>()
            .map(Value::Object),
    }
}
