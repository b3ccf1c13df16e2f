//! Evaluates the functions that are not written in jq, and those that are told better from what
//! they do than from how.

use jaq_core::load::lex::StrPart;
use jaq_core::load::parse::{BinaryOp, Def, Term};
use jaq_core::ops::Math;

use super::scope::Scope;
use super::terms::Evaluator;
use super::value::{Value, Values};
use crate::mapping::expression::functions::IMAGE_SIZE;
use crate::mapping::expression::products::PRODUCT;
use crate::mapping::expression::rewrite::{NUMBERED_DEREF, NUMBERED_JOINED};

/// Functions of nothing but their arguments, which come to a number.
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

/// Whether a definition of the library is not evaluated: the keys that `getpath` is given have an
/// order, `del` and `setpath` leave what they do not name, and `pick` has nothing else.
pub(super) fn is_known(def: &Def<&str>) -> bool {
    matches!(def.name, "getpath" | "setpath" | "del" | "pick")
}

/// Whether a term is a list of texts without parts, and of numbers.
fn are_literals(term: &Term<&str>) -> bool {
    match term {
        Term::BinOp(first, BinaryOp::Comma, rest) => are_literals(first) && are_literals(rest),
        Term::Str(None, parts) => !parts.iter().any(|part| matches!(part, StrPart::Term(_))),
        Term::Num(_) => true,
        _ => false,
    }
}

impl Evaluator<'_> {
    pub(super) fn native<'t>(
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
                // It may be caught.
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

    /// What leads to other records, and everything else.
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

    /// What stands at the end of a path of literals.
    fn along<'t>(&mut self, keys: &'t Term<&'t str>, input: Values, scope: &Scope<'t>) -> Values {
        if let Term::BinOp(first, BinaryOp::Comma, rest) = keys {
            let within = self.along(first, input, scope);
            return self.along(rest, within, scope);
        }
        let key = self.term(keys, &Values::default(), scope);
        self.index(&input, &key, scope)
    }

    /// Looks whether a key is there.
    fn has<'t>(&mut self, key: &'t Term<&'t str>, input: &Values, scope: &Scope<'t>) -> Values {
        let keys = self.term(key, input, scope);
        let was_asking = std::mem::replace(&mut self.is_asking, false);
        let places = self.index(input, &keys, scope);
        self.is_asking = was_asking;
        // An expression that looks whether a key is there knows what to do where it is not.
        self.set(&places);
        Value::Boolean.into()
    }

    /// What orders the members of a list by something, or chooses among them.
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
