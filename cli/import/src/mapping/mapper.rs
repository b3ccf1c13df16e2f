//! From the records of a content system to native ones: first all are identified and set aside,
//! then each is turned into what the mapping makes of it.
//!
//! Both are pure functions of a record and of what was set aside, for any thread. What hangs on the
//! order of records is done by [`Index`] and [`Merge`] alone.

mod distinct;
mod field;
mod followed;
mod identify;
mod images;
mod joins;
mod knowledge;
mod make;
mod merge;
mod remarks;
mod subject;

use std::cell::RefCell;
use std::collections::HashSet;
use std::sync::Arc;

use super::definition::{Definition, Emit, ExpressionId};
use super::documents::{Document, Held, Spot};
use super::expression::{self, Jq, Program, Site, from_json};
use super::index::Index;
use super::worker::Position;
use crate::finding::ExportFile;
use crate::mapping::Mistake;

use self::followed::Followed;
pub(super) use self::identify::{Identified, Link, ReadRecord};
pub(super) use self::joins::Joining;
pub(super) use self::make::Observe;
pub(super) use self::merge::Merge;
use self::subject::Subject;

/// Parsed records that all threads hold because they may be asked for again.
const HELD_MAX: usize = 1024;

/// A record, or a row of links, as a file has it.
pub(super) struct Raw {
    pub(super) file: Arc<ExportFile>,
    pub(super) line: u64,
    pub(super) spot: Spot,
    pub(super) text: String,
    /// Whether the file ends right after it, without a line break.
    pub(super) is_unterminated: bool,
}

/// Types of records, and which references led to them.
type LedTo = HashSet<(Site, Arc<str>)>;

/// Maps records on one thread.
pub(super) struct Mapper {
    definition: Arc<Definition>,
    programs: Vec<Program>,
    variables: Vec<Jq>,
    /// All records; none while they are identified.
    index: Arc<Index>,
    held: RefCell<Held>,
    /// Where references led, if that is to be known.
    led_to: RefCell<Option<LedTo>>,
    /// Where mapping is, for the watch.
    position: Arc<Position>,
    /// The references of the records that are mapped.
    followed: RefCell<Followed>,
}

impl Mapper {
    /// Compiles all expressions, for one of so many threads.
    pub(super) fn new(
        definition: &Arc<Definition>,
        index: Arc<Index>,
        threads: usize,
        position: Arc<Position>,
    ) -> Result<Self, Vec<Mistake>> {
        let programs = compile(definition)?;
        let values = definition
            .variables
            .iter()
            .map(|(_, value)| from_json(value));
        Ok(Self {
            definition: Arc::clone(definition),
            programs,
            variables: values.collect(),
            index,
            held: RefCell::new(Held::new(HELD_MAX / threads)),
            led_to: RefCell::new(None),
            position,
            followed: RefCell::default(),
        })
    }

    /// Where mapping is.
    pub(super) const fn position(&self) -> &Arc<Position> {
        &self.position
    }

    fn evaluate(&self, id: ExpressionId, input: Jq, subject: &Subject) -> Result<Jq, String> {
        self.position.evaluate(id.0);
        let variables = subject.variables().chain(&self.variables).cloned();
        self.programs[id.0].evaluate(input, variables, self)
    }
}

/// The rules that are for a record, with their places, be it published or not.
pub(super) fn rules_for<'d>(
    definition: &'d Definition,
    document: &'d Document,
) -> impl Iterator<Item = (usize, &'d Emit)> {
    let rules = definition.emits.iter().enumerate();
    rules.filter(|(_, emit)| emit.types.iter().any(|of| **of == *document.record_type))
}

/// Compiles the expressions of a mapping, or tells all that are wrong.
pub(super) fn compile(definition: &Definition) -> Result<Vec<Program>, Vec<Mistake>> {
    let prelude = definition.prelude.as_ref();
    let code = prelude.map_or("", |prelude| prelude.code.as_str());
    let names = definition
        .variables
        .iter()
        .map(|(name, _)| format!("${name}"));
    let variables: Vec<String> = subject::names(definition).chain(names).collect();
    let invalid = |span: &std::ops::Range<usize>, invalid: super::expression::InvalidExpression| {
        Mistake::new(span.clone(), invalid.message)
    };
    if let Some(prelude) = prelude {
        let compiled = expression::check_definitions(code)
            .and_then(|()| Program::compile(".", code, &variables));
        compiled.map_err(|why| vec![invalid(&prelude.span, why)])?;
    }
    let mut mistakes = Vec::new();
    let mut programs = Vec::new();
    for expression in &definition.expressions {
        match Program::compile(&expression.code, code, &variables) {
            Ok(program) => programs.push(program),
            Err(why) => mistakes.push(invalid(&expression.span, why)),
        }
    }
    mistakes.extend(joins::unknown(definition));
    if mistakes.is_empty() {
        Ok(programs)
    } else {
        Err(mistakes)
    }
}
