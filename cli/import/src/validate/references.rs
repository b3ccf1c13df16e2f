//! The records that boats refer to (manufacturers, terms and designers, by id), and how references
//! are read.

use std::collections::HashMap;

use shared::base::ids::{ID_OR_SLUG_MAX, IdOrSlug};
use shared::base::model::{self, ManufacturerReference, Text};

use super::designer::Designer;
use super::fields::{ReadResult, Unusable};
use super::manufacturer::Manufacturer;
use super::reporter::{Problem, Reporter};
use super::shape::Shape;
use super::term::Term;
use super::values::id;
use super::vocabulary::Vocabulary;
use crate::finding::{Code, Kind, cut};
use crate::json::{Node, Value};

/// The records of one kind that others may refer to.
#[derive(Debug)]
pub(crate) struct Table<T> {
    records: Vec<T>,
    states: HashMap<Box<str>, RecordState>,
}

/// Whether others may refer to a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum RecordState {
    /// The record is usable; this is its index.
    Usable(usize),
    /// The record is a draft.
    Unpublished,
    /// The record has errors.
    Invalid,
}

/// What a reference leads to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Target {
    Manufacturer,
    Term(Vocabulary),
    Designer,
}

impl Target {
    /// The words for it in messages.
    const fn as_str(self) -> &'static str {
        match self {
            Self::Manufacturer => Kind::Manufacturer.as_str(),
            Self::Term(vocabulary) => vocabulary.term(),
            Self::Designer => Kind::Designer.as_str(),
        }
    }

    /// The code of a reference to a draft.
    const fn unpublished(self) -> Code {
        match self {
            Self::Manufacturer => Code::UnpublishedManufacturer,
            Self::Term(_) | Self::Designer => Code::DanglingReference,
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
    /// Adds a published record. The first of several with the same id counts.
    pub(crate) fn insert(&mut self, id: &str, record: T) {
        if self.insert_state(id, RecordState::Usable(self.records.len())) {
            self.records.push(record);
        }
    }

    /// Notes a record that is a draft.
    pub(crate) fn insert_unpublished(&mut self, id: &str) {
        self.insert_state(id, RecordState::Unpublished);
    }

    /// Notes a record that has errors.
    pub(crate) fn insert_invalid(&mut self, id: &str) {
        self.insert_state(id, RecordState::Invalid);
    }

    /// The usable records in the export's order.
    pub(crate) fn records(&self) -> &[T] {
        &self.records
    }

    fn insert_state(&mut self, id: &str, state: RecordState) -> bool {
        let is_new = !self.states.contains_key(id);
        if is_new {
            self.states.insert(id.into(), state);
        }
        is_new
    }

    /// The record with this id and its index, or the problem with the reference.
    fn find(&self, id: &str, target: Target) -> Result<(usize, &T), Problem> {
        let what = target.as_str();
        match self.states.get(id) {
            Some(RecordState::Usable(index)) => Ok((*index, &self.records[*index])),
            Some(RecordState::Unpublished) => {
                let message = format!("the {what} {id} is not published, but this boat is");
                Err(Problem::new(target.unpublished(), message))
            }
            Some(RecordState::Invalid) => {
                let message = format!("the {what} {id} has errors of its own");
                Err(Problem::new(Code::ReferenceToInvalid, message))
            }
            None => Err(dangling(target, id)),
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
    /// The terms of a vocabulary.
    pub(crate) const fn terms(&self, vocabulary: Vocabulary) -> &Table<Term> {
        &self.terms[vocabulary as usize]
    }

    /// The terms of a vocabulary, to add to.
    pub(crate) const fn terms_mut(&mut self, vocabulary: Vocabulary) -> &mut Table<Term> {
        &mut self.terms[vocabulary as usize]
    }
}

/// Reads the references of one boat.
#[derive(Clone, Copy)]
pub(crate) struct Resolver<'n> {
    pub(crate) references: &'n References,
    /// Whether the boat is published: only then must its references lead somewhere.
    pub(crate) is_published: bool,
}

impl<'n> Resolver<'n> {
    /// The manufacturer and its index among the usable ones.
    pub(crate) fn manufacturer(
        self,
    ) -> impl Fn(&'n Node<'n>, &mut Reporter<'n>) -> ReadResult<(usize, ManufacturerReference<'n>)>
    {
        move |node, reporter| {
            let found = self.resolve(
                &self.references.manufacturers,
                Target::Manufacturer,
                node,
                reporter,
            )?;
            Ok(found.map(|(index, manufacturer)| (index, manufacturer.reference())))
        }
    }

    /// A term of `vocabulary`.
    pub(crate) fn term(
        self,
        vocabulary: Vocabulary,
    ) -> impl Fn(&'n Node<'n>, &mut Reporter<'n>) -> ReadResult<model::Reference<'n>> {
        move |node, reporter| {
            let target = Target::Term(vocabulary);
            let found = self.resolve(self.references.terms(vocabulary), target, node, reporter)?;
            Ok(found.map(|(_, term)| model::Reference {
                id: &term.id,
                name: &term.name,
                slug: &term.slug,
            }))
        }
    }

    /// A designer.
    pub(crate) fn designer(
        self,
    ) -> impl Fn(&'n Node<'n>, &mut Reporter<'n>) -> ReadResult<model::Designer<'n>> {
        move |node, reporter| {
            let target = Target::Designer;
            let found = self.resolve(&self.references.designers, target, node, reporter)?;
            Ok(found.map(|(_, designer)| model::Designer {
                id: &designer.id,
                name: &designer.name,
                website: designer.website.as_deref(),
            }))
        }
    }

    fn resolve<T>(
        self,
        table: &'n Table<T>,
        target: Target,
        node: &'n Node<'n>,
        reporter: &mut Reporter<'n>,
    ) -> ReadResult<(usize, &'n T)> {
        reporter.takes(|| Shape::Reference {
            to: target.as_str(),
            pattern: IdOrSlug::PATTERN,
            max: ID_OR_SLUG_MAX,
        })?;
        if self.references.are_of_keys
            && let Some(key) = no_id(node)
        {
            if self.is_published {
                reporter.report_value(node, dangling(target, &cut(key)));
            }
            return Err(Unusable);
        }
        let Some(id) = referred_id(node, reporter)? else {
            return Ok(None);
        };
        match table.find(id.as_str(), target) {
            Ok(found) => Ok(Some(found)),
            Err(problem) => {
                if self.is_published {
                    reporter.report_value(node, problem);
                }
                Err(Unusable)
            }
        }
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

fn referred_id<'n>(node: &'n Node<'n>, reporter: &mut Reporter<'n>) -> ReadResult<IdOrSlug> {
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
