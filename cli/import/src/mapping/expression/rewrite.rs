//! Rewrites an expression before it runs: every product becomes a call of [`PRODUCT`], and, in an
//! expression that is observed, everything that looks into a value says so before it looks.
//!
//! An observed expression gives the same values. Where it cannot be told which part of a value is
//! needed, such as for a comparison of two objects, all of it counts as read.

use std::collections::{HashMap, HashSet};

use jaq_core::load;
use jaq_core::load::lex::StrPart;
use jaq_core::load::parse::{BinaryOp, Def, Pattern, Term};
use jaq_core::ops::Math;
use jaq_core::path::{Opt, Part, Path};

use super::multiply_guard::PRODUCT;

/// The function by which an observed expression says what it needs of its input: a [`Need`] and, for
/// [`Need::Key`], a key. No mapping can define this name.
pub(super) const NEED: &str = "*need";

/// Functions not written in jq that need everything in their input and arguments.
const READING: [&str; 8] = [
    "bsearch",
    "contains",
    "error_empty",
    "indices",
    "plain",
    "sort",
    "tobytes",
    "tojson",
];
/// Functions not written in jq that look at all keys of their input.
const LOOKING_AT_ALL: [&str; 2] = ["keys_unsorted", "key_values"];
/// Functions whose argument is the name of a section of the mapping, with the table of such sections.
const NAMING: [(&str, &str); 2] = [("joined", "joins"), ("lookup", "tables")];
/// A variable that no mapping can define.
const FACTOR: &str = "$*";

/// What an expression is about to need of a value.
#[derive(Clone, Copy)]
pub(super) enum Need {
    /// The value under a key, if it is an object.
    Key,
    /// Whether it has a key, if it is an object.
    Presence,
    /// The values under all keys, if it is an object.
    AllKeys,
    /// Everything in it, if it is an object.
    Object,
    /// Everything in it.
    Everything,
}

impl Need {
    /// All, each at the index by which a call names it.
    pub(super) const ALL: [Self; 5] = [
        Self::Key,
        Self::Presence,
        Self::AllKeys,
        Self::Object,
        Self::Everything,
    ];

    /// A call that says so, and gives its input.
    fn of(self, key: Term<&str>) -> Term<&str> {
        const INDICES: [&str; 5] = ["0", "1", "2", "3", "4"];
        Term::Call(NEED, vec![Term::Num(INDICES[self as usize]), key])
    }

    fn said<'c>(self) -> Term<&'c str> {
        self.of(Term::Num("0"))
    }
}

/// What an expression names.
#[derive(Default)]
pub(super) struct Found<'c> {
    /// The functions it calls, including its own definitions, and its formats.
    pub(super) called: HashSet<&'c str>,
    /// The texts in it, which may be keys, and whether it uses them as keys itself.
    pub(super) named: HashMap<String, bool>,
    /// The sections of the mapping that it names by literals, each with the table that they are in.
    pub(super) sections: Vec<(&'static str, String)>,
    /// Its own definitions.
    defined: HashSet<&'c str>,
    /// A definition in it that calls itself.
    pub(super) recursive: Option<&'c str>,
}

/// Rewrites an expression, or definitions of the library.
#[derive(Default)]
pub(super) struct Rewriter<'c> {
    is_observed: bool,
    pub(super) found: Found<'c>,
}

/// A definition in the form in which it runs.
#[derive(Clone)]
pub(super) struct Rewritten<'c> {
    pub(super) definition: Def<&'c str>,
    pub(super) called: HashSet<&'c str>,
    named: HashMap<String, bool>,
}

impl<'c> Rewritten<'c> {
    pub(super) fn new(definition: Def<&'c str>, is_observed: bool) -> Self {
        let mut rewriter = Rewriter::new(is_observed);
        let definition = rewriter.definition(definition);
        let found = rewriter.found;
        Self {
            definition,
            called: found.called,
            named: found.named,
        }
    }
}

/// The text of a term that is a literal without interpolation.
fn literal(term: &Term<&str>) -> Option<String> {
    let Term::Str(None, parts) = term else {
        return None;
    };
    let mut text = String::new();
    for part in parts {
        match part {
            StrPart::Str(part) => text.push_str(part),
            StrPart::Char(part) => text.push(*part),
            StrPart::Term(_) => return None,
        }
    }
    Some(text)
}

/// The key of its input that an expression begins with, as `.name` and `.name | plain` do. One that
/// may be missing, such as `.name?` and `.name // ""`, is none.
pub(super) fn leading_key(code: &str) -> Option<String> {
    let mut term = &load::parse(code, |parser| parser.term())?;
    loop {
        term = match term {
            Term::BinOp(first, BinaryOp::Pipe(_), _) => first,
            Term::Path(of, Path(steps)) if matches!(**of, Term::Id) => {
                return match steps.first()? {
                    (Part::Index(key), Opt::Essential) => literal(key),
                    _ => None,
                };
            }
            Term::Path(of, _) => of,
            _ => return None,
        };
    }
}

/// Whether a term can be seen to have a value with nothing in it.
fn is_bare(term: &Term<&str>) -> bool {
    match term {
        Term::Num(_) | Term::Str(..) | Term::Arr(None) => true,
        Term::Obj(members) => members.is_empty(),
        Term::Call(name, arguments) => {
            arguments.is_empty() && ["null", "true", "false"].contains(name)
        }
        _ => false,
    }
}

fn has_object(pattern: &Pattern<&str>) -> bool {
    match pattern {
        Pattern::Var(_) => false,
        Pattern::Arr(items) => items.iter().any(has_object),
        Pattern::Obj(_) => true,
    }
}

fn pipe<'c>(of: Term<&'c str>, into: Term<&'c str>) -> Term<&'c str> {
    Term::BinOp(Box::new(of), BinaryOp::Pipe(None), Box::new(into))
}

impl<'c> Rewriter<'c> {
    pub(super) fn new(is_observed: bool) -> Self {
        Self {
            is_observed,
            found: Found::default(),
        }
    }

    pub(super) fn definition(&mut self, def: Def<&'c str>) -> Def<&'c str> {
        self.found.defined.insert(def.name);
        let called_before = std::mem::take(&mut self.found.called);
        let body = self.term(def.body);
        if self.found.called.contains(def.name) {
            self.found.recursive.get_or_insert(def.name);
        }
        self.found.called.extend(called_before);
        Def { body, ..def }
    }

    /// A term of whose values something is needed by what comes next.
    fn needed(&self, of: Term<&'c str>, need: Need) -> Term<&'c str> {
        if self.is_observed && !is_bare(&of) {
            pipe(of, need.said())
        } else {
            of
        }
    }

    fn call(&mut self, name: &'c str, arguments: Vec<Term<&'c str>>) -> Term<&'c str> {
        self.found.called.insert(name);
        let table = NAMING.iter().find(|(function, _)| *function == name);
        if let (Some((_, table)), [named]) = (table, arguments.as_slice()) {
            let named = literal(named).map(|section| (*table, section));
            self.found.sections.extend(named);
        }
        let mut arguments = self.terms(arguments);
        if !self.is_observed {
            return Term::Call(name, arguments);
        }
        let before = match (name, arguments.as_slice()) {
            ("has", [key]) => Need::Presence.of(key.clone()),
            (name, _) if LOOKING_AT_ALL.contains(&name) => Need::AllKeys.said(),
            (name, _) if READING.contains(&name) => Need::Everything.said(),
            _ => return Term::Call(name, arguments),
        };
        if READING.contains(&name) {
            let read = arguments
                .into_iter()
                .map(|of| self.needed(of, Need::Everything));
            arguments = read.collect();
        }
        pipe(before, Term::Call(name, arguments))
    }

    /// Rewrites a term.
    pub(super) fn term(&mut self, whole: Term<&'c str>) -> Term<&'c str> {
        match whole {
            Term::BinOp(left, operator, right) => self.operation(*left, operator, *right),
            Term::Str(format, parts) => {
                self.found.called.extend(format);
                let parts = parts.into_iter().map(|part| self.part(part));
                let text = Term::Str(format, parts.collect());
                if let Some(text) = literal(&text) {
                    self.found.named.entry(text).or_default();
                }
                text
            }
            Term::Arr(items) => Term::Arr(items.map(|items| self.boxed(*items))),
            Term::Obj(members) => {
                let members = members.into_iter();
                let members = members.map(|(key, value)| self.member(key, value));
                Term::Obj(members.collect())
            }
            Term::Neg(of) => Term::Neg(self.boxed(*of)),
            Term::Label(label, of) => Term::Label(label, self.boxed(*of)),
            Term::Fold(name, of, bound, arguments) => {
                let of = self.bound(*of, &bound);
                let bound = self.pattern(bound);
                Term::Fold(name, Box::new(of), bound, self.terms(arguments))
            }
            Term::TryCatch(tried, caught) => {
                let tried = self.boxed(*tried);
                Term::TryCatch(tried, caught.map(|caught| self.boxed(*caught)))
            }
            Term::IfThenElse(cases, other) => {
                let cases = cases.into_iter();
                let cases = cases.map(|(if_, then)| (self.term(if_), self.term(then)));
                let cases = cases.collect();
                Term::IfThenElse(cases, other.map(|other| self.boxed(*other)))
            }
            Term::Def(defs, of) => {
                let defs = defs.into_iter().map(|def| self.definition(def)).collect();
                Term::Def(defs, self.boxed(*of))
            }
            Term::Call(name, arguments) => self.call(name, arguments),
            Term::Path(of, path) => {
                let of = self.term(*of);
                self.path(of, path)
            }
            Term::Recurse if self.is_observed => pipe(Need::Everything.said(), Term::Recurse),
            Term::Id | Term::Recurse | Term::Num(_) | Term::Break(_) | Term::Var(_) => whole,
        }
    }

    fn operation(
        &mut self,
        left: Term<&'c str>,
        operator: BinaryOp<&'c str>,
        right: Term<&'c str>,
    ) -> Term<&'c str> {
        let left = match &operator {
            BinaryOp::Pipe(Some(bound)) => self.bound(left, bound),
            _ => self.term(left),
        };
        let operator = match operator {
            BinaryOp::Pipe(Some(bound)) => BinaryOp::Pipe(Some(self.pattern(bound))),
            operator => operator,
        };
        let right = self.term(right);
        match operator {
            BinaryOp::Math(Math::Mul) => {
                let factors = [left, right].map(|of| self.needed(of, Need::Object));
                Term::Call(PRODUCT, factors.into())
            }
            BinaryOp::UpdateMath(Math::Mul) => {
                let product = Term::Call(PRODUCT, vec![Term::Id, Term::Var(FACTOR)]);
                let update = Term::BinOp(left.into(), BinaryOp::Update, Box::new(product));
                let bind = BinaryOp::Pipe(Some(Pattern::Var(FACTOR)));
                let update = Term::BinOp(right.into(), bind, Box::new(update));
                self.after_reading(update)
            }
            BinaryOp::Assign | BinaryOp::Update | BinaryOp::UpdateMath(_) | BinaryOp::UpdateAlt => {
                self.after_reading(Term::BinOp(left.into(), operator, right.into()))
            }
            BinaryOp::Math(_) => {
                let [left, right] = [left, right].map(|of| self.needed(of, Need::Object));
                Term::BinOp(left.into(), operator, right.into())
            }
            BinaryOp::Cmp(_) if !is_bare(&left) && !is_bare(&right) => {
                let [left, right] = [left, right].map(|of| self.needed(of, Need::Everything));
                Term::BinOp(left.into(), operator, right.into())
            }
            operator => Term::BinOp(left.into(), operator, right.into()),
        }
    }

    /// A term that changes its input: what it makes is a new object, into which later steps look
    /// unseen.
    fn after_reading(&self, change: Term<&'c str>) -> Term<&'c str> {
        if self.is_observed {
            pipe(Need::Object.said(), change)
        } else {
            change
        }
    }

    /// A term whose values are bound to a pattern.
    fn bound(&mut self, of: Term<&'c str>, pattern: &Pattern<&'c str>) -> Term<&'c str> {
        let of = self.term(of);
        if has_object(pattern) {
            self.needed(of, Need::Everything)
        } else {
            of
        }
    }

    fn boxed(&mut self, of: Term<&'c str>) -> Box<Term<&'c str>> {
        Box::new(self.term(of))
    }

    fn terms(&mut self, of: Vec<Term<&'c str>>) -> Vec<Term<&'c str>> {
        of.into_iter().map(|of| self.term(of)).collect()
    }

    fn part(&mut self, of: StrPart<&'c str, Term<&'c str>>) -> StrPart<&'c str, Term<&'c str>> {
        match of {
            StrPart::Term(of) => {
                let of = self.term(of);
                StrPart::Term(self.needed(of, Need::Everything))
            }
            StrPart::Str(_) | StrPart::Char(_) => of,
        }
    }

    /// A member of an object. `{a}` stands for `{a: .a}`.
    fn member(
        &mut self,
        key: Term<&'c str>,
        value: Option<Term<&'c str>>,
    ) -> (Term<&'c str>, Option<Term<&'c str>>) {
        let value = match (&key, value) {
            (_, Some(value)) => Some(self.term(value)),
            (Term::Str(..), None) if self.is_observed => {
                let step = (Part::Index(key.clone()), Opt::Essential);
                Some(self.path(Term::Id, Path(vec![step])))
            }
            (_, None) => None,
        };
        // The name that a member is given is no key that is looked up.
        let key = match literal(&key) {
            Some(_) => key,
            None => self.term(key),
        };
        (key, value)
    }

    fn pattern(&mut self, of: Pattern<&'c str>) -> Pattern<&'c str> {
        match of {
            Pattern::Var(_) => of,
            Pattern::Arr(items) => {
                Pattern::Arr(items.into_iter().map(|of| self.pattern(of)).collect())
            }
            Pattern::Obj(members) => {
                let members = members.into_iter();
                let members = members.map(|(key, of)| (self.term(key), self.pattern(of)));
                Pattern::Obj(members.collect())
            }
        }
    }

    /// A path from a term, which was rewritten before.
    fn path(&mut self, mut of: Term<&'c str>, path: Path<Term<&'c str>>) -> Term<&'c str> {
        let mut steps = Vec::new();
        for (part, optional) in path.0 {
            if let Part::Index(key) = &part
                && let Some(key) = literal(key)
            {
                self.found.named.insert(key, true);
            }
            let part = match part {
                Part::Index(at) => Part::Index(self.term(at)),
                Part::Range(from, to) => {
                    let from = from.map(|from| self.term(from));
                    Part::Range(from, to.map(|to| self.term(to)))
                }
            };
            if self.is_observed {
                let before = std::mem::take(&mut steps);
                if !before.is_empty() {
                    of = Term::Path(Box::new(of), Path(before));
                }
                of = pipe(of, look(&part, optional));
            }
            steps.push((part, optional));
        }
        Term::Path(Box::new(of), Path(steps))
    }
}

/// What says that a step of a path looks into its input. A key that is computed from the path's
/// input is not known there, so that it may be any. One with `?` may be missing: it is not expected.
fn look<'c>(part: &Part<Term<&'c str>>, optional: Opt) -> Term<&'c str> {
    let need = match optional {
        Opt::Essential => Need::Key,
        Opt::Optional => Need::Presence,
    };
    match part {
        Part::Index(key @ Term::Var(_)) => need.of(key.clone()),
        Part::Index(key) if literal(key).is_some() => need.of(key.clone()),
        Part::Index(Term::Num(_)) | Part::Range(Some(_), _) | Part::Range(_, Some(_)) => Term::Id,
        Part::Index(_) | Part::Range(None, None) => Need::AllKeys.said(),
    }
}

/// An expression in the form in which it runs, and the mapping's definitions that it calls.
pub(super) struct Parsed<'c> {
    pub(super) definitions: Vec<Def<&'c str>>,
    pub(super) body: Term<&'c str>,
    pub(super) found: Found<'c>,
}

impl<'c> Parsed<'c> {
    pub(super) fn new(code: &'c str, prelude: &'c str, is_observed: bool) -> Option<Self> {
        let prelude = load::parse(prelude, |parser| parser.defs())?;
        let shared: HashSet<&str> = prelude.iter().map(|def| def.name).collect();
        let body = load::parse(code, |parser| parser.term())?;
        let mut rewriter = Rewriter::new(is_observed);
        let body = rewriter.term(body);
        let mut found = rewriter.found;
        // A definition hides the function of the library.
        let is_hidden = |name: &&str| shared.contains(name) || found.defined.contains(name);
        for (_, table) in NAMING.iter().filter(|(function, _)| is_hidden(function)) {
            found.sections.retain(|(of, _)| of != table);
        }
        let prelude = prelude.into_iter();
        let mut definitions = Vec::new();
        for rewritten in prelude.map(|def| Rewritten::new(def, is_observed)).rev() {
            if !found.called.contains(rewritten.definition.name) {
                continue;
            }
            found.called.extend(rewritten.called);
            for key in rewritten.named.into_keys() {
                found.named.entry(key).or_default();
            }
            definitions.push(rewritten.definition);
        }
        definitions.reverse();
        Some(Self {
            definitions,
            body,
            found,
        })
    }
}
