//! Where in a mapping file the value of a native field comes from, for findings about it.

use super::Mapping;
use super::definition::{Envelope, ExpressionId, Field};
use crate::finding::cut;

impl Mapping {
    /// What makes the value at a JSON pointer of a native record of a rule: the expression and its
    /// place.
    pub fn origin(&self, number: u32, pointer: &str) -> Option<String> {
        let rule = self.definition.rules.get(usize::try_from(number).ok()?)?;
        let mut steps = pointer.split('/').skip(1);
        let first = steps.next()?;
        let mut origins = match rule.fields.iter().find(|(name, _)| name == first) {
            Some((_, field)) => expression(field, steps).into_iter().collect(),
            None => self.of_envelopes(first),
        };
        origins.sort_unstable();
        origins.dedup();
        let places: Vec<String> = origins.into_iter().map(|id| self.place(id)).collect();
        (!places.is_empty())
            .then(|| format!("the mapping makes the value by {}", places.join(" or ")))
    }

    /// What makes the fields that a rule leaves to the envelope.
    fn of_envelopes(&self, name: &str) -> Vec<ExpressionId> {
        let envelopes = self.definition.sources.iter().map(|source| source.envelope);
        let part = |envelope: Envelope| match name {
            "id" => Some(envelope.id.unwrap_or(envelope.key)),
            "updatedAt" => envelope.updated_at,
            _ => None,
        };
        envelopes.filter_map(part).collect()
    }

    fn place(&self, id: ExpressionId) -> String {
        let expression = &self.definition.expressions[id.0];
        let line = self.line_of(expression.span.start);
        let code = cut(expression.code.trim());
        format!("`{code}` ({}:{line})", self.name)
    }
}

/// The expression that is as near to a place as the fields say.
pub(super) fn expression<'a>(
    field: &Field,
    mut steps: impl Iterator<Item = &'a str>,
) -> Option<ExpressionId> {
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
