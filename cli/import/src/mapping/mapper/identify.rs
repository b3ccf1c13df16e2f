//! Identifies records, when they are read for the first time: their keys, ids and types, and the
//! links between them.

use std::collections::{HashMap, HashSet};

use super::{Mapper, Subject};
use crate::finding::Line;
use crate::finding::{Code, Finding, cut, nearest};
use crate::json::first_repeated;
use crate::json::parse_line;
use crate::json::{Node, Value};
use crate::mapping::bounds::DEPTH_MAX;
use crate::mapping::definition::{ExpressionId, Join, Role};
use crate::mapping::expression::{Jq, address, from_node, from_plain_text, inside, text};
use crate::mapping::folded::words;
use crate::mapping::record::{Identified, Joining, Link, Raw, ReadRecord};
use crate::mapping::status::is_named;
use crate::mapping::status::words::flag_of;
use crate::source::Format;
use crate::source::error_cells::{errors_in, is_error};

/// The hint if it is unknown whether a record is published.
const PUBLISHED_HINT: &str = "write what is true for published records and false for all others, \
    such as published = '.state == \"live\"'; `// false` behind it stands for an empty value";

type Members = serde_json::Map<String, serde_json::Value>;

/// The most keys of records that are looked at for a status.
const KEYS_MAX: usize = 16_384;

/// Reads a record for sections of the mapping.
pub(in crate::mapping) fn identify_record(mapper: &Mapper, roles: &[Role], raw: Raw) -> ReadRecord {
    mapper.position.begin(&raw.file, raw.start.line);
    // The reader of a workbook tells them by their cells.
    let is_told = |role: &Role| {
        let layout = mapper.definition.layout_of(*role);
        layout.is_some_and(|layout| layout.format == Format::Workbook)
    };
    let mut read = ReadRecord {
        error_cells: errors_in(&raw.text).filter(|_| !roles.iter().any(is_told)),
        raw,
        identified: Vec::new(),
        links: Vec::new(),
        is_known: false,
        findings: Vec::new(),
    };
    match parsed(&read.raw) {
        Ok(record) => read_parsed(mapper, roles, &record, &mut read),
        Err(finding) => {
            read.is_known = true;
            read.findings.push(*finding);
        }
    }
    read
}

fn read_parsed(mapper: &Mapper, roles: &[Role], record: &Jq, read: &mut ReadRecord) {
    let mut wrong = Vec::new();
    for role in roles {
        let at = (*role, &*read.raw.file, read.raw.spot);
        let subject = mapper.subject_at(at, record.clone());
        let identified = match role {
            Role::Links => add_links(mapper, &subject, &mut read.links)
                .map(|()| None)
                .map_err(Unidentified::from),
            Role::Records(source) => identify(mapper, *source, &subject, &read.raw.text),
        };
        read.is_known |= *role == Role::Links || !matches!(identified, Ok(None));
        match identified {
            Ok(identified) => read.identified.extend(identified),
            Err(unidentified) => wrong.push(unidentified),
        }
    }
    // Sections often share parts, so they report the same mistakes.
    wrong.dedup_by(|later, first| later.message == first.message);
    let place = read.raw.place();
    let finding = |wrong: Unidentified| Finding {
        origin: wrong.origin,
        hint: wrong.hint,
        ..Finding::new(Code::MappingFailed, Some(place.clone()), wrong.message)
    };
    read.findings.extend(wrong.into_iter().map(finding));
}

/// Why a record could not be identified.
struct Unidentified {
    message: String,
    /// What makes the wrong part.
    origin: Option<String>,
    hint: Option<String>,
}

impl Unidentified {
    /// A wrong part and the expression that makes it.
    fn new(message: String, mapper: &Mapper, made_by: ExpressionId) -> Self {
        let expression = &mapper.definition.expressions[made_by.0];
        Self {
            message,
            origin: Some(format!("the mapping makes it by {expression}")),
            hint: None,
        }
    }
}

/// A message about several parts, or about links.
impl From<String> for Unidentified {
    fn from(message: String) -> Self {
        Self {
            message,
            origin: None,
            hint: None,
        }
    }
}

fn identify(
    mapper: &Mapper,
    source: usize,
    subject: &Subject,
    text: &str,
) -> Result<Option<Identified>, Unidentified> {
    let envelope = &mapper.definition.sources[source].envelope;
    let key = word_of(mapper, "key", envelope.key, subject)?;
    let record_type = word_of(mapper, "type", envelope.record_type, subject)?;
    let (Some(key), Some(record_type)) = (key, record_type) else {
        return Ok(None);
    };
    let id = word_of(mapper, "id", envelope.id, subject)?;
    let is_published = match envelope.published {
        None => true,
        Some(given) => {
            mapper.asked.borrow_mut().clear();
            let is_published = is_published(mapper, given, subject)?;
            if is_published && errors_in(text).is_some() {
                without_error(mapper, given, text)?;
            }
            is_published
        }
    };
    let is_changed = truth_of(mapper, "changed", envelope.changed, subject)?.unwrap_or(false);
    let joinings = if is_published {
        joinings(mapper, &record_type, subject)?
    } else {
        Vec::new()
    };
    let status_keys = if is_published {
        status_keys(mapper, &record_type, subject.record())
    } else {
        Vec::new()
    };
    let asked = mapper.asked.take();
    Ok(Some(Identified {
        source,
        id: id.filter(|id| *id != key).map(String::into_boxed_str),
        key,
        record_type,
        is_published,
        is_changed,
        published_keys: published_keys(&asked, subject.record()),
        status_keys,
        joinings,
    }))
}

/// The paths of keys that were looked up in objects of a record, with whether it has them.
fn published_keys(asked: &[(Jq, String)], record: &Jq) -> Vec<(String, bool)> {
    let objects = asked.iter().filter_map(|(object, _)| address(object));
    let mut paths = Paths {
        unfound: objects.collect(),
        found: HashMap::new(),
    };
    paths.find(record, "");
    let asked = asked.iter().filter_map(|(object, key)| {
        let Jq::Obj(members) = object else {
            return None;
        };
        let path = inside(paths.found.get(&address(object)?)?, key);
        Some((path, members.contains_key(&Jq::from(key.clone()))))
    });
    asked.collect()
}

/// The keys of a published record that are called like a status, unless they were met before. Records
/// of a type that no rule covers show nothing.
fn status_keys(mapper: &Mapper, record_type: &str, record: &Jq) -> Vec<String> {
    let mut rules = mapper.definition.rules.iter();
    let (Jq::Obj(members), true) = (record, rules.any(|rule| rule.is_for(record_type))) else {
        return Vec::new();
    };
    let mut met = mapper.met.borrow_mut();
    let filled = members.iter().filter(|(_, value)| !is_blank(value));
    let new = filled.filter_map(|(key, value)| {
        let key = text(key).filter(|key| met.len() < KEYS_MAX && !met.contains(*key))?;
        if is_depth(key, value) {
            return None;
        }
        met.insert(key.to_owned());
        is_named(&[key.to_owned()]).then(|| key.to_owned())
    });
    new.collect()
}

/// Whether a value says nothing.
fn is_blank(value: &Jq) -> bool {
    *value == Jq::Null || text(value).is_some_and(|text| text.trim().is_empty())
}

/// Whether it is how deep a boat goes: among its measures, that is its draft.
fn is_depth(key: &str, value: &Jq) -> bool {
    let shown = text(value).map_or_else(|| value.to_string(), str::to_owned);
    let has_digit = shown.contains(|c: char| c.is_ascii_digit());
    has_digit && flag_of(&shown).is_none() && words(key) == ["draft"]
}

/// The paths of some objects, found in one walk over a record.
struct Paths {
    /// The addresses of those that are not found yet.
    unfound: HashSet<usize>,
    /// By address; empty for the record itself.
    found: HashMap<usize, String>,
}

impl Paths {
    fn find(&mut self, within: &Jq, path: &str) {
        if let Some(address) = address(within)
            && self.unfound.remove(&address)
        {
            self.found.insert(address, path.to_owned());
        }
        if self.unfound.is_empty() {
            return;
        }
        match within {
            Jq::Obj(members) => {
                for (key, value) in members.iter() {
                    if let (Jq::Obj(_) | Jq::Arr(_), Some(key)) = (value, text(key)) {
                        self.find(value, &inside(path, key));
                    }
                }
            }
            Jq::Arr(items) => {
                let path = format!("{path}[]");
                items.iter().for_each(|item| self.find(item, &path));
            }
            _ => {}
        }
    }
}

fn add_links(mapper: &Mapper, row: &Subject, found: &mut Vec<Link>) -> Result<(), String> {
    let Some(each) = mapper.definition.links.as_ref().map(|links| links.each) else {
        return Ok(());
    };
    let links = mapper.evaluate(each, row.record().clone(), row)?;
    let Jq::Arr(links) = links else {
        return Err("`each` of [links] must give a list".to_owned());
    };
    for link in links.iter() {
        let Jq::Obj(link) = link else {
            return Err("a link is an object of from, field, to and position".to_owned());
        };
        let part = |name: &str| link.get(&Jq::from(name.to_owned()));
        let word = |name: &str| {
            let text = part(name).and_then(text).map(str::to_owned);
            text.ok_or_else(|| format!("the `{name}` of a link must be a text"))
        };
        let position = match part("position") {
            Some(number @ Jq::Num(_)) => number.to_string().parse().unwrap_or(f64::MAX),
            _ => f64::MAX,
        };
        found.push(Link {
            from: word("from")?,
            field: word("field")?,
            position,
            to: word("to")?,
        });
    }
    Ok(())
}

/// The references that joins take from a record of this type.
fn joinings(mapper: &Mapper, record_type: &str, subject: &Subject) -> Result<Vec<Joining>, String> {
    let mut joinings = Vec::new();
    let joins = mapper.definition.joins.iter();
    for join in joins.filter(|join| join.is_for(record_type)) {
        let in_join = |error: String| format!("[joins.{}]: {error}", join.name);
        let keys = keys_referred_to(mapper, join, subject).map_err(in_join)?;
        joinings.extend(keys.into_iter().map(|key| Joining {
            to: key,
            join: join.name.clone(),
        }));
    }
    Ok(joinings)
}

fn keys_referred_to(
    mapper: &Mapper,
    join: &Join,
    subject: &Subject,
) -> Result<Vec<String>, String> {
    let keys = mapper.evaluate(join.to, subject.record().clone(), subject)?;
    let keys = match &keys {
        Jq::Arr(keys) => keys.iter().map(|key| word("to", key)).collect(),
        key => word("to", key).map(|key| vec![key]),
    };
    let keys: Vec<Option<String>> = keys?;
    let mut keys: Vec<String> = keys.into_iter().flatten().collect();
    // A record that refers to another twice is joined to it once.
    keys.sort_unstable();
    keys.dedup();
    Ok(keys)
}

fn word_of(
    mapper: &Mapper,
    part: &str,
    expression: Option<ExpressionId>,
    subject: &Subject,
) -> Result<Option<String>, String> {
    word(part, &value_of(mapper, part, expression, subject)?)
}

/// Whether a record is published; this is never guessed.
fn is_published(
    mapper: &Mapper,
    expression: ExpressionId,
    subject: &Subject,
) -> Result<bool, Unidentified> {
    let known = truth_of(mapper, "published", Some(expression), subject);
    let known = known.and_then(|known| {
        known
            .ok_or_else(|| "the `published` of a record must be true or false, not null".to_owned())
    });
    known.map_err(|message| {
        let asked = published_keys(&mapper.asked.borrow(), subject.record());
        let absent = asked.into_iter().find(|(_, has)| !has);
        Unidentified {
            hint: Some(match absent {
                Some((key, _)) => {
                    let keys: Vec<&str> = match subject.record() {
                        Jq::Obj(members) => members.keys().filter_map(text).collect(),
                        _ => Vec::new(),
                    };
                    absent_hint("published", &key, &keys)
                }
                None => PUBLISHED_HINT.to_owned(),
            }),
            ..Unidentified::new(message, mapper, expression)
        }
    })
}

/// Refuses a record that is published although a value that decides so is an error of a spreadsheet,
/// which the expression has as null. It may name the key anywhere, also in a definition.
fn without_error(
    mapper: &Mapper,
    expression: ExpressionId,
    text: &str,
) -> Result<(), Unidentified> {
    let written = serde_json::from_str(text).unwrap_or_default();
    let program = &mapper.programs[expression.0];
    let Some((key, value)) = error_in(&written, &|key| program.names(key).is_some()) else {
        return Ok(());
    };
    let message = format!(
        "the `published` of a record is not known, as `{}` is {}, an error of a spreadsheet",
        cut(key),
        value.trim_end()
    );
    Err(Unidentified::new(message, mapper, expression))
}

/// The first key of these whose value is an error of a spreadsheet, and that error.
fn error_in<'m>(
    members: &'m Members,
    is_named: &impl Fn(&str) -> bool,
) -> Option<(&'m str, &'m str)> {
    members.iter().find_map(|(key, value)| match value {
        serde_json::Value::String(text) => {
            (is_error(text) && is_named(key)).then_some((key.as_str(), text.as_str()))
        }
        serde_json::Value::Object(within) => error_in(within, is_named),
        _ => None,
    })
}

/// The hint if a part of the envelope reads a key that a record with these keys does not have.
pub(in crate::mapping) fn absent_hint(part: &str, key: &str, keys: &[&str]) -> String {
    let now = match nearest(key, keys) {
        Some(near) => format!("it may be `{}` now", cut(near)),
        None => "it may have another name now".to_owned(),
    };
    format!(
        "the record has no key `{}`, which `{part}` reads; {now}",
        cut(key)
    )
}

fn truth_of(
    mapper: &Mapper,
    part: &str,
    expression: Option<ExpressionId>,
    subject: &Subject,
) -> Result<Option<bool>, String> {
    match value_of(mapper, part, expression, subject)? {
        Jq::Null => Ok(None),
        Jq::Bool(truth) => Ok(Some(truth)),
        _ => Err(format!("the `{part}` of a record must be true or false")),
    }
}

fn value_of(
    mapper: &Mapper,
    part: &str,
    expression: Option<ExpressionId>,
    subject: &Subject,
) -> Result<Jq, String> {
    let Some(expression) = expression else {
        return Ok(Jq::Null);
    };
    let value = mapper.evaluate(expression, subject.record().clone(), subject);
    value.map_err(|error| format!("the `{part}` of a record could not be found: {error}"))
}

/// A part of a record that is a text, a number, or nothing.
fn word(part: &str, value: &Jq) -> Result<Option<String>, String> {
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
    match from_plain_text(&raw.text, DEPTH_MAX) {
        Some(record) => Ok(record),
        None => parsed_strictly(raw),
    }
}

/// Parses a record more slowly and reports what is wrong with it.
fn parsed_strictly(raw: &Raw) -> Result<Jq, Box<Finding>> {
    let line = Line {
        file: &raw.file,
        start: raw.start,
        raw: raw.text.as_bytes(),
        is_unterminated: raw.is_unterminated,
        made: None,
    };
    let (_text, node) = parse_line(line, DEPTH_MAX)?;
    match repeated_key(&node) {
        None => Ok(from_node(&node)),
        Some(key) => {
            let message = format!("the key `{}` is given twice", cut(key));
            Err(Box::new(Finding::new(
                Code::RepeatedKey,
                Some(raw.place()),
                message,
            )))
        }
    }
}

/// A key that is repeated in an object at any depth.
fn repeated_key<'n>(node: &'n Node<'_>) -> Option<&'n str> {
    match &node.value {
        Value::Object(members) => first_repeated(members.iter().map(|member| &*member.key))
            .or_else(|| members.iter().find_map(|member| repeated_key(&member.node))),
        Value::List(items) => items.iter().find_map(repeated_key),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Text(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::finding::ExportFile;
    use crate::source::Spot;
    use crate::steps::check_each;

    /// Checks how many steps each of many parts of a record takes.
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
                start: 1.into(),
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
        // One lookup for each key.
        check_record(1, ("{", "}"), |n| format!("\"k{n}\":1"));
        check_record(1, ("[", "]"), |_| "{\"a\":1}".to_owned());
        check_record(0, ("[", "]"), |_| "{}".to_owned());
        // When mistakes are reported, the text before each key is searched as well.
        check_record(2, ("\u{feff}{", "}"), |n| format!("\"k{n}\":1"));
    }
}
