//! Compiles and evaluates expressions in jq. The only module that knows `jaq`.
//!
//! An expression sees its input, the mapping's variables and what [`EvalContext`] provides, and
//! nothing else: no environment, no other input, no modules, and no clock but the time of the import. Evaluation has no limits of
//! its own; the caller must watch it.

mod eval_context;
mod functions;
mod library;
mod multiply_guard;
mod regexes;
mod rewrite;
mod values;

use std::cell::Cell;
use std::collections::HashMap;

use jaq_core::compile::Undefined;
use jaq_core::load::parse::{Def, Term};
use jaq_core::load::{self, Arena, File, Loader};
use jaq_core::{Compiler, Ctx, Filter, Vars, unwrap_valr};
use jaq_json::Val;

pub(super) use self::eval_context::{EvalContext, Jq, Referred};
pub(super) use self::functions::IMAGE_SIZE;

use self::eval_context::{Data, Language};
use self::rewrite::{Found, Parsed, Rewriter, leading_key};
pub(super) use self::values::{
    address, from_json, from_node, from_plain_text, from_text, inside, text, to_float, write_json,
    write_text,
};
pub(crate) use crate::source::in_path;

use crate::finding::cut;

/// The name under which the expression itself is compiled, among the definitions.
const EXPRESSION: &str = "mapping_expression";

/// Why an expression cannot be compiled, if the parser does not say it.
const NOT_JQ: &str = "this is not jq";

/// Deepest nesting of brackets in an expression.
const BRACKETS_MAX: usize = 100;

/// A compiled expression.
pub(super) struct Program {
    filter: Filter<Language>,
    /// The keys of a plain path such as `.hull.keel`. Most expressions are plain paths and can be
    /// evaluated without running the program.
    path: Option<Vec<Val>>,
    /// The key of its input that it begins with, unless that may be missing.
    leading_key: Option<Val>,
    /// Whether an object that it was given has this key, once it was given one.
    is_key_found: Cell<Option<bool>>,
    /// If it is observed: the texts in it, which may be keys, and whether it uses them as keys
    /// itself rather than through a definition.
    named: HashMap<String, bool>,
    /// The sections of the mapping that it names by literals, each with the table that they are in.
    sections: Vec<(&'static str, String)>,
}

impl Program {
    /// Compiles `code`, which may use the definitions in `prelude` and the variables named in
    /// `variables`, each with its `$`. If it is observed, it tells what it looks at. An error says
    /// why it cannot be compiled.
    pub(super) fn compile(
        code: &str,
        prelude: &str,
        variables: &[String],
        is_observed: bool,
    ) -> Result<Self, String> {
        check_syntax(code)?;
        let Parsed {
            definitions,
            body,
            found,
        } = Parsed::new(code, prelude, is_observed).ok_or(NOT_JQ)?;
        check_recursion(&found)?;
        let expression = Def {
            name: EXPRESSION,
            args: Vec::new(),
            body: match definitions.as_slice() {
                [] => body,
                _ => Term::Def(definitions, Box::new(body)),
            },
        };
        let library = library::definitions(found.called, is_observed).into_iter();
        let definitions = library.chain([expression]);
        let arena = Arena::default();
        let file = File {
            code: EXPRESSION,
            path: (),
        };
        let modules = Loader::new(definitions)
            .load(&arena, file)
            .map_err(syntax_error)?;
        let compiled = Compiler::default()
            .with_funs(library::functions())
            .with_global_vars(variables.iter().map(String::as_str))
            .compile(modules);
        let filter = compiled.map_err(|errors| {
            let first = errors.into_iter().flat_map(|(_file, errors)| errors).next();
            undefined(first)
        })?;
        let (path, named) = if is_observed {
            (None, found.named)
        } else {
            (plain_path(code), HashMap::new())
        };
        Ok(Self {
            filter,
            path,
            leading_key: leading_key(code).map(Val::from),
            is_key_found: Cell::default(),
            named,
            sections: found.sections,
        })
    }

    /// The sections of the mapping that it names by literals, such as a join, each with the table that
    /// they are in. Definitions that it calls name theirs where they are defined.
    pub(super) fn sections(&self) -> &[(&'static str, String)] {
        &self.sections
    }

    /// Whether the expression names a key itself, if it or a definition that it calls names it.
    pub(super) fn names(&self, key: &str) -> Option<bool> {
        self.named.get(key).copied()
    }

    /// Whether any object that it was given has the key that it begins with; `None` if it begins
    /// otherwise, or was given none.
    pub(super) const fn is_key_found(&self) -> Option<bool> {
        self.is_key_found.get()
    }

    /// The single value that the expression produces for `input`.
    pub(super) fn evaluate(
        &self,
        input: Val,
        variables: impl IntoIterator<Item = Val>,
        eval: &dyn EvalContext,
    ) -> Result<Val, String> {
        if let (Some(key), Val::Obj(members)) = (&self.leading_key, &input)
            && self.is_key_found.get() != Some(true)
        {
            self.is_key_found.set(Some(members.contains_key(key)));
        }
        if let Some(value) = self.along_path(&input) {
            return Ok(value);
        }
        let data = Data {
            lut: &self.filter.lut,
            eval,
        };
        let context = Ctx::<Language>::new(data, Vars::new(variables));
        let mut values = self.filter.id.run((context, input)).map(unwrap_valr);
        let first = values
            .next()
            .ok_or("it has no value; add `// null` for null")?;
        let first = first.map_err(error_text)?;
        if values.next().is_some() {
            return Err("it has several values; put [ and ] around it for a list".to_owned());
        }
        Ok(first)
    }

    /// The value at the end of a plain path; `None` if the program must run to report an error.
    fn along_path(&self, input: &Val) -> Option<Val> {
        let mut value = input;
        for key in self.path.as_ref()? {
            match value {
                Val::Obj(members) => match members.get(key) {
                    Some(member) => value = member,
                    None => return Some(Val::Null),
                },
                Val::Null => return Some(Val::Null),
                _ => return None,
            }
        }
        Some(value.clone())
    }
}

/// The texts in an expression, and in the definitions that it calls, which may be keys.
pub(super) fn keys_named(code: &str, prelude: &str) -> HashMap<String, bool> {
    Parsed::new(code, prelude, true).map_or_else(HashMap::new, |parsed| parsed.found.named)
}

/// Whether an expression, or a definition that it calls, asks for the time of the import.
pub(super) fn asks_time(code: &str, prelude: &str) -> bool {
    let parsed = Parsed::new(code, prelude, false);
    parsed.is_some_and(|parsed| parsed.found.called.contains(functions::NOW))
}

/// The keys of an expression that has just the form `.key.key`.
fn plain_path(code: &str) -> Option<Vec<Val>> {
    let keys = code.trim().strip_prefix('.')?.split('.');
    let is_word = |key: &str| {
        let is_letter = |c: char| c.is_ascii_alphanumeric() || c == '_';
        key.chars().all(is_letter) && key.starts_with(|c: char| !c.is_ascii_digit())
    };
    let keys = keys.map(|key| is_word(key).then(|| Val::from(key.to_owned())));
    keys.collect()
}

/// Checks that a text consists only of definitions.
pub(super) fn check_definitions(code: &str) -> Result<(), String> {
    check_syntax(&format!("{code}\n."))?;
    let parsed = load::parse(code, |parser| parser.defs());
    let definitions = parsed.ok_or("this is not a list of definitions, `def name: ...;` each")?;
    let mut rewriter = Rewriter::new(false);
    for definition in definitions {
        rewriter.definition(definition);
    }
    check_recursion(&rewriter.found)
}

/// Rejects a definition that calls itself, which would most likely never end: in a definition meant
/// to extend a function of the same name, that name means the definition itself. For loops there are
/// library functions.
fn check_recursion(found: &Found<'_>) -> Result<(), String> {
    found.recursive.map_or(Ok(()), |name| {
        Err(format!(
            "the definition of `{name}` calls itself, which no definition may; give it another name, or repeat by `recurse` or `until`"
        ))
    })
}

/// How deep brackets are nested, including those in texts.
fn depth(code: &str) -> usize {
    let (mut depth, mut deepest) = (0_usize, 0);
    for byte in code.bytes() {
        match byte {
            b'(' | b'[' | b'{' => depth += 1,
            b')' | b']' | b'}' => depth = depth.saturating_sub(1),
            _ => {}
        }
        deepest = deepest.max(depth);
    }
    deepest
}

/// Checks an expression by itself, so its errors are not blamed on the prelude, and before anything
/// could make the parser overflow the stack.
fn check_syntax(code: &str) -> Result<(), String> {
    if BRACKETS_MAX < depth(code) {
        return Err(format!("brackets are nested more than {BRACKETS_MAX} deep"));
    }
    let file = File { code, path: () };
    let arena = Arena::default();
    let parsed = Loader::new([]).load(&arena, file);
    parsed.map(|_modules| ()).map_err(syntax_error)
}

fn syntax_error(errors: load::Errors<&str, ()>) -> String {
    let first = errors.into_iter().next().map(|(_file, error)| error);
    let expected = |expected: &str, found: &str| {
        let found = match found.trim().chars().take(20).collect::<String>() {
            found if found.is_empty() => "the end of it".to_owned(),
            found => format!("`{found}`"),
        };
        format!("this is not jq: {expected} expected instead of {found}")
    };
    let message = match first {
        Some(load::Error::Io(_)) => Some("modules cannot be used in a mapping".to_owned()),
        Some(load::Error::Lex(errors)) => errors
            .first()
            .map(|(wanted, found)| expected(wanted.as_str(), found)),
        Some(load::Error::Parse(errors)) => errors
            .first()
            .map(|(wanted, found)| expected(wanted.as_str(), found)),
        None => None,
    };
    message.unwrap_or_else(|| NOT_JQ.to_owned())
}

fn undefined(error: Option<(&str, Undefined)>) -> String {
    let Some((name, what)) = error else {
        return "this cannot be compiled".to_owned();
    };
    let (what, known) = match what {
        Undefined::Filter(_arity) => ("function", library::arities(name)),
        other => (other.as_str(), Vec::new()),
    };
    let known: Vec<String> = known.iter().map(usize::to_string).collect();
    match (known.as_slice(), library::instead(name)) {
        ([], None) => format!("there is no {what} `{name}`"),
        ([], Some(instead)) => format!("there is no {what} `{name}`; {instead}"),
        (known, _) => {
            let known = known.join(" or ");
            format!("`{name}` takes another number of arguments: {known}")
        }
    }
}

/// The message of an error: a text unchanged, any other value shortened to what can be shown.
fn error_text(error: jaq_json::Error) -> String {
    let message = error.to_string();
    let value = error.into_val();
    cut(text(&value).unwrap_or(&message))
}

#[cfg(test)]
mod tests;
