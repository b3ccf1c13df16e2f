//! Turning published records back into native ones: the inverse of validation.
//!
//! A published record has whole objects where a native record has ids, and values that the import computes. The
//! table of the native format says which fields those are.
//! What consumers do not see is lost: drafts, the `updatedAt` of boats, keys that begin with `x_`,
//! and terms and designers of no boat. Nothing here opens or writes a file.

use std::collections::{HashMap, HashSet};
use std::fmt::Write as _;

use serde_json::json;

use crate::finding::Kind;
use crate::format::{self, FORMAT, Field, Shape, Target};
use crate::json::{self, Member, Node, Value};
use crate::source::LINE_MAX;

/// Makes native records from published ones. It remembers which terms and designers it has returned.
#[derive(Default)]
pub struct NativeRecords {
    given: Given,
}

/// The ids of terms and designers that were returned.
type Given = HashMap<Target, HashSet<Box<str>>>;

/// A native record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NativeRecord {
    /// What it is.
    pub kind: Kind,
    /// Its line, without a line feed.
    pub line: String,
}

/// Why a published record cannot become a native one.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NotNative {
    /// It is not a record.
    #[error("a line of the release is not a {}", .kind.as_str())]
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

impl NativeRecords {
    /// Nothing returned yet.
    pub fn new() -> Self {
        Self::default()
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

    /// The manufacturer that is published so.
    pub fn manufacturer(&mut self, published: &str) -> Result<NativeRecord, NotNative> {
        Making::new(Kind::Manufacturer, published, &mut self.given).record()
    }

    /// The boat that is published so, after its terms and designers that were not returned before.
    pub fn boat(&mut self, published: &str) -> Result<Vec<NativeRecord>, NotNative> {
        let mut making = Making::new(Kind::Boat, published, &mut self.given);
        let boat = making.record()?;
        let mut records = making.referred_to;
        records.push(boat);
        Ok(records)
    }
}

/// The beginning of a record.
fn opened(kind: Kind) -> String {
    format!("{{\"kind\":\"{}\"", kind.as_str())
}

/// A record being made.
struct Making<'r> {
    kind: Kind,
    published: &'r str,
    given: &'r mut Given,
    referred_to: Vec<NativeRecord>,
}

impl<'r> Making<'r> {
    const fn new(kind: Kind, published: &'r str, given: &'r mut Given) -> Self {
        Self {
            kind,
            published,
            given,
            referred_to: Vec::new(),
        }
    }

    fn record(&mut self) -> Result<NativeRecord, NotNative> {
        let kind = self.kind;
        let record = json::parse_rendered(self.published).map_err(|_invalid| self.no_record())?;
        let mut line = opened(kind);
        let members = members_of(&record).ok_or_else(|| self.no_record())?;
        self.members(format::fields(kind), members, &mut line)?;
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
        fields: &[Field],
        members: &[Member<'_>],
        line: &mut String,
    ) -> Result<(), NotNative> {
        for Member { key, node, .. } in members {
            let field = fields.iter().find(|field| field.key == *key);
            let field = field.ok_or_else(|| NotNative::UnknownField {
                kind: self.kind,
                key: key.clone().into_owned(),
            })?;
            if field.shape.is_derived() || is_absent(&node.value) {
                continue;
            }
            let before = line.len();
            let comma = if line.ends_with('{') { "" } else { "," };
            _ = write!(line, "{comma}\"{key}\":");
            let start = line.len();
            self.value(&field.shape, node, line)?;
            if &line[start..] == "{}" {
                line.truncate(before);
            }
        }
        Ok(())
    }

    fn value(
        &mut self,
        shape: &Shape,
        node: &Node<'_>,
        line: &mut String,
    ) -> Result<(), NotNative> {
        match (shape, &node.value) {
            (Shape::Reference(to), Value::Object(_)) => {
                let id = node.member("id").ok_or_else(|| self.no_record())?;
                line.push_str(&self.published[id.span.clone()]);
                self.refer(*to, id, node)?;
            }
            (Shape::Object(fields) | Shape::Part(fields), Value::Object(members)) => {
                line.push('{');
                self.members(fields, members, line)?;
                line.push('}');
            }
            (Shape::List(member), Value::List(nodes)) => {
                line.push('[');
                for (place, node) in nodes.iter().enumerate() {
                    if place != 0 {
                        line.push(',');
                    }
                    self.value(member, node, line)?;
                }
                line.push(']');
            }
            (Shape::Reference(_) | Shape::Object(_) | Shape::Part(_) | Shape::List(_), _) => {
                return Err(self.no_record());
            }
            _ => line.push_str(&self.published[node.span.clone()]),
        }
        Ok(())
    }

    /// Makes the record referred to, unless it was returned before. Manufacturers have their own
    /// lines.
    fn refer(&mut self, to: Target, id: &Node<'_>, node: &Node<'_>) -> Result<(), NotNative> {
        let vocabulary = match to {
            Target::Manufacturer => return Ok(()),
            Target::Term(vocabulary) => Some(vocabulary),
            Target::Designer => None,
        };
        let id = id.text().ok_or_else(|| self.no_record())?;
        let given = self.given.entry(to).or_default();
        if given.contains(id) {
            return Ok(());
        }
        given.insert(id.into());
        let kind = vocabulary.map_or(Kind::Designer, |_| Kind::Term);
        let mut line = opened(kind);
        if let Some(vocabulary) = vocabulary {
            _ = write!(line, ",\"vocabulary\":\"{}\"", vocabulary.as_str());
        }
        for Member { key, node, .. } in members_of(node).unwrap_or_default() {
            if !is_absent(&node.value) {
                _ = write!(line, ",\"{key}\":{}", &self.published[node.span.clone()]);
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
