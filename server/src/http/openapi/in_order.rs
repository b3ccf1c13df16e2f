//! JSON for people: members in the order in which they are written, each on a line of its own.
//! `serde_json` sorts members, or keeps their order everywhere in the program.

use std::fmt;
use std::marker::PhantomData;

use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};
use serde::{Serialize, Serializer};
use serde_json::value::{RawValue, to_raw_value};

/// An object's members, by name.
pub(crate) struct InOrder<T>(pub(crate) Vec<(String, T)>);

impl<T> InOrder<T> {
    pub(crate) const fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The member of this name.
    pub(crate) fn get(&self, name: &str) -> Option<&T> {
        let found = self.0.iter().find(|(other, _)| other == name);
        found.map(|(_, value)| value)
    }

    pub(crate) fn names(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(|(name, _)| name.as_str())
    }
}

impl<T> Default for InOrder<T> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<T> FromIterator<(String, T)> for InOrder<T> {
    fn from_iter<I: IntoIterator<Item = (String, T)>>(members: I) -> Self {
        Self(members.into_iter().collect())
    }
}

impl<T: Serialize> Serialize for InOrder<T> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.collect_map(self.0.iter().map(|(name, value)| (name, value)))
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for InOrder<T> {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        struct Members<T>(PhantomData<T>);

        impl<'de, T: Deserialize<'de>> Visitor<'de> for Members<T> {
            type Value = InOrder<T>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut object: A) -> Result<Self::Value, A::Error> {
                let members = std::iter::from_fn(|| object.next_entry().transpose());
                members.collect::<Result<_, _>>()
            }
        }

        from.deserialize_map(Members(PhantomData))
    }
}

/// A value as its text.
pub(super) fn raw(value: &impl Serialize) -> Box<RawValue> {
    to_raw_value(value).unwrap_or_else(|why| unreachable!("a part is not JSON: {why}"))
}

/// A value as JSON on many lines, with a final line end.
pub(crate) fn on_many_lines(value: &impl Serialize) -> String {
    let compact = raw(value);
    let mut lines = Vec::new();
    let mut from = serde_json::Deserializer::from_str(compact.get());
    let mut to = serde_json::Serializer::pretty(&mut lines);
    let copied = serde_transcode::transcode(&mut from, &mut to);
    copied.unwrap_or_else(|why| unreachable!("a part is not JSON: {why}"));
    lines.push(b'\n');
    String::from_utf8(lines).unwrap_or_else(|why| unreachable!("JSON is not text: {why}"))
}
