//! Tells findings about native fields which expressions in the mapping file made the values.

use shared::base::field_path::{FieldPath, Step};

use super::Mapping;
use super::definition::{Definition, Envelope, ExpressionId, Rule};
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
                let path = FieldPath::record().then(Step::key(name));
                fields.push((path, self.origin(expressions)));
            }
        }
        let made = rule.made().into_iter();
        fields.extend(made.map(|(path, by)| (path, self.origin(vec![by]))));
        RuleOrigins { fields }
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
    let envelopes = || definition.sources.iter().map(|source| &source.envelope);
    let id = |envelope: &Envelope| envelope.id.or(envelope.key);
    [
        ("id", envelopes().filter_map(id).collect()),
        (
            "updatedAt",
            envelopes()
                .filter_map(|envelope| envelope.updated_at)
                .collect(),
        ),
    ]
}
