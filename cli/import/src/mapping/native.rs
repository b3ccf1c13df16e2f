//! Checks that the fields a mapping makes are those of the native format, by validating records
//! that have all of the fields and no values.

use super::definition::{Definition, ExpressionId, Field, Rule};
use super::mistake::Mistake;
use crate::finding::{Code, Finding, Findings};

/// One line for each rule: a native record that has every field of the rule without a value.
pub(super) fn blank_records(definition: &Definition) -> String {
    let record = |rule: &Rule| {
        let kind = format!("\"kind\":\"{}\"", rule.kind.as_str());
        let fields = rule.fields.iter();
        let fields = fields.map(|(name, field)| format!("{}:{}", text(name), without_value(field)));
        let members: Vec<String> = std::iter::once(kind).chain(fields).collect();
        format!("{{{}}}\n", members.join(","))
    };
    definition.rules.iter().map(record).collect()
}

/// The fields of a mapping that the native format does not know, according to the findings about
/// the blank records.
pub(super) fn unknown_fields(definition: &Definition, findings: &Findings) -> Vec<Mistake> {
    let is_unknown =
        |finding: &&Finding| matches!(finding.code, Code::UnknownField | Code::DerivedField);
    let unknown = findings.listed().into_iter().filter(is_unknown);
    unknown
        .filter_map(|finding| mistake(definition, finding))
        .collect()
}

/// Turns a finding into a mistake at the expression of its field. The finding's line tells the
/// rule.
fn mistake(definition: &Definition, finding: &Finding) -> Option<Mistake> {
    let line = finding.place.as_ref()?.line?;
    let number = usize::try_from(line).ok()?.checked_sub(1)?;
    let rule: &Rule = definition.rules.get(number)?;
    let pointer = finding.path.as_ref()?.pointer();
    let mut steps = pointer.split('/').skip(1);
    let first = steps.next()?;
    let (_, field) = rule.fields.iter().find(|(name, _)| name == first)?;
    let id = expression(field, steps).or_else(|| first_expression(field))?;
    let span = definition.expressions[id.0].span.clone();
    let message = format!(
        "{} of a {} at {pointer}",
        finding.message,
        rule.kind.as_str()
    );
    Some(Mistake::new(span, message).hint(finding.hint.clone()))
}

/// The expression nearest to a path.
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

fn first_expression(field: &Field) -> Option<ExpressionId> {
    match field {
        Field::Value { from, .. } => Some(*from),
        Field::List { each, .. } => Some(*each),
        Field::Object(fields) => fields
            .first()
            .and_then(|(_, field)| first_expression(field)),
    }
}

/// The JSON of a field without any value.
fn without_value(field: &Field) -> String {
    match field {
        Field::Value { .. } => "null".to_owned(),
        Field::List { member, .. } => format!("[{}]", without_value(member)),
        Field::Object(fields) => {
            let members = fields.iter();
            let members =
                members.map(|(name, field)| format!("{}:{}", text(name), without_value(field)));
            format!("{{{}}}", members.collect::<Vec<_>>().join(","))
        }
    }
}

fn text(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}
