//! From the records of a content system to native ones: first all are identified and set aside,
//! then each is turned into what the mapping makes of it.

mod check;
mod distinct;
mod field;
mod followed;
mod identify;
mod images;
mod joins;
mod knowledge;
mod make;
mod remarks;
mod subject;

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::path::Path;
use std::rc::Rc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use super::definition::{Definition, Emit, ExpressionId};
use super::documents::{Document, Documents, Spot};
use super::expression::{self, Jq, Program, from_json};
use super::image_files::ImageFiles;
use super::keys::{KeyId, Keys};
use super::links::Links;
use crate::export::ExportFile;
use crate::findings::Finding;
use crate::problem::Problem;
use crate::validate::Kind;

use self::distinct::Distinct;
use self::followed::Followed;
use self::images::LeftOut;
pub(super) use self::make::{Observe, Unobserved};
use self::subject::Subject;

/// A record, or a row of links, as a file has it.
pub(super) struct Raw {
    pub(super) file: Arc<ExportFile>,
    pub(super) line: u64,
    pub(super) spot: Spot,
    pub(super) text: String,
    /// Whether the file ends right after it, without a line break.
    pub(super) is_unterminated: bool,
}

/// Something that comes of the records.
#[derive(Debug)]
pub(super) enum Event {
    /// A native record.
    Made {
        file: Arc<ExportFile>,
        line: u64,
        text: String,
    },
    /// A record of which none could be made.
    Failed(Failed),
    /// Something about a record that can be mapped all the same.
    Found(Box<Finding>),
    /// A record that is not published.
    Unpublished { kind: Kind, id: String },
}

impl Event {
    /// How long a record it holds.
    pub(super) fn bytes(&self) -> usize {
        match self {
            Self::Made { text, .. } => text.len(),
            Self::Failed(failed) => failed.raw.len(),
            Self::Found(_) | Self::Unpublished { .. } => 0,
        }
    }
}

/// A record that could not be mapped.
#[derive(Debug)]
pub struct Failed {
    /// What it was meant to become, if that is known.
    pub kind: Option<Kind>,
    /// Its id, if that is known.
    pub id: Option<String>,
    /// Why not.
    pub findings: Vec<Finding>,
    /// The record as it came.
    pub raw: Vec<u8>,
}

/// Some records, told of together.
#[derive(Clone, Debug, Default)]
pub(super) struct Noted {
    pub(super) count: u64,
    /// Where the first of them stands.
    pub(super) first: Option<(Arc<ExportFile>, u64)>,
}

impl Noted {
    fn add(&mut self, raw: &Raw) {
        self.count += 1;
        self.first
            .get_or_insert_with(|| (Arc::clone(&raw.file), raw.line));
    }
}

/// What reading all files came to.
#[derive(Clone, Debug, Default)]
pub(super) struct Reading {
    /// Records that were set aside.
    pub(super) records: u64,
    /// Records without a key or a type.
    pub(super) unidentified: Noted,
    /// Types of record that the export has, and how many records of each.
    pub(super) types: BTreeMap<String, u64>,
    /// The sources that have records.
    pub(super) sources: BTreeSet<usize>,
    pub(super) has_links: bool,
    /// The joins by which no record refers to another one.
    pub(super) empty_joins: Vec<usize>,
}

/// Where mapping is.
#[derive(Default)]
pub(super) struct Position {
    /// How many records were begun.
    pub(super) begun: AtomicU64,
    /// How many records, and members of them that become records of their own.
    pub(super) steps: AtomicU64,
    /// The place of the record that was begun last.
    pub(super) place: Mutex<Option<(Arc<ExportFile>, u64)>>,
    /// The expression that was begun last.
    pub(super) expression: AtomicUsize,
}

impl Position {
    fn begin(&self, file: &Arc<ExportFile>, line: u64) {
        self.begun.fetch_add(1, Ordering::Relaxed);
        self.steps.fetch_add(1, Ordering::Relaxed);
        let mut place = self.place.lock().unwrap_or_else(PoisonError::into_inner);
        *place = Some((Arc::clone(file), line));
    }
}

/// Maps the records of one export.
pub(super) struct Mapper {
    definition: Arc<Definition>,
    programs: Vec<Program>,
    variables: Vec<Jq>,
    documents: Documents,
    keys: Keys,
    links: Links<KeyId>,
    /// From keys, by the names of joins, to the places of the published records that refer to them.
    joins: Links<usize>,
    types: HashSet<Rc<str>>,
    reading: Reading,
    /// Hashes of the types and ids of published records, and of others once they were told.
    told: HashSet<u64>,
    distinct: Distinct,
    left_out: LeftOut,
    images: ImageFiles,
    /// Keys by which records were asked for, where somebody wants to know.
    led_to: RefCell<Option<HashSet<KeyId>>>,
    /// Where mapping is, for whoever watches it.
    position: Arc<Position>,
    /// The references of the records that are mapped.
    followed: RefCell<Followed>,
}

impl Mapper {
    /// Compiles all expressions.
    pub(super) fn new(
        definition: &Arc<Definition>,
        temp_dir: &Path,
        position: Arc<Position>,
    ) -> anyhow::Result<Self> {
        let programs = compile(definition).map_err(|problems| {
            // A mapping is compiled when it is read, so that this has been told before.
            let messages: Vec<String> = problems
                .into_iter()
                .map(|problem| problem.message)
                .collect();
            anyhow::anyhow!("the mapping cannot be compiled: {}", messages.join("; "))
        })?;
        let values = definition
            .variables
            .iter()
            .map(|(_, value)| from_json(value));
        Ok(Self {
            definition: Arc::clone(definition),
            programs,
            variables: values.collect(),
            documents: Documents::create(temp_dir)?,
            keys: Keys::default(),
            links: Links::default(),
            joins: Links::default(),
            types: HashSet::new(),
            reading: Reading::default(),
            told: HashSet::new(),
            distinct: Distinct::default(),
            left_out: LeftOut::default(),
            images: ImageFiles::default(),
            led_to: RefCell::new(None),
            position,
            followed: RefCell::default(),
        })
    }

    /// Ends reading, in which these image files were found: from now on records are made.
    pub(super) fn finish_reading(&mut self, images: ImageFiles) -> anyhow::Result<Reading> {
        self.images = images;
        self.images.sort();
        self.links.sort();
        self.joins.sort();
        self.documents.finish()?;
        self.told = self.published();
        let mut reading = std::mem::take(&mut self.reading);
        reading.records = self.len() as u64;
        reading.has_links = !self.links.is_empty();
        reading.empty_joins = self.empty_joins();
        for place in 0..self.len() {
            let document = self.documents.at(place);
            reading.sources.insert(usize::from(document.source));
            let record_type = &document.record_type;
            match reading.types.get_mut(&**record_type) {
                Some(count) => *count += 1,
                None => _ = reading.types.insert(record_type.to_string(), 1),
            }
        }
        Ok(reading)
    }

    /// How many records there are.
    pub(super) fn len(&self) -> usize {
        self.documents.len()
    }

    fn evaluate(&self, id: ExpressionId, input: Jq, subject: &Subject) -> Result<Jq, String> {
        self.position.expression.store(id.0, Ordering::Relaxed);
        let variables = subject.variables().chain(&self.variables).cloned();
        self.programs[id.0].evaluate(input, variables, self)
    }
}

/// The rules that are for a record, with their places, be it published or not.
fn rules_for<'d>(
    definition: &'d Definition,
    document: &Document,
) -> impl Iterator<Item = (usize, &'d Emit)> + use<'d> {
    let record_type = Rc::clone(&document.record_type);
    let rules = definition.emits.iter().enumerate();
    rules.filter(move |(_, emit)| emit.types.iter().any(|of| **of == *record_type))
}

/// Compiles the expressions of a mapping, or tells all that are wrong.
pub(super) fn compile(definition: &Definition) -> Result<Vec<Program>, Vec<Problem>> {
    let prelude = definition.prelude.as_ref();
    let code = prelude.map_or("", |prelude| prelude.code.as_str());
    let names = definition
        .variables
        .iter()
        .map(|(name, _)| format!("${name}"));
    let variables: Vec<String> = subject::names(definition).chain(names).collect();
    let invalid = |span: &std::ops::Range<usize>, invalid: super::expression::InvalidExpression| {
        Problem::new(span.clone(), invalid.message)
    };
    if let Some(prelude) = prelude {
        let compiled = expression::check_definitions(code)
            .and_then(|()| Program::compile(".", code, &variables));
        compiled.map_err(|why| vec![invalid(&prelude.span, why)])?;
    }
    let mut problems = Vec::new();
    let mut programs = Vec::new();
    for expression in &definition.expressions {
        match Program::compile(&expression.code, code, &variables) {
            Ok(program) => programs.push(program),
            Err(why) => problems.push(invalid(&expression.span, why)),
        }
    }
    problems.extend(joins::unknown(definition));
    if problems.is_empty() {
        Ok(programs)
    } else {
        Err(problems)
    }
}
