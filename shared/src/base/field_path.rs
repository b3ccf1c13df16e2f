//! Where in a record a value is, or which values a field has in every record.
//!
//! Findings, mappings, the native format and the differences of releases all name fields by this
//! type, so a field looks the same wherever people read about it.

use std::borrow::Cow;
use std::fmt::{self, Write};

/// A path from a record to a value, or to each value of a field. Shown as `engines[0].power`, or as
/// `engines[].power`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct FieldPath<'a>(Vec<Step<'a>>);

/// One step of a path.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Step<'a> {
    /// To the member of an object with this key.
    Key(Cow<'a, str>),
    /// To the member of a list at this index, from 0.
    Index(usize),
    /// To each member of a list.
    Each,
}

impl<'a> Step<'a> {
    /// The step to a member of an object.
    pub fn key(key: impl Into<Cow<'a, str>>) -> Self {
        Self::Key(key.into())
    }
}

impl<'a> FieldPath<'a> {
    /// The path of the record itself.
    pub const fn record() -> Self {
        Self(Vec::new())
    }

    /// The steps from the record.
    pub fn steps(&self) -> &[Step<'a>] {
        &self.0
    }

    /// Goes one step further in.
    pub fn push(&mut self, step: Step<'a>) {
        self.0.push(step);
    }

    /// Goes back by one step.
    pub fn pop(&mut self) {
        self.0.pop();
    }

    /// The path one step further in.
    #[must_use]
    pub fn then(mut self, step: Step<'a>) -> Self {
        self.push(step);
        self
    }

    /// The keys on the way, without the steps into lists.
    pub fn keys(&self) -> impl Iterator<Item = &str> {
        self.0.iter().filter_map(|step| match step {
            Step::Key(key) => Some(&**key),
            Step::Index(_) | Step::Each => None,
        })
    }

    /// The field, whichever member of a list the value is in: `engines[].power`.
    #[must_use]
    pub fn field(&self) -> Self {
        let steps = self.0.iter().map(|step| match step {
            Step::Key(key) => Step::Key(key.clone()),
            Step::Index(_) | Step::Each => Step::Each,
        });
        steps.collect()
    }

    /// The path with keys of its own.
    pub fn into_owned(self) -> FieldPath<'static> {
        let steps = self.0.into_iter().map(|step| match step {
            Step::Key(key) => Step::key(key.into_owned()),
            Step::Index(index) => Step::Index(index),
            Step::Each => Step::Each,
        });
        steps.collect()
    }

    /// The JSON Pointer (RFC 6901) within the record: `/engines/0/power`.
    pub fn pointer(&self) -> String {
        let mut pointer = String::new();
        for step in &self.0 {
            // Writing to a text cannot fail.
            _ = match step {
                Step::Key(key) => {
                    write!(pointer, "/{}", key.replace('~', "~0").replace('/', "~1"))
                }
                Step::Index(index) => write!(pointer, "/{index}"),
                Step::Each => write!(pointer, "/*"),
            };
        }
        pointer
    }

    /// Its size in memory beyond its own, in bytes.
    pub fn size(&self) -> usize {
        let keys = self.keys().map(str::len);
        self.0.capacity() * size_of::<Step<'_>>() + keys.sum::<usize>()
    }

    /// The list that the value is a member of: `engines`.
    pub fn list(&self) -> Option<Self> {
        match self.0.split_last()? {
            (Step::Index(_) | Step::Each, list) => Some(Self(list.to_vec())),
            (Step::Key(_), _) => None,
        }
    }

    /// Whether `other` leads to the same value or to something within it; each member of a list
    /// stands for any of them.
    pub fn covers(&self, other: &FieldPath<'_>) -> bool {
        let is_within = |(step, other): (&Step<'_>, &Step<'_>)| {
            step == other || matches!((step, other), (Step::Each, Step::Index(_)))
        };
        self.0.len() <= other.0.len() && self.0.iter().zip(&other.0).all(is_within)
    }
}

impl<'a> FromIterator<Step<'a>> for FieldPath<'a> {
    fn from_iter<I: IntoIterator<Item = Step<'a>>>(steps: I) -> Self {
        Self(steps.into_iter().collect())
    }
}

impl fmt::Display for FieldPath<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (place, step) in self.0.iter().enumerate() {
            match step {
                Step::Key(key) if place == 0 => f.write_str(key)?,
                Step::Key(key) => write!(f, ".{key}")?,
                Step::Index(index) => write!(f, "[{index}]")?,
                Step::Each => f.write_str("[]")?,
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A path written as a JSON pointer, in which numbers are indices and `*` is each member.
    fn path(pointer: &str) -> FieldPath<'_> {
        let steps = pointer.split('/').skip(1);
        let step = |step| match (step, str::parse(step)) {
            ("*", _) => Step::Each,
            (_, Ok(index)) => Step::Index(index),
            (key, _) => Step::key(key),
        };
        steps.map(step).collect()
    }

    #[test]
    fn a_path_is_shown_as_a_value_a_field_and_a_pointer() {
        let mut power = path("/engines/0/power");
        assert_eq!(power.to_string(), "engines[0].power");
        assert_eq!(power.field().to_string(), "engines[].power");
        assert_eq!(power.pointer(), "/engines/0/power");
        assert_eq!(power.keys().collect::<Vec<_>>(), ["engines", "power"]);
        assert_eq!(power.list(), None);
        power.pop();
        assert_eq!(power.list(), Some(path("/engines")));
        let key = FieldPath::record().then(Step::key("a~/b"));
        assert_eq!(
            (key.to_string(), key.pointer()),
            ("a~/b".into(), "/a~0~1b".into())
        );
        assert_eq!(FieldPath::record().pointer(), "");
    }

    #[test]
    fn a_path_covers_what_is_within_it_and_in_any_member_of_its_lists() {
        for (outer, inner, is_covered) in [
            ("/name", "/name", true),
            ("/name", "/name/0/deeper", true),
            ("", "/name", true),
            ("/name", "", false),
            ("/name", "/names", false),
            ("/images", "/images/3/url", true),
            ("/images/*", "/images/3/url", true),
            ("/images/*/url", "/images/3/url", true),
            ("/images/*/url", "/images/x/url", false),
            ("/images/3", "/images/*", false),
        ] {
            assert_eq!(
                path(outer).covers(&path(inner)),
                is_covered,
                "{outer} {inner}"
            );
        }
    }
}
