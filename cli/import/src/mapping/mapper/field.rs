//! One native record on its way: its fields are made one by one, and what fails is noted.

use super::Mapper;
use super::make::{Native, Observe};
use super::subject::Subject;
use crate::finding::{Code, cut};
use crate::mapping::definition::{ExpressionId, Field, Rest};
use crate::mapping::expression::{Jq, Knowledge, from_json, text, write_json, write_text};
use crate::source::LINE_MAX;

/// One native record on its way.
pub(super) struct Making<'a> {
    pub(super) mapper: &'a Mapper,
    pub(super) rule: usize,
    pub(super) subject: &'a Subject,
    pub(super) observer: Option<&'a mut dyn Observe>,
    /// The path to the field that is being made.
    path: Vec<Step<'a>>,
    /// Its name whatever its place in a list, `engines[].maker`, where it is watched.
    name: String,
    /// What was made so far.
    pub(super) native: Native<'a>,
    failures: Vec<Failure>,
}

#[derive(Clone, Copy)]
enum Step<'a> {
    Field(&'a str),
    Place(usize),
}

/// Something that could not be made.
pub(super) struct Failure {
    pub(super) code: Code,
    /// JSON pointer to the field, where it is one.
    pub(super) path: Option<String>,
    pub(super) message: String,
}

impl Failure {
    /// A part of a rule that is about no single field.
    pub(super) fn of_rule(part: &str, error: &str) -> Self {
        Self {
            code: Code::MappingFailed,
            path: None,
            message: format!("`{part}` of the rule: {}", cut(error)),
        }
    }

    /// A native record of so many bytes.
    pub(super) fn too_long(length: usize) -> Self {
        Self {
            code: Code::LineTooLong,
            path: None,
            message: format!(
                "what the mapping makes of the record has {length} bytes, more than the {LINE_MAX} of a line"
            ),
        }
    }
}

impl Step<'_> {
    /// Appends the step to the name of a field.
    fn push_to(self, name: &mut String) {
        match self {
            Self::Place(_) => name.push_str("[]"),
            Self::Field(field) => {
                name.extend((!name.is_empty()).then_some('.'));
                name.push_str(field);
            }
        }
    }
}

impl<'a> Making<'a> {
    /// Nothing made yet.
    pub(super) fn new(
        mapper: &'a Mapper,
        rule: usize,
        subject: &'a Subject,
        observer: Option<&'a mut dyn Observe>,
    ) -> Self {
        let kind = mapper.definition.emits[rule].kind;
        Self {
            mapper,
            rule,
            subject,
            observer,
            path: Vec::new(),
            name: String::new(),
            native: Native::new(kind),
            failures: Vec::new(),
        }
    }

    /// The record, unless something of it could not be made.
    pub(super) fn finish(mut self) -> Result<Native<'a>, Vec<Failure>> {
        if !self.failures.is_empty() {
            return Err(self.failures);
        }
        self.native.text.push('}');
        Ok(self.native)
    }

    /// Makes a member of the record: `make` writes its value, and says whether there is one.
    pub(super) fn member(&mut self, name: &'a str, make: impl FnOnce(&mut Self) -> bool) {
        if let Some(start) = self.within(Step::Field(name), make) {
            let end = self.native.text.len();
            self.native.members.push((name, start..end));
        }
    }

    /// Writes a text in quotes.
    pub(super) fn text(&mut self, text: &str) -> bool {
        write_text(text, &mut self.native.text);
        true
    }

    /// Writes a field; what is null, empty, or could not be made, is no value.
    pub(super) fn field(&mut self, field: &'a Field, input: &Jq) -> bool {
        match field {
            Field::Value { from, rest } => self.value(*from, rest, input),
            Field::List { each, member } => self.members(*each, member, input),
            Field::Object(fields) => self.bracketed(('{', '}'), |making| {
                for (name, field) in fields {
                    making.within(Step::Field(name), |making| making.field(field, input));
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
        if self.observer.is_some() {
            let whole: Jq = items.iter().cloned().collect();
            self.observe(Ok(&whole));
        }
        self.bracketed(('[', ']'), |making| {
            for (place, item) in items.iter().enumerate() {
                making.within(Step::Place(place), |making| making.field(member, item));
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

    /// Writes something one step further in, and gives where its value starts. Where there is none,
    /// nothing is written.
    fn within(&mut self, step: Step<'a>, write: impl FnOnce(&mut Self) -> bool) -> Option<usize> {
        let before = self.native.text.len();
        if !self.native.text.ends_with(['{', '[']) {
            self.native.text.push(',');
        }
        if let Step::Field(name) = step {
            self.text(name);
            self.native.text.push(':');
        }
        let start = self.native.text.len();
        let name_before = self.name.len();
        if self.observer.is_some() {
            step.push_to(&mut self.name);
        }
        self.path.push(step);
        let is_written = write(self);
        self.path.pop();
        self.name.truncate(name_before);
        if !is_written {
            self.native.text.truncate(before);
        }
        is_written.then_some(start)
    }

    /// Writes the value of an expression.
    pub(super) fn value(&mut self, from: ExpressionId, rest: &Rest, input: &Jq) -> bool {
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
        if let Some(observer) = &mut self.observer {
            observer.field(self.rule, &self.name, value);
        }
    }

    fn evaluated(&mut self, id: ExpressionId, input: &Jq) -> Option<Jq> {
        let value = self.mapper.evaluate(id, input.clone(), self.subject);
        value.map_err(|message| self.fail(&message)).ok()
    }

    /// A value after its vocabulary table and its default.
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
            path: Some(pointer(&self.path)),
            message: cut(message),
        });
    }
}

/// The JSON pointer to a field.
fn pointer(path: &[Step<'_>]) -> String {
    let steps = path.iter().map(|step| match step {
        Step::Field(name) => format!("/{name}"),
        Step::Place(place) => format!("/{place}"),
    });
    steps.collect()
}

/// The members of a list that are not null; null itself has none.
pub(super) fn list(value: &Jq) -> Result<Vec<Jq>, String> {
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
