//! Readers of single values other than numbers: each says what a field may hold.

use std::borrow::Cow;

use shared::base::ids::{ID_OR_SLUG_MAX, IdOrSlug, InvalidIdentifier, SLUG_MAX, Slug};
use shared::base::model::{Currency, Image, NamedValue, Price, Text};
use shared::base::timestamp::Timestamp;
use url::Url;

use super::fields::{ReadResult, Unusable, object, wrong_type};
use super::numbers::{number, pixels};
use super::reporter::{Problem, Reporter};
use super::shape::Shape;
use super::text::{ROW_TEXT_MAX, row_text, text, trimmed};
use crate::finding::{Code, nearest};
use crate::json::{Node, Value};

/// The number of letters in a currency code.
const CURRENCY_LENGTH: usize = 3;
/// The same as a regular expression.
const CURRENCY_PATTERN: &str = "^[A-Z]{3}$";

/// `true` or `false`.
pub(super) fn flag(node: &Node<'_>, reporter: &mut Reporter<'_>) -> ReadResult<bool> {
    reporter.takes(|| Shape::Flag)?;
    match node.value {
        Value::Bool(value) => Ok(Some(value)),
        _ => wrong_type(node, "true or false", reporter),
    }
}

/// The id of a record.
pub(super) fn id(node: &Node<'_>, reporter: &mut Reporter<'_>) -> ReadResult<IdOrSlug> {
    reporter.takes(|| Shape::Pattern {
        name: "id",
        pattern: IdOrSlug::PATTERN,
        max: Some(ID_OR_SLUG_MAX),
    })?;
    parsed(node, reporter, |text| {
        identifier(Code::InvalidId, "an id", IdOrSlug::parse(text))
    })
}

/// The slug of a boat.
pub(super) fn boat_slug(node: &Node<'_>, reporter: &mut Reporter<'_>) -> ReadResult<IdOrSlug> {
    reporter.takes(|| Shape::Pattern {
        name: "slug",
        pattern: IdOrSlug::PATTERN,
        max: Some(ID_OR_SLUG_MAX),
    })?;
    parsed(node, reporter, |text| {
        identifier(Code::InvalidSlug, "a slug", IdOrSlug::parse(text))
    })
}

/// The slug of a manufacturer or a term.
pub(super) fn slug(node: &Node<'_>, reporter: &mut Reporter<'_>) -> ReadResult<Slug> {
    reporter.takes(|| Shape::Pattern {
        name: "slug",
        pattern: Slug::PATTERN,
        max: Some(SLUG_MAX),
    })?;
    parsed(node, reporter, |text| {
        identifier(Code::InvalidSlug, "a slug", Slug::parse(text))
    })
}

/// An instant.
pub(super) fn timestamp(node: &Node<'_>, reporter: &mut Reporter<'_>) -> ReadResult<Timestamp> {
    reporter.takes(|| Shape::Timestamp)?;
    parsed(node, reporter, |text| {
        let invalid =
            |reason| Problem::new(Code::InvalidTimestamp, format!("a timestamp {reason}"));
        Timestamp::parse(text).map_err(invalid)
    })
}

/// One of a few words.
pub(super) fn word<T: Copy>(
    node: &Node<'_>,
    reporter: &mut Reporter<'_>,
    words: &[(&'static str, T)],
) -> ReadResult<T> {
    reporter.takes(|| Shape::Word(words.iter().map(|(word, _)| *word).collect()))?;
    parsed(node, reporter, |text| {
        if let Some((_, value)) = words.iter().find(|(word, _)| *word == text) {
            return Ok(*value);
        }
        let names: Vec<&str> = words.iter().map(|(word, _)| *word).collect();
        let message = format!("must be one of {}", names.join(", "));
        let problem = Problem::new(Code::UnknownValue, message);
        Err(match nearest(text, &names) {
            Some(nearest) => problem.hint(format!("did you mean `{nearest}`?")),
            None => problem,
        })
    })
}

/// Three capital letters.
pub(super) fn currency_code<'n>(
    node: &'n Node<'n>,
    reporter: &mut Reporter<'n>,
) -> ReadResult<Text<'n>> {
    reporter.takes(|| Shape::Pattern {
        name: "currency",
        pattern: CURRENCY_PATTERN,
        max: None,
    })?;
    checked_text(node, reporter, |code| {
        let is_code = code.len() == CURRENCY_LENGTH && code.bytes().all(|b| b.is_ascii_uppercase());
        let message = "a currency code is three capital letters, such as EUR";
        is_code
            .then_some(())
            .ok_or_else(|| Problem::new(Code::InvalidCurrency, message))
    })
}

/// An absolute `http` or `https` URL, kept as it is spelled.
pub(super) fn url<'n>(node: &'n Node<'n>, reporter: &mut Reporter<'n>) -> ReadResult<Text<'n>> {
    reporter.takes(|| Shape::Address { max: ROW_TEXT_MAX })?;
    checked_text(node, reporter, |address| {
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

fn checked_text<'n>(
    node: &'n Node<'n>,
    reporter: &mut Reporter<'n>,
    check: impl FnOnce(&str) -> Result<(), Problem>,
) -> ReadResult<Text<'n>> {
    let Some(text) = row_text(node, reporter)? else {
        return Ok(None);
    };
    match check(&text) {
        Ok(()) => Ok(Some(text)),
        Err(problem) => {
            reporter.report_value(node, problem);
            Err(Unusable)
        }
    }
}

fn parsed<T>(
    node: &Node<'_>,
    reporter: &mut Reporter<'_>,
    parse: impl FnOnce(&str) -> Result<T, Problem>,
) -> ReadResult<T> {
    let Some(trimmed) = trimmed(node, reporter)? else {
        return Ok(None);
    };
    parse(trimmed).map(Some).map_err(|problem| {
        reporter.report_value(node, problem);
        Unusable
    })
}

fn identifier<T>(
    code: Code,
    what: &str,
    parsed: Result<T, InvalidIdentifier>,
) -> Result<T, Problem> {
    parsed.map_err(|reason| Problem::new(code, format!("{what} {reason}")))
}

/// An image (specification section 2.1).
pub(super) fn image<'n>(node: &'n Node<'n>, reporter: &mut Reporter<'n>) -> ReadResult<Image<'n>> {
    object(node, reporter, |image| {
        let address = image.required("url", url);
        let alt = image.optional("alt", row_text);
        let width = image.required("width", pixels);
        let height = image.required("height", pixels);
        let format = image.required("format", row_text);
        Some(Image {
            url: address?,
            alt,
            width: width?,
            height: height?,
            format: format?,
        })
    })
}

/// An owned copy of the image.
pub(super) fn owned(image: Image<'_>) -> Image<'static> {
    let own = |text: Cow<'_, str>| Cow::Owned(text.into_owned());
    Image {
        url: own(image.url),
        alt: image.alt.map(own),
        width: image.width,
        height: image.height,
        format: own(image.format),
    }
}

/// A price in one currency.
pub(super) fn price<'n>(node: &'n Node<'n>, reporter: &mut Reporter<'n>) -> ReadResult<Price<'n>> {
    object(node, reporter, |price| {
        let amount = price.required("amount", number);
        let currency = price.required("currency", currency);
        Some(Price {
            amount: amount?,
            currency: currency?,
        })
    })
}

fn currency<'n>(node: &'n Node<'n>, reporter: &mut Reporter<'n>) -> ReadResult<Currency<'n>> {
    object(node, reporter, |currency| {
        let code = currency.required("code", currency_code);
        let symbol = currency.required("symbol", row_text);
        Some(Currency {
            code: code?,
            symbol: symbol?,
        })
    })
}

/// A name with its value.
pub(super) fn named_value<'n>(
    node: &'n Node<'n>,
    reporter: &mut Reporter<'n>,
) -> ReadResult<NamedValue<'n>> {
    object(node, reporter, |pair| {
        let name = pair.required("name", text);
        let value = pair.required("value", text);
        Some(NamedValue {
            name: name?,
            value: value?,
        })
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
