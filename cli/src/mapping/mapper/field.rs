//! One native record on its way: its fields are made one by one, and what fails is noted.

use super::Mapper;
use super::make::Observe;
use super::subject::Subject;
use crate::export::LINE_MAX;
use crate::findings::{Code, cut};
use crate::mapping::definition::{ExpressionId, Field, Rest};
use crate::mapping::expression::{Jq, Knowledge, from_json, text, write_json};

/// One native record on its way.
pub(super) struct Making<'a> {
    pub(super) mapper: &'a Mapper,
    pub(super) rule: usize,
    pub(super) subject: &'a Subject,
    pub(super) observer: &'a mut dyn Observe,
    /// The path to the field that is being made.
    pub(super) path: Vec<String>,
    pub(super) failures: Vec<Failure>,
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

impl Making<'_> {
    /// Makes something one step further in.
    pub(super) fn within<T>(&mut self, step: &str, make: impl FnOnce(&mut Self) -> T) -> T {
        self.path.push(step.to_owned());
        let value = make(self);
        self.path.pop();
        value
    }

    /// The JSON of a field; none where it is null, empty, or could not be made.
    pub(super) fn field(&mut self, field: &Field, input: &Jq) -> Option<String> {
        match field {
            Field::Value { from, rest } => self.value(*from, rest, input),
            Field::List { each, member } => self.members(*each, member, input),
            Field::Object(fields) => {
                let mut text = String::new();
                for (name, field) in fields {
                    let made = self.within(name, |making| making.field(field, input));
                    if let Some(made) = made {
                        push_member(&mut text, name, &made);
                    }
                }
                let members = text.strip_prefix(',')?;
                Some(format!("{{{members}}}"))
            }
        }
    }

    fn members(&mut self, each: ExpressionId, member: &Field, input: &Jq) -> Option<String> {
        let items = match self.evaluated(each, input).map(|items| list(&items))? {
            Ok(items) => items,
            Err(message) => {
                self.fail(&message);
                return None;
            }
        };
        let whole: Jq = items.iter().cloned().collect();
        self.observe(&whole);
        let mut made = Vec::new();
        for (place, item) in items.iter().enumerate() {
            made.extend(self.within(&place.to_string(), |making| making.field(member, item)));
        }
        (!made.is_empty()).then(|| format!("[{}]", made.join(",")))
    }

    pub(super) fn value(&mut self, from: ExpressionId, rest: &Rest, input: &Jq) -> Option<String> {
        let value = self.evaluated(from, input)?;
        let mut text = String::new();
        let finished = self.finished(value, rest);
        let written = finished.and_then(|value| {
            write_json(&value, &mut text)?;
            Ok(value)
        });
        match written {
            Ok(value) => {
                self.observe(&value);
                (!matches!(value, Jq::Null)).then_some(text)
            }
            Err(message) => {
                self.fail(&message);
                None
            }
        }
    }

    fn observe(&mut self, value: &Jq) {
        let path = field_path(&self.path);
        self.observer.field(self.rule, &path, Ok(value));
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
        let path = field_path(&self.path);
        self.observer.field(self.rule, &path, Err(message));
        self.failures.push(Failure {
            code: Code::MappingFailed,
            path: Some(format!("/{}", self.path.join("/"))),
            message: cut(message),
        });
    }
}

/// The name of a field whatever its place in a list: `engines[].maker`.
fn field_path(path: &[String]) -> String {
    let mut name = String::new();
    for step in path {
        if step.bytes().all(|byte| byte.is_ascii_digit()) {
            name.push_str("[]");
        } else {
            name.extend((!name.is_empty()).then_some('.'));
            name.push_str(step);
        }
    }
    name
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

/// Appends a member to the text of an object, after a comma.
pub(super) fn push_member(text: &mut String, name: &str, value: &str) {
    text.push(',');
    text.push_str(&json_text(name));
    text.push(':');
    text.push_str(value);
}

/// A text in quotes.
pub(super) fn json_text(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}
