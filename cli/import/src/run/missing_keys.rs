//! Explains why a field is missing in every record: the mapping makes it from a key that no record
//! has.
//!
//! The key was probably renamed in the export. This only adds hints; validation decides what is
//! wrong.

use crate::finding::{Code, Finding, Findings, Kind};
use crate::mapping::{CheckReport, MissingKey, RuleReport};
use crate::validate::Tally;

/// The codes of findings about a missing key: its field is missing, or the expression does not
/// accept null.
const CODES: [Code; 2] = [Code::MissingField, Code::MappingFailed];
/// How many unread keys are named at most as possible new names.
const UNREAD_MAX: usize = 3;

/// Whether missing fields leave a kind without published records, so it is worth finding the
/// reason.
pub(super) fn are_likely(findings: &Findings, tally: &Tally) -> bool {
    let is_gone = |of: Kind| {
        let mut kinds = tally.by_kind().into_iter();
        kinds.any(|(kind, tally)| kind == of && tally.published == 0)
    };
    let causes = findings.causes();
    let mut missing = causes.iter().filter(|cause| CODES.contains(&cause.code));
    missing.any(|cause| cause.kind.is_some_and(is_gone))
}

/// Adds a hint that names the missing key to findings about fields made from it.
pub(super) fn explain(report: &CheckReport, findings: &mut Findings) {
    findings.set_hints(|finding| {
        let rule = usize::try_from(finding.rule?).ok()?;
        let rule = report.rules.get(rule)?;
        let field = field_of(finding)?;
        let mut fields = rule.fields.iter();
        let made = fields.find(|made| made.field == field && made.filled == 0)?;
        Some(hint(made.missing.first()?, rule))
    });
}

/// The name that the check report has for the missing field; `None` within lists, whose members
/// differ.
fn field_of(finding: &Finding) -> Option<String> {
    let path = finding.path.as_ref();
    Some(path.filter(|_| CODES.contains(&finding.code))?.to_string())
}

fn hint(missing: &MissingKey, rule: &RuleReport) -> String {
    let named = |key: &String| format!("`{key}`");
    let unread = rule.unread.iter().map(|key| named(&key.key));
    let unread: Vec<String> = match &missing.suggestion {
        Some(near) => vec![named(near)],
        None => unread.collect(),
    };
    let key = &missing.key;
    match unread.as_slice() {
        [] => format!("no record has the key `{key}`"),
        [only] => format!("no record has the key `{key}`; it may be {only} now"),
        several if several.len() <= UNREAD_MAX => {
            let keys = several.join(" or ");
            format!("no record has the key `{key}`; it may be {keys} now")
        }
        _ => format!("no record has the key `{key}`; it may have another name now"),
    }
}
