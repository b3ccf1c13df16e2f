//! Definitions that call themselves, found by their text.

use jaq_core::load::Lexer;
use jaq_core::load::lex::{StrPart, Tok, Token};

use super::InvalidExpression;

/// Refuses a definition that calls itself, which would most likely never end: one that is meant to
/// extend the function of the same name does not see that. The library has loops.
pub(crate) fn check(code: &str) -> Result<(), InvalidExpression> {
    let tokens = Lexer::new(code).lex().unwrap_or_default();
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
