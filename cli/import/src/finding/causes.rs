//! Groups findings by cause: one fault in a content model is one cause, however many records have
//! it.

use std::collections::HashMap;

use shared::base::field_path::{FieldPath, Step};

use super::{Blame, Code, Finding, Kind};

/// How many causes are distinguished. Findings of further causes are still counted by code.
const CAUSES_MAX: usize = 1_000;
/// How many findings of each cause are kept.
pub const EXAMPLES_MAX: usize = 3;

/// Causes in the order in which they were found first.
#[derive(Clone, Debug, Default)]
pub(super) struct Causes {
    causes: Vec<Cause>,
    places: HashMap<Key, usize>,
}

/// What the findings of one cause have in common. Findings about a whole export have their message
/// in common.
pub(super) type Key = (
    Code,
    Option<Kind>,
    Option<FieldPath<'static>>,
    Option<String>,
);

/// Findings of one code about one field of one kind of record.
#[derive(Clone, Debug)]
pub struct Cause {
    /// What kind of problem it is.
    pub code: Code,
    /// The kind of the records; `None` if the findings are not about records.
    pub kind: Option<Kind>,
    /// The field, as in `engines[].maker`; `None` if the findings are not about parts of records.
    pub field: Option<FieldPath<'static>>,
    /// How many findings there are.
    pub count: u64,
    /// Whether all of them have the same message.
    pub says_one: bool,
    /// The first findings, at most [`EXAMPLES_MAX`].
    pub examples: Vec<Finding>,
}

impl Causes {
    /// Counts a finding, and keeps it if it is one of the first of its cause.
    pub(super) fn add(&mut self, finding: &Finding) {
        let key = key(finding);
        let place = match self.places.get(&key) {
            Some(place) => *place,
            None if self.causes.len() == CAUSES_MAX => return,
            None => {
                let (code, kind, field, _) = key.clone();
                self.places.insert(key, self.causes.len());
                self.causes.push(Cause {
                    code,
                    kind,
                    field,
                    count: 0,
                    says_one: true,
                    examples: Vec::new(),
                });
                self.causes.len() - 1
            }
        };
        let Some(cause) = self.causes.get_mut(place) else {
            return;
        };
        cause.count += 1;
        if let Some(first) = cause.examples.first() {
            cause.says_one &= first.message == finding.message;
        }
        if cause.examples.len() < EXAMPLES_MAX {
            cause.examples.push(finding.clone());
        }
    }

    pub(super) fn all(&self) -> &[Cause] {
        &self.causes
    }

    pub(super) fn examples_mut(&mut self) -> impl Iterator<Item = &mut Finding> {
        self.causes.iter_mut().flat_map(|cause| &mut cause.examples)
    }
}

impl Cause {
    /// What is wrong in all of its findings.
    pub fn title(&self) -> String {
        match (self.examples.first(), self.name()) {
            (Some(first), _) if self.says_one => first.message.clone(),
            (_, Some(field)) => format!("`{field}`: {}", self.code.explanation()),
            _ => self.code.explanation().to_owned(),
        }
    }

    /// The field as messages write it: `engines.maker`.
    pub fn name(&self) -> Option<String> {
        let names: Vec<&str> = self.field.as_ref()?.keys().collect();
        (!names.is_empty()).then(|| names.join("."))
    }

    /// Whether the missing field of this cause seems to be the unknown one of `other`, renamed:
    /// both belong to the same object, and occur in equally many records of the same kind.
    pub fn is_renamed_to(&self, other: &Self) -> bool {
        self.code == Code::MissingField
            && other.code == Code::UnknownField
            && self.kind == other.kind
            && self.count == other.count
            && self.around().is_some()
            && self.around() == other.around()
    }

    /// The way to the object that has the field.
    fn around(&self) -> Option<&[Step<'static>]> {
        let (_, around) = self.field.as_ref()?.steps().split_last()?;
        Some(around)
    }
}

/// The cause that a finding belongs to.
pub(super) fn key(finding: &Finding) -> Key {
    let kind = finding.record.as_ref().map(|record| record.kind);
    let field = finding.path.as_ref().map(FieldPath::field);
    let is_of_export = finding.code.blame() == Blame::Export;
    let said = is_of_export.then(|| finding.message.clone());
    (finding.code, kind, field, said)
}
