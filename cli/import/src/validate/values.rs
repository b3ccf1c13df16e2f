//! Reads flags, words, identifiers and other texts with a grammar.

use shared::base::ids::{IdOrSlug, InvalidIdentifier, Slug};
use shared::base::model::Text;
use shared::base::timestamp::Timestamp;
use url::Url;

use super::read_result::{ReadResult, Unusable, wrong_type};
use super::reporter::{Problem, Reporter};
use super::text::{row_text, trimmed};
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
        let message = match url_fault(address) {
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

/// What is wrong with a URL. The parser is as lenient as browsers, so there are stricter checks
/// before it: less lenient consumers must also be able to use the URL.
fn url_fault(address: &str) -> Option<&'static str> {
    let is_web = ["http://", "https://"].iter().any(|scheme| {
        address
            .get(..scheme.len())
            .is_some_and(|head| head.eq_ignore_ascii_case(scheme))
    });
    if !is_web {
        return Some("must begin with http:// or https://");
    }
    let is_unsafe = |c: char| {
        c.is_whitespace() || matches!(c, '"' | '<' | '>' | '\\' | '^' | '`' | '{' | '|' | '}')
    };
    if address.contains(is_unsafe) {
        return Some("must have white space and \"<>\\^`{|} percent-encoded");
    }
    // What follows the authority cannot be invalid any more, so it is not parsed again, and most
    // hosts are plain. Together this saves a fifteenth of the validation time.
    let start = address.find("://").map_or(0, |colon| colon + 3);
    let rest = &address[start..];
    let end = rest.find(['/', '?', '#']).unwrap_or(rest.len());
    let has_host =
        is_plain_host(&rest[..end]) || (0 < end && Url::parse(&address[..start + end]).is_ok());
    (!has_host).then_some("must have a valid host")
}

/// Whether `host` is certainly a host name: labels of lowercase letters, digits and inner hyphens.
/// The last label must begin with a letter, because otherwise it may be a number.
fn is_plain_host(host: &str) -> bool {
    let is_plain = |label: &str| {
        let is_inner = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit();
        let ends = [label.bytes().next(), label.bytes().last()];
        label.bytes().all(|byte| is_inner(byte) || byte == b'-')
            && ends.into_iter().all(|end| end.is_some_and(is_inner))
            // Hyphens in the third and fourth positions mark an encoded label.
            && !label.contains("--")
    };
    let last = host.rsplit('.').next().unwrap_or_default();
    last.starts_with(|c: char| c.is_ascii_lowercase()) && host.split('.').all(is_plain)
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_judged_like_all_of_it_by_the_parser() {
        let hosts =
            "[a-z0-9.-]{0,12}|[a-zé0-9.:@%\\[\\]-]{0,12}|(xn--)?[a-z]{1,4}(\\.[0-9a-fx]{1,4})?";
        proptest::proptest!(|(host in hosts, rest in "([/?#][a-z%.:@/?#\\[\\]é-]{0,8})?")| {
            let address = format!("https://{host}{rest}");
            let is_valid = !host.is_empty() && Url::parse(&address).is_ok();
            proptest::prop_assert_eq!(url_fault(&address).is_none(), is_valid, "{}", address);
        });
    }

    #[test]
    fn addresses_are_absolute_and_of_the_web() {
        for address in [
            "https://www.example.com",
            "http://example.com:8080/a?b=c#d",
            "HTTPS://EXAMPLE.COM/",
            "https://exämple.com/ö",
            "http://[::1]/",
            "https://example.com/a%20b",
            "http://127.0.0.1",
        ] {
            assert_eq!(url_fault(address), None, "{address}");
        }
        for address in [
            "",
            "example.com",
            "//example.com",
            "/a",
            "ftp://example.com",
            "javascript:alert(1)",
            "https:/example.com",
            "https:example.com",
            "https://",
            "https:///a",
            "https://?a",
            "http://a b",
            "https://example.com/<a>",
            "http://example.com:99999",
            "http://[::1",
            "https://example.com/\u{a0}",
            "mailto:a@example.com",
            "data:text/html,a",
            "https://a\\b",
        ] {
            assert!(url_fault(address).is_some(), "{address}");
        }
    }
}
