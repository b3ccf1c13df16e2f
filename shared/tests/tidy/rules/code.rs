//! Separates code from comments and literals.
//!
//! A scanner over the text, not a parser: enough to know where comments, texts and characters in
//! quotes begin and end. It must not judge what it finds.

/// The text with each comment, text and character literal replaced by a space.
pub(crate) fn code_of(text: &str) -> String {
    let mut code = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let (replaced, length) = match literal_or_comment(rest) {
            Some(length) => (' ', length),
            None => (first, first.len_utf8()),
        };
        code.push(replaced);
        rest = &rest[length..];
    }
    code
}

/// Whether a character can be part of a name.
pub(crate) fn is_of_name(character: char) -> bool {
    character.is_alphanumeric() || character == '_'
}

/// The length in bytes of the comment or literal with which `rest` begins, if it does.
fn literal_or_comment(rest: &str) -> Option<usize> {
    match rest.as_bytes() {
        [b'/', b'/', ..] => Some(rest.find('\n').unwrap_or(rest.len())),
        [b'/', b'*', ..] => Some(block_comment(rest)),
        [b'"', ..] => Some(quoted(rest, '"')),
        [b'\'', b'\\', ..] => Some(quoted(rest, '\'')),
        [b'\'', ..] => character(rest),
        [b'r', b'"' | b'#', ..] => raw_text(rest),
        _ => None,
    }
}

/// Block comments nest.
fn block_comment(rest: &str) -> usize {
    let mut depth = 0_usize;
    for (at, pair) in rest.as_bytes().windows(2).enumerate() {
        match pair {
            b"/*" => depth += 1,
            b"*/" => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return at + 2;
        }
    }
    rest.len()
}

/// The length up to the closing `quote`, over escaped characters.
fn quoted(rest: &str, quote: char) -> usize {
    let mut escaped = false;
    for (at, character) in rest.char_indices().skip(1) {
        match character {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            _ if character == quote => return at + character.len_utf8(),
            _ => {}
        }
    }
    rest.len()
}

/// `'x'` is a character, `'x` a lifetime.
fn character(rest: &str) -> Option<usize> {
    let (closing, _) = rest
        .char_indices()
        .nth(2)
        .filter(|(_, character)| *character == '\'')?;
    Some(closing + 1)
}

/// `r"..."` and `r#"..."#` are texts, `r#name` is not.
fn raw_text(rest: &str) -> Option<usize> {
    let hashes = rest[1..].bytes().take_while(|byte| *byte == b'#').count();
    let body = rest[1 + hashes..].strip_prefix('"')?;
    let close = format!("\"{}", "#".repeat(hashes));
    let length = body.find(&close).map_or(body.len(), |at| at + close.len());
    Some(rest.len() - body.len() + length)
}
