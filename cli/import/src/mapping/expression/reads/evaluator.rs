//! Evaluates an expression with the places that values may come from instead of the values: its
//! terms, operators, paths, and the functions that are not written in jq or whose definitions in jq
//! would show less precisely what they read.

use std::collections::BTreeMap;
use std::sync::Arc;

use jaq_core::load::lex::StrPart;
use jaq_core::load::parse::{BinaryOp, Def, Pattern, Term};
use jaq_core::ops::Math;
use jaq_core::path::{Part, Path};

use super::scope::{Closure, Function, Scope};
use super::tree::Reads;
use super::value::{Asked, Root, Site, Step, Value, ValuePath, Values};
use crate::mapping::expression::SiteNumber;
use crate::mapping::expression::functions::IMAGE_SIZE;
use crate::mapping::expression::multiply_guard::PRODUCT;
use crate::mapping::expression::rewrite::{NUMBERED_DEREF, NUMBERED_JOINED};

/// The most terms evaluated for one expression. Each call evaluates a definition, whose calls
/// evaluate others, so a few lines can amount to very many terms.
const TERMS_MAX: u32 = 100_000;
/// Deepest nesting of calls.
const CALLS_MAX: usize = 100;
/// The most steps in the path of a place.
const STEPS_MAX: usize = 64;
/// The most texts that a concatenation may produce.
const TEXTS_MAX: usize = 64;
/// The most rounds of a loop, each of which may add to its value.
const ROUNDS_MAX: usize = 8;

/// Functions that use only their arguments and return a number.
const OF_ARGUMENTS: [&str; 16] = [
    "atan2",
    "copysign",
    "fdim",
    "fma",
    "fmax",
    "fmin",
    "fmod",
    "hypot",
    "jn",
    "ldexp",
    "nextafter",
    "pow",
    "range",
    "remainder",
    "scalbln",
    "yn",
];

/// Evaluates one expression.
pub(super) struct Evaluator<'r> {
    expression: usize,
    reads: &'r mut Reads,
    asked: Vec<Asked>,
    /// Places that the expression sets or tests with `has`, so they may be missing.
    set: Vec<ValuePath>,
    /// Whether a key that is looked up is expected to exist.
    is_asking: bool,
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

    /// The keys that the expression asked for.
    pub(super) fn into_asked(self) -> Vec<Asked> {
        let Self { mut asked, set, .. } = self;
        let is_set = |place: &ValuePath| set.iter().any(|outer| place.is_within(outer));
        asked.retain(|asked| !asked.places.iter().any(is_set));
        asked
    }

    /// What a term evaluates to.
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

    /// What `if` evaluates to, whichever branch is taken.
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

    /// Marks the values as read and returns a value that is not part of a record.
    fn unknown(&mut self, values: &Values) -> Values {
        self.reads.whole(values);
        Value::Unknown.into()
    }

    fn bounded(&mut self, values: Values) -> Values {
        let is_long = |value: &Value| match value {
            Value::At(place) => STEPS_MAX < place.steps.len(),
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

    /// The record that a key leads to from the call with this number.
    fn led(&self, number: &Values) -> Values {
        let text = number.keys().and_then(|texts| texts.first().copied());
        let number = SiteNumber::of_argument(text.map_or("", |text| text));
        let expression = self.expression;
        let site = Site { expression, number };
        // A null key leads to no record, so the result may be null.
        let place = Value::At(ValuePath::root(Root::Led(site)));
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
                    // A text made with null is never the key of anything.
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

    /// `reduce` and `foreach`: what each round adds is a possible value in the next round.
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

    fn operation<'t>(
        &mut self,
        (left, operator, right): (&'t Term<&'t str>, &'t BinaryOp<&'t str>, &'t Term<&'t str>),
        input: &Values,
        scope: &Scope<'t>,
    ) -> Values {
        match operator {
            BinaryOp::Assign | BinaryOp::Update | BinaryOp::UpdateMath(_) | BinaryOp::UpdateAlt => {
                let value = |evaluator: &mut Self, places: &Values| match operator {
                    BinaryOp::Update if places.is_empty() => Values::default(),
                    BinaryOp::Update => evaluator.term(right, places, scope),
                    _ => evaluator.term(right, input, scope),
                };
                return self.update(left, value, input, scope);
            }
            BinaryOp::Pipe(_)
            | BinaryOp::Comma
            | BinaryOp::Alt
            | BinaryOp::Or
            | BinaryOp::And
            | BinaryOp::Math(_)
            | BinaryOp::Cmp(_) => {}
        }
        let of_left = self.term(left, input, scope);
        match operator {
            // With no input, the right side is never evaluated.
            BinaryOp::Pipe(_) if of_left.is_empty() => of_left,
            BinaryOp::Pipe(None) => self.term(right, &of_left, scope),
            BinaryOp::Pipe(Some(bound)) => {
                let inside = self.bind(bound, &of_left, input, scope.clone());
                self.term(right, input, &inside)
            }
            BinaryOp::Comma | BinaryOp::Alt => of_left.and(self.term(right, input, scope)),
            BinaryOp::Or | BinaryOp::And => {
                self.term(right, input, scope);
                Value::Boolean.into()
            }
            BinaryOp::Math(operator) => {
                let of_right = self.term(right, input, scope);
                self.calculated(of_left, *operator, of_right)
            }
            _compared => {
                let of_right = self.term(right, input, scope);
                // Comparing with null, a text or an empty list does not look inside a value.
                if !of_left.are_bare() && !of_right.are_bare() {
                    self.reads.whole(&of_left);
                    self.reads.whole(&of_right);
                }
                Value::Boolean.into()
            }
        }
    }

    /// The result of arithmetic: sums and products may contain their operands, as lists or objects.
    fn calculated(&mut self, left: Values, operator: Math, right: Values) -> Values {
        if left.are_numbers() && right.are_numbers() {
            return Value::Number.into();
        }
        match operator {
            Math::Add => joined(&left, &right).unwrap_or_else(|| left.and(right)),
            Math::Mul => left.and(right).and(Value::Unknown.into()),
            Math::Sub => {
                self.reads.whole(&left);
                self.reads.whole(&right);
                left.and(Value::Unknown.into())
            }
            Math::Div | Math::Rem => {
                self.reads.whole(&left);
                self.unknown(&right)
            }
        }
    }

    /// An assignment: the assigned value is read as a whole, and the rest of the input stays the
    /// same.
    fn update<'t>(
        &mut self,
        places: &'t Term<&'t str>,
        value: impl FnOnce(&mut Self, &Values) -> Values,
        input: &Values,
        scope: &Scope<'t>,
    ) -> Values {
        let was_asking = std::mem::replace(&mut self.is_asking, false);
        let places = self.term(places, input, scope);
        self.is_asking = was_asking;
        let value = value(self, &places);
        self.reads.whole(&value);
        self.set(&places);
        input.clone()
    }

    /// The values at the ends of paths such as `.a[0]`.
    fn path<'t>(
        &mut self,
        of: Values,
        path: &'t Path<Term<&'t str>>,
        input: &Values,
        scope: &Scope<'t>,
    ) -> Values {
        path.0.iter().fold(of, |of, (part, _optional)| match part {
            Part::Index(at) => {
                let at = self.term(at, input, scope);
                self.index(&of, &at, scope)
            }
            Part::Range(None, None) => self.reads.members(&of),
            Part::Range(from, to) => {
                for bound in [from, to].into_iter().flatten() {
                    let bound = self.term(bound, input, scope);
                    self.reads.whole(&bound);
                }
                of
            }
        })
    }

    /// The values under keys, or at positions in a list.
    fn index(&mut self, of: &Values, at: &Values, scope: &Scope<'_>) -> Values {
        let (mut values, mut places, mut is_sure) = (Values::default(), Vec::new(), true);
        for of in of.iter() {
            for at in at.iter() {
                match (of, at) {
                    (Value::At(place), Value::Text(key)) => {
                        let place = place.step(Step::Key(Arc::clone(key)));
                        self.reads.touch(&place);
                        places.push(place.clone());
                        values.insert(Value::At(place));
                    }
                    (Value::At(place), Value::Number) => {
                        let place = place.step(Step::Members);
                        self.reads.touch(&place);
                        values.insert(Value::At(place));
                    }
                    (Value::Object(members, others), Value::Text(key)) => {
                        is_sure = false;
                        values.extend(members.get(key).cloned().unwrap_or_default());
                        values.extend(others.clone());
                        values.insert(Value::Null);
                    }
                    (Value::Text(_) | Value::Number | Value::Null | Value::Boolean, _)
                    | (_, Value::Null | Value::Boolean)
                    | (Value::List(_), Value::Text(_)) => {
                        values.insert(Value::Null);
                    }
                    (Value::List(items), _) => {
                        is_sure = false;
                        values.extend(items.clone());
                        values.insert(Value::Null);
                    }
                    (Value::At(_) | Value::Object(..) | Value::Unknown, _) => {
                        is_sure = false;
                        self.reads.whole(&of.clone().into());
                        self.reads.whole(&at.clone().into());
                        values.insert(Value::Unknown);
                    }
                }
            }
        }
        if is_sure && self.is_asking && !places.is_empty() {
            let is_own = scope.is_own;
            self.asked.push(Asked { places, is_own });
        }
        values
    }

    /// The scope after a pattern has bound names to parts of values.
    fn bind<'t>(
        &mut self,
        bound: &'t Pattern<&'t str>,
        values: &Values,
        input: &Values,
        scope: Scope<'t>,
    ) -> Scope<'t> {
        match bound {
            Pattern::Var(name) => scope.with_variable(name, values.clone()),
            Pattern::Arr(items) => {
                let item = self.index(values, &Value::Number.into(), &scope);
                let items = items.iter();
                items.fold(scope, |scope, of| self.bind(of, &item, input, scope))
            }
            Pattern::Obj(members) => members.iter().fold(scope, |scope, (key, of)| {
                let key = self.term(key, input, &scope);
                let values = self.index(values, &key, &scope);
                self.bind(of, &values, input, scope)
            }),
        }
    }

    /// Notes that places are set.
    fn set(&mut self, values: &Values) {
        self.set
            .extend(values.iter().filter_map(|value| match value {
                Value::At(place) => Some(place.clone()),
                _ => None,
            }));
    }

    fn native<'t>(
        &mut self,
        name: &str,
        arguments: &'t [Term<&'t str>],
        input: &Values,
        scope: &Scope<'t>,
    ) -> Values {
        match (name, arguments) {
            (PRODUCT, [left, right]) => {
                let left = self.term(left, input, scope);
                let right = self.term(right, input, scope);
                self.calculated(left, Math::Mul, right)
            }
            ("del", [places]) => self.update(places, |_, _| Values::default(), input, scope),
            ("pick", [places]) => {
                let places = self.term(places, input, scope);
                self.unknown(&places)
            }
            ("setpath", [path, value]) => {
                for argument in [path, value] {
                    let values = self.term(argument, input, scope);
                    self.reads.whole(&values);
                }
                input.clone().and(Value::Unknown.into())
            }
            ("length", []) => Value::Number.into(),
            ("error_empty", []) => {
                // A `catch` may use the value of the error.
                self.reads.whole(input);
                Values::default()
            }
            ("has", [key]) => self.has(key, input, scope),
            ("getpath", [Term::Arr(Some(keys))]) if are_literals(keys) => {
                self.along(keys, input.clone(), scope)
            }
            ("first" | "last", [of]) => self.term(of, input, scope),
            ("limit" | "skip", [count, of]) => {
                let count = self.term(count, input, scope);
                self.reads.whole(&count);
                self.term(of, input, scope)
            }
            ("path" | "path_value", [of]) => {
                let of = self.term(of, input, scope);
                Value::List(of.and(Value::Unknown.into())).into()
            }
            ("reverse", []) => input.clone(),
            ("sort", []) => {
                self.reads.whole(input);
                input.clone()
            }
            ("sort_by" | "group_by" | "min_by_or_empty" | "max_by_or_empty", [by]) => {
                self.by(name, by, input, scope)
            }
            _ => self.leading(name, arguments, input, scope),
        }
    }

    /// Calls of functions that lead to other records, and of all remaining functions.
    fn leading<'t>(
        &mut self,
        name: &str,
        arguments: &'t [Term<&'t str>],
        input: &Values,
        scope: &Scope<'t>,
    ) -> Values {
        match (name, arguments) {
            (NUMBERED_DEREF, [site]) => {
                let site = self.term(site, input, scope);
                self.reads.whole(input);
                self.led(&site)
            }
            (NUMBERED_JOINED, [site, join]) => {
                let site = self.term(site, input, scope);
                let join = self.term(join, input, scope);
                self.reads.whole(&join);
                self.reads.whole(input);
                Value::List(self.led(&site)).into()
            }
            ("links", [field]) => {
                let fields = self.term(field, input, scope);
                self.reads.whole(&fields);
                self.reads.links.add(&fields);
                Value::List(Value::Unknown.into()).into()
            }
            ("links", [key, field]) => {
                let key = self.term(key, input, scope);
                self.reads.whole(&key);
                let fields = self.term(field, input, scope);
                self.reads.whole(&fields);
                self.reads.other_links.add(&fields);
                Value::List(Value::Unknown.into()).into()
            }
            (IMAGE_SIZE, [path]) => {
                let path = self.term(path, input, scope);
                self.unknown(&path)
            }
            ("many", []) => {
                let members = self.reads.members(input);
                Value::List(input.clone().and(members)).into()
            }
            _ => {
                for argument in arguments {
                    let values = self.term(argument, input, scope);
                    self.reads.whole(&values);
                }
                if OF_ARGUMENTS.contains(&name) {
                    Value::Number.into()
                } else {
                    self.unknown(input)
                }
            }
        }
    }

    /// The values at the end of a path of literals.
    fn along<'t>(&mut self, keys: &'t Term<&'t str>, input: Values, scope: &Scope<'t>) -> Values {
        if let Term::BinOp(first, BinaryOp::Comma, rest) = keys {
            let within = self.along(first, input, scope);
            return self.along(rest, within, scope);
        }
        let key = self.term(keys, &Values::default(), scope);
        self.index(&input, &key, scope)
    }

    /// Evaluates `has`.
    fn has<'t>(&mut self, key: &'t Term<&'t str>, input: &Values, scope: &Scope<'t>) -> Values {
        let keys = self.term(key, input, scope);
        let was_asking = std::mem::replace(&mut self.is_asking, false);
        let places = self.index(input, &keys, scope);
        self.is_asking = was_asking;
        // An expression that tests for a key can handle its absence.
        self.set(&places);
        Value::Boolean.into()
    }

    /// Evaluates functions that order the members of a list by something or choose among them.
    fn by<'t>(
        &mut self,
        name: &str,
        by: &'t Term<&'t str>,
        input: &Values,
        scope: &Scope<'t>,
    ) -> Values {
        let members = self.reads.members(input);
        let compared = self.term(by, &members, scope);
        self.reads.whole(&compared);
        match name {
            "sort_by" => input.clone(),
            "group_by" => Value::List(Value::List(members).into()).into(),
            _ => members,
        }
    }
}

/// Whether a function is handled here instead of evaluating its definition in the library. The
/// definitions lose precision: the keys given to `getpath` have an order, `del` and `setpath` keep
/// what they do not name, and `pick` keeps nothing else.
pub(super) fn is_known(def: &Def<&str>) -> bool {
    matches!(def.name, "getpath" | "setpath" | "del" | "pick")
}

/// Whether a term is a list of numbers and of texts without interpolation.
fn are_literals(term: &Term<&str>) -> bool {
    match term {
        Term::BinOp(first, BinaryOp::Comma, rest) => are_literals(first) && are_literals(rest),
        Term::Str(None, parts) => !parts.iter().any(|part| matches!(part, StrPart::Term(_))),
        Term::Num(_) => true,
        _ => false,
    }
}

/// All concatenations of two texts, if both are known.
fn joined(left: &Values, right: &Values) -> Option<Values> {
    let (left, right) = (left.texts()?, right.texts()?);
    if TEXTS_MAX < left.len() * right.len() {
        return None;
    }
    let pairs = left
        .iter()
        .flat_map(|left| right.iter().map(move |right| format!("{left}{right}")));
    Some(pairs.map(|text| Value::Text(text.into()).into()).collect())
}
