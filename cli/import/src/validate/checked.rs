//! The values of a record that were checked, from which the response types are made.
//!
//! Values are taken by key. To ask for a key that the table does not have, or for another type than
//! it says, is a mistake of this program, which every record with the key would show.

use shared::base::model::Text;
use shared::base::number::Number;

use crate::format::{Field, index_of};

/// A value as the table says it must be.
#[derive(Debug)]
pub(super) enum Checked<'n> {
    Flag(bool),
    /// Also a word, an identifier, an instant, or a number as it is spelled.
    Text(Text<'n>),
    Number(Number),
    Integer(u64),
    /// The index of the record referred to, among the usable ones of its kind.
    Record(usize),
    List(Vec<Self>),
    Object(Values<'n>),
}

/// The values of an object.
#[derive(Debug, Default)]
pub(super) struct Values<'n> {
    fields: &'static [Field],
    /// By the index of the field; empty if the object has no members.
    checked: Vec<Option<Checked<'n>>>,
    /// The index of the field to look at first, because fields are mostly taken in their order.
    next: usize,
}

macro_rules! takes {
    ($($(#[$doc:meta])* $name:ident $variant:ident $type:ty,)+) => {
        $($(#[$doc])*
        pub(super) fn $name(&mut self, key: &str) -> Option<$type> {
            match self.take(key)? {
                Checked::$variant(value) => Some(value),
                other => unreachable!("{key} is {other:?}"),
            }
        })+
    };
}

impl<'n> Checked<'n> {
    /// A text as it stands in the record.
    pub(super) fn spelled(text: &'n str) -> Self {
        Self::Text(text.into())
    }

    /// Its members, if it is an object.
    fn into_object(self) -> Values<'n> {
        match self {
            Self::Object(values) => values,
            other => unreachable!("no object: {other:?}"),
        }
    }
}

impl<'n> Values<'n> {
    pub(super) const fn new(fields: &'static [Field], values: Vec<Option<Checked<'n>>>) -> Self {
        Self {
            fields,
            checked: values,
            next: 0,
        }
    }

    takes! {
        flag Flag bool,
        text Text Text<'n>,
        number Number Number,
        /// An integer.
        count Integer u64,
        /// The index of the record referred to.
        record Record usize,
        object Object Self,
    }

    /// An object that is there in any case.
    pub(super) fn part(&mut self, key: &str) -> Self {
        self.object(key).unwrap_or_default()
    }

    /// The members of a list; none if it is absent.
    fn list(&mut self, key: &str) -> Vec<Checked<'n>> {
        match self.take(key) {
            None => Vec::new(),
            Some(Checked::List(members)) => members,
            Some(other) => unreachable!("{key} is {other:?}"),
        }
    }

    /// What is made of the objects in a list.
    pub(super) fn objects<T>(&mut self, key: &str, make: impl Fn(Self) -> Option<T>) -> Vec<T> {
        let members = self.list(key).into_iter();
        members
            .filter_map(|member| make(member.into_object()))
            .collect()
    }

    /// The texts in a list.
    pub(super) fn texts(&mut self, key: &str) -> Vec<Text<'n>> {
        let text = |member| match member {
            Checked::Text(text) => text,
            other => unreachable!("no text: {other:?}"),
        };
        self.list(key).into_iter().map(text).collect()
    }

    /// What is made of the records that a list refers to.
    pub(super) fn records<T>(&mut self, key: &str, make: impl Fn(usize) -> T) -> Vec<T> {
        let record = |member| match member {
            Checked::Record(index) => make(index),
            other => unreachable!("no record: {other:?}"),
        };
        self.list(key).into_iter().map(record).collect()
    }

    fn take(&mut self, key: &str) -> Option<Checked<'n>> {
        if self.checked.is_empty() {
            return None;
        }
        let index = index_of(self.fields, key, self.next);
        let index = index.unwrap_or_else(|| unreachable!("the table has no {key}"));
        self.next = index + 1;
        self.checked[index].take()
    }

    /// The value that these keys lead to, which stays where it is.
    pub(super) fn at(&self, keys: &[&str]) -> Option<&Checked<'n>> {
        let (first, further) = keys.split_first()?;
        let value = self
            .checked
            .get(index_of(self.fields, first, 0)?)?
            .as_ref()?;
        match value {
            Checked::Object(within) if !further.is_empty() => within.at(further),
            value => Some(value),
        }
    }
}
