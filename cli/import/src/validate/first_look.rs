//! Finds out what kind of record a line holds before anything else in it is read.

use super::reporter::{Problem, Reporter};
use crate::finding::{Code, Kind, nearest};
use crate::json::{Node, Value};

/// The kind of a record. If it has no valid kind, the problem is reported.
pub(crate) fn read_kind(node: &Node<'_>, reporter: &mut Reporter<'_>) -> Option<Kind> {
    if !matches!(node.value, Value::Object(_)) {
        let message = format!(
            "a record is an object, this line is {}",
            node.value.type_name()
        );
        reporter.report_value(node, Problem::new(Code::NotAnObject, message));
        return None;
    }
    let Some(given) = node.member("kind") else {
        let brace = node.span.start..node.span.start + 1;
        let problem = Problem::new(Code::MissingField, "`kind` is required");
        reporter.report_span(
            &brace,
            problem.hint("every line says what kind of record it is"),
        );
        return None;
    };
    let kinds = Kind::ALL.map(Kind::as_str);
    let word = given.text().unwrap_or_default().trim();
    let kind = Kind::ALL.into_iter().find(|kind| kind.as_str() == word);
    if kind.is_none() {
        let message = format!("`kind` must be one of {}", kinds.join(", "));
        let mut problem = Problem::new(Code::UnknownKind, message);
        if let Some(nearest) = nearest(word, &kinds) {
            problem = problem.hint(format!("did you mean `{nearest}`?"));
        }
        reporter.report_value(given, problem);
    }
    kind
}

/// Recognises most boats without reading them: those whose first key is their kind.
pub(crate) fn begins_like_a_boat(line: &[u8]) -> bool {
    let tokens: [&[u8]; 4] = [b"{", b"\"kind\"", b":", b"\"boat\""];
    let mut rest = line;
    tokens
        .into_iter()
        .all(|token| match rest.trim_ascii_start().strip_prefix(token) {
            Some(after) => {
                rest = after;
                true
            }
            None => false,
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn boats_are_recognised_by_their_first_key_alone() {
        for line in [
            r#"{"kind":"boat","id":"a"}"#,
            r#" { "kind" : "boat" }"#,
            r#"{"kind":"boat""#,
        ] {
            assert!(begins_like_a_boat(line.as_bytes()), "{line}");
        }
        for line in [
            r#"{"id":"a","kind":"boat"}"#,
            r#"{"kind":"boats"}"#,
            r#"{"kind":"#,
            "",
        ] {
            assert!(!begins_like_a_boat(line.as_bytes()), "{line}");
        }
    }
}
