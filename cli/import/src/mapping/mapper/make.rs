//! Makes native records from the stored records, which are now read a second time.

use std::ops::Range;
use std::sync::Arc;

use anyhow::anyhow;
use shared::base::field_path::{FieldPath, Step};

use super::distinct::DedupKey;
use super::images::{Images, are};
use super::native_record::Native;
use super::noted::Noted;
use super::{Mapper, Subject, rules_for};
use crate::finding::{Code, Kind, cut};
use crate::format::{self, Shape};
use crate::mapping::check::{Checker, Looked, Observer};
use crate::mapping::definition::{ExpressionId, Field, Rest, Rule};
use crate::mapping::documents::Document;
use crate::mapping::expression::{
    EvalContext, Jq, Program, from_json, text, write_json, write_text,
};
use crate::mapping::index::Index;
use crate::source::LINE_MAX;

/// Bytes of finished records after which a piece is handed over.
const PIECE_BYTES: usize = 1024 * 1024;

/// What the mapping made of consecutive records.
#[derive(Default)]
pub(in crate::mapping) struct Piece {
    /// The number of records.
    pub(in crate::mapping) records: u64,
    pub(super) applied: Vec<Applied>,
    pub(super) noted: Noted,
    /// What they show about the mapping, if a check was requested.
    pub(super) checker: Option<Checker>,
    bytes: usize,
}

/// What a rule made of a record, or of each of its inputs.
pub(super) struct Applied {
    pub(super) rule: usize,
    pub(super) place: usize,
    pub(super) made: Vec<Result<Made, Vec<Failure>>>,
}

/// A native record on its way to [`Merge`](super::merge::Merge), which knows its order.
pub(super) struct Made {
    pub(super) text: String,
    /// Present if duplicates are merged.
    pub(super) dedup_key: Option<DedupKey>,
    pub(super) images: Images,
}

impl Piece {
    /// The addresses of the images that were left out.
    pub(in crate::mapping) fn into_addresses(self) -> impl Iterator<Item = String> {
        let made = self.applied.into_iter().flat_map(|applied| applied.made);
        made.flatten().flat_map(|made| made.images.into_addresses())
    }
}

/// Maps the records at these places, observed by a checker if `is_checked`.
pub(in crate::mapping) fn make_records(
    mapper: &mut Mapper,
    index: Arc<Index>,
    places: Range<usize>,
    is_checked: bool,
    hand_over: &mut dyn FnMut(Piece) -> anyhow::Result<()>,
) -> anyhow::Result<()> {
    mapper.index = index;
    if is_checked {
        mapper
            .observe()
            .map_err(|_mistakes| anyhow!("the mapping cannot be observed"))?;
    }
    let mut piece = Piece::default();
    for place in places {
        make(mapper, place, &mut piece)?;
        piece.records += 1;
        if PIECE_BYTES <= piece.bytes {
            let observer = is_checked.then(Observer::default);
            hand_over(finished(mapper, std::mem::take(&mut piece), observer))?;
        }
    }
    hand_over(finished(mapper, piece, None))
}

/// A piece with what was observed. The next observations are for another observer.
fn finished(mapper: &mut Mapper, mut piece: Piece, next: Option<Observer>) -> Piece {
    piece.noted = mapper.noted.take();
    let programs = mapper.programs.iter();
    piece.noted.keys_found = programs.map(Program::is_key_found).collect();
    piece.checker = mapper.observer.replace(next).map(Observer::finish);
    piece
}

fn make(mapper: &Mapper, place: usize, piece: &mut Piece) -> anyhow::Result<()> {
    let index = Arc::clone(&mapper.index);
    let document = index.documents.at(place);
    let definition = Arc::clone(&mapper.definition);
    mapper.position.begin(&document.file, document.start.line);
    let mut subject = None;
    if mapper.is_observed() {
        let subject = subject.insert(mapper.subject(document, index.documents.read(place)?));
        observe(mapper, place, subject);
    }
    let rules = rules_for(&definition, document);
    for (number, rule) in rules.filter(|(_, rule)| is_made(mapper, rule)) {
        if !document.is_published {
            break;
        }
        let subject = match &subject {
            Some(subject) => subject,
            None => subject.insert(mapper.subject(document, index.documents.read(place)?)),
        };
        mapper.noted.borrow_mut().begin(place);
        let made = apply(mapper, (number, rule), document, subject, piece);
        piece.applied.push(Applied {
            rule: number,
            place,
            made,
        });
    }
    Ok(())
}

/// Has a record observed, and what identified it.
fn observe(mapper: &Mapper, place: usize, subject: &Subject) {
    mapper.noted.borrow_mut().pause();
    let document = mapper.index.documents.at(place);
    if let Some(observer) = &mut *mapper.observer.borrow_mut() {
        observer.record(&Looked::of(place, &mapper.index), subject.record());
    }
    let definition = &mapper.definition;
    let envelope = &definition.sources[usize::from(document.source)].envelope;
    let joins = definition.joins.iter();
    let joins = joins.filter(|join| document.is_published && join.is_for(&document.record_type));
    let of_joins = joins.map(|join| join.to);
    for id in envelope.parts().map(|(_, id)| id).chain(of_joins) {
        if let Ok(value) = mapper.evaluate(id, subject.record().clone(), subject) {
            mapper.read(&value);
        }
    }
}

/// Whether anything is made by a rule: where only addresses of images are wanted, by those that
/// make images.
fn is_made(mapper: &Mapper, rule: &Rule) -> bool {
    let makes_images = || rule.fields.iter().any(|(name, _)| are(rule.kind, name));
    !mapper.index.images.are_to_be_measured() || makes_images()
}

fn apply(
    mapper: &Mapper,
    (number, rule): (usize, &Rule),
    document: &Document,
    subject: &Subject,
    piece: &mut Piece,
) -> Vec<Result<Made, Vec<Failure>>> {
    let inputs = match inputs(mapper, rule, subject) {
        Ok(inputs) => inputs,
        Err(failure) => return vec![Err(vec![failure])],
    };
    let mut all = Vec::with_capacity(inputs.len());
    for input in &inputs {
        // Each input may take the full time limit.
        mapper.position.step();
        let native = native(mapper, (number, rule), document, (subject, input));
        let made = native.map(|native| Made {
            dedup_key: rule.is_distinct.then(|| DedupKey::of(&native)),
            text: native.text,
            images: native.images,
        });
        piece.bytes += made.as_ref().map_or(0, |made| made.text.len());
        all.push(made);
    }
    all
}

/// The inputs that native records are made of: the record, or each member of a list in it.
pub(super) fn inputs(mapper: &Mapper, rule: &Rule, subject: &Subject) -> Result<Vec<Jq>, Failure> {
    if let Some(condition) = rule.condition {
        let holds = mapper.evaluate(condition, subject.record().clone(), subject);
        match holds.map_err(|error| Failure::of_rule("where", &error))? {
            Jq::Null | Jq::Bool(false) => return Ok(Vec::new()),
            _ => {}
        }
    }
    let Some(each) = rule.each else {
        return Ok(vec![subject.record().clone()]);
    };
    let members = mapper.evaluate(each, subject.record().clone(), subject);
    let members = members.and_then(|members| list(&members));
    members.map_err(|error| Failure::of_rule("each", &error))
}

/// Makes a native record.
pub(super) fn native<'e>(
    mapper: &'e Mapper,
    (number, rule): (usize, &'e Rule),
    document: &Document,
    (subject, input): (&'e Subject, &Jq),
) -> Result<Native<'e>, Vec<Failure>> {
    let mut making = Making::new(mapper, number, subject);
    let has = |name: &str| rule.fields.iter().any(|(field, _)| field == name);
    if !has("id") {
        making.member("id", |making| making.text(mapper.index.id_of(document)));
    }
    let is_for_addresses = mapper.index.images.are_to_be_measured();
    let fields = rule.fields.iter();
    for (name, field) in fields.filter(|(name, _)| !is_for_addresses || are(rule.kind, name)) {
        making.member(name, |making| {
            let start = making.native.text.len();
            mapper.noted.borrow_mut().begin_field();
            let measured = mapper.index.images.measured.as_ref();
            let member = (rule.kind, name.as_str());
            let is_made =
                making.field(field, input) && making.native.keep_sized(member, start, measured);
            is_made || making.unpublished(name, start)
        });
    }
    if !has("updatedAt") && matches!(rule.kind, Kind::Boat | Kind::Manufacturer) {
        let updated_at = mapper.definition.sources[usize::from(document.source)]
            .envelope
            .updated_at;
        if let Some(from) = updated_at {
            making.member("updatedAt", |making| {
                making.value(from, &Rest::default(), subject.record())
            });
        }
    }
    making.finish()
}

/// What people call a record, given the JSON of the member that names it.
pub(super) fn named(json: &str) -> Option<String> {
    let name: String = serde_json::from_str(json).ok()?;
    Some(cut(name.trim())).filter(|name| !name.is_empty())
}

/// A native record being made.
struct Making<'a> {
    mapper: &'a Mapper,
    rule: usize,
    subject: &'a Subject,
    /// The path to the field being made.
    path: FieldPath<'a>,
    /// What was made so far.
    native: Native<'a>,
    failures: Vec<Failure>,
}

/// Something that could not be made.
pub(super) struct Failure {
    pub(super) code: Code,
    /// The field, if it is one.
    pub(super) path: Option<FieldPath<'static>>,
    pub(super) message: String,
    /// The id of the record, if that could be made.
    pub(super) id: Option<String>,
    /// What people call it, likewise.
    pub(super) name: Option<String>,
}

impl Failure {
    /// The failure of a part of a rule that belongs to no single field.
    fn of_rule(part: &str, error: &str) -> Self {
        Self {
            code: Code::MappingFailed,
            path: None,
            message: format!("`{part}` of the rule: {}", cut(error)),
            id: None,
            name: None,
        }
    }

    /// The failure of a native record with too many bytes.
    pub(super) fn too_long(length: usize) -> Self {
        Self {
            code: Code::LineTooLong,
            path: None,
            message: format!(
                "what the mapping makes of the record has {length} bytes, more than the {LINE_MAX} of a line"
            ),
            id: None,
            name: None,
        }
    }
}

impl<'a> Making<'a> {
    /// Starts a native record.
    fn new(mapper: &'a Mapper, rule: usize, subject: &'a Subject) -> Self {
        let kind = mapper.definition.rules[rule].kind;
        Self {
            mapper,
            rule,
            subject,
            path: FieldPath::record(),
            native: Native::new(kind),
            failures: Vec::new(),
        }
    }

    /// The record, unless any part of it could not be made.
    fn finish(mut self) -> Result<Native<'a>, Vec<Failure>> {
        if !self.failures.is_empty() {
            let kind = self.mapper.definition.rules[self.rule].kind;
            let [id, name] = ["id", kind.name_key()].map(|key| named(self.native.member(key)));
            for failure in &mut self.failures {
                failure.id.clone_from(&id);
                failure.name.clone_from(&name);
            }
            return Err(self.failures);
        }
        self.native.text.push('}');
        Ok(self.native)
    }

    /// Makes a member of the record: `make` writes its value and returns whether there is one.
    fn member(&mut self, name: &'a str, make: impl FnOnce(&mut Self) -> bool) {
        if let Some(start) = self.within(Step::key(name), make) {
            let end = self.native.text.len();
            self.native.members.push((name, start..end));
        }
    }

    /// Writes the id of the unpublished record that a required reference came to nothing by, in
    /// place of what starts at `start`, so that validation says why the reference is refused.
    fn unpublished(&mut self, name: &str, start: usize) -> bool {
        let kind = self.mapper.definition.rules[self.rule].kind;
        let mut fields = format::fields(kind).iter();
        let is_needed = |field: &format::Field| {
            field.key == name && field.is_required() && matches!(field.shape, Shape::Reference(_))
        };
        if !fields.any(is_needed) {
            return false;
        }
        let Some(refused) = self.mapper.noted.borrow_mut().take_refused() else {
            return false;
        };
        let index = &self.mapper.index;
        self.native.text.truncate(start);
        self.text(index.id_of(index.documents.at(refused)))
    }

    /// Writes a text in quotes.
    fn text(&mut self, text: &str) -> bool {
        write_text(text, &mut self.native.text);
        true
    }

    /// Writes a field; returns false if the value is null, empty or could not be made.
    fn field(&mut self, field: &'a Field, input: &Jq) -> bool {
        match field {
            Field::Value { from, rest } => self.value(*from, rest, input),
            Field::List { each, member } => self.members(*each, member, input),
            Field::Object(fields) => self.bracketed(('{', '}'), |making| {
                for (name, field) in fields {
                    making.within(Step::key(name), |making| making.field(field, input));
                }
            }),
        }
    }

    fn members(&mut self, each: ExpressionId, member: &'a Field, input: &Jq) -> bool {
        let items = match self.evaluated(each, input).map(|items| list(&items)) {
            None => return false,
            Some(Ok(items)) => items,
            Some(Err(message)) => {
                self.fail(&message);
                return false;
            }
        };
        if self.mapper.is_observed() {
            let whole: Jq = items.iter().cloned().collect();
            self.observe(Ok(&whole));
        }
        self.bracketed(('[', ']'), |making| {
            for (index, item) in items.iter().enumerate() {
                making.within(Step::Index(index), |making| making.field(member, item));
            }
        })
    }

    /// Writes the members of an object or a list in brackets, if there are any.
    fn bracketed(&mut self, (open, close): (char, char), write: impl FnOnce(&mut Self)) -> bool {
        self.native.text.push(open);
        let start = self.native.text.len();
        write(self);
        self.native.text.push(close);
        start + 1 < self.native.text.len()
    }

    /// Writes something one step further in and returns where its value starts. If there is no
    /// value, nothing is written.
    fn within(&mut self, step: Step<'a>, write: impl FnOnce(&mut Self) -> bool) -> Option<usize> {
        let before = self.native.text.len();
        if !self.native.text.ends_with(['{', '[']) {
            self.native.text.push(',');
        }
        if let Step::Key(name) = &step {
            self.text(name);
            self.native.text.push(':');
        }
        let start = self.native.text.len();
        self.path.push(step);
        let is_written = write(self);
        self.path.pop();
        if !is_written {
            self.native.text.truncate(before);
        }
        is_written.then_some(start)
    }

    /// Writes the value of an expression.
    fn value(&mut self, from: ExpressionId, rest: &Rest, input: &Jq) -> bool {
        let Some(value) = self.evaluated(from, input) else {
            return false;
        };
        let finished = self.finished(value, rest);
        let written = finished.and_then(|value| {
            write_json(&value, &mut self.native.text)?;
            Ok(value)
        });
        match written {
            Ok(value) => {
                self.mapper.read(&value);
                self.observe(Ok(&value));
                !matches!(value, Jq::Null)
            }
            Err(message) => {
                self.fail(&message);
                false
            }
        }
    }

    fn observe(&mut self, value: Result<&Jq, &str>) {
        if let Some(observer) = &mut *self.mapper.observer.borrow_mut() {
            observer.field(self.rule, &self.path.field().to_string(), value);
        }
    }

    fn evaluated(&mut self, id: ExpressionId, input: &Jq) -> Option<Jq> {
        let value = self.mapper.evaluate(id, input.clone(), self.subject);
        value.map_err(|message| self.fail(&message)).ok()
    }

    /// Applies the vocabulary table and the default to a value.
    fn finished(&self, value: Jq, rest: &Rest) -> Result<Jq, String> {
        let translated = match (&rest.table, &value) {
            (None, _) | (_, Jq::Null) => value,
            (Some(table), Jq::Num(number)) => self.translated(table, &number.to_string(), rest)?,
            (Some(table), word) => match text(word) {
                Some(word) => self.translated(table, word, rest)?,
                None => {
                    return Err(format!(
                        "[tables.{table}] translates texts, and this is {value}"
                    ));
                }
            },
        };
        Ok(match (translated, &rest.default) {
            (Jq::Null, Some(default)) => from_json(default),
            (value, _) => value,
        })
    }

    fn translated(&self, table: &str, word: &str, rest: &Rest) -> Result<Jq, String> {
        match &rest.unlisted {
            Some(unlisted) if !self.mapper.is_listed(table, word) => {
                let is_blank = word.trim().is_empty();
                Ok(if is_blank {
                    Jq::Null
                } else {
                    from_json(unlisted)
                })
            }
            _ => self.mapper.lookup(table, word),
        }
    }

    fn fail(&mut self, message: &str) {
        self.observe(Err(message));
        self.failures.push(Failure {
            code: Code::MappingFailed,
            path: Some(self.path.clone().into_owned()),
            message: cut(message),
            id: None,
            name: None,
        });
    }
}

/// The members of a list that are not null; null counts as an empty list.
fn list(value: &Jq) -> Result<Vec<Jq>, String> {
    match value {
        Jq::Null => Ok(Vec::new()),
        Jq::Arr(items) => {
            let items = items.iter().filter(|item| !matches!(item, Jq::Null));
            Ok(items.cloned().collect())
        }
        other => Err(format!(
            "`each` must give a list, not {}",
            cut(&other.to_string())
        )),
    }
}
