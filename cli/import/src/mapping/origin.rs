//! Tells findings about native fields which expressions in the mapping file made the values.

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
        let mut places = Vec::new();
        for (name, expressions) in of_envelopes(&self.definition) {
            if !rule.fields.iter().any(|(field, _)| field == name) && !expressions.is_empty() {
                places.push((format!("/{name}"), self.origin(expressions)));
            }
        }
        for (name, field) in &rule.fields {
            self.add_origins(field, format!("/{name}"), &mut places);
        }
        RuleOrigins { places }
    }

    fn add_origins(&self, field: &Field, pointer: String, places: &mut Vec<(String, String)>) {
        match field {
            Field::Value { from, .. } => places.push((pointer, self.origin(vec![*from]))),
            Field::List { each, member } => {
                self.add_origins(member, format!("{pointer}/*"), places);
                places.push((pointer, self.origin(vec![*each])));
            }
            Field::Object(fields) => {
                for (name, field) in fields {
                    self.add_origins(field, format!("{pointer}/{name}"), places);
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
