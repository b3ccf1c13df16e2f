//! The `Link` header of a list: where its other pages are (RFC 8288).

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};

use super::query::Page;
use super::query_string::QueryString;

/// Everything but the unreserved characters of RFC 3986.
const RESERVED: &AsciiSet = &NON_ALPHANUMERIC
    .remove(b'-')
    .remove(b'.')
    .remove(b'_')
    .remove(b'~');

/// The value of the `Link` header, if the list has rows: the next and the previous page, if they
/// have rows, then the first and the last.
///
/// `path` is the encoded path of the list, `query` its accepted query. The references are
/// relative (path and query) and keep the other parameters in request order.
pub fn page_links(path: &str, query: &QueryString, page: Page, total: u64) -> Option<String> {
    let Page { limit, offset } = page;
    let last_row = total.checked_sub(1)?;
    let next = offset.saturating_add(limit);
    let previous = offset.saturating_sub(limit);
    let links = [
        ("next", (next <= last_row).then_some(next)),
        (
            "prev",
            (offset != 0 && previous <= last_row).then_some(previous),
        ),
        ("first", Some(0)),
        ("last", Some(last_offset(page, last_row))),
    ];
    let links = links.into_iter().filter_map(|(rel, offset)| {
        let reference = reference(path, query, offset?);
        Some(format!("<{reference}>; rel=\"{rel}\""))
    });
    Some(links.collect::<Vec<_>>().join(", "))
}

/// The offset of the page with the last row, among the pages that `next` and `prev` lead to. These
/// are whole pages away from this one, but not necessarily from the first.
const fn last_offset(page: Page, last_row: u64) -> u64 {
    let shift = page.offset % page.limit;
    match last_row.checked_sub(shift) {
        Some(rows_before) => last_row - rows_before % page.limit,
        None => 0,
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
