//! Finds, in the text of an expression, definitions that call themselves and brackets nested too
//! deep.

use jaq_core::load::Lexer;
use jaq_core::load::lex::{StrPart, Tok, Token};

/// Deepest nesting of brackets in an expression.
const BRACKETS_MAX: usize = 100;

/// An expression that cannot be compiled: why, and in which part if that is known.
#[derive(Debug, PartialEq, Eq)]
pub(in crate::mapping) struct InvalidExpression {
    pub(in crate::mapping) message: String,
}

/// Rejects anything that could make the parser or the evaluation overflow the stack.
///
/// A definition that calls itself would most likely never end: in a definition meant to extend a
/// function of the same name, that name means the definition itself. For loops there are library
/// functions.
pub(crate) fn check(code: &str) -> Result<(), InvalidExpression> {
    let invalid = |message: String| Err(InvalidExpression { message });
    if BRACKETS_MAX < depth(code) {
        return invalid(format!("brackets are nested more than {BRACKETS_MAX} deep"));
    }
    let tokens = Lexer::new(code).lex().unwrap_or_default();
    match recursive_name(&tokens) {
        None => Ok(()),
        Some(name) => invalid(format!(
            "the definition of `{name}` calls itself, which no definition may; give it another name, or repeat by `recurse` or `until`"
        )),
    }
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

fn recursive_name<'c>(tokens: &[Token<&'c str>]) -> Option<&'c str> {
    let within = tokens.iter().find_map(|Token(_, token)| match token {
        Tok::Block(inner) => recursive_name(inner),
        _ => None,
    });
    let own = || {
        let mut recursive = definitions(tokens).filter(|(name, body)| mention(body, name));
        recursive.next().map(|(name, _)| name)
    };
    within.or_else(own)
}

/// The definitions among tokens: their names and the tokens of their bodies.
fn definitions<'t, 'c>(
    tokens: &'t [Token<&'c str>],
) -> impl Iterator<Item = (&'c str, &'t [Token<&'c str>])> {
    let starts = (0..tokens.len()).filter(|start| tokens[*start].0 == "def");
    starts.filter_map(|start| {
        let name = tokens.get(start + 1)?.0;
        let colon = start + tokens[start..].iter().position(|token| token.0 == ":")?;
        let body = tokens.get(colon + 1..)?;
        // A definition within the body has a semicolon of its own.
        let mut open = 1;
        let end = body.iter().position(|Token(text, _)| {
            open += i32::from(*text == "def");
            open -= i32::from(*text == ";");
            open == 0
        });
        Some((name, &body[..end.unwrap_or(body.len())]))
    })
}

/// Whether a function of this name is called.
fn mention(tokens: &[Token<&str>], name: &str) -> bool {
    tokens.iter().any(|Token(text, token)| match token {
        Tok::Word => *text == name,
        Tok::Block(inner) if text.starts_with('{') => mention_in_object(inner, name),
        Tok::Block(inner) => mention(inner, name),
        Tok::Str(parts) => parts.iter().any(|part| match part {
            StrPart::Term(term) => mention(std::slice::from_ref(term), name),
            StrPart::Str(_) | StrPart::Char(_) => false,
        }),
        Tok::Var | Tok::Fmt | Tok::Num | Tok::Sym => false,
    })
}

/// Like [`mention`], inside an object, where a word at the beginning or after a comma is a key.
fn mention_in_object(tokens: &[Token<&str>], name: &str) -> bool {
    let mut is_key = true;
    tokens.iter().any(|token| {
        let is_word = matches!(token.1, Tok::Word);
        let mentions = !(is_key && is_word) && mention(std::slice::from_ref(token), name);
        is_key = token.0 == ",";
        mentions
    })
}
