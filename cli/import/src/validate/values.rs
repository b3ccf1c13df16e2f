//! Reads flags, words, identifiers and other texts with a grammar.

use shared::base::ids::{IdOrSlug, InvalidIdentifier, Slug};
use shared::base::model::Text;
use shared::base::timestamp::Timestamp;

use super::read_result::{ReadResult, Unusable, wrong_type};
use super::reporter::{Problem, Reporter};
use super::text::{row_text, trimmed};
use crate::address::fault;
use crate::finding::{Code, nearest};
use crate::format::FORMAT;
use crate::json::{Node, Value};

/// The number of letters in a currency code.
const CURRENCY_LENGTH: usize = 3;

/// `true` or `false`.
pub(super) fn flag(node: &Node<'_>, reporter: &mut Reporter<'_>) -> ReadResult<bool> {
    match node.value {
        Value::Bool(value) => Ok(Some(value)),
        _ => wrong_type(node, "true or false", reporter),
    }
}

/// The id of a record.
pub(super) fn id<'n>(node: &'n Node<'_>, reporter: &mut Reporter<'_>) -> ReadResult<&'n str> {
    checked(trimmed(node, reporter), node, reporter, |text| {
        identifier(Code::InvalidId, "an id", IdOrSlug::parse(text))
    })
}

/// The slug of a boat.
pub(super) fn boat_slug<'n>(
    node: &'n Node<'_>,
    reporter: &mut Reporter<'_>,
) -> ReadResult<&'n str> {
    checked(trimmed(node, reporter), node, reporter, |text| {
        identifier(Code::InvalidSlug, "a slug", IdOrSlug::parse(text))
    })
}

/// The slug of a manufacturer or a term.
pub(super) fn slug<'n>(node: &'n Node<'_>, reporter: &mut Reporter<'_>) -> ReadResult<&'n str> {
    checked(trimmed(node, reporter), node, reporter, |text| {
        identifier(Code::InvalidSlug, "a slug", Slug::parse(text))
    })
}

fn identifier<T>(
    code: Code,
    what: &str,
    parsed: Result<T, InvalidIdentifier>,
) -> Result<(), Problem> {
    let problem = |reason| Problem::new(code, format!("{what} {reason}"));
    parsed.map(|_identifier| ()).map_err(problem)
}

/// An instant.
pub(super) fn timestamp<'n>(
    node: &'n Node<'_>,
    reporter: &mut Reporter<'_>,
) -> ReadResult<&'n str> {
    checked(trimmed(node, reporter), node, reporter, |text| {
        let invalid =
            |reason| Problem::new(Code::InvalidTimestamp, format!("a timestamp {reason}"));
        Timestamp::parse(text).map(|_instant| ()).map_err(invalid)
    })
}

/// One of a few words.
pub(super) fn word<'n>(
    node: &'n Node<'_>,
    words: &[&str],
    reporter: &mut Reporter<'_>,
) -> ReadResult<&'n str> {
    checked(trimmed(node, reporter), node, reporter, |text| {
        if words.contains(&text) {
            return Ok(());
        }
        let message = format!("must be one of {}", words.join(", "));
        let mut problem = Problem::new(Code::UnknownValue, message);
        problem.hint = nearest(text, words).map(|nearest| format!("did you mean `{nearest}`?"));
        Err(problem)
    })
}

/// The name of the native format.
pub(super) fn format<'n>(node: &'n Node<'_>, reporter: &mut Reporter<'_>) -> ReadResult<&'n str> {
    checked(trimmed(node, reporter), node, reporter, |text| {
        let message = format!("only exports of the format `{FORMAT}` can be read");
        let is_it = text == FORMAT;
        is_it
            .then_some(())
            .ok_or_else(|| Problem::new(Code::UnsupportedFormat, message))
    })
}

/// Three capital letters.
pub(super) fn currency_code<'n>(
    node: &'n Node<'n>,
    reporter: &mut Reporter<'n>,
) -> ReadResult<Text<'n>> {
    checked(row_text(node, reporter), node, reporter, |code| {
        let is_code = code.len() == CURRENCY_LENGTH && code.bytes().all(|b| b.is_ascii_uppercase());
        let message = "a currency code is three capital letters, such as EUR";
        is_code
            .then_some(())
            .ok_or_else(|| Problem::new(Code::InvalidCurrency, message))
    })
}

/// An absolute `http` or `https` URL, kept as it is spelled.
pub(super) fn address<'n>(node: &'n Node<'n>, reporter: &mut Reporter<'n>) -> ReadResult<Text<'n>> {
    checked(row_text(node, reporter), node, reporter, |address| {
        let message = match fault(address) {
            None => return Ok(()),
            Some(fault) => format!("an address {fault}"),
        };
        let problem = Problem::new(Code::InvalidUrl, message);
        Err(if address.contains("://") || !address.contains('.') {
            problem
        } else {
            problem.hint(format!(
                "did you mean `https://{}`?",
                address.trim_start_matches('/')
            ))
        })
    })
}

/// A text that was read, if it passes a check.
fn checked<T: AsRef<str>>(
    read: ReadResult<T>,
    node: &Node<'_>,
    reporter: &mut Reporter<'_>,
    check: impl FnOnce(&str) -> Result<(), Problem>,
) -> ReadResult<T> {
    let Some(text) = read? else {
        return Ok(None);
    };
    check(text.as_ref())
        .map(|()| Some(text))
        .map_err(|problem| {
            reporter.report_value(node, problem);
            Unusable
        })
}
