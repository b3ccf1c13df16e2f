//! The `Link` header of a list: where the next and the previous page are (RFC 8288).

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};

use super::{Page, QueryString};

/// Everything but the unreserved characters of RFC 3986.
const RESERVED: &AsciiSet = &NON_ALPHANUMERIC
    .remove(b'-')
    .remove(b'.')
    .remove(b'_')
    .remove(b'~');

/// The value of the `Link` header, where there is a next or a previous page with rows.
///
/// `path` is the encoded path of the list, `query` its accepted query. The references are
/// relative (path and query) and keep the other parameters in request order.
pub fn page_links(path: &str, query: &QueryString, page: Page, total: u64) -> Option<String> {
    let limit = page.limit;
    let next = Some(page.offset.saturating_add(limit)).filter(|&offset| offset < total);
    let previous = (page.offset != 0).then(|| page.offset.saturating_sub(limit));
    let previous = previous.filter(|&offset| offset < total);
    let link = |rel: &str, offset| format!("<{}>; rel=\"{rel}\"", reference(path, query, offset));
    match (
        next.map(|next| link("next", next)),
        previous.map(|previous| link("prev", previous)),
    ) {
        (Some(next), Some(previous)) => Some(format!("{next}, {previous}")),
        (one, other) => one.or(other),
    }
}

fn reference(path: &str, query: &QueryString, offset: u64) -> String {
    let mut reference = path.to_owned();
    let mut separator = '?';
    let mut add = |name: &str, value: &str| {
        reference.push(separator);
        separator = '&';
        reference.extend(utf8_percent_encode(name, RESERVED));
        reference.push('=');
        reference.extend(utf8_percent_encode(value, RESERVED));
    };
    let offset = offset.to_string();
    let mut has_offset = false;
    for pair in query.pairs() {
        let (Ok(name), Ok(value)) = (&pair.name, &pair.value) else {
            continue;
        };
        let is_offset = name == "offset";
        has_offset |= is_offset;
        add(name, if is_offset { &offset } else { value });
    }
    if !has_offset {
        add("offset", &offset);
    }
    reference
}
