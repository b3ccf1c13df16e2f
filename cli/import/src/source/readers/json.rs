//! Reads JSON documents that are a record or a list of records, or that contain lists of records.

use std::cell::{Cell, RefCell};
use std::collections::BTreeSet;
use std::fmt;
use std::io::BufRead;

use serde::de::{DeserializeSeed, Deserializer, Error, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::error::Category;
use serde_json::value::RawValue;

use super::bounded::{Bounded, Progress, unread};
use super::path::{Step, in_path};
use super::{FileError, Lists, RecordText, RecordsPath, Visit, corrupt, truncated};
use crate::steps;

/// The most lists beside those of `records` that are named.
const OTHERS_MAX: usize = 100;

/// Hands every record of a document to `visit`; returns which of the paths in `records` the
/// document does not have, and which lists lie beside what they lead to.
///
/// Each of `records` is a path to a list, whose members are records, or to an object, each of whose
/// members is a record `{"key": …, "value": …}`. If `records` is empty, the document itself is a
/// list of records or the only record.
///
/// How deep a record is nested is for whoever parses it: here a record is passed over byte by byte,
/// and what leads to it is no deeper than its path.
pub(crate) fn read(
    reader: impl BufRead,
    records: &[RecordsPath],
    visit: &mut Visit<'_>,
) -> Result<Lists, FileError> {
    let progress = Progress::new();
    let stopped = |source| unread(source, progress.line());
    let mut reader = Bounded::new(reader, &progress).map_err(stopped)?;
    let first = skip_blanks(&mut reader, &progress).map_err(stopped)?;
    let walk = Walk {
        progress: &progress,
        visit: RefCell::new(visit),
        is_list: !records.is_empty() || first == Some(b'['),
        failure: Cell::new(None),
        seen: records.iter().map(|_| Cell::new(false)).collect(),
        others: RefCell::default(),
    };
    let mut document = serde_json::Deserializer::from_reader(reader);
    let walked = if !records.is_empty() {
        let paths = records.iter().map(|path| path.steps.as_slice());
        let paths = paths.enumerate().collect();
        let (walk, path) = (&walk, String::new());
        Node { walk, paths, path }.deserialize(&mut document)
    } else if first == Some(b'[') {
        Records {
            walk: &walk,
            list: None,
        }
        .deserialize(&mut document)
    } else {
        walk.record(None, &mut document)
    };
    match walked.and_then(|()| document.end()) {
        Ok(()) => {
            let seen = walk.seen.iter().enumerate();
            let absent = seen.filter(|(_, seen)| !seen.get());
            Ok(Lists {
                absent: absent.map(|(at, _)| at).collect(),
                others: walk.others.take(),
            })
        }
        Err(error) => Err(walk.stop(error)),
    }
}

/// Skips blanks and returns the first byte of the document without consuming it.
fn skip_blanks(reader: &mut impl BufRead, progress: &Progress) -> std::io::Result<Option<u8>> {
    progress.skip();
    loop {
        let chunk = reader.fill_buf()?;
        let blanks = chunk
            .iter()
            .take_while(|byte| byte.is_ascii_whitespace())
            .count();
        let first = chunk.get(blanks).copied();
        let is_end = chunk.is_empty();
        reader.consume(blanks);
        if first.is_some() || is_end {
            progress.begin(0);
            return Ok(first);
        }
    }
}

/// State shared by the whole walk over the document.
struct Walk<'w, 'v> {
    progress: &'w Progress,
    visit: RefCell<&'w mut Visit<'v>>,
    /// The visitor's error, kept while the parser unwinds.
    failure: Cell<Option<anyhow::Error>>,
    /// For every path in `records`, whether the document has it.
    seen: Vec<Cell<bool>>,
    /// Whether the document is more than a record.
    is_list: bool,
    /// The paths of other lists.
    others: RefCell<BTreeSet<String>>,
}

impl Walk<'_, '_> {
    /// Hands over the next value, of which at most the first byte has been read.
    fn record<'de, D: Deserializer<'de>>(
        &self,
        list: Option<usize>,
        value: D,
    ) -> Result<(), D::Error> {
        self.progress.begin(0);
        let line = self.progress.line();
        let text: Box<RawValue> = serde::Deserialize::deserialize(value)?;
        self.hand_over(line, list, text.get())
    }

    fn hand_over<E: Error>(&self, line: u64, list: Option<usize>, text: &str) -> Result<(), E> {
        let record = RecordText {
            start: line.into(),
            list,
            is_counted: self.is_list,
            text,
        };
        (*self.visit.borrow_mut())(Ok(record)).map_err(|error| {
            self.failure.set(Some(error));
            E::custom("the visitor failed")
        })
    }

    fn stop(&self, error: serde_json::Error) -> FileError {
        if let Some(error) = self.failure.take() {
            return FileError::Failed(error);
        }
        let line = self.progress.line();
        match error.classify() {
            Category::Io => unread(error.into(), line),
            Category::Eof => truncated(line, "the document ends before it is complete"),
            Category::Syntax | Category::Data => {
                let place = format!(" at line {} column {}", error.line(), error.column());
                let message = error.to_string();
                let reason = message.strip_suffix(&place).unwrap_or(&message);
                let reason = match reason {
                    "invalid unicode code point" => "it is not UTF-8",
                    reason => reason,
                };
                corrupt(line, format!("the document is not valid JSON: {reason}"))
            }
        }
    }
}

/// A value that may lead to records: for each path, its index and the remaining steps.
struct Node<'w, 'v> {
    walk: &'w Walk<'w, 'v>,
    paths: Vec<(usize, &'w [Step])>,
    /// Its own path.
    path: String,
}

impl<'w> Node<'w, '_> {
    /// A member, with the paths that lead through it. `step` is the last part of its own path.
    fn member(&self, is_it: impl Fn(&Step) -> bool, step: &str) -> Self {
        let leads_on = |(place, path): &(usize, &'w [Step])| match path.split_first() {
            Some((first, rest)) if is_it(first) => Some((*place, rest)),
            _ => None,
        };
        Self {
            walk: self.walk,
            paths: self.paths.iter().filter_map(leads_on).collect(),
            path: format!("{}{step}", self.path),
        }
    }

    /// Notes that it is a list of objects to which no path leads.
    fn note_other(&self, path: String) {
        let mut others = self.walk.others.borrow_mut();
        if others.len() < OTHERS_MAX {
            others.insert(path);
        }
    }
}

impl<'de> DeserializeSeed<'de> for Node<'_, '_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, value: D) -> Result<(), D::Error> {
        if self.paths.is_empty() {
            self.walk.progress.skip();
            return value.deserialize_ignored_any(IgnoredAny).map(drop);
        }
        let mut ended = self.paths.iter().filter(|(_, path)| path.is_empty());
        let Some((list, _)) = ended.next() else {
            return value.deserialize_any(self);
        };
        self.walk.seen[*list].set(true);
        for (place, _) in ended {
            self.walk.seen[*place].set(true);
        }
        let (walk, list) = (self.walk, Some(*list));
        Records { walk, list }.deserialize(value)
    }
}

impl<'de> Visitor<'de> for Node<'_, '_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object or a list on the way to the records")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<(), A::Error> {
        while let Some((_, key)) = members.next_key_seed(Key(self.walk.progress))? {
            steps::count(self.paths.len());
            let is_it = |step: &Step| match step {
                Step::Key(name) => *name == key,
                Step::Each => true,
                Step::At(_) => false,
            };
            let dot = if self.path.is_empty() { "" } else { "." };
            let member = self.member(is_it, &format!("{dot}{}", in_path(&key)));
            let other = member.paths.is_empty().then(|| member.path.clone());
            if other.is_some() {
                self.walk.progress.await_list();
            }
            members.next_value_seed(member)?;
            if let Some(other) = other.filter(|_| self.walk.progress.was_list()) {
                self.note_other(other);
            }
        }
        Ok(())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<(), A::Error> {
        for place in 0.. {
            steps::count(self.paths.len());
            let is_it = |step: &Step| match step {
                Step::At(at) => *at == place,
                Step::Each => true,
                Step::Key(_) => false,
            };
            let is_each = self
                .paths
                .iter()
                .any(|(_, path)| path.first() == Some(&Step::Each));
            let step = if is_each {
                "[]".to_owned()
            } else {
                format!("[{place}]")
            };
            if list.next_element_seed(self.member(is_it, &step))?.is_none() {
                break;
            }
        }
        Ok(())
    }

    // A value that is neither a list nor an object leads nowhere.
    fn visit_bool<E: Error>(self, _value: bool) -> Result<(), E> {
        Ok(())
    }

    fn visit_i64<E: Error>(self, _value: i64) -> Result<(), E> {
        Ok(())
    }

    fn visit_u64<E: Error>(self, _value: u64) -> Result<(), E> {
        Ok(())
    }

    fn visit_f64<E: Error>(self, _value: f64) -> Result<(), E> {
        Ok(())
    }

    fn visit_str<E: Error>(self, _value: &str) -> Result<(), E> {
        Ok(())
    }

    fn visit_unit<E: Error>(self) -> Result<(), E> {
        Ok(())
    }
}

/// A key of an object with its line.
struct Key<'w>(&'w Progress);

impl<'de> DeserializeSeed<'de> for Key<'_> {
    type Value = (u64, String);

    fn deserialize<D: Deserializer<'de>>(self, key: D) -> Result<Self::Value, D::Error> {
        self.0.begin(0);
        let line = self.0.line();
        Ok((line, serde::Deserialize::deserialize(key)?))
    }
}

/// A list of records, or an object of them.
#[derive(Clone, Copy)]
struct Records<'w, 'v> {
    walk: &'w Walk<'w, 'v>,
    /// The index of its path among the requested ones.
    list: Option<usize>,
}

impl<'de> DeserializeSeed<'de> for Records<'_, '_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, value: D) -> Result<(), D::Error> {
        value.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Records<'_, '_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list of records or an object of them")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<(), A::Error> {
        while list.next_element_seed(Member(self))?.is_some() {}
        Ok(())
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<(), A::Error> {
        while let Some((line, key)) = members.next_key_seed(Key(self.walk.progress))? {
            let value: Box<RawValue> = members.next_value()?;
            let key = serde_json::Value::String(key);
            let text = format!("{{\"key\":{key},\"value\":{}}}", value.get());
            self.walk.hand_over(line, self.list, &text)?;
        }
        Ok(())
    }

    fn visit_unit<E: Error>(self) -> Result<(), E> {
        Ok(())
    }
}

/// One member of a list of records.
struct Member<'w, 'v>(Records<'w, 'v>);

impl<'de> DeserializeSeed<'de> for Member<'_, '_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, value: D) -> Result<(), D::Error> {
        let Records { walk, list } = self.0;
        walk.record(list, value)
    }
}
