//! Which names the expressions of a mapping mention, and for which fields.

use std::collections::HashSet;

use crate::mapping::definition::{Definition, Emit, Envelope, ExpressionId, Field};
use crate::mapping::expression::key_names;

/// The names that are known at the top of a record: those of its fields, those that
/// identify it, and those that join it to others.
pub(super) fn names_known(definition: &Definition, emit: &Emit) -> HashSet<String> {
    let envelopes = definition.sources.iter();
    let envelopes = envelopes.flat_map(|source| of_envelope(&source.envelope));
    let joins = definition.joins.iter();
    let joins = joins.flat_map(|join| std::iter::once(join.to).chain(join.order));
    let all = envelopes.map(|(_, id)| id).chain(joins);
    let codes = all.map(|id| definition.expressions[id.0].code.as_str());
    let mut names = names_of_fields(definition, emit);
    names.extend(codes.flat_map(|code| key_names(code).all));
    names
}

/// The names that the expressions of a rule mention, and the definitions that they may use.
pub(super) fn names_of_fields(definition: &Definition, emit: &Emit) -> HashSet<String> {
    let own = [emit.condition, emit.each].into_iter().flatten();
    let fields = leaves(&emit.fields).into_iter().map(|(_, id)| id);
    let all = own.chain(fields);
    let codes = all.map(|id| definition.expressions[id.0].code.as_str());
    let prelude = definition
        .prelude
        .iter()
        .map(|prelude| prelude.code.as_str());
    codes
        .chain(prelude)
        .flat_map(|code| key_names(code).all)
        .collect()
}

/// The parts of an envelope by their names.
pub(super) fn of_envelope(of: &Envelope) -> impl Iterator<Item = (&'static str, ExpressionId)> {
    let parts = [
        ("key", Some(of.key)),
        ("id", of.id),
        ("type", Some(of.record_type)),
        ("published", of.published),
        ("updatedAt", of.updated_at),
        ("changed", of.changed),
    ];
    parts
        .into_iter()
        .filter_map(|(name, part)| Some((name, part?)))
}

/// The fields of a rule by their names, lists before their members, and what makes them.
pub(super) fn leaves(fields: &[(String, Field)]) -> Vec<(String, ExpressionId)> {
    let mut found = Vec::new();
    for (name, field) in fields {
        collect_leaves(name, field, &mut found);
    }
    found
}

fn collect_leaves(name: &str, field: &Field, found: &mut Vec<(String, ExpressionId)>) {
    match field {
        Field::Value { from, .. } => found.push((name.to_owned(), *from)),
        Field::List { each, member } => {
            found.push((name.to_owned(), *each));
            collect_leaves(&format!("{name}[]"), member, found);
        }
        Field::Object(fields) => {
            for (inner, field) in fields {
                collect_leaves(&format!("{name}.{inner}"), field, found);
            }
        }
    }
}
