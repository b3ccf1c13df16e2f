//! Turns records of a content system into native ones in two steps: first all are identified and
//! stored, then each is mapped.
//!
//! Both steps are pure functions of a record and of what was stored, and can run on any thread.
//! Only [`Index`] and [`Merge`] do what depends on the order of records.

pub(super) mod difference;
mod distinct;
pub(super) mod identify;
mod images;
pub(super) mod make;
mod merge;
mod native_record;
mod noted;
mod numbers;

use std::cell::RefCell;
use std::collections::HashSet;
use std::ops::Range;
use std::sync::Arc;

use serde_json::Value;

use super::check::{Asker, Observer};
use super::definition::{Definition, ExpressionId, Role, Rule, Table, WhereVariable};
use super::documents::{Document, Held};
use super::expression::{self, EvalContext, IMAGE_SIZE, Jq, Program, Referred, from_json};
use super::functions::measure::Convention;
use super::functions::plain::RichText;
use super::index::Index;
use super::key_interner::{KeyId, whole};
use super::mistake::Mistake;
use super::read;
use super::watch::Position;
use crate::finding::{ExportFile, cut, nearest};
use crate::image::ImageSize;
use crate::source::Spot;

pub(super) use self::merge::Merge;
use self::noted::Noted;

/// The most parsed records that all threads together keep cached.
const HELD_MAX: usize = 1024;

/// Maps records on one thread.
pub(super) struct Mapper {
    definition: Arc<Definition>,
    programs: Vec<Program>,
    /// Whether all programs say what they look at, as an observer needs.
    is_observable: bool,
    variables: Vec<Jq>,
    /// All records; empty while they are still being identified.
    index: Arc<Index>,
    held: RefCell<Held>,
    /// What observes the expressions, if the mapping is checked.
    observer: RefCell<Option<Observer>>,
    /// The objects in which `published` looked a key up that it names itself, since it was last
    /// evaluated.
    asked: RefCell<Vec<(Jq, String)>>,
    /// The keys with a value that published records had so far at their top.
    met: RefCell<HashSet<String>>,
    /// The time of the import, in seconds since 1970.
    now: i64,
    /// The current position, for the watch.
    position: Arc<Position>,
    /// What is noted of the records being mapped.
    noted: RefCell<Noted>,
}

impl Mapper {
    /// Compiles all expressions for one thread of `threads`.
    pub(super) fn new(
        definition: &Arc<Definition>,
        index: Arc<Index>,
        (threads, now): (usize, i64),
        position: Arc<Position>,
    ) -> Result<Self, Vec<Mistake>> {
        let programs = compile(definition, false)?;
        let values = definition
            .variables
            .iter()
            .map(|(_, value)| from_json(value));
        Ok(Self {
            definition: Arc::clone(definition),
            programs,
            is_observable: false,
            variables: values.collect(),
            index,
            held: RefCell::new(Held::new(HELD_MAX / threads)),
            observer: RefCell::default(),
            asked: RefCell::default(),
            met: RefCell::default(),
            now,
            position,
            noted: RefCell::default(),
        })
    }

    /// The current position.
    pub(super) const fn position(&self) -> &Arc<Position> {
        &self.position
    }

    fn evaluate(&self, id: ExpressionId, input: Jq, subject: &Subject) -> Result<Jq, String> {
        self.position.evaluate(id.0);
        let variables = subject.variables().chain(&self.variables).cloned();
        self.programs[id.0].evaluate(input, variables, self)
    }

    /// The subject for expressions about a stored record.
    fn subject(&self, document: &Document, record: Jq) -> Subject {
        let role = Role::Records(document.source.into());
        self.subject_at((role, &document.file, document.spot), record)
    }

    /// The subject for expressions about a record, given the role of its file and the record's spot
    /// in it.
    fn subject_at(&self, (role, file, spot): (Role, &ExportFile, Spot), record: Jq) -> Subject {
        let value = |variable: &WhereVariable| match variable {
            WhereVariable::File => Jq::from(file.path.clone()),
            WhereVariable::Position => Jq::from(spot.position as usize),
            WhereVariable::List => {
                let list = spot.list.zip(self.definition.layout_of(role));
                let list = list.and_then(|(list, layout)| layout.records.get(usize::from(list)));
                list.map_or(Jq::Null, |list| Jq::from(list.to_string()))
            }
        };
        Subject {
            whereabouts: self.definition.whereabouts.iter().map(value).collect(),
            record,
        }
    }

    /// Whether a vocabulary table has a word.
    fn is_listed(&self, table: &str, word: &str) -> bool {
        let table = self.definition.tables.get(table);
        table.is_some_and(|table| table.words.contains_key(word))
    }

    /// The place of the record that a key leads to.
    fn follow(&self, key: KeyId) -> Referred<usize> {
        let Some(place) = self.index.documents.place_of(key) else {
            return Referred::Nowhere;
        };
        if self.index.documents.at(place).is_published {
            return Referred::Published(place);
        }
        self.noted.borrow_mut().refuse(place);
        Referred::Unpublished
    }

    /// The place of the record with a key, or else with the same number as `5.0` or as `5`.
    fn follow_text(&self, key: &str) -> Referred<usize> {
        let follow = |key: &str| {
            let key = self.index.keys.find(key);
            key.map_or(Referred::Nowhere, |key| self.follow(key))
        };
        let digits = whole(key);
        let is_number = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
        match follow(key) {
            Referred::Nowhere if digits != key => follow(digits),
            Referred::Nowhere if is_number => follow(&format!("{digits}.0")),
            found => found,
        }
    }

    /// The key of the record being mapped; `None` while records are only being identified.
    fn current_key(&self) -> Option<KeyId> {
        let place = self.noted.borrow().from()?;
        Some(self.index.documents.at(place).key)
    }

    /// Fails if a function is called before all records are read.
    fn expect_all_read(&self, function: &str) -> Result<(), String> {
        match self.noted.borrow().from() {
            Some(_) => Ok(()),
            None => Err(format!(
                "`{function}` knows nothing until all is read: it has no place in [envelope], [[sources]], [links] and [joins]"
            )),
        }
    }

    /// The contents of the record at a place, requested by another record.
    fn contents(&self, place: usize) -> Result<Jq, String> {
        let document = self.index.documents.at(place);
        if document.is_changed {
            self.noted.borrow_mut().changed.insert(place);
        }
        let record = self.held.borrow_mut().read(&self.index.documents, place)?;
        if let Some(observer) = &mut *self.observer.borrow_mut() {
            observer.led(self.position.expression(), document, &record);
        }
        Ok(record)
    }

    /// Whether expressions are observed.
    fn is_observed(&self) -> bool {
        self.observer.borrow().is_some()
    }

    /// Has all expressions observed from now on.
    fn observe(&mut self) -> Result<(), Vec<Mistake>> {
        if !self.is_observable {
            self.programs = compile(&self.definition, true)?;
            self.is_observable = true;
        }
        self.observer.replace(Some(Observer::default()));
        Ok(())
    }

    /// The places of the records that a join has for a key.
    fn joined_places(&self, name: &str, key: &str) -> Result<Vec<usize>, String> {
        self.expect_all_read("joined")?;
        let known = self.definition.joins.iter();
        let known: Vec<&str> = known.map(|join| join.name.as_str()).collect();
        if !known.contains(&name) {
            let near = did_you_mean(name, &known);
            return Err(format!("there is no join [joins.{name}]{near}"));
        }
        let Index {
            documents,
            keys,
            joins,
            ..
        } = &*self.index;
        let Some(key) = keys.find(whole(key)) else {
            return Ok(Vec::new());
        };
        let mut places: Vec<usize> = joins.of(key, name, keys).collect();
        places.dedup_by(|a, b| documents.at(*a).is_same(documents.at(*b)));
        Ok(places)
    }
}

/// The rules that cover a record, published or not, with their indices.
pub(super) fn rules_for<'d>(
    definition: &'d Definition,
    document: &'d Document,
) -> impl Iterator<Item = (usize, &'d Rule)> {
    let rules = definition.rules.iter().enumerate();
    rules.filter(|(_, rule)| rule.is_for(&document.record_type))
}

/// Compiles the expressions of a mapping, or reports all mistakes in them. `published` is always
/// observed, the others if `is_observed`.
pub(super) fn compile(
    definition: &Definition,
    is_observed: bool,
) -> Result<Vec<Program>, Vec<Mistake>> {
    let prelude = definition.prelude.as_ref();
    let code = prelude.map_or("", |prelude| prelude.code.as_str());
    let names = definition
        .variables
        .iter()
        .map(|(name, _)| format!("${name}"));
    let variables: Vec<String> = variables(definition).chain(names).collect();
    let mut mistakes = Vec::new();
    if let Some(prelude) = prelude {
        let compiled = expression::check_definitions(code)
            .and_then(|()| Program::compile(&format!("{code}\n."), "", &variables, false));
        let program = compiled.map_err(|why| vec![Mistake::new(prelude.span.clone(), why)])?;
        mistakes.extend(unknown_sections(definition, &program, &prelude.span));
    }
    let mut programs = Vec::new();
    let sources = definition.sources.iter();
    let published: HashSet<ExpressionId> = sources.filter_map(|of| of.envelope.published).collect();
    for (index, expression) in definition.expressions.iter().enumerate() {
        let is_observed = is_observed || published.contains(&ExpressionId(index));
        match Program::compile(&expression.code, code, &variables, is_observed) {
            Ok(program) => {
                mistakes.extend(unknown_sections(definition, &program, &expression.span));
                programs.push(program);
            }
            Err(why) => mistakes.push(Mistake::new(expression.span.clone(), why)),
        }
    }
    if mistakes.is_empty() {
        Ok(programs)
    } else {
        Err(mistakes)
    }
}

/// The mistakes of naming a join or a vocabulary table that the mapping does not have. A name that is
/// computed shows only when it is asked for.
fn unknown_sections(
    definition: &Definition,
    program: &Program,
    span: &Range<usize>,
) -> Vec<Mistake> {
    let joins = definition.joins.iter().map(|join| join.name.as_str());
    let joins: Vec<&str> = joins.collect();
    let tables: Vec<&str> = definition.tables.keys().map(String::as_str).collect();
    let sections = program.sections().iter();
    let mistake = |(of, name): &(&str, String)| {
        let (known, what) = match *of {
            "joins" => (&joins, "join"),
            _ => (&tables, "vocabulary table"),
        };
        let message = format!("there is no {what} [{of}.{}]", cut(name));
        let mistake = Mistake::new(span.clone(), message);
        let is_known = known.contains(&name.as_str());
        (!is_known).then(|| mistake.hint(read::did_you_mean(name, known)))
    };
    sections.filter_map(mistake).collect()
}

/// The variable that holds the record an expression is about.
const RECORD: &str = "$record";

/// The record that expressions are about.
struct Subject {
    record: Jq,
    /// The values of the variables that tell where it is in the export, as far as the mapping uses
    /// them.
    whereabouts: Vec<Jq>,
}

impl Subject {
    /// The record itself.
    const fn record(&self) -> &Jq {
        &self.record
    }

    /// The values of all variables that differ from record to record, in the order of
    /// [`variables`].
    fn variables(&self) -> impl Iterator<Item = &Jq> {
        std::iter::once(&self.record).chain(&self.whereabouts)
    }
}

/// The names of all variables that differ from record to record.
fn variables(definition: &Definition) -> impl Iterator<Item = String> {
    let whereabouts = definition.whereabouts.iter();
    let whereabouts = whereabouts.map(|variable| format!("${}", variable.name()));
    std::iter::once(RECORD.to_owned()).chain(whereabouts)
}

impl EvalContext for Mapper {
    fn record(&self, key: &str) -> Result<Referred<Jq>, String> {
        self.expect_all_read("deref")?;
        let found = self.follow_text(key);
        found.try_map(|place| self.contents(place))
    }

    fn public_id(&self, key: &str) -> Referred<String> {
        self.follow_text(key)
            .map(|place| self.index.id_of(self.index.documents.at(place)).to_owned())
    }

    fn linked(&self, from: Option<&str>, field: &str) -> Vec<String> {
        if let Some(observer) = &mut *self.observer.borrow_mut() {
            observer.asked_for_links(from.is_none(), field);
        }
        let from = match from {
            Some(key) => self.index.keys.find(key),
            None => self.current_key(),
        };
        let Some(from) = from else { return Vec::new() };
        let linked = self.index.links.of(from, field, &self.index.keys);
        let linked = linked.filter(|to| !matches!(self.follow(*to), Referred::Unpublished));
        linked
            .map(|to| self.index.keys.text(to).to_owned())
            .collect()
    }

    fn rich_text(&self) -> &RichText {
        &self.definition.rich_text
    }

    fn note_unknown_node(&self, kind: &str) {
        self.noted.borrow_mut().note_unknown_node(kind);
    }

    fn note_markdown(&self) {
        self.noted.borrow_mut().note_markdown();
    }

    fn note_number(&self, given: &str, convention: Convention) {
        let expression = ExpressionId(self.position.expression());
        let mut noted = self.noted.borrow_mut();
        noted.note_number(expression, given, convention);
    }

    fn joined(&self, join: &str, key: &str) -> Result<Vec<Jq>, String> {
        let places = self.joined_places(join, key)?.into_iter();
        places.map(|place| self.contents(place)).collect()
    }

    fn looked_up(&self, of: &Jq, key: Option<&str>, is_expected: bool) {
        let expression = self.position.expression();
        let is_own = key.filter(|_| is_expected);
        let is_own = is_own.and_then(|key| self.programs[expression].names(key));
        if let Some(observer) = &mut *self.observer.borrow_mut() {
            let asker = is_own.map(|is_own| Asker { expression, is_own });
            observer.looked_up(of, key, asker);
        } else if let (Jq::Obj(_), Some(key), Some(true)) = (of, key, is_own) {
            self.asked.borrow_mut().push((of.clone(), key.to_owned()));
        }
    }

    fn read(&self, value: &Jq) {
        if let Some(observer) = &mut *self.observer.borrow_mut() {
            observer.read(value);
        }
    }

    fn image(&self, path: &str) -> Result<Option<ImageSize>, String> {
        self.expect_all_read(IMAGE_SIZE)?;
        self.index.images.find(path)
    }

    fn now(&self) -> i64 {
        self.now
    }

    fn lookup(&self, table: &str, word: &str) -> Result<Jq, String> {
        let Some(Table { words, place, .. }) = self.definition.tables.get(table) else {
            return Err(format!("there is no vocabulary table [tables.{table}]"));
        };
        if let Some(value) = words.get(word) {
            return Ok(from_json(value));
        }
        let known: Vec<&str> = words.keys().map(String::as_str).collect();
        let near = did_you_mean(word, &known);
        let word = Value::from(cut(word));
        Err(format!(
            "[tables.{table}] does not have {word}{near}: add `{word} = …` to it ({place})"
        ))
    }
}

/// What a word that is not known may have been meant to be, in brackets.
fn did_you_mean(word: &str, known: &[&str]) -> String {
    let near = nearest(word, known);
    near.map_or_else(String::new, |near| format!(" (did you mean \"{near}\"?)"))
}
