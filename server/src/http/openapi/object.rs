//! JSON objects whose members keep the order in which they are written, for a document that people
//! read. `serde_json` sorts members, or keeps their order everywhere in the program.

use std::borrow::Cow;

use serde::{Serialize, Serializer};
use serde_json::value::{RawValue, to_raw_value};

/// An object; `object!` writes one.
#[derive(Default)]
pub(super) struct Object(Vec<(Cow<'static, str>, Box<RawValue>)>);

impl Object {
    /// An object with these members.
    pub(super) fn of<K: Into<Cow<'static, str>>, V: Serialize>(
        members: impl IntoIterator<Item = (K, V)>,
    ) -> Self {
        let members = members.into_iter();
        members.fold(Self::default(), |object, (name, value)| {
            object.with(name, &value)
        })
    }

    /// With one more member.
    pub(super) fn with(
        mut self,
        name: impl Into<Cow<'static, str>>,
        value: impl Serialize,
    ) -> Self {
        let value = to_raw_value(&value);
        let value = value.unwrap_or_else(|why| unreachable!("a member is not JSON: {why}"));
        self.0.push((name.into(), value));
        self
    }
}

impl Serialize for Object {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.collect_map(self.0.iter().map(|(name, value)| (name, value)))
    }
}

/// An object, written as the document shows it.
macro_rules! object {
    ($($name:literal: $value:expr),* $(,)?) => {
        $crate::http::openapi::object::Object::default()$(.with($name, &$value))*
    };
}
pub(super) use object;

/// A reference to a component of the document.
pub(super) fn reference(kind: &str, name: &str) -> Object {
    object! { "$ref": format!("#/components/{kind}/{name}") }
}
