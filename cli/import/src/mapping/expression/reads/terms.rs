//! Evaluates the terms of an expression.

use std::collections::BTreeMap;
use std::sync::Arc;

use jaq_core::load::lex::StrPart;
use jaq_core::load::parse::{Pattern, Term};

use super::scope::{Closure, Function, Scope};
use super::tree::Reads;
use super::value::{Asked, Place, Root, Site, Value, Values};
use crate::mapping::expression::SiteNumber;

/// Terms that are evaluated for one expression. It uses each definition that it names, and these
/// others, so that a few lines may come to very many.
const TERMS_MAX: u32 = 100_000;
/// Deepest nesting of calls.
const CALLS_MAX: usize = 100;
/// Longest place.
const STEPS_MAX: usize = 64;
/// Most texts that are made of parts.
const TEXTS_MAX: usize = 64;
/// How often a loop is gone through, which adds something to its value each time.
const ROUNDS_MAX: usize = 8;

/// Evaluates one expression.
pub(super) struct Evaluator<'r> {
    expression: usize,
    pub(super) reads: &'r mut Reads,
    pub(super) asked: Vec<Asked>,
    /// Places that the expression sets, or looks for with `has`, so that they need not be there.
    pub(super) set: Vec<Place>,
    /// Whether a key that is looked for is to be there.
    pub(super) is_asking: bool,
    terms_left: u32,
    calls: usize,
}

impl<'r> Evaluator<'r> {
    pub(super) fn new(expression: usize, reads: &'r mut Reads) -> Self {
        Self {
            expression,
            reads,
            asked: Vec::new(),
            set: Vec::new(),
            is_asking: true,
            terms_left: TERMS_MAX,
            calls: 0,
        }
    }

    /// The keys that were asked for.
    pub(super) fn into_asked(self) -> Vec<Asked> {
        let Self { mut asked, set, .. } = self;
        let is_set = |place: &Place| set.iter().any(|outer| place.is_within(outer));
        asked.retain(|asked| !asked.places.iter().any(is_set));
        asked
    }

    /// What a term comes to.
    pub(super) fn term<'t>(
        &mut self,
        term: &'t Term<&'t str>,
        input: &Values,
        scope: &Scope<'t>,
    ) -> Values {
        if self.terms_left == 0 {
            // Too many terms: assume that everything is read.
            self.reads.whole(&Values::record());
            return self.unknown(input);
        }
        self.terms_left -= 1;
        let values = match term {
            Term::Id => input.clone(),
            Term::Recurse => self.unknown(input),
            Term::Num(_) => Value::Number.into(),
            Term::Str(format, parts) => {
                let text = self.text(parts, input, scope);
                match format {
                    Some(_format) => Value::Unknown.into(),
                    None => text,
                }
            }
            Term::Arr(None) => Value::List(Values::default()).into(),
            Term::Arr(Some(items)) => Value::List(self.term(items, input, scope)).into(),
            Term::Obj(members) => self.object(members, input, scope),
            Term::Neg(of) => {
                let of = self.term(of, input, scope);
                self.reads.whole(&of);
                Value::Number.into()
            }
            Term::BinOp(left, operator, right) => {
                self.operation((left, operator, right), input, scope)
            }
            Term::Label(_, of) => self.term(of, input, scope),
            Term::Break(_) => Values::default(),
            Term::Fold(name, of, bound, arguments) => {
                self.fold(name, (of, bound), arguments, input, scope)
            }
            Term::TryCatch(tried, caught) => {
                let tried = self.term(tried, input, scope);
                let caught = caught.as_ref();
                let error = Values::from(Value::Unknown);
                tried.and(
                    caught.map_or_else(Values::default, |caught| self.term(caught, &error, scope)),
                )
            }
            Term::IfThenElse(cases, other) => self.branches(cases, other.as_deref(), input, scope),
            Term::Def(definitions, of) => {
                self.term(of, input, &scope.with_definitions(definitions))
            }
            Term::Call(name, arguments) => self.call(name, arguments, input, scope),
            Term::Var(name) => scope
                .variable(name)
                .unwrap_or_else(|| Value::Unknown.into()),
            Term::Path(of, path) => {
                let of = self.term(of, input, scope);
                self.path(of, path, input, scope)
            }
        };
        self.bounded(values)
    }

    /// What `if` comes to, whatever its conditions do.
    fn branches<'t>(
        &mut self,
        cases: &'t [(Term<&'t str>, Term<&'t str>)],
        other: Option<&'t Term<&'t str>>,
        input: &Values,
        scope: &Scope<'t>,
    ) -> Values {
        let mut values = match other {
            Some(other) => self.term(other, input, scope),
            None => input.clone(),
        };
        for (condition, then) in cases {
            self.term(condition, input, scope);
            values.extend(self.term(then, input, scope));
        }
        values
    }

    /// Reads everything, and gives something that is no part of a record any more.
    pub(super) fn unknown(&mut self, values: &Values) -> Values {
        self.reads.whole(values);
        Value::Unknown.into()
    }

    fn bounded(&mut self, values: Values) -> Values {
        let is_long = |value: &Value| match value {
            Value::Place(place) => STEPS_MAX < place.steps.len(),
            _ => false,
        };
        if values.is_too_many() || values.iter().any(is_long) {
            self.unknown(&values)
        } else {
            values
        }
    }

    fn call<'t>(
        &mut self,
        name: &'t str,
        arguments: &'t [Term<&'t str>],
        input: &Values,
        scope: &Scope<'t>,
    ) -> Values {
        match scope.function(name, arguments.len()) {
            Function::Argument(Closure { term, scope }) => self.term(term, input, &scope),
            Function::Definition(definition, mut inside) if self.calls < CALLS_MAX => {
                for (name, term) in definition.args.iter().zip(arguments) {
                    inside = if name.starts_with('$') {
                        let values = self.term(term, input, scope);
                        inside.with_variable(name, values)
                    } else {
                        let scope = scope.clone();
                        inside.with_argument(name, Closure { term, scope })
                    };
                }
                self.calls += 1;
                let values = self.term(&definition.body, input, &inside);
                self.calls -= 1;
                values
            }
            Function::Definition(..) | Function::Recursive => {
                for argument in arguments {
                    let values = self.term(argument, input, scope);
                    self.reads.whole(&values);
                }
                self.unknown(input)
            }
            Function::Native => self.native(name, arguments, input, scope),
        }
    }

    /// The record that a key leads to, from a place that has this number.
    pub(super) fn led(&self, number: &Values) -> Values {
        let text = number.keys().and_then(|texts| texts.first().copied());
        let number = SiteNumber::of_argument(text.map_or("", |text| text));
        let expression = self.expression;
        let site = Site { expression, number };
        // Null leads nowhere.
        let place = Value::Place(Place::root(Root::Led(site)));
        Values::from(place).and(Value::Null.into())
    }

    fn text<'t>(
        &mut self,
        parts: &'t [StrPart<&'t str, Term<&'t str>>],
        input: &Values,
        scope: &Scope<'t>,
    ) -> Values {
        let mut text = Values::from(Value::Text("".into()));
        for part in parts {
            let part = match part {
                StrPart::Str(part) => Value::Text((*part).into()).into(),
                StrPart::Char(part) => Value::Text(part.to_string().into()).into(),
                StrPart::Term(part) => {
                    let part = self.term(part, input, scope);
                    self.reads.whole(&part);
                    // Null is no part of a key that anything has.
                    part.without_null()
                }
            };
            text = joined(&text, &part).unwrap_or_else(|| Value::Unknown.into());
        }
        text
    }

    fn object<'t>(
        &mut self,
        members: &'t [(Term<&'t str>, Option<Term<&'t str>>)],
        input: &Values,
        scope: &Scope<'t>,
    ) -> Values {
        let (mut known, mut others) = (BTreeMap::new(), Values::default());
        for (key, value) in members {
            let (keys, values) = match (key, value) {
                (Term::Var(name), None) => {
                    let name = Value::Text(name.trim_start_matches('$').into());
                    (name.into(), self.term(key, input, scope))
                }
                (key, None) => {
                    let keys = self.term(key, input, scope);
                    let values = self.index(input, &keys, scope);
                    (keys, values)
                }
                (key, Some(value)) => {
                    (self.term(key, input, scope), self.term(value, input, scope))
                }
            };
            if let Some(keys) = keys.keys() {
                for key in keys {
                    let of_key: &mut Values = known.entry(Arc::clone(key)).or_default();
                    of_key.extend(values.clone());
                }
            } else {
                self.reads.whole(&keys);
                others.extend(values);
            }
        }
        Value::Object(known, others).into()
    }

    /// `reduce` and `foreach`: what is added in each round is what the value may be in the next.
    fn fold<'t>(
        &mut self,
        name: &str,
        (of, bound): (&'t Term<&'t str>, &'t Pattern<&'t str>),
        arguments: &'t [Term<&'t str>],
        input: &Values,
        scope: &Scope<'t>,
    ) -> Values {
        let of = self.term(of, input, scope);
        let [first, update, shown @ ..] = arguments else {
            return self.unknown(input);
        };
        let mut values = self.term(first, input, scope);
        if of.is_empty() {
            return if name == "reduce" { values } else { of };
        }
        let inside = self.bind(bound, &of, input, scope.clone());
        for round in 1.. {
            let next = self.term(update, &values, &inside);
            if values.contains(&next) {
                break;
            }
            values = self.bounded(values.and(next));
            if round == ROUNDS_MAX {
                values = self.unknown(&values);
                let next = self.term(update, &values, &inside);
                self.reads.whole(&next);
                values.extend(next);
                break;
            }
        }
        match shown.first() {
            Some(shown) => self.term(shown, &values, &inside),
            None => values,
        }
    }
}

/// The texts that are made of two, where both are known.
pub(super) fn joined(left: &Values, right: &Values) -> Option<Values> {
    let (left, right) = (left.texts()?, right.texts()?);
    if TEXTS_MAX < left.len() * right.len() {
        return None;
    }
    let pairs = left
        .iter()
        .flat_map(|left| right.iter().map(move |right| format!("{left}{right}")));
    Some(pairs.map(|text| Value::Text(text.into()).into()).collect())
}
