//! Tells findings about native fields which expressions in the mapping file made the values.

use shared::base::field_path::{FieldPath, Step};

use super::Mapping;
use super::definition::{Definition, Envelope, ExpressionId, Field, Rule};
use crate::finding::{Origins, RuleOrigins};

impl Mapping {
    /// For each rule, the expressions that make the values of its records, with their positions.
    pub(crate) fn origins(&self) -> Origins {
        let rules = self.definition.rules.iter();
        Origins {
            rules: rules.map(|rule| self.rule_origins(rule)).collect(),
        }
    }

    fn rule_origins(&self, rule: &Rule) -> RuleOrigins {
        let mut fields = Vec::new();
        for (name, expressions) in of_envelopes(&self.definition) {
            if !rule.fields.iter().any(|(field, _)| field == name) && !expressions.is_empty() {
                fields.push((member(FieldPath::record(), name), self.origin(expressions)));
            }
        }
        for (name, field) in &rule.fields {
            self.add_origins(field, member(FieldPath::record(), name), &mut fields);
        }
        RuleOrigins { fields }
    }

    fn add_origins(
        &self,
        field: &Field,
        path: FieldPath<'static>,
        all: &mut Vec<(FieldPath<'static>, String)>,
    ) {
        match field {
            Field::Value { from, .. } => all.push((path, self.origin(vec![*from]))),
            Field::List { each, member } => {
                self.add_origins(member, path.clone().then(Step::Each), all);
                all.push((path, self.origin(vec![*each])));
            }
            Field::Object(fields) => {
                for (name, field) in fields {
                    self.add_origins(field, member(path.clone(), name), all);
                }
            }
        }
    }

    fn origin(&self, mut expressions: Vec<ExpressionId>) -> String {
        expressions.sort_unstable();
        expressions.dedup();
        let places = expressions.into_iter();
        let places = places.map(|id| self.definition.expressions[id.0].to_string());
        let places: Vec<String> = places.collect();
        format!("the mapping makes the value by {}", places.join(" or "))
    }
}

fn member(object: FieldPath<'static>, key: &str) -> FieldPath<'static> {
    object.then(Step::key(key.to_owned()))
}

/// The expressions that make the fields that a rule leaves to the envelope.
fn of_envelopes(definition: &Definition) -> [(&'static str, Vec<ExpressionId>); 2] {
    let envelopes = || definition.sources.iter().map(|source| source.envelope);
    let id = |envelope: Envelope| envelope.id.unwrap_or(envelope.key);
    [
        ("id", envelopes().map(id).collect()),
        (
            "updatedAt",
            envelopes()
                .filter_map(|envelope| envelope.updated_at)
                .collect(),
        ),
    ]
}
