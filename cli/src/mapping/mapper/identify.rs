//! The first pass: what a record is called and what it is, and which links there are.

use std::rc::Rc;
use std::sync::Arc;

use super::joins::Joining;
use super::subject::Subject;
use super::{Event, Failed, Mapper, Raw};
use crate::export::Line;
use crate::export::json::{Node, Value};
use crate::findings::{Code, Finding, Place, cut};
use crate::mapping::DEPTH_MAX;
use crate::mapping::definition::{ExpressionId, Role};
use crate::mapping::documents::{Document, Identified, Stored};
use crate::mapping::expression::{Jq, from_node, text};
use crate::seen::first_repeated;
use crate::validate::parse_line;

impl Mapper {
    /// Reads a record for sections of the mapping. It is counted where it has no key or no type for
    /// any of them.
    pub(in crate::mapping) fn read(
        &mut self,
        roles: &[Role],
        raw: Raw,
    ) -> anyhow::Result<Vec<Event>> {
        self.position.begin(&raw.file, raw.line);
        let record = match parsed(&raw) {
            Ok(record) => record,
            Err(finding) => return Ok(vec![failed(raw, vec![*finding])]),
        };
        let (mut events, mut messages) = (Vec::new(), Vec::new());
        let (mut stored, mut is_known) = (None, false);
        for role in roles {
            let at = (*role, &*raw.file, raw.spot);
            let subject = self.subject_at(at, record.clone());
            let identified = match role {
                Role::Links => self.add_links(&subject).map(|()| None),
                Role::Records(source) => self.identify(*source, &subject),
            };
            is_known |= *role == Role::Links || !matches!(identified, Ok(None));
            match identified {
                Ok(Some((identified, joinings))) => {
                    let text = match stored {
                        Some(text) => text,
                        None => *stored.insert(self.documents.store(&raw.text)?),
                    };
                    events.extend(self.add(&raw, text, identified, joinings)?);
                }
                Ok(None) => {}
                Err(message) => messages.push(message),
            }
        }
        if !is_known {
            self.reading.unidentified.add(&raw);
        }
        // Sections often have parts in common, and what is wrong with these.
        messages.dedup();
        let finding = |message| Finding::new(Code::MappingFailed, Some(place(&raw)), message);
        let findings: Vec<Finding> = messages.into_iter().map(finding).collect();
        if !findings.is_empty() {
            events.push(failed(raw, findings));
        }
        Ok(events)
    }

    fn add(
        &mut self,
        raw: &Raw,
        text: Stored,
        identified: Identified,
        joinings: Vec<Joining>,
    ) -> anyhow::Result<Option<Event>> {
        let (key, is_published) = (identified.key, identified.is_published);
        self.join(joinings, self.documents.len());
        let earlier = self.documents.add(raw, text, identified)?;
        let key = self.keys.text(key);
        Ok(earlier.map(|earlier| duplicate(raw, (key, is_published), earlier)))
    }

    fn identify(
        &mut self,
        source: usize,
        subject: &Subject,
    ) -> Result<Option<(Identified, Vec<Joining>)>, String> {
        let envelope = self.definition.sources[source].envelope;
        let key = self.word("key", Some(envelope.key), subject)?;
        let record_type = self.word("type", Some(envelope.record_type), subject)?;
        let (Some(key), Some(record_type)) = (key, record_type) else {
            return Ok(None);
        };
        let id = self.word("id", envelope.id, subject)?;
        let is_published = match envelope.published {
            None => true,
            given => self
                .truth("published", given, subject)?
                .ok_or("the `published` of a record must be true or false, not null")?,
        };
        let is_changed = self
            .truth("changed", envelope.changed, subject)?
            .unwrap_or(false);
        let joinings = if is_published {
            self.joinings(&record_type, subject)?
        } else {
            Vec::new()
        };
        let identified = Identified {
            source,
            id: id.filter(|id| *id != key).map(String::into_boxed_str),
            key: self.keys.number(&key),
            record_type: self.shared_type(&record_type),
            is_published,
            is_changed,
        };
        Ok(Some((identified, joinings)))
    }

    pub(super) fn is_mapped(&self, record_type: &str) -> bool {
        let mut emits = self.definition.emits.iter();
        emits.any(|emit| emit.types.iter().any(|of| of == record_type))
    }

    fn shared_type(&mut self, name: &str) -> Rc<str> {
        if let Some(known) = self.types.get(name) {
            return Rc::clone(known);
        }
        let new: Rc<str> = name.into();
        self.types.insert(Rc::clone(&new));
        new
    }

    fn add_links(&mut self, row: &Subject) -> Result<(), String> {
        let Some(each) = self.definition.links.as_ref().map(|links| links.each) else {
            return Ok(());
        };
        let links = self.evaluate(each, row.record().clone(), row)?;
        let Jq::Arr(links) = links else {
            return Err("`each` of [links] must give a list".to_owned());
        };
        for link in links.iter() {
            let Jq::Obj(link) = link else {
                return Err("a link is an object of from, field, to and position".to_owned());
            };
            let part = |name: &str| link.get(&Jq::from(name.to_owned()));
            let word = |name: &str| {
                let text = part(name).and_then(text);
                text.ok_or_else(|| format!("the `{name}` of a link must be a text"))
            };
            let position = match part("position") {
                Some(number @ Jq::Num(_)) => number.to_string().parse().unwrap_or(f64::MAX),
                _ => f64::MAX,
            };
            let [from, field, to] = [word("from")?, word("field")?, word("to")?];
            let [from, field, to] = [from, field, to].map(|key| self.keys.number(key));
            self.links.add(from, field, position, to);
        }
        Ok(())
    }

    fn word(
        &self,
        part: &str,
        expression: Option<ExpressionId>,
        subject: &Subject,
    ) -> Result<Option<String>, String> {
        word(part, &self.part(part, expression, subject)?)
    }

    fn truth(
        &self,
        part: &str,
        expression: Option<ExpressionId>,
        subject: &Subject,
    ) -> Result<Option<bool>, String> {
        match self.part(part, expression, subject)? {
            Jq::Null => Ok(None),
            Jq::Bool(truth) => Ok(Some(truth)),
            _ => Err(format!("the `{part}` of a record must be true or false")),
        }
    }

    fn part(
        &self,
        part: &str,
        expression: Option<ExpressionId>,
        subject: &Subject,
    ) -> Result<Jq, String> {
        let Some(expression) = expression else {
            return Ok(Jq::Null);
        };
        let value = self.evaluate(expression, subject.record().clone(), subject);
        value.map_err(|error| format!("the `{part}` of a record could not be found: {error}"))
    }
}

/// A part of a record that is a text, a number, or nothing.
pub(super) fn word(part: &str, value: &Jq) -> Result<Option<String>, String> {
    match value {
        Jq::Null => Ok(None),
        Jq::Num(_) => Ok(Some(value.to_string())),
        value => match text(value) {
            Some(text) => Ok(Some(text.to_owned())),
            None => Err(format!("the `{part}` of a record must be a text")),
        },
    }
}

fn parsed(raw: &Raw) -> Result<Jq, Box<Finding>> {
    let line = Line {
        file: &raw.file,
        number: raw.line,
        raw: raw.text.as_bytes(),
        is_unterminated: raw.is_unterminated,
    };
    let (_text, node) = parse_line(line, DEPTH_MAX)?;
    match repeated_key(&node) {
        None => Ok(from_node(&node)),
        Some(key) => {
            let message = format!("the key `{}` is given twice", cut(key));
            Err(Box::new(Finding::new(
                Code::RepeatedKey,
                Some(place(raw)),
                message,
            )))
        }
    }
}

/// A key that an object has twice, however deep it is.
fn repeated_key<'n>(node: &'n Node<'_>) -> Option<&'n str> {
    match &node.value {
        Value::Object(members) => first_repeated(members.iter().map(|member| &*member.key))
            .or_else(|| members.iter().find_map(|member| repeated_key(&member.node))),
        Value::List(items) => items.iter().find_map(repeated_key),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Text(_) => None,
    }
}

fn place(raw: &Raw) -> Place {
    Place {
        file: Arc::clone(&raw.file),
        line: Some(raw.line),
    }
}

fn duplicate(raw: &Raw, (key, is_published): (&str, bool), earlier: &Document) -> Event {
    let (file, line) = (&earlier.file.name, earlier.line);
    let meant = match (earlier.is_published, is_published) {
        (true, _) => "; references lead to that one",
        (false, true) => " and is not published; references lead to this one",
        (false, false) => "; neither is published, and references lead to neither",
    };
    let key = cut(key);
    let message = format!("the record at {file}:{line} has the same key `{key}`{meant}");
    Event::Found(Box::new(Finding::new(
        Code::DuplicateKey,
        Some(place(raw)),
        message,
    )))
}

fn failed(raw: Raw, findings: Vec<Finding>) -> Event {
    Event::Failed(Failed {
        kind: None,
        id: None,
        findings,
        raw: raw.text.into_bytes(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::export::ExportFile;
    use crate::mapping::documents::Spot;
    use crate::steps::check_each;

    /// Checks what each of so many parts of a record takes.
    #[track_caller]
    fn check_record(each: usize, (begin, end): (&str, &str), part: impl Fn(usize) -> String) {
        check_each(each, begin, |parts| {
            let parts: Vec<String> = (0..parts).map(&part).collect();
            let raw = Raw {
                file: Arc::new(ExportFile {
                    ordinal: 0,
                    name: "a.json".to_owned(),
                    path: String::new(),
                }),
                line: 1,
                spot: Spot {
                    list: None,
                    position: 1,
                },
                text: format!("{begin}{}{end}", parts.join(",")),
                is_unterminated: false,
            };
            assert!(parsed(&raw).is_ok());
        });
    }

    #[test]
    fn a_record_of_more_parts_takes_more_steps_by_as_much() {
        // What is before a key is looked through, and the key looked up.
        check_record(2, ("{", "}"), |n| format!("\"k{n}\":1"));
        check_record(2, ("[", "]"), |_| "{\"a\":1}".to_owned());
        check_record(0, ("[", "]"), |_| "{}".to_owned());
    }
}
