//! The abstract values used to find what an expression reads.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::{self, Display, Formatter};
use std::sync::Arc;

use jaq_json::Val;
use serde_json::Value as Json;

use crate::mapping::expression::SiteNumber;

/// The most possibilities tracked for one value. With more, it could be anything.
const VALUES_MAX: usize = 128;

/// All possibilities for a value; empty if there is no value.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(in crate::mapping) struct Values(BTreeSet<Value>);

/// One possibility for a value.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Value {
    /// The value at a place in a record.
    At(ValuePath),
    /// This text.
    Text(Arc<str>),
    /// Some number that is not part of a record.
    Number,
    /// A null that is not part of a record.
    Null,
    /// A boolean that is not part of a record.
    Boolean,
    /// A list with these possible members.
    List(Values),
    /// An object with these members, and with others whose keys are unknown.
    Object(BTreeMap<Arc<str>, Values>, Values),
    /// Any value that is not part of a record, or that was read before.
    Unknown,
}

/// The path to a place in a record.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(in crate::mapping) struct ValuePath {
    pub(in crate::mapping) root: Root,
    pub(in crate::mapping) steps: Vec<Step>,
}

/// The record that a path begins in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(in crate::mapping) enum Root {
    /// The record being mapped.
    Record,
    /// A record that a `deref` led to.
    Led(Site),
}

/// A `deref` in a mapping.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(in crate::mapping) struct Site {
    /// The index of the expression in the list of all expressions.
    pub(in crate::mapping) expression: usize,
    pub(in crate::mapping) number: SiteNumber,
}

/// One step into a record.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(in crate::mapping) enum Step {
    Key(Arc<str>),
    /// To the members of a list, or of an object regardless of their keys.
    Members,
}

impl ValuePath {
    pub(super) fn root(root: Root) -> Self {
        Self {
            root,
            steps: Vec::new(),
        }
    }

    pub(super) fn step(&self, step: Step) -> Self {
        let mut further = self.clone();
        further.steps.push(step);
        further
    }

    pub(super) fn is_within(&self, outer: &Self) -> bool {
        self.root == outer.root && self.steps.starts_with(&outer.steps)
    }
}

/// A key as part of a path, quoted if it could be mistaken for several keys.
pub(crate) fn in_path(key: &str) -> Cow<'_, str> {
    if key.contains(['.', '[', ']', '"']) {
        Cow::Owned(Json::from(key).to_string())
    } else {
        Cow::Borrowed(key)
    }
}

/// Writes the path inside the record, as in `engines[].maker`.
impl Display for ValuePath {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
        for (number, step) in self.steps.iter().enumerate() {
            match step {
                Step::Key(key) if number == 0 => formatter.write_str(&in_path(key))?,
                Step::Key(key) => write!(formatter, ".{}", in_path(key))?,
                Step::Members => formatter.write_str("[]")?,
            }
        }
        Ok(())
    }
}

impl Values {
    /// The record being mapped.
    pub(in crate::mapping) fn record() -> Self {
        Value::At(ValuePath::root(Root::Record)).into()
    }

    /// A constant from the mapping.
    pub(super) fn constant(value: &Json) -> Self {
        match value {
            Json::Null => Value::Null,
            Json::Bool(_) => Value::Boolean,
            Json::Number(_) => Value::Number,
            Json::String(text) => Value::Text(text.as_str().into()),
            Json::Array(items) => Value::List(items.iter().map(Self::constant).collect()),
            Json::Object(members) => {
                let members = members.iter();
                let members =
                    members.map(|(key, value)| (key.as_str().into(), Self::constant(value)));
                Value::Object(members.collect(), Self::default())
            }
        }
        .into()
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &Value> {
        self.0.iter()
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(super) fn contains(&self, others: &Self) -> bool {
        others.0.is_subset(&self.0)
    }

    pub(super) fn insert(&mut self, value: Value) {
        self.0.insert(value);
    }

    pub(super) fn extend(&mut self, others: Self) {
        self.0.extend(others.0);
    }

    pub(super) fn and(mut self, others: Self) -> Self {
        self.extend(others);
        self
    }

    pub(super) fn is_too_many(&self) -> bool {
        VALUES_MAX < self.0.len()
    }

    /// The texts, if all possibilities are texts.
    pub(super) fn texts(&self) -> Option<Vec<&Arc<str>>> {
        self.iter().map(Value::text).collect()
    }

    /// The keys, if no other possibility could be a key.
    pub(super) fn keys(&self) -> Option<Vec<&Arc<str>>> {
        let all = self.iter().filter(|value| **value != Value::Null);
        all.map(Value::text).collect()
    }

    /// The same possibilities without null.
    pub(super) fn without_null(mut self) -> Self {
        self.0.remove(&Value::Null);
        self
    }

    /// Whether all are numbers that are not part of a record.
    pub(super) fn are_numbers(&self) -> bool {
        self.iter().all(|value| *value == Value::Number)
    }

    /// Whether all are known to contain nothing.
    pub(super) fn are_bare(&self) -> bool {
        self.iter().all(|value| match value {
            Value::Text(_) | Value::Number | Value::Null | Value::Boolean => true,
            Value::List(items) => items.is_empty(),
            Value::Object(members, others) => members.is_empty() && others.is_empty(),
            Value::At(_) | Value::Unknown => false,
        })
    }
}

impl Value {
    const fn text(&self) -> Option<&Arc<str>> {
        match self {
            Self::Text(text) => Some(text),
            _ => None,
        }
    }
}

impl From<Value> for Values {
    fn from(value: Value) -> Self {
        Self(BTreeSet::from([value]))
    }
}

impl FromIterator<Self> for Values {
    fn from_iter<I: IntoIterator<Item = Self>>(all: I) -> Self {
        Self(all.into_iter().flat_map(|values| values.0).collect())
    }
}

/// Keys that an expression asks for together: at least one of these places is expected to exist.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::mapping) struct Asked {
    pub(in crate::mapping) places: Vec<ValuePath>,
    /// Whether the expression itself names the key, not a definition it uses.
    pub(in crate::mapping) is_own: bool,
}

impl Asked {
    /// Whether the record has one of the places. Places in other records are ignored.
    pub(in crate::mapping) fn is_in(&self, record: &Val) -> bool {
        let mut places = self.places.iter();
        places.any(|place| place.root != Root::Record || is_at(&place.steps, record))
    }
}

fn is_at(steps: &[Step], value: &Val) -> bool {
    let Some((step, rest)) = steps.split_first() else {
        return true;
    };
    match (step, value) {
        (Step::Key(key), Val::Obj(members)) => {
            let member = members.get(&Val::from(key.to_string()));
            member.is_some_and(|member| is_at(rest, member))
        }
        (Step::Members, Val::Obj(members)) => members.values().any(|member| is_at(rest, member)),
        (Step::Members, Val::Arr(items)) => items.iter().any(|item| is_at(rest, item)),
        _ => false,
    }
}
