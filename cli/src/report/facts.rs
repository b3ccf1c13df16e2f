//! Facts about one thing, each under the name that programs know it by and the label that people
//! read. Most are both; some say to people what programs can find out, or the reverse.

use serde::{Serialize, Serializer};
use serde_json::Value;

use crate::terminal::table::Cell;

/// The facts, in the order in which they are shown.
#[derive(Debug, Default)]
pub struct Facts(Vec<Fact>);

#[derive(Debug)]
enum Fact {
    /// A member of the JSON document.
    Told(&'static str, Value),
    /// A line for people.
    Shown(&'static str, Cell),
}

impl Facts {
    /// No facts.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a value that both get as it is; people do not see null.
    #[must_use]
    pub fn fact(self, name: &'static str, label: &'static str, value: impl Into<Value>) -> Self {
        let value = value.into();
        match value.as_str().map(Cell::from) {
            Some(text) => self.told(name, value).shown(label, text),
            None => self.told(name, value),
        }
    }

    /// Adds a value for programs.
    #[must_use]
    pub fn told(mut self, name: &'static str, value: impl Into<Value>) -> Self {
        self.0.push(Fact::Told(name, value.into()));
        self
    }

    /// Adds a line for people.
    #[must_use]
    pub fn shown(mut self, label: &'static str, text: impl Into<Cell>) -> Self {
        self.0.push(Fact::Shown(label, text.into()));
        self
    }

    /// What people see.
    pub fn lines(self) -> impl Iterator<Item = (&'static str, Cell)> {
        self.0.into_iter().filter_map(|fact| match fact {
            Fact::Shown(label, text) => Some((label, text)),
            Fact::Told(..) => None,
        })
    }
}

/// What programs get.
impl Serialize for Facts {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.collect_map(self.0.iter().filter_map(|fact| match fact {
            Fact::Told(name, value) => Some((name, value)),
            Fact::Shown(..) => None,
        }))
    }
}
