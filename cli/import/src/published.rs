//! Turning published bodies back into native records: the inverse of validation.
//!
//! A body has whole objects where a native record has ids, and values that the import computes. The
//! outlines of native records say which fields those are, so there is no second list of fields.
//! What consumers do not see is lost: drafts, the `updatedAt` of boats, keys that begin with `x_`,
//! and terms and designers of no boat. Nothing here opens or writes a file.

use std::collections::{HashMap, HashSet};
use std::fmt::Write as _;

use serde_json::json;

use crate::finding::Kind;
use crate::json::{self, Member, Node, Value};
use crate::source::LINE_MAX;
use crate::validate::{FORMAT, Field, Shape, Vocabulary, outlines};

/// Makes native records from bodies. It remembers which terms and designers it has returned.
pub struct NativeRecords {
    boat: Keys,
    manufacturer: Keys,
    given: HashMap<&'static str, HashSet<Box<str>>>,
}

/// A native record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NativeRecord {
    /// What it is.
    pub kind: Kind,
    /// Its line, without a line feed.
    pub line: String,
}

/// Why a body cannot become a native record.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NotNative {
    /// It is not the body of a record.
    #[error("a body is not that of a {}", .kind.as_str())]
    NoRecord {
        /// What was expected.
        kind: Kind,
    },
    /// It has a field that the native format does not have.
    #[error("the native format has no field `{key}` of a {}, which the release has", .kind.as_str())]
    UnknownField {
        /// What the record is.
        kind: Kind,
        /// The last key of the field.
        key: String,
    },
    /// An import would not read the line.
    #[error("the {} {id} takes more than {} MiB as a line, which no import reads", .kind.as_str(), LINE_MAX >> 20)]
    LineTooLong {
        /// What the record is.
        kind: Kind,
        /// Its id.
        id: String,
    },
}

/// The fields of an object, by key.
type Keys = Vec<(String, Takes)>;

/// How a field of a native record is made from the body.
#[derive(Debug)]
enum Takes {
    /// The value as it is.
    Value,
    /// An object of such fields.
    Object(Keys),
    /// A list of such values.
    List(Box<Self>),
    /// The id of the record.
    Reference(&'static str),
    /// Nothing.
    Nothing,
}

impl NativeRecords {
    /// Nothing returned yet.
    pub fn new() -> Self {
        let of = |wanted| {
            let outline = outlines()
                .into_iter()
                .find(|outline| outline.kind == wanted);
            keys(
                &outline.map(|outline| outline.fields).unwrap_or_default(),
                0,
            )
        };
        Self {
            boat: of(Kind::Boat),
            manufacturer: of(Kind::Manufacturer),
            given: HashMap::new(),
        }
    }

    /// The catalogue record of a release: its time of publication, and its numbers of boats and
    /// manufacturers.
    pub fn catalogue(published_at: &str, boats: u64, manufacturers: u64) -> NativeRecord {
        let fields = [
            ("format", json!(FORMAT)),
            ("generatedAt", json!(published_at)),
            (
                "counts",
                json!({ "boat": boats, "manufacturer": manufacturers }),
            ),
        ];
        let mut line = opened(Kind::Catalogue);
        for (key, value) in fields {
            _ = write!(line, ",\"{key}\":{value}");
        }
        line.push('}');
        NativeRecord {
            kind: Kind::Catalogue,
            line,
        }
    }

    /// The manufacturer with this body.
    pub fn manufacturer(&mut self, body: &str) -> Result<NativeRecord, NotNative> {
        let mut making = Making::new(Kind::Manufacturer, body, &mut self.given);
        making.record(&self.manufacturer)
    }

    /// The boat with this body, after its terms and designers that were not returned before.
    pub fn boat(&mut self, body: &str) -> Result<Vec<NativeRecord>, NotNative> {
        let mut making = Making::new(Kind::Boat, body, &mut self.given);
        let boat = making.record(&self.boat)?;
        let mut records = making.referred_to;
        records.push(boat);
        Ok(records)
    }
}

impl Default for NativeRecords {
    fn default() -> Self {
        Self::new()
    }
}

/// The fields whose paths have one key more than `depth`; each comes before its own members.
fn keys(fields: &[Field], depth: usize) -> Keys {
    let is_own = |(_, field): &(usize, &Field)| field.path.len() == depth + 1;
    let own = fields.iter().enumerate().filter(is_own);
    own.filter_map(|(place, field)| {
        let after = &fields[place + 1..];
        let end = after.iter().position(|other| other.path.len() <= depth + 1);
        let within = &after[..end.unwrap_or(after.len())];
        Some((
            field.path.last()?.clone(),
            takes(&field.shape, within, depth + 1),
        ))
    })
    .collect()
}

fn takes(shape: &Shape, within: &[Field], depth: usize) -> Takes {
    match shape {
        Shape::Object | Shape::Part => Takes::Object(keys(within, depth)),
        Shape::List { .. } => {
            let member = keys(within, depth).into_iter().next();
            Takes::List(Box::new(member.map_or(Takes::Value, |(_, takes)| takes)))
        }
        Shape::Reference { to, .. } => Takes::Reference(to),
        Shape::Derived { .. } => Takes::Nothing,
        _ => Takes::Value,
    }
}

/// The beginning of a record.
fn opened(kind: Kind) -> String {
    format!("{{\"kind\":\"{}\"", kind.as_str())
}

/// A record being made.
struct Making<'r> {
    kind: Kind,
    body: &'r str,
    given: &'r mut HashMap<&'static str, HashSet<Box<str>>>,
    referred_to: Vec<NativeRecord>,
}

impl<'r> Making<'r> {
    fn new(
        kind: Kind,
        body: &'r str,
        given: &'r mut HashMap<&'static str, HashSet<Box<str>>>,
    ) -> Self {
        Self {
            kind,
            body,
            given,
            referred_to: Vec::new(),
        }
    }

    fn record(&mut self, keys: &Keys) -> Result<NativeRecord, NotNative> {
        let kind = self.kind;
        let envelope = json::parse_rendered(self.body).map_err(|_invalid| self.no_record())?;
        let record = envelope.member("data").ok_or_else(|| self.no_record())?;
        let mut line = opened(kind);
        self.members(
            keys,
            members_of(record).ok_or_else(|| self.no_record())?,
            &mut line,
        )?;
        line.push('}');
        if LINE_MAX < line.len() {
            let id = record.member("id").and_then(Node::text).unwrap_or_default();
            let id = id.to_owned();
            return Err(NotNative::LineTooLong { kind, id });
        }
        Ok(NativeRecord { kind, line })
    }

    /// Appends the members that have a value. An object without any is left out.
    fn members(
        &mut self,
        keys: &Keys,
        members: &[Member<'_>],
        line: &mut String,
    ) -> Result<(), NotNative> {
        for Member { key, node, .. } in members {
            let takes = keys.iter().find(|(known, _)| *known == **key);
            let (_, takes) = takes.ok_or_else(|| NotNative::UnknownField {
                kind: self.kind,
                key: key.clone().into_owned(),
            })?;
            if matches!(takes, Takes::Nothing) || is_absent(&node.value) {
                continue;
            }
            let before = line.len();
            let comma = if line.ends_with('{') { "" } else { "," };
            _ = write!(line, "{comma}\"{key}\":");
            let start = line.len();
            self.value(takes, node, line)?;
            if &line[start..] == "{}" {
                line.truncate(before);
            }
        }
        Ok(())
    }

    fn value(
        &mut self,
        takes: &Takes,
        node: &Node<'_>,
        line: &mut String,
    ) -> Result<(), NotNative> {
        match (takes, &node.value) {
            (Takes::Nothing, _) => {}
            (Takes::Value, _) => line.push_str(&self.body[node.span.clone()]),
            (Takes::Reference(to), Value::Object(_)) => {
                let id = node.member("id").ok_or_else(|| self.no_record())?;
                line.push_str(&self.body[id.span.clone()]);
                self.refer(to, id, node)?;
            }
            (Takes::Object(keys), Value::Object(members)) => {
                line.push('{');
                self.members(keys, members, line)?;
                line.push('}');
            }
            (Takes::List(takes), Value::List(nodes)) => {
                line.push('[');
                for (place, node) in nodes.iter().enumerate() {
                    if place != 0 {
                        line.push(',');
                    }
                    self.value(takes, node, line)?;
                }
                line.push(']');
            }
            (Takes::Reference(_) | Takes::Object(_) | Takes::List(_), _) => {
                return Err(self.no_record());
            }
        }
        Ok(())
    }

    /// Makes the record referred to, unless it was returned before. Manufacturers have their own
    /// bodies.
    fn refer(&mut self, to: &'static str, id: &Node<'_>, node: &Node<'_>) -> Result<(), NotNative> {
        if to == Kind::Manufacturer.as_str() {
            return Ok(());
        }
        let id = id.text().ok_or_else(|| self.no_record())?;
        let given = self.given.entry(to).or_default();
        if given.contains(id) {
            return Ok(());
        }
        given.insert(id.into());
        let vocabulary = Vocabulary::ALL.into_iter().find(|of| of.term() == to);
        let kind = vocabulary.map_or(Kind::Designer, |_| Kind::Term);
        let mut line = opened(kind);
        if let Some(vocabulary) = vocabulary {
            _ = write!(line, ",\"vocabulary\":\"{}\"", vocabulary.as_str());
        }
        for Member { key, node, .. } in members_of(node).unwrap_or_default() {
            if !is_absent(&node.value) {
                _ = write!(line, ",\"{key}\":{}", &self.body[node.span.clone()]);
            }
        }
        line.push('}');
        self.referred_to.push(NativeRecord { kind, line });
        Ok(())
    }

    const fn no_record(&self) -> NotNative {
        NotNative::NoRecord { kind: self.kind }
    }
}

fn members_of<'n, 'b>(node: &'n Node<'b>) -> Option<&'n [Member<'b>]> {
    match &node.value {
        Value::Object(members) => Some(members),
        _ => None,
    }
}

/// Whether an absent field means the same.
fn is_absent(value: &Value<'_>) -> bool {
    match value {
        Value::Null => true,
        Value::List(nodes) => nodes.is_empty(),
        _ => false,
    }
}
