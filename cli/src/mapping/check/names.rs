//! Which names the expressions of a mapping mention, and for which fields.

use std::collections::HashSet;

use crate::mapping::definition::{Definition, Emit, ExpressionId, Field};
use crate::mapping::expression::key_names;

/// The names that are known at the top of a record: those of its fields and those that identify it.
pub(super) fn names_known(definition: &Definition, emit: &Emit) -> HashSet<String> {
    let envelopes = definition.sources.iter().flat_map(|source| {
        let of = source.envelope;
        [
            Some(of.key),
            Some(of.record_type),
            of.id,
            of.published,
            of.updated_at,
            of.changed,
        ]
    });
    let envelopes = envelopes.flatten();
    let codes = envelopes.map(|id| definition.expressions[id.0].code.as_str());
    let mut names = names_of_fields(definition, emit);
    names.extend(codes.flat_map(|code| key_names(code).all));
    names
}

/// The names that the expressions of a rule mention, and the definitions that they may use.
pub(super) fn names_of_fields(definition: &Definition, emit: &Emit) -> HashSet<String> {
    let own = [emit.condition, emit.each].into_iter().flatten();
    let all = own.chain(all_expressions(&emit.fields));
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

fn all_expressions(fields: &[(String, Field)]) -> Vec<ExpressionId> {
    let of_field = |(_, field): &(String, Field)| match field {
        Field::Value { from, .. } => vec![*from],
        Field::List { each, member } => {
            let mut all = all_expressions(std::slice::from_ref(&(String::new(), *member.clone())));
            all.push(*each);
            all
        }
        Field::Object(fields) => all_expressions(fields),
    };
    fields.iter().flat_map(of_field).collect()
}

/// The fields that have values, by their names, and what makes them.
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
        Field::List { member, .. } => collect_leaves(&format!("{name}[]"), member, found),
        Field::Object(fields) => {
            for (inner, field) in fields {
                collect_leaves(&format!("{name}.{inner}"), field, found);
            }
        }
    }
}
