//! Walks a record by the table of its fields and reports everything that is wrong with it by itself.
//!
//! Everything general about keys and lists is handled here: absent, null, repeated, unknown and
//! derived keys, and values of the wrong type. How a single value is read stands in `values`,
//! `numbers` and `text`.

use std::ops::Range;

use shared::base::field_path::Step;

use super::checked::{Checked, Values};
use super::numbers::{integer, length, not_negative, number, spelling};
use super::read_result::{ReadResult, Unusable, type_problem, wrong_type};
use super::references::Resolver;
use super::reporter::{Problem, Reporter};
use super::text::{description, row_text, text};
use super::values::{address, boat_slug, currency_code, flag, format, id, slug, timestamp, word};
use crate::finding::{Code, cut, others};
use crate::format::{Field, LIST_MAX, PRIVATE_PREFIX, Shape, derived, index_of, instead_of};
use crate::json::{Member, Node, Seen, Value};

/// How many fields of an object are named at most.
const FIELDS_MAX: usize = 5;

/// Checks the fields of a record, and returns the values of those that can be used.
pub(super) fn check<'n>(
    fields: &'static [Field],
    record: &'n Node<'n>,
    resolver: Resolver<'_>,
    reporter: &mut Reporter<'n>,
) -> Values<'n> {
    let mut checker = Checker {
        resolver,
        reporter,
        found: Vec::new(),
    };
    match checker.object(fields, record) {
        Ok(Some(Checked::Object(values))) => values,
        _ => Values::default(),
    }
}

struct Checker<'c, 'n> {
    resolver: Resolver<'c>,
    reporter: &'c mut Reporter<'n>,
    /// The value that was found for each field of all open objects, the innermost last. So no
    /// object needs a list of its own.
    found: Vec<Option<&'n Node<'n>>>,
}

impl<'n> Checker<'_, 'n> {
    /// Checks something one step further in.
    fn within<T>(&mut self, step: Step<'n>, check: impl FnOnce(&mut Self) -> T) -> T {
        self.reporter.enter(step);
        let checked = check(self);
        self.reporter.leave();
        checked
    }

    fn value(&mut self, shape: &'static Shape, node: &'n Node<'n>) -> ReadResult<Checked<'n>> {
        let to = &mut *self.reporter;
        match shape {
            Shape::Object(fields) | Shape::Part(fields) => self.object(fields, node),
            Shape::List(member) => self.list(member, node),
            Shape::Reference(target) => {
                made(self.resolver.resolve(*target, node, to), Checked::Record)
            }
            Shape::Flag => made(flag(node, to), Checked::Flag),
            Shape::Number {
                is_signed: false, ..
            } => made(not_negative(node, to), Checked::Number),
            Shape::Number { .. } => made(number(node, to), Checked::Number),
            Shape::Integer { min, max, .. } => {
                made(integer(node, (*min, *max), to), Checked::Integer)
            }
            Shape::Length => made(length(node, to), Checked::spelled),
            Shape::SameLength => spelling(node, to).map(|length| Some(Checked::spelled(length))),
            Shape::Text => made(text(node, to), Checked::Text),
            Shape::Description => made(description(node, to), Checked::Text),
            Shape::RowText => made(row_text(node, to), Checked::Text),
            Shape::Currency => made(currency_code(node, to), Checked::Text),
            Shape::Address => made(address(node, to), Checked::Text),
            Shape::Word(words) => made(word(node, words, to), Checked::spelled),
            Shape::Format => made(format(node, to), Checked::spelled),
            Shape::Id => made(id(node, to), Checked::spelled),
            Shape::BoatSlug => made(boat_slug(node, to), Checked::spelled),
            Shape::Slug => made(slug(node, to), Checked::spelled),
            Shape::Timestamp => made(timestamp(node, to), Checked::spelled),
            // Reported with its key.
            Shape::Derived { .. } => Err(Unusable),
        }
    }

    fn object(&mut self, fields: &'static [Field], node: &'n Node<'n>) -> ReadResult<Checked<'n>> {
        if let Value::Object(members) = &node.value {
            return Ok(Some(self.members(fields, members, &node.span)));
        }
        let mut problem = type_problem(node, "an object");
        if self.reporter.wants_hints() {
            problem.hint = Some(self.instead_of_object(fields));
        }
        self.reporter.report_value(node, problem);
        Err(Unusable)
    }

    /// What to write where another value stands in place of an object with these fields.
    fn instead_of_object(&self, fields: &'static [Field]) -> String {
        let names = leaves(&self.reporter.shown_path().field().to_string(), fields);
        let (shown, rest) = names.split_at(names.len().min(FIELDS_MAX));
        let rest = match rest.len() {
            0 => String::new(),
            count => format!(" and {}", others(count)),
        };
        let shown = shown.join(", ");
        format!("its fields are {shown}{rest}; a mapping makes each by a line of its own")
    }

    /// Checks the members of an object, which is at `span`.
    fn members(
        &mut self,
        fields: &'static [Field],
        members: &'n [Member<'n>],
        span: &Range<usize>,
    ) -> Checked<'n> {
        let first = self.found.len();
        self.found.resize(first + fields.len(), None);
        let has_others = find_all(fields, members, &mut self.found[first..]);
        let mut values = Vec::with_capacity(if members.is_empty() { 0 } else { fields.len() });
        for (index, field) in fields.iter().enumerate() {
            if has_others {
                let same = members.iter().filter(|member| member.key == field.key);
                same.skip(1).for_each(|again| self.report_repeated(again));
            }
            let found = self.found[first + index];
            let value = self.within(Step::key(field.key), |checker| {
                checker.field(field, found, span)
            });
            if !members.is_empty() {
                values.push(value);
            }
        }
        self.found.truncate(first);
        if has_others {
            self.report_others(fields, members);
        }
        Checked::Object(Values::new(fields, values))
    }

    /// Checks a field of the object at `span`.
    fn field(
        &mut self,
        field: &'static Field,
        found: Option<&'n Node<'n>>,
        span: &Range<usize>,
    ) -> Option<Checked<'n>> {
        let given = found.filter(|node| !matches!(node.value, Value::Null));
        let errors_before = self.reporter.begin_optional();
        let value = match (&field.shape, given) {
            (Shape::Derived { from, .. }, Some(node)) => {
                let problem = Problem::new(Code::DerivedField, derived(field.key, from));
                let problem = problem.hint("leave the key out");
                self.reporter.report_value(node, problem);
                Err(Unusable)
            }
            (shape, Some(node)) => self.value(shape, node),
            (Shape::Part(fields), None) => {
                let span = found.map_or(span, |null| &null.span);
                return Some(self.members(fields, &[], span));
            }
            (_, None) => Ok(None),
        };
        if matches!(value, Ok(None)) && field.is_required() {
            self.report_missing(field.key, found, span);
        }
        // Whether a record is published is never left open.
        if !field.is_required() && !matches!(field.shape, Shape::Flag) {
            self.reporter.end_optional(errors_before);
        }
        value.unwrap_or(None)
    }

    fn list(&mut self, member: &'static Shape, node: &'n Node<'n>) -> ReadResult<Checked<'n>> {
        let Value::List(items) = &node.value else {
            return wrong_type(node, "a list", self.reporter);
        };
        if LIST_MAX < items.len() {
            let message = format!(
                "a list has at most {LIST_MAX} members, this one {}",
                items.len()
            );
            let problem = Problem::new(Code::ListTooLong, message);
            self.reporter.report_value(node, problem);
            return Err(Unusable);
        }
        let mut values = Vec::with_capacity(items.len());
        for (index, item) in items.iter().enumerate() {
            let check = |checker: &mut Self| checker.list_member(member, item);
            values.extend(self.within(Step::Index(index), check));
        }
        Ok(Some(Checked::List(values)))
    }

    fn list_member(&mut self, shape: &'static Shape, item: &'n Node<'n>) -> Option<Checked<'n>> {
        let value = match item.value {
            Value::Null => None,
            _ => self.value(shape, item).ok()?,
        };
        if value.is_none() {
            let message = "a member of a list must have a value";
            let problem = Problem::new(Code::MissingField, message).hint("leave the member out");
            self.reporter.report_value(item, problem);
        }
        value
    }

    fn report_missing(&mut self, key: &str, found: Option<&Node<'_>>, span: &Range<usize>) {
        let problem = Problem::new(Code::MissingField, format!("`{key}` is required"));
        match found {
            Some(node) => self.reporter.report_value(node, problem),
            // The finding points to the object's opening brace, because the key itself is missing.
            None => self
                .reporter
                .report_span(&(span.start..span.start + 1), problem),
        }
    }

    /// Reports the members that the table does not have.
    fn report_others(&mut self, fields: &'static [Field], members: &'n [Member<'n>]) {
        let mut seen = Seen::new();
        for member in members {
            if index_of(fields, &member.key, 0).is_some() {
                continue;
            }
            if !seen.insert(&*member.key) {
                self.report_repeated(member);
            } else if !member.key.starts_with(PRIVATE_PREFIX) {
                self.report_unknown(member, fields);
            }
            if member.key.starts_with(PRIVATE_PREFIX) {
                self.within(Step::key(&*member.key), |checker| {
                    checker.report_repeated_within(&member.node);
                });
            }
        }
    }

    /// Reports a key that its object already has.
    fn report_repeated(&mut self, member: &'n Member<'n>) {
        let message = format!("the key `{}` is given twice", cut(&member.key));
        self.report_key(member, Problem::new(Code::RepeatedKey, message));
    }

    /// Reports repeated keys, at any depth, in a value that is not read otherwise.
    fn report_repeated_within(&mut self, node: &'n Node<'n>) {
        match &node.value {
            Value::Object(members) => {
                let mut seen = Seen::new();
                for member in members {
                    if !seen.insert(&*member.key) {
                        self.report_repeated(member);
                    }
                    self.within(Step::key(&*member.key), |checker| {
                        checker.report_repeated_within(&member.node);
                    });
                }
            }
            Value::List(items) => {
                for (index, item) in items.iter().enumerate() {
                    self.within(Step::Index(index), |checker| {
                        checker.report_repeated_within(item);
                    });
                }
            }
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::Text(_) => {}
        }
    }

    fn report_unknown(&mut self, member: &'n Member<'n>, fields: &[Field]) {
        let message = format!("unknown key `{}`", cut(&member.key));
        let mut problem = Problem::new(Code::UnknownField, message);
        if self.reporter.wants_hints() {
            problem.hint = instead_of(&member.key, fields);
        }
        self.report_key(member, problem);
    }

    fn report_key(&mut self, member: &'n Member<'n>, problem: Problem) {
        self.within(Step::key(&*member.key), |checker| {
            checker.reporter.report_span(&member.key_span, problem);
        });
    }
}

/// The names of all values in the object called `within`.
fn leaves(within: &str, fields: &'static [Field]) -> Vec<String> {
    let given = fields.iter().filter(|field| !field.shape.is_derived());
    let names = given.flat_map(|field| {
        let name = format!("{within}.{}", field.key);
        match field.shape {
            Shape::Object(inner) | Shape::Part(inner) => leaves(&name, inner),
            _ => vec![format!("`{name}`")],
        }
    });
    names.collect()
}

/// Finds the value of each field, and returns whether there are other members or repeated ones.
fn find_all<'n>(
    fields: &[Field],
    members: &'n [Member<'n>],
    found: &mut [Option<&'n Node<'n>>],
) -> bool {
    let (mut next, mut has_others) = (0, false);
    for member in members {
        match index_of(fields, &member.key, next) {
            Some(index) if found[index].is_none() => {
                found[index] = Some(&member.node);
                next = index + 1;
            }
            _ => has_others = true,
        }
    }
    has_others
}

/// A value that was read, as one of the table's.
fn made<'n, T>(
    read: ReadResult<T>,
    make: impl FnOnce(T) -> Checked<'n>,
) -> ReadResult<Checked<'n>> {
    Ok(read?.map(make))
}
