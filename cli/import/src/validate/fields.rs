//! Reads objects field by field: which keys an object may have, and how each is read.
//!
//! The file of a record names each field once, with the reader of its value, so it reads like the
//! table in the specification. Everything general about keys is handled here: absent, null,
//! repeated, unknown and derived keys, and values of the wrong type.

use std::ops::Range;

use shared::base::field_path::Step;

use super::reporter::{Problem, Reporter};
use super::shape::Shape;
use crate::finding::nearest::{ALIKE, most_alike};
use crate::finding::{Code, cut};
use crate::json::{Member, Node, Seen, Value};

/// The most members of a list.
pub const LIST_MAX: usize = 10_000;

/// A placeholder for any value when readers are only asked what they accept.
pub(super) static NOTHING: Node<'static> = Node {
    span: 0..0,
    value: Value::Null,
};

/// A value that cannot be used. The findings say why.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Unusable;

/// The result of reading a value: the value, `None` (null or blank), or something unusable.
pub(crate) type ReadResult<T> = Result<Option<T>, Unusable>;

/// An object being read.
pub(crate) struct Fields<'n, 'r> {
    members: &'n [Member<'n>],
    span: Range<usize>,
    known: Vec<&'static str>,
    /// The number of members with known keys.
    found: usize,
    /// The known keys that are rejected because the import derives them.
    derived: Vec<&'static str>,
    reporter: &'r mut Reporter<'n>,
}

/// Reads an object; members that `read` did not ask for are reported.
pub(crate) fn object<'n, T>(
    node: &'n Node<'n>,
    reporter: &mut Reporter<'n>,
    read: impl FnOnce(&mut Fields<'n, '_>) -> Option<T>,
) -> ReadResult<T> {
    if reporter.takes(|| Shape::Object).is_err() {
        members_of(&[], 0..0, reporter, read);
        return Err(Unusable);
    }
    let Value::Object(members) = &node.value else {
        return wrong_type(node, "an object", reporter);
    };
    let value = members_of(members, node.span.clone(), reporter, read);
    value.map(Some).ok_or(Unusable)
}

/// Reports a value of another type than `expected`.
pub(super) fn wrong_type<T>(
    node: &Node<'_>,
    expected: &str,
    reporter: &mut Reporter<'_>,
) -> ReadResult<T> {
    let message = format!("expected {expected}, found {}", node.value.type_name());
    reporter.report_value(node, Problem::new(Code::WrongType, message));
    Err(Unusable)
}

/// Reports a problem with the value of a record's key.
pub(crate) fn report_value<'n>(
    record: &'n Node<'n>,
    key: &'static str,
    problem: Problem,
    reporter: &mut Reporter<'n>,
) {
    report_at(record.member(key), &record.span, key, problem, reporter);
}

/// Reports a problem with the value of a key, or at `span` if the key is absent.
fn report_at<'n>(
    value: Option<&'n Node<'n>>,
    span: &Range<usize>,
    key: &'static str,
    problem: Problem,
    reporter: &mut Reporter<'n>,
) {
    reporter.within(Step::key(key), |reporter| match value {
        Some(value) => reporter.report_value(value, problem),
        None => reporter.report_span(span, problem),
    });
}

fn members_of<'n, T>(
    members: &'n [Member<'n>],
    span: Range<usize>,
    reporter: &mut Reporter<'n>,
    read: impl FnOnce(&mut Fields<'n, '_>) -> T,
) -> T {
    let mut fields = Fields {
        members,
        span,
        known: Vec::with_capacity(members.len()),
        found: 0,
        derived: Vec::new(),
        reporter,
    };
    let value = read(&mut fields);
    fields.report_leftovers();
    value
}

impl<'n> Fields<'n, '_> {
    /// The value of a field that may be absent, null or blank.
    pub(crate) fn optional<T>(
        &mut self,
        key: &'static str,
        read: impl FnOnce(&'n Node<'n>, &mut Reporter<'n>) -> ReadResult<T>,
    ) -> Option<T> {
        self.read(key, read).unwrap_or(None)
    }

    /// The value of a required field.
    pub(crate) fn required<T>(
        &mut self,
        key: &'static str,
        read: impl FnOnce(&'n Node<'n>, &mut Reporter<'n>) -> ReadResult<T>,
    ) -> Option<T> {
        self.reporter.requires();
        let value = self.read(key, read).ok()?;
        if value.is_none() {
            self.report_missing(key);
        }
        value
    }

    /// The members of a list; absent and null count as an empty list.
    pub(crate) fn list<T>(
        &mut self,
        key: &'static str,
        read: impl FnMut(&'n Node<'n>, &mut Reporter<'n>) -> ReadResult<T>,
    ) -> Vec<T> {
        self.optional(key, |node, reporter| list(node, reporter, read))
            .unwrap_or_default()
    }

    /// An object that responses always include: absent and null count as an object without members.
    pub(crate) fn object<T>(
        &mut self,
        key: &'static str,
        read: impl FnOnce(&mut Fields<'n, '_>) -> T,
    ) -> Option<T> {
        let part = |reporter: &mut Reporter<'n>| reporter.takes(|| Shape::Part);
        // The fields of the part are read in any case, even if readers are only asked.
        _ = self.reporter.within(Step::key(key), part);
        let span = self.span.clone();
        let (members, span) = match self.find(key) {
            None => (&[][..], span),
            Some(node) => match &node.value {
                Value::Object(members) => (members.as_slice(), node.span.clone()),
                Value::Null => (&[][..], node.span.clone()),
                _ => {
                    let report =
                        |reporter: &mut Reporter<'n>| wrong_type(node, "an object", reporter);
                    return self.reporter.within(Step::key(key), report).unwrap_or(None);
                }
            },
        };
        let read = |reporter: &mut Reporter<'n>| members_of(members, span, reporter, read);
        Some(self.reporter.within(Step::key(key), read))
    }

    /// Rejects a field that the import derives.
    pub(crate) fn derived(&mut self, key: &'static str, from: &'static str) {
        self.derived.push(key);
        let refused: Option<()> = self.optional(key, |node, reporter| {
            reporter.takes(|| Shape::Derived { from })?;
            let problem = Problem::new(
                Code::DerivedField,
                format!("`{key}` is derived from {from}"),
            );
            reporter.report_value(node, problem.hint("leave the key out"));
            Err(Unusable)
        });
        debug_assert!(refused.is_none(), "a derived field has no value");
    }

    /// Reports a problem with a field that was read, found by comparing it with others.
    pub(crate) fn report(&mut self, key: &'static str, problem: Problem) {
        report_at(self.get(key), &self.span, key, problem, self.reporter);
    }

    /// The reporter of the record, for readers that continue from here.
    pub(crate) fn reporter(&mut self) -> &mut Reporter<'n> {
        self.reporter
    }

    fn read<T>(
        &mut self,
        key: &'static str,
        read: impl FnOnce(&'n Node<'n>, &mut Reporter<'n>) -> ReadResult<T>,
    ) -> ReadResult<T> {
        match self.find(key) {
            None if self.reporter.is_asking() => {
                let ask = |reporter: &mut Reporter<'n>| read(&NOTHING, reporter);
                let asked = self.reporter.within(Step::key(key), ask);
                debug_assert!(asked.is_err(), "the reader of {key} says what it takes");
                asked
            }
            None => Ok(None),
            Some(node) if matches!(node.value, Value::Null) => Ok(None),
            Some(node) => self
                .reporter
                .within(Step::key(key), |reporter| read(node, reporter)),
        }
    }

    fn get(&self, key: &str) -> Option<&'n Node<'n>> {
        let member = self.members.iter().find(|member| member.key == key);
        member.map(|member| &member.node)
    }

    /// The first member called `key`; a second one is reported.
    fn find(&mut self, key: &'static str) -> Option<&'n Node<'n>> {
        debug_assert!(!self.known.contains(&key), "{key} is read once");
        self.known.push(key);
        let mut found = self.members.iter().filter(|member| member.key == key);
        let first = found.next()?;
        self.found += 1;
        for again in found {
            self.found += 1;
            report_repeated(again, self.reporter);
        }
        Some(&first.node)
    }

    fn report_missing(&mut self, key: &'static str) {
        let problem = Problem::new(Code::MissingField, format!("`{key}` is required"));
        // The finding points to the object's opening brace, because the key itself is missing.
        let brace = self.span.start..self.span.start + 1;
        report_at(self.get(key), &brace, key, problem, self.reporter);
    }

    fn report_leftovers(self) {
        // Nearly always true; skipping the search saves a twelfth of the validation time.
        if self.found == self.members.len() {
            return;
        }
        let mut seen = Seen::new();
        for member in self.members {
            if self.known.contains(&&*member.key) {
                continue;
            }
            if !seen.insert(&*member.key) {
                report_repeated(member, self.reporter);
            } else if !member.key.starts_with(PRIVATE_PREFIX) {
                let is_accepted = |key: &&str| !self.derived.contains(key);
                let accepted = self.known.iter().copied().filter(is_accepted);
                report_unknown(member, accepted, self.reporter);
            }
            if member.key.starts_with(PRIVATE_PREFIX) {
                let within = |to: &mut _| report_repeated_within(&member.node, to);
                self.reporter.within(Step::key(&*member.key), within);
            }
        }
    }
}

fn list<'n, T>(
    node: &'n Node<'n>,
    reporter: &mut Reporter<'n>,
    mut read: impl FnMut(&'n Node<'n>, &mut Reporter<'n>) -> ReadResult<T>,
) -> ReadResult<Vec<T>> {
    if let Err(asked) = reporter.takes(|| Shape::List { max: LIST_MAX }) {
        reporter.within(Step::Index(0), |to| {
            to.requires();
            read(&NOTHING, to)
        })?;
        return Err(asked);
    }
    let Value::List(items) = &node.value else {
        return wrong_type(node, "a list", reporter);
    };
    if LIST_MAX < items.len() {
        let message = format!(
            "a list has at most {LIST_MAX} members, this one {}",
            items.len()
        );
        reporter.report_value(node, Problem::new(Code::ListTooLong, message));
        return Err(Unusable);
    }
    let mut values = Vec::with_capacity(items.len());
    for (index, item) in items.iter().enumerate() {
        values.extend(reporter.within(Step::Index(index), |to| list_member(item, to, &mut read)));
    }
    Ok(Some(values))
}

fn list_member<'n, T>(
    item: &'n Node<'n>,
    reporter: &mut Reporter<'n>,
    read: &mut impl FnMut(&'n Node<'n>, &mut Reporter<'n>) -> ReadResult<T>,
) -> Option<T> {
    let value = match item.value {
        Value::Null => None,
        _ => read(item, reporter).ok()?,
    };
    if value.is_none() {
        let problem = Problem::new(Code::MissingField, "a member of a list must have a value");
        reporter.report_value(item, problem.hint("leave the member out"));
    }
    value
}

/// Keys with this prefix are ignored.
pub(crate) const PRIVATE_PREFIX: &str = "x_";

/// Reports a key that its object already has.
fn report_repeated<'n>(member: &'n Member<'n>, reporter: &mut Reporter<'n>) {
    let message = format!("the key `{}` is given twice", cut(&member.key));
    let problem = Problem::new(Code::RepeatedKey, message);
    reporter.within(Step::key(&*member.key), |to| {
        to.report_span(&member.key_span, problem);
    });
}

/// Reports repeated keys, at any depth, in a value that is not read otherwise.
fn report_repeated_within<'n>(node: &'n Node<'n>, reporter: &mut Reporter<'n>) {
    match &node.value {
        Value::Object(members) => {
            let mut seen = Seen::new();
            for member in members {
                if !seen.insert(&*member.key) {
                    report_repeated(member, reporter);
                }
                reporter.within(Step::key(&*member.key), |to| {
                    report_repeated_within(&member.node, to);
                });
            }
        }
        Value::List(items) => {
            for (index, item) in items.iter().enumerate() {
                reporter.within(Step::Index(index), |to| report_repeated_within(item, to));
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Text(_) => {}
    }
}

/// Reports a key that is not among the `accepted` ones.
fn report_unknown<'n>(
    member: &'n Member<'n>,
    accepted: impl Iterator<Item = &'static str>,
    reporter: &mut Reporter<'n>,
) {
    let message = format!("unknown key `{}`", cut(&member.key));
    let mut problem = Problem::new(Code::UnknownField, message);
    if reporter.wants_hints()
        && let Some((likeness, nearest)) = most_alike(&member.key, accepted)
    {
        problem = problem.hint(if ALIKE <= likeness {
            format!("did you mean `{nearest}`?")
        } else {
            format!(
                "the nearest known key is `{nearest}`; to keep another in the export, begin it \
                 with `{PRIVATE_PREFIX}`"
            )
        });
    }
    reporter.within(Step::key(&*member.key), |to| {
        to.report_span(&member.key_span, problem);
    });
}
