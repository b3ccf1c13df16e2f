//! Stand-ins for values, used while an expression is searched for what it reads.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::{self, Display, Formatter};
use std::sync::Arc;

use jaq_json::Val;
use serde_json::Value as Json;

use crate::mapping::expression::SiteNumber;

/// Most alternatives for one value. With more, it may be anything.
const VALUES_MAX: usize = 128;

/// All alternatives for a value; empty if there is no value.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(in crate::mapping) struct Values(BTreeSet<Value>);

/// Something that a value may be.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Value {
    /// What stands at a place in a record.
    At(ValuePath),
    /// This text.
    Text(Arc<str>),
    /// Some number that is no part of a record.
    Number,
    /// Null, and no part of a record.
    Null,
    /// True or false, and no part of a record.
    Boolean,
    /// A list whose members may be these.
    List(Values),
    /// An object of these members, and of others under keys that are not known.
    Object(BTreeMap<Arc<str>, Values>, Values),
    /// Anything that is no part of a record, or was read before.
    Unknown,
}

/// The path to a place in a record.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(in crate::mapping) struct ValuePath {
    pub(in crate::mapping) root: Root,
    pub(in crate::mapping) steps: Vec<Step>,
}

/// Which record a path begins at.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(in crate::mapping) enum Root {
    /// The one that is mapped.
    Record,
    /// One that a `deref` led to.
    Led(Site),
}

/// A `deref` in the mapping.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(in crate::mapping) struct Site {
    /// The place of the expression in the list of all.
    pub(in crate::mapping) expression: usize,
    pub(in crate::mapping) number: SiteNumber,
}

/// One step into a record.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(in crate::mapping) enum Step {
    Key(Arc<str>),
    /// To the members of a list, or of an object whatever their keys.
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

/// A key as part of a path, in quotes if it could be read as several.
pub(crate) fn in_path(key: &str) -> Cow<'_, str> {
    if key.contains(['.', '[', ']', '"']) {
        Cow::Owned(Json::from(key).to_string())
    } else {
        Cow::Borrowed(key)
    }
}

/// Within its record, as in `engines[].maker`.
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
    /// The record that is mapped.
    pub(in crate::mapping) fn record() -> Self {
        Value::At(ValuePath::root(Root::Record)).into()
    }

    /// JSON of the mapping.
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

    /// The strings, if all of these are strings.
    pub(super) fn texts(&self) -> Option<Vec<&Arc<str>>> {
        self.iter().map(Value::text).collect()
    }

    /// The keys, if all of these that can be keys are known.
    pub(super) fn keys(&self) -> Option<Vec<&Arc<str>>> {
        let all = self.iter().filter(|value| **value != Value::Null);
        all.map(Value::text).collect()
    }

    /// The same without null.
    pub(super) fn without_null(mut self) -> Self {
        self.0.remove(&Value::Null);
        self
    }

    /// Whether they are numbers, and no part of a record.
    pub(super) fn are_numbers(&self) -> bool {
        self.iter().all(|value| *value == Value::Number)
    }

    /// Whether they are known to have no members.
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

/// Alternatives that an expression tries: at least one of these places should exist.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::mapping) struct Asked {
    pub(in crate::mapping) places: Vec<ValuePath>,
    /// Whether the expression itself names the key, and not a definition that it uses.
    pub(in crate::mapping) is_own: bool,
}

impl Asked {
    /// Whether one of the places is there. Those in other records are not looked for.
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
