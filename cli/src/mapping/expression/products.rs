//! Has every product of an expression pass [`product`]: a text times a number is the one value that
//! the language makes as large as a number says, in one step that nobody can watch.

use std::panic;

use jaq_core::ValR;
use jaq_core::load::lex::StrPart;
use jaq_core::load::parse::{BinaryOp, Def, Pattern, Term};
use jaq_core::ops::Math;
use jaq_core::path::{Part, Path};
use jaq_json::{Num, Val};

use crate::mapping::MEMORY_MAX;

/// The function that products become. Nobody can write its name, nor that of the variable.
pub(super) const PRODUCT: &str = "*";
const FACTOR: &str = "$*";

/// Why an expression was not evaluated to its end: what it makes would not fit into memory.
pub(in crate::mapping) struct TooLarge;

/// The product of two values. No expression goes on after one that is too large.
pub(super) fn product(left: Val, right: Val) -> ValR<Val> {
    if is_too_large(&left, &right) {
        // It is no error, which an expression could catch, and no fault of the program.
        panic::resume_unwind(Box::new(TooLarge));
    }
    left * right
}

fn is_too_large(left: &Val, right: &Val) -> bool {
    let ((Val::TStr(text) | Val::BStr(text), Val::Num(times))
    | (Val::Num(times), Val::TStr(text) | Val::BStr(text))) = (left, right)
    else {
        return false;
    };
    let times = match times {
        Num::Int(times) => usize::try_from(*times).unwrap_or(0),
        Num::BigInt(_) => usize::MAX,
        Num::Float(_) | Num::Dec(_) => 0,
    };
    MEMORY_MAX < text.len().saturating_mul(times)
}

/// The same definition, with its products as calls.
pub(super) fn definition(def: Def<&str>) -> Def<&str> {
    Def {
        body: term(def.body),
        ..def
    }
}

/// The same term, with its products as calls.
pub(super) fn term(whole: Term<&str>) -> Term<&str> {
    match whole {
        Term::BinOp(left, BinaryOp::Math(Math::Mul), right) => {
            Term::Call(PRODUCT, vec![term(*left), term(*right)])
        }
        Term::BinOp(place, BinaryOp::UpdateMath(Math::Mul), factor) => {
            let product = Term::Call(PRODUCT, vec![Term::Id, Term::Var(FACTOR)]);
            let update = Term::BinOp(boxed(*place), BinaryOp::Update, Box::new(product));
            let bind = BinaryOp::Pipe(Some(Pattern::Var(FACTOR)));
            Term::BinOp(boxed(*factor), bind, Box::new(update))
        }
        Term::BinOp(left, BinaryOp::Pipe(Some(bound)), right) => {
            let bind = BinaryOp::Pipe(Some(pattern(bound)));
            Term::BinOp(boxed(*left), bind, boxed(*right))
        }
        Term::BinOp(left, operator, right) => Term::BinOp(boxed(*left), operator, boxed(*right)),
        Term::Str(format, parts) => Term::Str(format, parts.into_iter().map(part).collect()),
        Term::Arr(items) => Term::Arr(items.map(|items| boxed(*items))),
        Term::Obj(members) => {
            let member = |(key, value): (_, Option<_>)| (term(key), value.map(term));
            Term::Obj(members.into_iter().map(member).collect())
        }
        Term::Neg(of) => Term::Neg(boxed(*of)),
        Term::Label(label, of) => Term::Label(label, boxed(*of)),
        Term::Fold(name, of, bound, arguments) => {
            Term::Fold(name, boxed(*of), pattern(bound), terms(arguments))
        }
        Term::TryCatch(tried, caught) => {
            Term::TryCatch(boxed(*tried), caught.map(|caught| boxed(*caught)))
        }
        Term::IfThenElse(cases, other) => {
            let cases = cases.into_iter().map(|(if_, then)| (term(if_), term(then)));
            Term::IfThenElse(cases.collect(), other.map(|other| boxed(*other)))
        }
        Term::Def(defs, of) => {
            let defs = defs.into_iter().map(definition);
            Term::Def(defs.collect(), boxed(*of))
        }
        Term::Call(name, arguments) => Term::Call(name, terms(arguments)),
        Term::Path(of, path) => Term::Path(boxed(*of), steps(path)),
        Term::Id | Term::Recurse | Term::Num(_) | Term::Break(_) | Term::Var(_) => whole,
    }
}

fn boxed(of: Term<&str>) -> Box<Term<&str>> {
    Box::new(term(of))
}

fn terms(of: Vec<Term<&str>>) -> Vec<Term<&str>> {
    of.into_iter().map(term).collect()
}

fn part<'c>(of: StrPart<&'c str, Term<&'c str>>) -> StrPart<&'c str, Term<&'c str>> {
    match of {
        StrPart::Term(of) => StrPart::Term(term(of)),
        StrPart::Str(_) | StrPart::Char(_) => of,
    }
}

fn pattern(of: Pattern<&str>) -> Pattern<&str> {
    match of {
        Pattern::Var(_) => of,
        Pattern::Arr(items) => Pattern::Arr(items.into_iter().map(pattern).collect()),
        Pattern::Obj(members) => {
            let members = members.into_iter();
            Pattern::Obj(members.map(|(key, of)| (term(key), pattern(of))).collect())
        }
    }
}

fn steps(of: Path<Term<&str>>) -> Path<Term<&str>> {
    let step = |of| match of {
        Part::Index(at) => Part::Index(term(at)),
        Part::Range(from, to) => Part::Range(from.map(term), to.map(term)),
    };
    let steps = of.0.into_iter();
    Path(steps.map(|(of, optional)| (step(of), optional)).collect())
}
