//! The library available to every expression: jaq's library, without functions that reach outside,
//! and with functions from jq's manual that jaq lacks and jq itself can define.
//!
//! It is parsed once. A mapping's own definition hides a library function of the same name.

use std::collections::HashSet;
use std::sync::LazyLock;

use jaq_core::load;
use jaq_core::load::parse::Def;
use jaq_core::native::Fun;

use super::eval_context::Language;
use super::functions;
use super::rewrite::Rewritten;

/// Functions of jaq that reach outside or end the program.
pub(super) const OUTSIDE: [&str; 13] = [
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
    "stderr",
    "stderr_empty",
    "strflocaltime",
];

/// Functions of jaq that ours replace: jaq's accept any nesting, treat a text as a line of JSON, and
/// ask the clock of the machine.
const OURS: [&str; 3] = ["fromjson", functions::NOW, "tonumber"];

/// What to use instead of jq functions that mappings lack.
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

/// Functions of jaq that ours wrap, and the names by which ours call them.
const WRAPPED: [(&str, &str); 3] = [
    ("fromdateiso8601", "_fromdateiso8601"),
    ("mktime", "_mktime"),
    ("strptime", "_strptime"),
];

/// Functions of jaq, not written in jq, for which ours stand that know Unicode.
const WITHOUT_UNICODE: [&str; 3] = ["matches", "split_", "split_matches"];

/// All definitions in the form in which they run, for expressions that are observed and for others;
/// each sees those before it.
static OBSERVED: LazyLock<Vec<Rewritten<'static>>> = LazyLock::new(|| rewritten(true));
static UNOBSERVED: LazyLock<Vec<Rewritten<'static>>> = LazyLock::new(|| rewritten(false));

fn rewritten(is_observed: bool) -> Vec<Rewritten<'static>> {
    let is_kept = |definition: &Def<&str>| !is_excluded(definition.name);
    jaq_core::defs()
        .chain(own(include_str!("errors.jq")))
        .chain(jaq_std::defs())
        .chain(jaq_json::defs())
        .filter(is_kept)
        .chain(own(include_str!("library.jq")))
        .map(|definition| Rewritten::new(definition, is_observed))
        .collect()
}

fn is_excluded(name: &str) -> bool {
    OUTSIDE.contains(&name) || OURS.contains(&name)
}

/// What to use instead of a function or variable that does not exist.
pub(super) fn instead(name: &str) -> Option<&'static str> {
    let known = INSTEAD.iter().find(|(lacking, _)| *lacking == name);
    known.map(|(_, instead)| *instead)
}

/// The arities of the functions with this name.
pub(super) fn arities(name: &str) -> Vec<usize> {
    let definitions = UNOBSERVED.iter().map(|known| &known.definition);
    let defined = definitions.filter(|definition| definition.name == name);
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

/// The definitions with these names, and those they call in turn. Compiling all definitions for
/// each expression would take many times as long as compiling the expression.
pub(super) fn definitions(mut called: HashSet<&str>, is_observed: bool) -> Vec<Def<&str>> {
    let all = if is_observed { &OBSERVED } else { &UNOBSERVED };
    let mut used = Vec::new();
    for known in all.iter().rev() {
        if called.contains(known.definition.name) {
            called.extend(&known.called);
            used.push(known.definition.clone());
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
        .filter(|(name, ..)| !is_excluded(name) && !WITHOUT_UNICODE.contains(name))
        .map(|(name, arguments, function)| {
            let wrapped = WRAPPED.iter().find(|(jaqs, _)| *jaqs == name);
            (wrapped.map_or(name, |(_, ours)| *ours), arguments, function)
        });
    jaqs.chain(functions::all())
}
