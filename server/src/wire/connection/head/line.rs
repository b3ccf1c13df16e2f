//! Single lines of a head: the request line and header fields, without their ends.
//!
//! Pure functions of one line. The caller has checked that it has no control characters but tabs.

use memchr::memchr;
use salvo::http::uri::{Authority, Scheme, Uri};

use super::{BadHead, URI_BYTES_MAX};

/// The field that names the origin of a page, in lower case.
pub(super) const ORIGIN: &[u8] = b"origin";

/// The supported versions.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Version {
    Http10,
    Http11,
}

/// Takes everything between the first space and the last as the address, so a space inside the
/// address is found there and refused.
pub(super) fn check_request_line(line: &[u8]) -> Result<Version, BadHead> {
    let is_space = |&byte: &u8| byte == b' ';
    let (Some(first), Some(last)) = (
        line.iter().position(is_space),
        line.iter().rposition(is_space),
    ) else {
        return Err(BadHead::RequestLine);
    };
    let (method, version) = (&line[..first], &line[last + 1..]);
    let Some(address) = line.get(first + 1..last) else {
        return Err(BadHead::RequestLine);
    };
    if !is_token(method) {
        return Err(BadHead::RequestLine);
    }
    let version = match version {
        b"HTTP/1.1" => Version::Http11,
        b"HTTP/1.0" => Version::Http10,
        other if other.starts_with(b"HTTP/") => return Err(BadHead::Version),
        _ => return Err(BadHead::RequestLine),
    };
    check_address(method, address)?;
    Ok(version)
}

/// An address is a path, or a whole URL with scheme and host; `CONNECT` is refused later, for its
/// method.
fn check_address(method: &[u8], address: &[u8]) -> Result<(), BadHead> {
    if URI_BYTES_MAX < address.len() {
        return Err(BadHead::AddressTooLong);
    }
    if is_plain_path(address) {
        return Ok(());
    }
    // The parser would silently drop a fragment.
    if address.contains(&b'#') {
        return Err(BadHead::Address);
    }
    let uri = Uri::try_from(address).map_err(|_why| BadHead::Address)?;
    let is_ours = match (uri.scheme(), uri.authority()) {
        (Some(scheme), Some(authority)) => {
            (*scheme == Scheme::HTTP || *scheme == Scheme::HTTPS)
                && is_host(authority.as_str().as_bytes())
        }
        (None, None) => true,
        _ => method == b"CONNECT",
    };
    if !is_ours {
        return Err(BadHead::Address);
    }
    Ok(())
}

/// Whether this is a path, perhaps with a query, of plain characters only. Nearly all are, and need
/// no parser.
fn is_plain_path(address: &[u8]) -> bool {
    address.starts_with(b"/") && address.iter().all(|byte| PATH.has(*byte))
}

/// Name and value of a header field, the value without the white space around it.
pub(super) fn split_field(line: &[u8]) -> Result<(&[u8], &[u8]), BadHead> {
    let colon = line.iter().position(|&byte| byte == b':');
    let colon = colon.ok_or(BadHead::Field)?;
    let (name, value) = (&line[..colon], &line[colon + 1..]);
    if !is_token(name) {
        return Err(BadHead::Field);
    }
    Ok((name, value.trim_ascii()))
}

/// The `Origin` field among the whole lines of a refused head, whatever is wrong with it.
pub(super) fn origin_in(head: &[u8]) -> Option<&[u8]> {
    let lines = head.split_inclusive(|&byte| byte == b'\n');
    let whole = lines.map_while(|line| line.strip_suffix(b"\r\n"));
    let mut fields = whole
        .skip_while(|line| line.is_empty())
        .take_while(|line| !line.is_empty())
        .filter_map(|line| split_field(line).ok());
    let found = fields.find(|(name, _)| name.eq_ignore_ascii_case(ORIGIN));
    found.map(|(_, value)| value)
}

/// Whether this is a host, perhaps with a port, without a user.
pub(super) fn is_host(value: &[u8]) -> bool {
    is_plain_host(value) || is_parsed_host(value)
}

/// Whether this is a name or an IPv4 address, perhaps with a port. Nearly all are, and need no
/// parser.
fn is_plain_host(value: &[u8]) -> bool {
    let colon = memchr(b':', value);
    let (host, port) = value.split_at(colon.unwrap_or(value.len()));
    let is_plain = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'-');
    !host.is_empty() && host.iter().all(is_plain) && port.iter().skip(1).all(u8::is_ascii_digit)
}

fn is_parsed_host(value: &[u8]) -> bool {
    let Ok(authority) = Authority::try_from(value) else {
        // For an address without a host, clients send an empty field (RFC 9112 section 3.2).
        return value.is_empty();
    };
    let after_host = value.strip_prefix(authority.host().as_bytes());
    match after_host {
        Some(b"") => true,
        Some([b':', port @ ..]) => port.iter().all(u8::is_ascii_digit),
        _ => false,
    }
}

/// A token of RFC 9110 section 5.6.2.
fn is_token(bytes: &[u8]) -> bool {
    !bytes.is_empty() && bytes.iter().all(|byte| TOKEN.has(*byte))
}

pub(super) fn is_token_byte(byte: u8) -> bool {
    TOKEN.has(byte)
}

/// A set of bytes as a table, for speed: every byte of a head is looked up in one.
struct ByteSet([bool; 256]);

static TOKEN: ByteSet = ByteSet::letters_and_digits_and(b"!#$%&'*+-.^_`|~");
static PATH: ByteSet = ByteSet::letters_and_digits_and(b"/-._~%?=&+,");

impl ByteSet {
    const fn letters_and_digits_and(others: &[u8]) -> Self {
        let mut set = [false; 256];
        let mut byte = 0_u8;
        while byte.is_ascii() {
            set[byte as usize] = byte.is_ascii_alphanumeric();
            byte += 1;
        }
        let mut index = 0;
        while index < others.len() {
            set[others[index] as usize] = true;
            index += 1;
        }
        Self(set)
    }

    fn has(&self, byte: u8) -> bool {
        self.0[usize::from(byte)]
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn a_plain_path_is_one_for_the_parser_too(path in "/[a-zA-Z0-9/._~%?=&+,-]{0,40}") {
            prop_assert!(is_plain_path(path.as_bytes()));
            let uri = Uri::try_from(path.as_bytes()).unwrap();
            prop_assert_eq!(uri.scheme(), None);
            prop_assert_eq!(uri.authority(), None);
        }

        #[test]
        fn a_plain_host_is_one_for_the_parser_too(host in "[a-zA-Z0-9.-]{1,20}(:[0-9]{0,7})?") {
            prop_assert!(is_plain_host(host.as_bytes()));
            prop_assert!(is_parsed_host(host.as_bytes()));
        }

        #[test]
        fn hosts_are_judged_as_the_parser_judges(host in "[a-z0-9.:@%\\[\\]_ -]{0,12}") {
            let host = host.as_bytes();
            prop_assert_eq!(is_host(host), is_parsed_host(host));
        }
    }
}
