//! The names that a term calls: those of functions, be they its own, and of formats.

use std::collections::HashSet;

use jaq_core::load::lex::StrPart;
use jaq_core::load::parse::{BinaryOp, Pattern, Term};
use jaq_core::path::Part;

/// Adds the names that a term calls.
pub(super) fn add<'c>(term: &Term<&'c str>, names: &mut HashSet<&'c str>) {
    match term {
        Term::Id | Term::Recurse | Term::Num(_) | Term::Break(_) | Term::Var(_) => {}
        Term::Str(format, parts) => {
            names.extend(format);
            for part in parts {
                if let StrPart::Term(term) = part {
                    add(term, names);
                }
            }
        }
        Term::Neg(of) | Term::Label(_, of) => add(of, names),
        Term::Arr(of) => of.iter().for_each(|of| add(of, names)),
        Term::Obj(members) => {
            for (key, value) in members {
                add_all([key].into_iter().chain(value), names);
            }
        }
        Term::BinOp(left, operator, right) => {
            if let BinaryOp::Pipe(Some(bound)) = operator {
                add_pattern(bound, names);
            }
            add_all([&**left, &**right], names);
        }
        Term::Fold(_, of, bound, arguments) => {
            add_pattern(bound, names);
            add_all([&**of].into_iter().chain(arguments), names);
        }
        Term::TryCatch(tried, caught) => {
            add_all([tried].into_iter().chain(caught).map(|of| &**of), names);
        }
        Term::IfThenElse(cases, other) => {
            let cases = cases.iter().flat_map(|(if_, then)| [if_, then]);
            add_all(cases.chain(other.as_deref()), names);
        }
        Term::Def(definitions, of) => {
            let bodies = definitions.iter().map(|definition| &definition.body);
            add_all(bodies.chain([&**of]), names);
        }
        Term::Call(name, arguments) => {
            names.insert(name);
            add_all(arguments, names);
        }
        Term::Path(of, path) => {
            add(of, names);
            for (part, _) in &path.0 {
                match part {
                    Part::Index(at) => add(at, names),
                    Part::Range(from, to) => add_all(from.iter().chain(to), names),
                }
            }
        }
    }
}

fn add_all<'t, 'c: 't>(
    terms: impl IntoIterator<Item = &'t Term<&'c str>>,
    names: &mut HashSet<&'c str>,
) {
    terms.into_iter().for_each(|term| add(term, names));
}

fn add_pattern<'c>(pattern: &Pattern<&'c str>, names: &mut HashSet<&'c str>) {
    match pattern {
        Pattern::Var(_) => {}
        Pattern::Arr(items) => items.iter().for_each(|item| add_pattern(item, names)),
        Pattern::Obj(members) => {
            for (key, of) in members {
                add(key, names);
                add_pattern(of, names);
            }
        }
    }
}
