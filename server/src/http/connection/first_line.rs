//! The first line that a connection reads, and whether its address is one the HTTP library takes.
//!
//! The library answers an address that it cannot parse without a body. Only the first request of
//! a connection is looked at: before a later one there may be a body that nobody reads, and that
//! must never be taken for a request.

use salvo::http::uri::Uri;

/// Longest line that is looked at, in bytes; the library takes no longer address.
const LINE_BYTES_MAX: usize = u16::MAX as usize;

/// What is known of the first line.
#[derive(Debug)]
pub(super) enum FirstLine {
    /// Its bytes so far.
    Begun(Vec<u8>),
    /// It has ended, or is too long to be looked at.
    Past,
}

/// A request whose address is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct BadAddress {
    /// The method is `HEAD`, so the answer has no body.
    pub(crate) is_head: bool,
}

impl FirstLine {
    /// Takes note of more bytes; tells once if the line ended in them and has a bad address.
    pub(super) fn read(&mut self, bytes: &[u8]) -> Option<BadAddress> {
        let Self::Begun(line) = self else {
            return None;
        };
        for &byte in bytes {
            match byte {
                b'\r' | b'\n' if line.is_empty() => {}
                b'\n' => {
                    let refused = check(line);
                    *self = Self::Past;
                    return refused;
                }
                _ if line.len() == LINE_BYTES_MAX => {
                    *self = Self::Past;
                    return None;
                }
                _ => line.push(byte),
            }
        }
        None
    }
}

/// The address is what lies between the first space and the last, so that a space in it is seen
/// as one. A line that is no request line is left to the library.
fn check(line: &[u8]) -> Option<BadAddress> {
    let first = line.iter().position(|&byte| byte == b' ')?;
    let last = line.iter().rposition(|&byte| byte == b' ')?;
    let address = line.get(first + 1..last)?;
    if !line[last + 1..].starts_with(b"HTTP/1.") {
        return None;
    }
    // The library's parser drops a fragment, and never sees a DELETE character.
    let is_bad =
        address.iter().any(|&byte| byte == b'#' || byte == 0x7f) || Uri::try_from(address).is_err();
    is_bad.then_some(BadAddress {
        is_head: &line[..first] == b"HEAD",
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The verdict on `line`, which is the same wherever reads cut it: `Some(is_head)` if refused.
    fn check(line: &[u8], refused: Option<bool>) {
        for cut in 0..=line.len() {
            let mut first_line = FirstLine::Begun(Vec::new());
            let (first, second) = line.split_at(cut);
            let found = first_line.read(first).or_else(|| first_line.read(second));
            let shown = String::from_utf8_lossy(line);
            assert_eq!(found.map(|bad| bad.is_head), refused, "{shown:?} at {cut}");
        }
    }

    #[test]
    fn addresses_that_the_library_does_not_take_are_refused() {
        for bad in [
            &b"/v1/boats?search=a b"[..],
            b"/v1/boats?search=\xff",
            b"/v1/\xc3",
            b"/v1?a=\"",
            b"/v1?<",
            b"/v1?>",
            b"/v1/`",
            b"/v1?a\0",
            b"/v1?a\x7f",
            b"/v1?a\t",
            b"/v1?a\r",
            b"/v1#part",
        ] {
            check(&[b"GET ", bad, b" HTTP/1.1\r\n"].concat(), Some(false));
            check(&[b"\r\nHEAD ", bad, b" HTTP/1.0\n"].concat(), Some(true));
        }
    }

    #[test]
    fn other_lines_are_left_to_the_library() {
        let long = [b"GET /<", "a".repeat(70_000).as_bytes(), b" HTTP/1.1\r\n"].concat();
        let mut first_line = FirstLine::Begun(Vec::new());
        assert_eq!(first_line.read(&long), None);
        for line in [
            &b"GET /v1/boats?search=%C3%A5 HTTP/1.1\r\n"[..],
            "GET /v1/boats?search=å HTTP/1.1\r\n".as_bytes(),
            b"GET http://host/v1 HTTP/1.1\r\n",
            b"GET /v1?a=^|{\\} HTTP/1.1\r\n",
            b"OPTIONS * HTTP/1.1\r\n",
            b"GET /v1 HTTP/1.1\r\nReferer: /a<b HTTP/1.1\r\n",
            b"GET /<\r\n",
            b"GET\r\n",
            b"GET /< HTTP/1.1",
            b" HTTP/1.1\n",
            b"",
        ] {
            check(line, None);
        }
    }
}
