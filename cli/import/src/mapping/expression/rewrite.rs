//! Rewrites an expression before it runs: every product becomes a call of [`PRODUCT`], and every
//! `deref` and `joined` gets a number, so it can be recorded where each of them leads.

use std::collections::HashSet;

use jaq_core::load;
use jaq_core::load::lex::StrPart;
use jaq_core::load::parse::{BinaryOp, Def, Pattern, Term};
use jaq_core::ops::Math;
use jaq_core::path::{Part, Path};

use super::multiply_guard::PRODUCT;

/// What `deref` becomes, called with its number. No mapping can define this name.
pub(super) const NUMBERED_DEREF: &str = "*deref";
/// What `joined` becomes, called with its number and the name of its join.
pub(super) const NUMBERED_JOINED: &str = "*joined";
/// The functions that lead to other records, with their arities and what they become.
const LEADING: [(&str, usize, &str); 2] =
    [("deref", 0, NUMBERED_DEREF), ("joined", 1, NUMBERED_JOINED)];
/// A variable that no mapping can define.
const FACTOR: &str = "$*";

/// A call of a function that leads to other records, counted from the beginning of an expression.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(in crate::mapping) struct SiteNumber(u32);

impl SiteNumber {
    /// The number encoded as a text of one character, to be an argument in a call.
    fn argument(self) -> Term<&'static str> {
        let character = char::from_u32(self.0).unwrap_or_default();
        Term::Str(None, vec![StrPart::Char(character)])
    }

    /// The number encoded in a text.
    pub(super) fn of_argument(text: &str) -> Self {
        Self(text.chars().next().map_or(0, u32::from))
    }
}

/// The functions and joins that an expression names.
pub(super) struct Found<'c> {
    /// The functions it calls, including its own definitions, and its formats.
    pub(super) called: HashSet<&'c str>,
    /// The joins it names with a literal, in order.
    pub(super) joins: Vec<String>,
}

/// Rewrites an expression, or definitions of the library.
#[derive(Default)]
pub(super) struct Rewriter<'c> {
    /// The functions that are called, by their original names.
    called: HashSet<&'c str>,
    /// The number of calls of [`LEADING`] functions found so far.
    sites: u32,
    /// Which of their names refer to the mapping's own definitions here.
    hidden: [bool; LEADING.len()],
    /// The joins named with a literal.
    joins: Vec<String>,
}

/// Which names of [`LEADING`] functions a definition hides.
fn hidden_by(def: &Def<&str>) -> [bool; LEADING.len()] {
    LEADING.map(|(name, arguments, _)| def.name == name && def.args.len() == arguments)
}

fn either(a: [bool; LEADING.len()], b: [bool; LEADING.len()]) -> [bool; LEADING.len()] {
    std::array::from_fn(|place| a[place] || b[place])
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

impl<'c> Rewriter<'c> {
    pub(super) fn definition(&mut self, def: Def<&'c str>) -> Def<&'c str> {
        let before = self.hidden;
        let arguments = LEADING.map(|(name, count, _)| count == 0 && def.args.contains(&name));
        self.hidden = either(self.hidden, either(hidden_by(&def), arguments));
        let body = self.term(def.body);
        self.hidden = before;
        Def { body, ..def }
    }

    /// What was found while rewriting.
    pub(super) fn finish(self) -> Found<'c> {
        Found {
            called: self.called,
            joins: self.joins,
        }
    }

    fn call(&mut self, name: &'c str, arguments: Vec<Term<&'c str>>) -> Term<&'c str> {
        self.called.insert(name);
        let mut leading = LEADING.iter().zip(self.hidden);
        let leading = leading.find(|((of, count, _), is_hidden)| {
            *of == name && *count == arguments.len() && !is_hidden
        });
        let Some(((.., numbered), _)) = leading else {
            return Term::Call(name, self.terms(arguments));
        };
        self.joins.extend(arguments.first().and_then(literal));
        self.sites += 1;
        let site = SiteNumber(self.sites).argument();
        let arguments = self.terms(arguments);
        Term::Call(numbered, std::iter::once(site).chain(arguments).collect())
    }

    /// Rewrites definitions and the term that may use them.
    pub(super) fn scope(
        &mut self,
        defs: Vec<Def<&'c str>>,
        of: Term<&'c str>,
    ) -> (Vec<Def<&'c str>>, Term<&'c str>) {
        let before = self.hidden;
        let mut rewritten = Vec::with_capacity(defs.len());
        for def in defs {
            let hidden = hidden_by(&def);
            rewritten.push(self.definition(def));
            self.hidden = either(self.hidden, hidden);
        }
        let of = self.term(of);
        self.hidden = before;
        (rewritten, of)
    }

    /// Rewrites a term.
    pub(super) fn term(&mut self, whole: Term<&'c str>) -> Term<&'c str> {
        match whole {
            Term::BinOp(left, operator, right) => self.operation(*left, operator, *right),
            Term::Str(format, parts) => {
                self.called.extend(format);
                let parts = parts.into_iter().map(|part| self.part(part));
                Term::Str(format, parts.collect())
            }
            Term::Arr(items) => Term::Arr(items.map(|items| self.boxed(*items))),
            Term::Obj(members) => {
                let members = members.into_iter();
                let members =
                    members.map(|(key, value)| (self.term(key), value.map(|of| self.term(of))));
                Term::Obj(members.collect())
            }
            Term::Neg(of) => Term::Neg(self.boxed(*of)),
            Term::Label(label, of) => Term::Label(label, self.boxed(*of)),
            Term::Fold(name, of, bound, arguments) => {
                let of = self.boxed(*of);
                let bound = self.pattern(bound);
                Term::Fold(name, of, bound, self.terms(arguments))
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
                let (defs, of) = self.scope(defs, *of);
                Term::Def(defs, Box::new(of))
            }
            Term::Call(name, arguments) => self.call(name, arguments),
            Term::Path(of, path) => {
                let of = self.boxed(*of);
                Term::Path(of, self.steps(path))
            }
            Term::Id | Term::Recurse | Term::Num(_) | Term::Break(_) | Term::Var(_) => whole,
        }
    }

    fn operation(
        &mut self,
        left: Term<&'c str>,
        operator: BinaryOp<&'c str>,
        right: Term<&'c str>,
    ) -> Term<&'c str> {
        let left = self.boxed(left);
        let operator = match operator {
            BinaryOp::Pipe(Some(bound)) => BinaryOp::Pipe(Some(self.pattern(bound))),
            operator => operator,
        };
        let right = self.boxed(right);
        match operator {
            BinaryOp::Math(Math::Mul) => Term::Call(PRODUCT, vec![*left, *right]),
            BinaryOp::UpdateMath(Math::Mul) => {
                let product = Term::Call(PRODUCT, vec![Term::Id, Term::Var(FACTOR)]);
                let update = Term::BinOp(left, BinaryOp::Update, Box::new(product));
                let bind = BinaryOp::Pipe(Some(Pattern::Var(FACTOR)));
                Term::BinOp(right, bind, Box::new(update))
            }
            operator => Term::BinOp(left, operator, right),
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
            StrPart::Term(of) => StrPart::Term(self.term(of)),
            StrPart::Str(_) | StrPart::Char(_) => of,
        }
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

    fn steps(&mut self, of: Path<Term<&'c str>>) -> Path<Term<&'c str>> {
        let mut step = |of| match of {
            Part::Index(at) => Part::Index(self.term(at)),
            Part::Range(from, to) => {
                let from = from.map(|from| self.term(from));
                Part::Range(from, to.map(|to| self.term(to)))
            }
        };
        let steps = of.0.into_iter();
        Path(steps.map(|(of, optional)| (step(of), optional)).collect())
    }
}

/// An expression in the form in which it runs, and the mapping's definitions.
pub(super) struct Parsed<'c> {
    pub(super) definitions: Vec<Def<&'c str>>,
    pub(super) body: Term<&'c str>,
    pub(super) found: Found<'c>,
}

impl<'c> Parsed<'c> {
    pub(super) fn new(code: &'c str, prelude: &'c str) -> Option<Self> {
        let definitions = load::parse(prelude, |parser| parser.defs())?;
        let body = load::parse(code, |parser| parser.term())?;
        let mut rewriter = Rewriter::default();
        let (definitions, body) = rewriter.scope(definitions, body);
        Some(Self {
            definitions,
            body,
            found: rewriter.finish(),
        })
    }
}
