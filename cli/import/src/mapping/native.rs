//! Whether the fields that a mapping makes are those of the native format: validation itself says
//! so, of records that have all of them and no value.

use std::io::Cursor;
use std::path::PathBuf;

use super::definition::{Definition, Emit, Field};
use super::origin::expression;
use crate::export::STANDARD_INPUT;
use crate::findings::{Code, Finding};
use crate::terminal::excerpt::Problem;
use crate::terminal::progress::Progress;
use crate::validate::{self, Nobody, Rejects, Settings};

/// Findings that can be told of one mapping.
const FINDINGS_MAX: usize = 10_000;

/// The fields of a mapping that the native format does not know.
pub(super) fn unknown_fields(definition: &Definition) -> anyhow::Result<Vec<Problem>> {
    let record = |emit: &Emit| {
        let kind = format!("\"kind\":\"{}\"", emit.kind.as_str());
        let fields = emit.fields.iter();
        let fields = fields.map(|(name, field)| format!("{}:{}", text(name), without_value(field)));
        let members: Vec<String> = std::iter::once(kind).chain(fields).collect();
        format!("{{{}}}\n", members.join(","))
    };
    let records: Vec<String> = definition.emits.iter().map(record).collect();
    let settings = Settings {
        exports: &[PathBuf::from(STANDARD_INPUT)],
        mapping: None,
        is_mapping_checked: false,
        temp_dir: &tempfile::env::temp_dir(),
        listed_max: FINDINGS_MAX,
        skip_invalid: false,
        progress: &Progress::new(false),
    };
    let mut rejects = Rejects::nowhere();
    let mut input = Cursor::new(records.concat());
    let outcome = validate::run(&settings, &mut input, &mut rejects, &mut Nobody)?;
    let findings = outcome.findings.listed().into_iter();
    let unknown =
        findings.filter(|finding| matches!(finding.code, Code::UnknownField | Code::DerivedField));
    Ok(unknown
        .filter_map(|finding| problem(definition, finding))
        .collect())
}

/// The problem of a finding, at the expression of its field. Each rule is a line.
fn problem(definition: &Definition, finding: &Finding) -> Option<Problem> {
    let line = finding.place.as_ref()?.line?;
    let rule = usize::try_from(line).ok()?.checked_sub(1)?;
    let emit: &Emit = definition.emits.get(rule)?;
    let mut steps = finding.pointer.as_ref()?.split('/').skip(1);
    let first = steps.next()?;
    let (_, field) = emit.fields.iter().find(|(name, _)| name == first)?;
    let id = expression(field, steps).or_else(|| first_expression(field))?;
    let span = definition.expressions[id.0].span.clone();
    let pointer = finding.pointer.as_deref().unwrap_or_default();
    let message = format!(
        "{} of a {} at {pointer}",
        finding.message,
        emit.kind.as_str()
    );
    Some(Problem::new(span, message).hint(finding.hint.clone()))
}

fn first_expression(field: &Field) -> Option<super::definition::ExpressionId> {
    match field {
        Field::Value { from, .. } => Some(*from),
        Field::List { each, .. } => Some(*each),
        Field::Object(fields) => fields
            .first()
            .and_then(|(_, field)| first_expression(field)),
    }
}

/// JSON of a field in which no value stands.
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
