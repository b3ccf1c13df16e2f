//! Checks that the fields a mapping makes are those of the native format.
//!
//! Only keys are checked. Whether a value is one that its field may have is known once there is a
//! record, and then validation says so.

use std::ops::Range;

use shared::base::field_path::{FieldPath, Step};

use super::definition::{Definition, Field, Rule};
use super::mistake::Mistake;
use crate::finding::cut;
use crate::format::{self, PRIVATE_PREFIX, Shape};

/// The fields of a mapping that the native format does not have.
pub(super) fn unknown_fields(definition: &Definition) -> Vec<Mistake> {
    let mut mistakes = Vec::new();
    for rule in &definition.rules {
        let mut check = Check {
            definition,
            rule,
            path: FieldPath::record(),
            mistakes: &mut mistakes,
        };
        check.fields(&rule.fields, format::fields(rule.kind));
    }
    mistakes
}

/// Checks the fields of one rule.
struct Check<'a> {
    definition: &'a Definition,
    rule: &'a Rule,
    /// The way to the field being checked.
    path: FieldPath<'a>,
    mistakes: &'a mut Vec<Mistake>,
}

impl<'a> Check<'a> {
    fn fields(&mut self, made: &'a [(String, Field)], native: &[format::Field]) {
        for (name, field) in made {
            self.path.push(Step::key(name));
            match format::index_of(native, name, 0).map(|index| &native[index].shape) {
                Some(Shape::Derived { from, .. }) => {
                    let hint = "leave the key out".to_owned();
                    self.report(field, &format::derived(name, from), Some(hint));
                }
                Some(shape) => self.value(field, shape),
                None if name.starts_with(PRIVATE_PREFIX) => {}
                None => {
                    let message = format!("unknown key `{}`", cut(name));
                    self.report(field, &message, format::instead_of(name, native));
                }
            }
            self.path.pop();
        }
    }

    fn value(&mut self, field: &'a Field, shape: &Shape) {
        match (field, shape) {
            (Field::Object(fields), Shape::Object(native) | Shape::Part(native)) => {
                self.fields(fields, native);
            }
            (Field::List { member, .. }, Shape::List(native)) => {
                self.path.push(Step::Index(0));
                self.value(member, native);
                self.path.pop();
            }
            _ => {}
        }
    }

    fn report(&mut self, field: &Field, message: &str, hint: Option<String>) {
        let (kind, pointer) = (self.rule.kind.as_str(), self.path.pointer());
        let message = format!("{message} of a {kind} at {pointer}");
        let span = self
            .span_of(field)
            .unwrap_or_else(|| self.rule.span.clone());
        self.mistakes.push(Mistake::new(span, message).hint(hint));
    }

    /// Where the first expression of a field is.
    fn span_of(&self, field: &Field) -> Option<Range<usize>> {
        let id = match field {
            Field::Value { from, .. } => *from,
            Field::List { each, .. } => *each,
            Field::Object(fields) => {
                return fields.iter().find_map(|(_, field)| self.span_of(field));
            }
        };
        Some(self.definition.expressions[id.0].span.clone())
    }
}
