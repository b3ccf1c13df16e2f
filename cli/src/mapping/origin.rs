//! Where in a mapping file the value of a native field comes from, for findings about it.

use super::Mapping;
use super::definition::{ExpressionId, Field};
use crate::findings::cut;
use crate::validate::Kind;

impl Mapping {
    /// What makes the value at a JSON pointer of a native record: the expression and its place.
    pub fn origin(&self, kind: Kind, pointer: &str) -> Option<String> {
        let rules = self
            .definition
            .emits
            .iter()
            .filter(|emit| emit.kind == kind);
        let origins = rules.filter_map(|emit| {
            let mut steps = pointer.split('/').skip(1);
            let first = steps.next()?;
            let (_, field) = emit.fields.iter().find(|(name, _)| name == first)?;
            Some(self.place(expression(field, steps)?))
        });
        let origins: Vec<String> = origins.collect();
        (!origins.is_empty()).then(|| format!("the value is made by {}", origins.join(" or ")))
    }

    fn place(&self, id: ExpressionId) -> String {
        let expression = &self.definition.expressions[id.0];
        let line = self.line_of(expression.span.start);
        let code = cut(expression.code.trim());
        format!("`{code}` ({}:{line})", self.name)
    }
}

/// The expression that is as near to a place as the fields say.
fn expression<'a>(field: &Field, mut steps: impl Iterator<Item = &'a str>) -> Option<ExpressionId> {
    match field {
        Field::Value { from, .. } => Some(*from),
        Field::List { each, member } => match steps.next() {
            None => Some(*each),
            Some(_place) => expression(member, &mut steps as &mut dyn Iterator<Item = &str>),
        },
        Field::Object(fields) => {
            let name = steps.next()?;
            let (_, field) = fields.iter().find(|(field, _)| field == name)?;
            expression(field, &mut steps as &mut dyn Iterator<Item = &str>)
        }
    }
}
