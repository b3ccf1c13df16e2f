//! The records that boats refer to (manufacturers, terms and designers, by id), and how references
//! are read.

use std::collections::HashMap;

use shared::base::ids::IdOrSlug;
use shared::base::model::{self, ManufacturerReference, Text};

use super::designer::Designer;
use super::manufacturer::Manufacturer;
use super::read_result::{ReadResult, Unusable};
use super::reporter::{Problem, Reporter};
use super::term::Term;
use super::values::id;
use crate::finding::{Code, Finding, cut};
use crate::format::{Target, Vocabulary};
use crate::json::{Node, Value};

/// The records of one kind that others may refer to.
#[derive(Debug)]
pub(crate) struct Table<T> {
    records: Vec<T>,
    states: HashMap<Box<str>, RecordState>,
}

/// Whether others may refer to a record.
#[derive(Debug)]
enum RecordState {
    /// The record is usable; this is its index.
    Usable(usize),
    /// No published record may; with what people call it.
    Barred(Option<String>, Barred),
}

/// Why no published record may refer to a record.
#[derive(Debug)]
pub(super) enum Barred {
    /// It is a draft.
    Unpublished,
    /// It is left out; the place of its first error, and what that says.
    Invalid(String),
}

impl Barred {
    /// The reason that this error is.
    pub(super) fn by(error: &Finding) -> Self {
        let place = error.place.as_ref().map(|place| format!(" at {place}"));
        let place = place.unwrap_or_default();
        Self::Invalid(format!("{place}: {}", error.message))
    }

    /// The problem with a reference to the record with this id.
    fn problem(&self, target: Target, id: &str, name: Option<&str>) -> Problem {
        let name = name.filter(|name| !name.is_empty() && *name != id);
        let name = name.map_or_else(String::new, |name| format!(" ({name})"));
        let record = format!("the {} {}{name}", target.as_str(), cut(id));
        match self {
            Self::Unpublished => {
                let message = format!("{record} is not published, but this boat is");
                Problem::new(unpublished(target), message)
            }
            Self::Invalid(error) => {
                let message = format!("{record} is left out for an error of its own{error}");
                Problem::new(Code::ReferenceToInvalid, message)
            }
        }
    }
}

impl<T> Default for Table<T> {
    fn default() -> Self {
        Self {
            records: Vec::new(),
            states: HashMap::new(),
        }
    }
}

impl<T> Table<T> {
    /// Adds a record to which others may refer. The first of several with the same id counts.
    pub(super) fn add(&mut self, id: &str, record: T) {
        if !self.states.contains_key(id) {
            let usable = RecordState::Usable(self.records.len());
            self.states.insert(id.into(), usable);
            self.records.push(record);
        }
    }

    /// Adds one to which no published record may, with what people call it.
    pub(super) fn bar(&mut self, id: &str, name: Option<&str>, why: Barred) {
        let state = || RecordState::Barred(name.map(str::to_owned), why);
        self.states.entry(id.into()).or_insert_with(state);
    }

    /// The usable records in the export's order.
    pub(crate) fn records(&self) -> &[T] {
        &self.records
    }

    /// The index of the record with this id, or the problem with the reference.
    fn find(&self, id: &str, target: Target) -> Result<usize, Problem> {
        match self.states.get(id) {
            Some(RecordState::Usable(index)) => Ok(*index),
            Some(RecordState::Barred(name, why)) => Err(why.problem(target, id, name.as_deref())),
            None => Err(dangling(target, &cut(id))),
        }
    }
}

/// Everything that boats may refer to.
#[derive(Debug, Default)]
pub(crate) struct References {
    pub(crate) manufacturers: Table<Manufacturer>,
    pub(crate) designers: Table<Designer>,
    /// Whether a mapping makes references from keys. A key that leads nowhere is kept as it is and
    /// need not have the form of an id.
    pub(crate) are_of_keys: bool,
    terms: [Table<Term>; Vocabulary::ALL.len()],
}

impl References {
    /// The manufacturer with this index, as a boat shows it.
    pub(super) fn manufacturer(&self, index: usize) -> ManufacturerReference<'_> {
        self.manufacturers.records[index].reference()
    }

    /// The term with this index, as a boat shows it.
    pub(super) fn term(&self, vocabulary: Vocabulary, index: usize) -> model::Reference<'_> {
        let Term { id, slug, name } = &self.terms[vocabulary as usize].records[index];
        model::Reference { id, name, slug }
    }

    /// The designer with this index, as a boat shows it.
    pub(super) fn designer(&self, index: usize) -> model::Designer<'_> {
        let designer = &self.designers.records[index];
        model::Designer {
            id: &designer.id,
            name: &designer.name,
            website: designer.website.as_deref(),
        }
    }

    fn find(&self, id: &str, target: Target) -> Result<usize, Problem> {
        match target {
            Target::Manufacturer => self.manufacturers.find(id, target),
            Target::Term(vocabulary) => self.terms[vocabulary as usize].find(id, target),
            Target::Designer => self.designers.find(id, target),
        }
    }

    /// The terms of a vocabulary, to add to.
    pub(crate) const fn terms_mut(&mut self, vocabulary: Vocabulary) -> &mut Table<Term> {
        &mut self.terms[vocabulary as usize]
    }
}

/// Reads the references of one record.
#[derive(Clone, Copy)]
pub(super) struct Resolver<'n> {
    pub(super) references: &'n References,
    /// Whether the record is published: only then must its references lead somewhere.
    pub(super) is_published: bool,
}

impl Resolver<'_> {
    /// The index of the record referred to, among the usable ones.
    pub(super) fn resolve(
        self,
        target: Target,
        node: &Node<'_>,
        reporter: &mut Reporter<'_>,
    ) -> ReadResult<usize> {
        let key = self.references.are_of_keys.then(|| no_id(node)).flatten();
        let id = match key {
            None => referred_id(node, reporter)?,
            key => key,
        };
        let Some(id) = id else {
            return Ok(None);
        };
        match self.references.find(id, target) {
            Ok(index) => Ok(Some(index)),
            Err(problem) => {
                if self.is_published {
                    if problem.code == Code::ReferenceToInvalid {
                        reporter.left_out_with(target.kind(), id);
                    }
                    reporter.report_value(node, problem);
                }
                Err(Unusable)
            }
        }
    }
}

/// The code of a reference to a draft.
const fn unpublished(target: Target) -> Code {
    match target {
        Target::Manufacturer => Code::UnpublishedManufacturer,
        Target::Term(_) | Target::Designer => Code::DanglingReference,
    }
}

fn dangling(target: Target, id: &str) -> Problem {
    let message = format!("the export has no {} {id}", target.as_str());
    Problem::new(Code::DanglingReference, message)
}

/// The text in a value if no record can have that text as its id.
fn no_id<'n>(node: &'n Node<'_>) -> Option<&'n str> {
    let key = node.text()?.trim();
    (!key.is_empty() && IdOrSlug::parse(key).is_err()).then_some(key)
}

fn referred_id<'n>(node: &'n Node<'_>, reporter: &mut Reporter<'_>) -> ReadResult<&'n str> {
    if !matches!(node.value, Value::Object(_)) {
        return id(node, reporter);
    }
    let message = "a reference is the id of a record, not the record itself";
    let mut problem = Problem::new(Code::ExpandedReference, message);
    if let Some(id) = node.member("id").and_then(Node::text) {
        let id: Text<'_> = cut(id).into();
        problem = problem.hint(format!("write \"{id}\" instead"));
    }
    reporter.report_value(node, problem);
    Err(Unusable)
}
