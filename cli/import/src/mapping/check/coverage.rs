//! Which keys of which records a mapping's expressions read, found from the expressions alone.

use std::collections::BTreeMap;
use std::iter;

use crate::mapping::definition::{Definition, Envelope, ExpressionId, Field, Rule};
use crate::mapping::expression::{Asked, Links, Reader, Reads, Values};

/// What a mapping reads.
pub(super) struct Coverage {
    /// By source.
    pub(super) envelopes: Vec<Reads>,
    /// By the part of the envelope and its expression.
    pub(super) parts: BTreeMap<(&'static str, ExpressionId), PartCoverage>,
    /// By rule.
    pub(super) rules: Vec<RuleCoverage>,
    /// By join: what it reads from the records that refer to others.
    pub(super) joins: Vec<Reads>,
    /// All fields of links that are asked for.
    pub(super) links: Links,
    /// The fields of links asked for of records other than the one being mapped.
    pub(super) other_links: Links,
}

/// A part of the envelope, which several sources may share.
#[derive(Default)]
pub(super) struct PartCoverage {
    pub(super) sources: Vec<usize>,
    /// The keys it asks for.
    pub(super) asked: Vec<Asked>,
}

/// What a rule reads.
pub(super) struct RuleCoverage {
    pub(super) reads: Reads,
    /// In the mapping's order, lists before their members.
    pub(super) fields: Vec<FieldCoverage>,
}

/// The keys that a field asks for.
pub(super) struct FieldCoverage {
    /// Its name, as in `engines[].maker`.
    pub(super) name: String,
    pub(super) expression: ExpressionId,
    pub(super) asked: Vec<Asked>,
}

/// Collects the coverage of a rule's fields.
struct Fields<'d> {
    definition: &'d Definition,
    reader: &'d Reader,
    covered: RuleCoverage,
}

/// Notes, for each source, which keys its `published` expression itself names: if an export spells
/// them differently, drafts may be mistaken for published records.
pub(in crate::mapping) fn note_published_keys(definition: &mut Definition) {
    let reader = reader(definition);
    for source in &mut definition.sources {
        let Some(id) = source.envelope.published else {
            continue;
        };
        let expression = (id.0, definition.expressions[id.0].code.as_str());
        let mut reads = Reads::default();
        let asked = reader.evaluate_whole(expression, &Values::record(), &mut reads);
        source.published_keys = asked.into_iter().filter(|asked| asked.is_own).collect();
    }
}

fn reader(definition: &Definition) -> Reader {
    let prelude = definition.prelude.as_ref();
    let prelude = prelude.map_or("", |prelude| prelude.code.as_str());
    let variables = definition.variables.iter();
    let variables = variables.map(|(name, value)| (name.as_str(), value));
    Reader::new(prelude, variables)
}

impl Coverage {
    pub(super) fn of(definition: &Definition) -> Self {
        let reader = reader(definition);
        let mut coverage = Self {
            envelopes: Vec::new(),
            parts: BTreeMap::new(),
            rules: Vec::new(),
            joins: Vec::new(),
            links: Links::default(),
            other_links: Links::default(),
        };
        for source in 0..definition.sources.len() {
            coverage.envelope(source, definition, &reader);
        }
        for join in &definition.joins {
            let mut reads = Reads::default();
            for id in iter::once(join.to).chain(join.order) {
                let expression = (id.0, definition.expressions[id.0].code.as_str());
                reader.evaluate_whole(expression, &Values::record(), &mut reads);
            }
            coverage.joins.push(reads);
        }
        for rule in &definition.rules {
            let covered = rule_coverage(rule, definition, &reader);
            coverage.links.merge(&covered.reads.links);
            coverage.links.merge(&covered.reads.other_links);
            coverage.other_links.merge(&covered.reads.other_links);
            coverage.rules.push(covered);
        }
        coverage
    }

    fn envelope(&mut self, source: usize, definition: &Definition, reader: &Reader) {
        let mut reads = Reads::default();
        for (part, id) in of_envelope(&definition.sources[source].envelope) {
            let expression = (id.0, definition.expressions[id.0].code.as_str());
            let asked = reader.evaluate_whole(expression, &Values::record(), &mut reads);
            let of_part = self.parts.entry((part, id)).or_default();
            of_part.sources.push(source);
            of_part.asked = asked;
        }
        self.links.merge(&reads.links);
        self.envelopes.push(reads);
    }
}

fn rule_coverage(rule: &Rule, definition: &Definition, reader: &Reader) -> RuleCoverage {
    let mut fields = Fields {
        definition,
        reader,
        covered: RuleCoverage {
            reads: Reads::default(),
            fields: Vec::new(),
        },
    };
    let mut input = Values::record();
    if let Some(condition) = rule.condition {
        // Only whether it holds matters, so its value is ignored.
        fields.evaluate(condition, &input);
    }
    if let Some(each) = rule.each {
        input = fields.members(each, &input).0;
    }
    for (name, field) in &rule.fields {
        fields.field(name, field, &input);
    }
    fields.covered
}

impl Fields<'_> {
    fn evaluate(&mut self, id: ExpressionId, input: &Values) -> (Values, Vec<Asked>) {
        let expression = (id.0, self.definition.expressions[id.0].code.as_str());
        self.reader
            .evaluate(expression, input, &mut self.covered.reads)
    }

    fn members(&mut self, each: ExpressionId, input: &Values) -> (Values, Vec<Asked>) {
        let (list, asked) = self.evaluate(each, input);
        (self.covered.reads.members(&list), asked)
    }

    fn field(&mut self, name: &str, field: &Field, input: &Values) {
        match field {
            Field::Value { from, .. } => {
                let (value, asked) = self.evaluate(*from, input);
                self.covered.reads.whole(&value);
                self.note(name, *from, asked);
            }
            Field::List { each, member } => {
                let (members, asked) = self.members(*each, input);
                self.note(name, *each, asked);
                self.field(&format!("{name}[]"), member, &members);
            }
            Field::Object(fields) => {
                for (inner, field) in fields {
                    self.field(&format!("{name}.{inner}"), field, input);
                }
            }
        }
    }

    fn note(&mut self, name: &str, expression: ExpressionId, asked: Vec<Asked>) {
        self.covered.fields.push(FieldCoverage {
            name: name.to_owned(),
            expression,
            asked,
        });
    }
}

/// The parts of an envelope with their names.
fn of_envelope(of: &Envelope) -> impl Iterator<Item = (&'static str, ExpressionId)> {
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
