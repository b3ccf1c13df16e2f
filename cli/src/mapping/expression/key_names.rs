//! Which names of keys an expression mentions, for telling which keys nothing reads, and which
//! keys an expression asks for in vain.

use std::collections::HashSet;

use jaq_core::load::Lexer;
use jaq_core::load::lex::{StrPart, Tok, Token};

/// The function whose argument is the field of a link.
const LINKS: &str = "links";

/// The names in an expression that may be those of keys.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct KeyNames {
    /// All of them: `.key`, words, texts.
    pub(crate) all: Vec<String>,
    /// Those that can be nothing else: `.key`, `."key"`.
    pub(crate) paths: Vec<String>,
    /// Functions that are called with a text and nothing else, and that text.
    calls: Vec<(String, String)>,
}

/// The definitions that all expressions of a mapping share.
#[derive(Debug, Default)]
pub(crate) struct Definitions(Vec<(String, KeyNames)>);

/// The names that an expression mentions.
pub(crate) fn key_names(code: &str) -> KeyNames {
    let tokens = Lexer::new(code).lex().unwrap_or_default();
    let mut names = KeyNames::default();
    collect_names(&tokens, &mut names);
    names
}

/// The texts that a function is called with in an expression.
pub(crate) fn texts_given_to(function: &str, code: &str) -> Vec<String> {
    let calls = key_names(code).calls.into_iter();
    let calls = calls.filter(|(name, _)| name == function);
    calls.map(|(_, text)| text).collect()
}

impl Definitions {
    /// Whether there is one with this name.
    pub(crate) fn define(&self, name: &str) -> bool {
        self.0.iter().any(|(own, _)| own == name)
    }

    /// The definitions in `code`, each with what its body mentions.
    pub(crate) fn of(code: &str) -> Self {
        let tokens = Lexer::new(code).lex().unwrap_or_default();
        let definitions = definitions(&tokens).map(|(name, body)| {
            let mut names = KeyNames::default();
            collect_names(body, &mut names);
            (name.to_owned(), names)
        });
        Self(definitions.collect())
    }

    /// The keys that an expression asks for, by itself or by the definitions that it uses: as
    /// `.key`, or by the text that a definition, or `links`, is called with.
    pub(crate) fn keys_asked_for(&self, code: &str) -> Vec<String> {
        let mut asked = Vec::new();
        self.collect_asked(&key_names(code), &mut HashSet::new(), &mut asked);
        asked.sort_unstable();
        asked.dedup();
        asked
    }

    fn collect_asked<'d>(
        &'d self,
        names: &KeyNames,
        seen: &mut HashSet<&'d str>,
        asked: &mut Vec<String>,
    ) {
        asked.extend(names.paths.iter().cloned());
        let is_own = |name: &str| name == LINKS || self.0.iter().any(|(own, _)| own == name);
        let texts = names.calls.iter().filter(|(name, _)| is_own(name));
        asked.extend(texts.map(|(_, text)| text.clone()));
        for (name, body) in &self.0 {
            if names.all.contains(name) && seen.insert(name) {
                self.collect_asked(body, seen, asked);
            }
        }
    }
}

/// The definitions among tokens, by their names, with the tokens of their bodies.
pub(super) fn definitions<'t, 'c>(
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

fn collect_names(tokens: &[Token<&str>], names: &mut KeyNames) {
    let mut before = "";
    for Token(text, token) in tokens {
        match token {
            Tok::Word | Tok::Sym => {
                let name = text.trim_start_matches('.');
                if !name.starts_with(|c: char| c.is_alphabetic() || c == '_') {
                    before = text;
                    continue;
                }
                if before == "." || name.len() < text.len() {
                    names.paths.push(name.to_owned());
                }
                names.all.push(name.to_owned());
            }
            Tok::Block(inner) => {
                if let Some(text) = only_text(inner) {
                    names.calls.push((before.to_owned(), text.to_owned()));
                }
                collect_names(inner, names);
            }
            Tok::Str(parts) => parts.iter().for_each(|part| match part {
                StrPart::Str(text) => {
                    if before == "." && parts.len() == 1 {
                        names.paths.push((*text).to_owned());
                    }
                    names.all.push((*text).to_owned());
                }
                StrPart::Term(term) => collect_names(std::slice::from_ref(term), names),
                StrPart::Char(_) => {}
            }),
            Tok::Var | Tok::Fmt | Tok::Num => {}
        }
        before = text;
    }
}

/// The text that a block consists of. Whether its last token is the bracket is the lexer's affair.
fn only_text<'c>(inner: &[Token<&'c str>]) -> Option<&'c str> {
    let ([inner] | [inner, Token(")", _)]) = inner else {
        return None;
    };
    match &inner.1 {
        Tok::Str(parts) => match parts.as_slice() {
            [StrPart::Str(text)] => Some(text),
            _ => None,
        },
        _ => None,
    }
}
