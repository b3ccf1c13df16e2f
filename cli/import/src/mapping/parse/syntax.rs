//! Explains what is wrong with a mapping file that is not valid TOML. Most often an expression has
//! no quotes, or has them around only a part of it, and the TOML parser mistakes it for a number, a
//! date or a list.
//!
//! Only the line of the error is examined. If that gives no better explanation, the parser's
//! message is used.

use std::ops::Range;

use toml::de::Error;

use crate::mapping::mistake::Mistake;

/// Characters that join parts of an expression and never join TOML values on a line.
const OPERATORS: [char; 10] = ['|', '+', '-', '*', '/', '<', '>', '?', ':', '='];
/// Words that are values of TOML as they stand.
const VALUES: [&str; 4] = ["true", "false", "inf", "nan"];

/// Turns an error of the TOML parser into a mistake.
pub(super) fn mistake(error: &Error, text: &str) -> Mistake {
    let span = error.span().unwrap_or_default();
    match unquoted(text, span.start) {
        None => Mistake::new(span, format!("this is not TOML: {}", error.message())),
        Some(value) => {
            let code = &text[value.clone()];
            let hint = if code.contains(['\'', '"', '{', '}', '#']) {
                "put all of it between ' and ', which may have \" between them".to_owned()
            } else {
                format!("write `'{code}'`")
            };
            let message = "this is not TOML: a text or an expression must be in quotes, all of it";
            Mistake::new(value, message).hint(Some(hint))
        }
    }
}

/// The value that has the error, up to the end of its line, if it looks like an expression.
fn unquoted(text: &str, at: usize) -> Option<Range<usize>> {
    let found = text.get(at..)?.lines().next()?;
    let line = text[..at].rfind('\n').map_or(0, |end| end + 1);
    let start = line + value_start(&text[line..at])?;
    let value = text[start..].lines().next()?;
    let value = &value[..value_end(value, text[line..start].contains('{'))];
    let indent = value.len() - value.trim_start().len();
    let (start, value) = (start + indent, value.trim());
    let before = text.get(start..at).unwrap_or_default();
    let looks_like_jq = begins_expression(value)
        || begins_expression(found)
        || value.starts_with('{') && !value.contains('=')
        || value.starts_with('[') && before.ends_with('.')
        || goes_on(before, found);
    looks_like_jq.then(|| start..start + value.len())
}

/// Where the last value of a line begins.
fn value_start(line: &str) -> Option<usize> {
    let mut quote = None;
    let mut start = None;
    for (place, c) in line.char_indices() {
        match (quote, c) {
            (None, '"' | '\'') => quote = Some(c),
            (Some(open), _) if open == c => quote = None,
            (None, '=') => start = Some(place + 1),
            _ => {}
        }
    }
    start
}

/// Where a value ends: at the end of its line, or before the next key of an inline table.
fn value_end(value: &str, is_in_braces: bool) -> usize {
    let (mut quote, mut depth) = (None, 0_usize);
    for (place, c) in value.char_indices() {
        match (quote, c) {
            (None, '"' | '\'') => quote = Some(c),
            (Some(open), _) if open == c => quote = None,
            (None, '(' | '[' | '{') => depth += 1,
            (None, ',' | '}') if is_in_braces && depth == 0 => return place,
            (None, ')' | ']' | '}') => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    value.len()
}

fn begins_expression(text: &str) -> bool {
    let bare = text.strip_prefix('-').unwrap_or(text);
    let word = bare
        .split(|c: char| !c.is_alphanumeric() && c != '_')
        .next();
    let is_word = |word: &str| word.starts_with(|c: char| c.is_alphabetic() || c == '_');
    bare.starts_with(['$', '@', '('])
        || bare.starts_with('.') && !bare[1..].starts_with(|c: char| c.is_ascii_digit())
        || word.is_some_and(|word| is_word(word) && !VALUES.contains(&word))
}

/// Whether something follows a complete value, as in `"a" + .b` or `".a | f("b")"`.
fn goes_on(value: &str, found: &str) -> bool {
    let value = value.trim_end();
    let is_value = value.ends_with(['"', '\'']) && 1 < value.len()
        || value.ends_with(|c: char| c.is_alphanumeric() || matches!(c, ']' | '}'));
    is_value && found.starts_with(OPERATORS)
}

#[cfg(test)]
mod tests {
    use super::super::parse;

    /// The marked value and its hint, or else the TOML parser's message.
    fn told(value: &str) -> Result<(String, String), String> {
        let text = format!("mapping = \"x\"\nmodel = {value}\nslug = \".a\"\n");
        let mistake = parse(&text).unwrap_err().remove(0);
        match mistake.hint {
            Some(hint) if mistake.message.contains("must be in quotes") => {
                Ok((text[mistake.span].to_owned(), hint))
            }
            _ => Err(mistake.message),
        }
    }

    #[test]
    fn an_expression_without_quotes_is_shown_with_them() {
        for value in [
            ".name",
            "..",
            "[.a]",
            "[.a, .b]",
            "[.[] | .x]",
            "$x",
            "@csv",
            ".a | b",
            "if .a then 1 else 2 end",
            "(.a)",
            "deref",
            "null",
            "_x",
            "-.a",
            "-(.a)",
            "1 + .a",
            "12 - .a",
            "true and .a",
            "boat",
            ".a == 1",
            "[1, .a]",
            "[.a, .b] | c",
            "[1, 2] | c",
        ] {
            let expected = (value.to_owned(), format!("write `'{value}'`"));
            assert_eq!(told(value), Ok(expected), "{value}");
        }
    }

    #[test]
    fn all_of_an_expression_must_be_in_quotes() {
        for (value, marked) in [
            (r#""a" + .b"#, r#""a" + .b"#),
            ("'.a' | b", "'.a' | b"),
            (r#"".a" // .b"#, r#"".a" // .b"#),
            (r#"".a | lookup("b")""#, r#"".a | lookup("b")""#),
            (r#"".a | lookup("b").c""#, r#"".a | lookup("b").c""#),
            (r#".a // "x""#, r#".a // "x""#),
            (r#".a."b""#, r#".a."b""#),
            ("{ a: 1 }", "{ a: 1 }"),
            ("{a}", "{a}"),
            ("{a, b: .c}", "{a, b: .c}"),
            ("{} + .a", "{} + .a"),
            (r#"[.a, .b] | join(" ")"#, r#"[.a, .b] | join(" ")"#),
        ] {
            let hint = "put all of it between ' and ', which may have \" between them";
            assert_eq!(
                told(value),
                Ok((marked.to_owned(), hint.to_owned())),
                "{value}"
            );
        }
    }

    #[test]
    fn an_expression_ends_where_the_next_key_begins() {
        for (value, marked) in [
            ("{ from = .name }", ".name"),
            (
                "{ each = .engines[1, 2], fields = { x = \".a\" } }",
                ".engines[1, 2]",
            ),
            ("{ from = \".a\", default = .b }", ".b"),
            ("{ from = .a, table = \"keels\" }", ".a"),
            (
                "{ from = if .a then 1 else 2 end, default = 3 }",
                "if .a then 1 else 2 end",
            ),
        ] {
            let expected = (marked.to_owned(), format!("write `'{marked}'`"));
            assert_eq!(told(value), Ok(expected), "{value}");
        }
    }

    #[test]
    fn other_mistakes_are_told_as_the_reader_of_toml_tells_them() {
        for value in [
            "",
            "\"abc",
            "\"",
            "'abc",
            "[\".a\"",
            "{ from = \".a\"",
            ".5",
            "1.",
            "'a' 'b'",
            "2026-13-01",
        ] {
            let message = told(value).unwrap_err();
            assert!(
                message.starts_with("this is not TOML: "),
                "{value}: {message}"
            );
        }
        assert!(parse(".a = \".b\"\n").unwrap_err()[0].hint.is_none());
    }
}
