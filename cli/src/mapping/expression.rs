//! Expressions in jq: compiling and evaluating them. The only room that knows `jaq`.
//!
//! An expression sees its input, the variables of the mapping and what [`Knowledge`] tells, and
//! nothing else: no environment, no other input, no clock, no modules. Evaluating has no limit of
//! its own; whoever does it keeps watch.

mod functions;
mod values;

use jaq_core::data::HasLut;
use jaq_core::load::lex::{StrPart, Tok, Token};
use jaq_core::load::{self, Arena, File, Loader};
use jaq_core::{Compiler, Ctx, DataT, Filter, Lut, Vars, unwrap_valr};
use jaq_json::Val;

pub(super) use self::values::{from_json, from_node, text, write_json};

use crate::findings::cut;

/// A value of an expression; cheap to clone.
pub(super) type Jq = Val;

/// Functions of the library that reach outside, or end the program.
const EXCLUDED: [&str; 14] = [
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

/// What the functions of an expression know about the export and the mapping.
pub(super) trait Knowledge {
    /// The record with this key.
    fn record(&self, key: &str) -> Result<Option<Val>, String>;
    /// The public id of the record with this key.
    fn public_id(&self, key: &str) -> Option<String>;
    /// Keys of the records that the current one is linked to by a field, in their order.
    fn linked(&self, field: &str) -> Vec<String>;
    /// What a word becomes by a vocabulary table.
    fn lookup(&self, table: &str, word: &str) -> Result<Val, String>;
}

/// A compiled expression.
pub(super) struct Program {
    filter: Filter<Language>,
}

/// An expression that cannot be compiled: which part of it, if that is known, and why.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct InvalidExpression {
    pub(super) message: String,
    /// A name that is not known, for which another may have been meant.
    pub(super) unknown: Option<String>,
}

/// The kind of data that programs run on.
struct Language;

impl DataT for Language {
    type V<'a> = Val;
    type Data<'a> = Data<'a>;
}

/// What a running program has at hand.
#[derive(Clone, Copy)]
struct Data<'a> {
    lut: &'a Lut<Language>,
    knowledge: &'a dyn Knowledge,
}

impl<'a> HasLut<'a, Language> for Data<'a> {
    fn lut(&self) -> &'a Lut<Language> {
        self.lut
    }
}

impl Program {
    /// Compiles `code`, which may use the definitions of `prelude` and the variables called
    /// `variables`, each with its `$`.
    pub(super) fn compile(
        code: &str,
        prelude: &str,
        variables: &[String],
    ) -> Result<Self, InvalidExpression> {
        check_syntax(code)?;
        check_recursion(code)?;
        let whole = format!("{prelude}\n({code}\n)");
        let file = File {
            code: whole.as_str(),
            path: (),
        };
        let definitions = jaq_core::defs()
            .chain(jaq_std::defs())
            .chain(jaq_json::defs())
            .filter(|definition| !EXCLUDED.contains(&definition.name));
        let arena = Arena::default();
        let modules = Loader::new(definitions)
            .load(&arena, file)
            .map_err(syntax_error)?;
        let library = jaq_core::funs()
            .chain(jaq_std::funs())
            .chain(jaq_json::funs())
            .filter(|(name, ..)| !EXCLUDED.contains(name));
        let compiled = Compiler::default()
            .with_funs(library.chain(functions::all()))
            .with_global_vars(variables.iter().map(String::as_str))
            .compile(modules);
        let filter = compiled.map_err(|errors| {
            let first = errors.into_iter().flat_map(|(_file, errors)| errors).next();
            undefined(first)
        })?;
        Ok(Self { filter })
    }

    /// The one value that the expression has for `input`; null if it has none.
    pub(super) fn evaluate(
        &self,
        input: Val,
        variables: impl IntoIterator<Item = Val>,
        knowledge: &dyn Knowledge,
    ) -> Result<Val, String> {
        let data = Data {
            lut: &self.filter.lut,
            knowledge,
        };
        let context = Ctx::<Language>::new(data, Vars::new(variables));
        let mut values = self.filter.id.run((context, input)).map(unwrap_valr);
        let first = match values.next() {
            None => Val::Null,
            Some(value) => value.map_err(error_text)?,
        };
        if values.next().is_some() {
            return Err("it has several values; put [ and ] around it for a list".to_owned());
        }
        Ok(first)
    }
}

/// The names in an expression that may be those of keys.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct KeyNames {
    /// All of them: `.key`, words, texts.
    pub(super) all: Vec<String>,
    /// Those that can be nothing else: `.key`.
    pub(super) paths: Vec<String>,
}

/// The names that an expression mentions.
pub(super) fn key_names(code: &str) -> KeyNames {
    let tokens = load::Lexer::new(code).lex().unwrap_or_default();
    let mut names = KeyNames::default();
    collect_names(&tokens, &mut names);
    names
}

fn collect_names(tokens: &[Token<&str>], names: &mut KeyNames) {
    let mut is_after_dot = false;
    for Token(text, token) in tokens {
        match token {
            Tok::Word | Tok::Sym => {
                let name = text.trim_start_matches('.');
                if !name.is_empty() && (is_after_dot || name.len() < text.len()) {
                    names.paths.push(name.to_owned());
                }
                names.all.push(name.to_owned());
            }
            Tok::Block(inner) => collect_names(inner, names),
            Tok::Str(parts) => parts.iter().for_each(|part| match part {
                StrPart::Str(text) => names.all.push((*text).to_owned()),
                StrPart::Term(term) => collect_names(std::slice::from_ref(term), names),
                StrPart::Char(_) => {}
            }),
            Tok::Var | Tok::Fmt | Tok::Num => {}
        }
        is_after_dot = *text == ".";
    }
}

/// Checks an expression by itself, so that what is wrong with it is not taken for the prelude's.
fn check_syntax(code: &str) -> Result<(), InvalidExpression> {
    let file = File { code, path: () };
    let arena = Arena::default();
    let parsed = Loader::new([]).load(&arena, file);
    parsed.map(|_modules| ()).map_err(syntax_error)
}

/// Checks definitions that all expressions share.
pub(super) fn check_definitions(code: &str) -> Result<(), InvalidExpression> {
    check_recursion(code)
}

/// Refuses a definition that calls itself, which would most likely never end: one that is meant to
/// extend the function of the same name does not see that. The library has loops.
fn check_recursion(code: &str) -> Result<(), InvalidExpression> {
    let tokens = load::Lexer::new(code).lex().unwrap_or_default();
    match recursive_name(&tokens) {
        None => Ok(()),
        Some(name) => Err(InvalidExpression {
            message: format!("the definition of `{name}` calls itself; give it another name"),
            unknown: None,
        }),
    }
}

fn recursive_name<'c>(tokens: &[Token<&'c str>]) -> Option<&'c str> {
    let within = tokens.iter().find_map(|Token(_, token)| match token {
        Tok::Block(inner) => recursive_name(inner),
        _ => None,
    });
    let starts = (0..tokens.len()).filter(|start| tokens[*start].0 == "def");
    let own = starts.filter_map(|start| {
        let name = tokens.get(start + 1)?.0;
        let colon = start + tokens[start..].iter().position(|token| token.0 == ":")?;
        // A definition within the body has a semicolon of its own.
        let mut open = 1;
        let mut body = tokens[colon..].iter().take_while(|Token(text, _)| {
            open += i32::from(*text == "def");
            open -= i32::from(*text == ";");
            open != 0
        });
        body.any(|token| mentions(token, name)).then_some(name)
    });
    within.or_else(|| own.into_iter().next())
}

fn mentions(Token(text, token): &Token<&str>, name: &str) -> bool {
    match token {
        Tok::Word => *text == name,
        Tok::Block(inner) => inner.iter().any(|token| mentions(token, name)),
        Tok::Str(parts) => parts.iter().any(|part| match part {
            StrPart::Term(term) => mentions(term, name),
            StrPart::Str(_) | StrPart::Char(_) => false,
        }),
        Tok::Var | Tok::Fmt | Tok::Num | Tok::Sym => false,
    }
}

fn syntax_error(errors: load::Errors<&str, ()>) -> InvalidExpression {
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
    InvalidExpression {
        message: message.unwrap_or_else(|| "this is not jq".to_owned()),
        unknown: None,
    }
}

fn undefined(error: Option<(&str, jaq_core::compile::Undefined)>) -> InvalidExpression {
    let Some((name, what)) = error else {
        return InvalidExpression {
            message: "this cannot be compiled".to_owned(),
            unknown: None,
        };
    };
    let what = match what.as_str() {
        "filter" => "function",
        other => other,
    };
    InvalidExpression {
        message: format!("there is no {what} `{name}`"),
        unknown: Some(name.to_owned()),
    }
}

/// What an error says: a text as it is, and no more of a value than can be shown.
fn error_text(error: jaq_json::Error) -> String {
    let message = error.to_string();
    let value = error.into_val();
    cut(text(&value).unwrap_or(&message))
}

#[cfg(test)]
mod tests;
