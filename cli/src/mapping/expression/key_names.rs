//! Which names of keys an expression mentions, for telling which keys nothing reads.

use jaq_core::load::Lexer;
use jaq_core::load::lex::{StrPart, Tok, Token};

/// The names in an expression that may be those of keys.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct KeyNames {
    /// All of them: `.key`, words, texts.
    pub(crate) all: Vec<String>,
    /// Those that can be nothing else: `.key`.
    pub(crate) paths: Vec<String>,
}

/// The names that an expression mentions.
pub(crate) fn key_names(code: &str) -> KeyNames {
    let tokens = Lexer::new(code).lex().unwrap_or_default();
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
