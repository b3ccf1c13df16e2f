//! The library that every expression has: that of jaq, without what reaches outside, and with what
//! jq's manual has and jaq lacks, as far as jq itself can define it.
//!
//! It is parsed once. A definition of the mapping with the same name hides one of the library.

use std::collections::HashSet;
use std::sync::LazyLock;

use jaq_core::load;
use jaq_core::load::parse::{Def, Term};
use jaq_core::native::Fun;

use super::rewrite::Rewriter;
use super::{Language, calls, functions};

/// Functions of jaq that reach outside, or end the program.
pub(super) const OUTSIDE: [&str; 14] = [
    "debug",
    "debug_empty",
    "env",
    "halt",
    "halt_error",
    "input",
    "inputs",
    "input_line_number",
    "input_filename",
    "localtime",
    "now",
    "stderr",
    "stderr_empty",
    "strflocaltime",
];

/// Functions that are ours alone: jaq's take any nesting, and take a text for a line of JSON.
const OURS: [&str; 2] = ["fromjson", "tonumber"];

/// What to use instead of what jq has and mappings lack.
const INSTEAD: [(&str, &str); 10] = [
    ("$ENV", "settings stand in [variables]"),
    ("$__loc__", "findings name the line of the mapping"),
    ("debug", "`mapping check` shows what fields become"),
    ("env", "settings stand in [variables]"),
    ("halt", "`error` says what is wrong with a record"),
    ("halt_error", "`error` says what is wrong with a record"),
    ("input", "`deref` leads to other records"),
    ("inputs", "`deref` leads to other records"),
    ("localtime", "`gmtime` is the same everywhere"),
    ("strflocaltime", "`strftime` is the same everywhere"),
];

/// Functions of jaq that ours are made of, and what these call them.
const WRAPPED: [(&str, &str); 6] = [
    ("fromdateiso8601", "_fromdateiso8601"),
    ("matches", "_matches"),
    ("mktime", "_mktime"),
    ("split_", "_split_"),
    ("split_matches", "_split_matches"),
    ("strptime", "_strptime"),
];

/// All definitions: each sees those before it.
static DEFINITIONS: LazyLock<Vec<Def<&str>>> = LazyLock::new(|| {
    let is_kept = |definition: &Def<&str>| !is_excluded(definition.name);
    jaq_core::defs()
        .chain(own(include_str!("errors.jq")))
        .chain(jaq_std::defs())
        .chain(jaq_json::defs())
        .filter(is_kept)
        .chain(own(include_str!("library.jq")))
        .map(|definition| Rewriter::default().definition(definition))
        .collect()
});

fn is_excluded(name: &str) -> bool {
    OUTSIDE.contains(&name) || OURS.contains(&name)
}

/// What to use instead of a function, or a variable, that there is not.
pub(super) fn instead(name: &str) -> Option<&'static str> {
    let known = INSTEAD.iter().find(|(lacking, _)| *lacking == name);
    known.map(|(_, instead)| *instead)
}

/// The numbers of arguments that the functions of this name take.
pub(super) fn arities(name: &str) -> Vec<usize> {
    let defined = DEFINITIONS.iter().filter(|def| def.name == name);
    let native = functions().filter(|(native, ..)| *native == name);
    let mut arities: Vec<usize> = defined
        .map(|definition| definition.args.len())
        .chain(native.map(|(_, arguments, _)| arguments.len()))
        .collect();
    arities.sort_unstable();
    arities.dedup();
    arities
}

fn own(code: &'static str) -> Vec<Def<&'static str>> {
    let definitions = load::parse(code, |parser| parser.defs());
    definitions.unwrap_or_else(|| unreachable!("every test of expressions parses it"))
}

/// All definitions, as they run.
pub(super) fn all() -> impl Iterator<Item = Def<&'static str>> {
    DEFINITIONS.iter().cloned()
}

/// The definitions that a term uses, be it by others: to compile them all for each expression takes
/// many times as long as to compile the expression.
pub(super) fn definitions<'c>(term: &Term<&'c str>) -> Vec<Def<&'c str>> {
    let mut names = HashSet::new();
    calls::add(term, &mut names);
    let mut used = Vec::new();
    for definition in DEFINITIONS.iter().rev() {
        if names.contains(definition.name) {
            calls::add(&definition.body, &mut names);
            used.push(definition.clone());
        }
    }
    used.reverse();
    used
}

/// The functions of the library that are not defined in jq.
pub(super) fn functions() -> impl Iterator<Item = Fun<Language>> {
    let jaqs = jaq_core::funs()
        .chain(jaq_std::funs())
        .chain(jaq_json::funs())
        .filter(|(name, ..)| !is_excluded(name))
        .map(|(name, arguments, function)| {
            let wrapped = WRAPPED.iter().find(|(jaqs, _)| *jaqs == name);
            (wrapped.map_or(name, |(_, ours)| *ours), arguments, function)
        });
    jaqs.chain(functions::all())
}
