//! The differences between two bodies of one record: each value that changed, with its place.
//!
//! Values are compared as text, so that no number is rounded and equal values are not parsed.
//! Nothing here reads a release.

use std::collections::BTreeMap;

use serde_json::value::RawValue;
use similar::{Algorithm, DiffOp, capture_diff_slices};

use crate::base::field_path::{FieldPath, Step};

/// Most elements of a list that are compared one by one. A longer list is one value.
pub const ELEMENTS_MAX: usize = 1000;
/// How deep a value may be nested in objects and lists. Deeper down, an object or a list is one
/// value.
const DEPTH_MAX: usize = 32;

/// A value that changed, is new, or is gone.
#[derive(Clone, Debug)]
pub struct Change<'a> {
    /// Its place once all changes before it are made.
    pub path: FieldPath<'static>,
    /// The value before; none where there was none.
    pub old: Option<&'a RawValue>,
    /// The value after; none where there is none.
    pub new: Option<&'a RawValue>,
}

/// The differences, in an order in which each change applies after those before it.
pub fn changes<'a>(old: &'a RawValue, new: &'a RawValue) -> Vec<Change<'a>> {
    let mut comparison = Comparison::default();
    comparison.values(old, new);
    comparison.changes
}

/// The same by field alone: a list is one value, and something that the record refers to is the
/// same whatever it is called.
pub(super) fn field_changes<'a>(old: &'a RawValue, new: &'a RawValue) -> Vec<Change<'a>> {
    let mut comparison = Comparison {
        by_field: true,
        ..Comparison::default()
    };
    comparison.values(old, new);
    comparison.changes
}

/// The contents of a value, one step down.
enum Shape<'a> {
    Object(Members<'a>),
    List(Vec<&'a RawValue>),
    /// Also a value nested too deep.
    Single,
}

type Members<'a> = BTreeMap<String, &'a RawValue>;

#[derive(Default)]
struct Comparison<'a> {
    /// Where it is now.
    path: FieldPath<'static>,
    /// Whether lists and references are not looked into.
    by_field: bool,
    changes: Vec<Change<'a>>,
}

impl<'a> Comparison<'a> {
    fn values(&mut self, old: &'a RawValue, new: &'a RawValue) {
        if old.get() == new.get() {
            return;
        }
        match (self.shape(old), self.shape(new)) {
            (Shape::Object(old), Shape::Object(new)) if is_same_thing(&old, &new) => {
                let is_reference = !self.path.steps().is_empty() && old.contains_key("id");
                if !(self.by_field && is_reference) {
                    self.members(&old, &new);
                }
            }
            (Shape::List(old), Shape::List(new))
                if self.by_field && refer_to_the_same(&old, &new) => {}
            (Shape::List(old), Shape::List(new))
                if !self.by_field && old.len().max(new.len()) <= ELEMENTS_MAX =>
            {
                self.elements(&old, &new);
            }
            _ => self.push(Some(old), Some(new)),
        }
    }

    fn shape(&self, value: &'a RawValue) -> Shape<'a> {
        let text = value.get();
        let is_too_deep = DEPTH_MAX <= self.path.steps().len();
        let shape = match text.as_bytes().first() {
            Some(b'{') if !is_too_deep => serde_json::from_str(text).map(Shape::Object),
            Some(b'[') if !is_too_deep => serde_json::from_str(text).map(Shape::List),
            _ => return Shape::Single,
        };
        // A text that was parsed as JSON once is JSON.
        shape.unwrap_or(Shape::Single)
    }

    fn members(&mut self, old: &Members<'a>, new: &Members<'a>) {
        for (name, before) in old {
            let step = Step::key(name.clone());
            match new.get(name) {
                Some(after) => self.at(step, |inner| inner.values(before, after)),
                None => self.at(step, |inner| inner.push(Some(before), None)),
            }
        }
        for (name, after) in new.iter().filter(|(name, _)| !old.contains_key(*name)) {
            let step = Step::key(name.clone());
            self.at(step, |inner| inner.push(None, Some(after)));
        }
    }

    /// Replaced elements are compared one by one; others are added or removed.
    fn elements(&mut self, old: &[&'a RawValue], new: &[&'a RawValue]) {
        let [before, after] = [old, new].map(|list| {
            let texts = list.iter().map(|value| value.get());
            texts.collect::<Vec<_>>()
        });
        // Counted here, since an operation that the library moved may have an old index.
        let mut index = 0;
        for op in capture_diff_slices(Algorithm::Myers, &before, &after) {
            let (gone, come) = (&old[op.old_range()], &new[op.new_range()]);
            if !matches!(op, DiffOp::Equal { .. }) {
                self.replaced(index, gone, come);
            }
            index += come.len();
        }
    }

    /// The elements that replace others from `index` on.
    fn replaced(&mut self, index: usize, gone: &[&'a RawValue], come: &[&'a RawValue]) {
        let both = gone.len().min(come.len());
        for (place, (before, after)) in gone.iter().zip(come).enumerate() {
            let step = Step::Index(index + place);
            self.at(step, |inner| inner.values(before, after));
        }
        for before in &gone[both..] {
            // The ones behind it move up.
            let step = Step::Index(index + both);
            self.at(step, |inner| inner.push(Some(before), None));
        }
        for (place, after) in come.iter().enumerate().skip(both) {
            let step = Step::Index(index + place);
            self.at(step, |inner| inner.push(None, Some(after)));
        }
    }

    fn at(&mut self, step: Step<'static>, compare: impl FnOnce(&mut Self)) {
        self.path.push(step);
        compare(self);
        self.path.pop();
    }

    fn push(&mut self, old: Option<&'a RawValue>, new: Option<&'a RawValue>) {
        let path = self.path.clone();
        self.changes.push(Change { path, old, new });
    }
}

/// Whether two objects are the same thing before and after. With another id it is another thing,
/// not the same one renamed.
fn is_same_thing(old: &Members<'_>, new: &Members<'_>) -> bool {
    let [old, new] = [old, new].map(|members| members.get("id").map(|id| id.get()));
    old == new
}

/// Whether two lists refer to the same things in the same order.
fn refer_to_the_same(old: &[&RawValue], new: &[&RawValue]) -> bool {
    let id = |element: &RawValue| {
        let members: Members<'_> = serde_json::from_str(element.get()).ok()?;
        Some(members.get("id")?.get().to_owned())
    };
    let mut pairs = old.iter().zip(new);
    old.len() == new.len() && pairs.all(|(old, new)| id(old).is_some_and(|of| id(new) == Some(of)))
}

#[cfg(test)]
mod tests;
