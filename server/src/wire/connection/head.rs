//! Checks the heads of requests, line by line, as strictly as RFC 9112 allows.
//!
//! The HTTP library gets only what passes here: no body, and no line that two parsers might read
//! differently. So no request can hide in another, whatever proxy stands in front of this server.
//! Nothing here looks at what a head asks for.

mod line;

use memchr::memchr;

use crate::api_tables::{HEAD_BYTES_MAX, HEADERS_MAX, URI_BYTES_MAX};

/// Most bytes after the method of a request line, besides the address: the space before and after
/// it, `HTTP/1.1` and the line end.
const AROUND_ADDRESS: usize = 12;
const LINE_END: usize = 2;
/// Most bytes of fields that are remembered; a connection may be idle for long.
const PASSED_MAX: usize = 1024;

/// Why a head is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum BadHead {
    /// A control character, or a line end other than CR LF.
    ControlCharacter,
    /// The first line is not method, address and version.
    RequestLine,
    /// A version other than HTTP/1.1 and HTTP/1.0.
    Version,
    /// An address that cannot be parsed, or is neither a path nor an HTTP URL.
    Address,
    /// An address over [`URI_BYTES_MAX`].
    AddressTooLong,
    /// A line that is not a header field.
    Field,
    /// Not exactly one `Host`, or one that names no host.
    Host,
    /// More than one `Content-Length`, or one that is not a number.
    Length,
    /// The head announces a body.
    Body,
    /// Over [`HEAD_BYTES_MAX`] or [`HEADERS_MAX`].
    TooLarge,
}

impl BadHead {
    /// The message to people about a head that violates RFC 9112.
    pub(crate) fn message(self) -> &'static str {
        match self {
            Self::ControlCharacter => {
                "a line of a head ends with CR LF, and has no other control characters"
            }
            Self::Version => "this server speaks HTTP/1.1 and HTTP/1.0",
            Self::Field => {
                "a header field is one line, `Name: value`, without a space before the name or \
                 the colon"
            }
            Self::Host => "a request has one header field Host, which names a host",
            Self::Length => "Content-Length is given once and is a number",
            _ => "the first line of a request is `METHOD ADDRESS HTTP/1.1`",
        }
    }
}

/// What to do with the bytes that were checked.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Checked {
    /// Bytes of empty lines before a head, which mean nothing.
    pub(super) dropped: usize,
    /// Bytes of whole lines of one head, after those.
    pub(super) given: usize,
    /// Whether the last of these lines ends the head.
    pub(super) is_whole: bool,
}

/// Checks that these bytes are one whole head that the HTTP library would get.
pub(crate) fn check(head: &[u8]) -> Result<(), BadHead> {
    let checked = RequestHeads::default().read(head)?;
    let is_one = checked.is_whole && checked.dropped + checked.given == head.len();
    if is_one {
        Ok(())
    } else {
        Err(BadHead::RequestLine)
    }
}

/// Reads one head after another.
#[derive(Default)]
pub(super) struct RequestHeads {
    /// How many bytes of the current line have been checked.
    scanned: usize,
    /// The current head, once its first line has passed.
    head: Option<Head>,
    /// Whether the method of the current head is known to be `HEAD`.
    is_head: bool,
    /// The fields of an earlier head, with the empty line after them. Clients repeat them in every
    /// request of a connection, and the same bytes need no second check.
    passed: Vec<u8>,
}

/// What must be remembered of a head until it ends.
#[derive(Debug)]
struct Head {
    needs_host: bool,
    bytes: usize,
    fields: usize,
    has_host: bool,
    has_length: bool,
    /// Kept for the response if the head is refused: by then, this line has been passed on.
    origin: Option<Box<[u8]>>,
}

impl RequestHeads {
    /// Whether the first line of a head has passed and its last has not.
    pub(super) fn is_open(&self) -> bool {
        self.head.is_some()
    }

    /// Whether the method of the current head is `HEAD`, so the response has no body.
    pub(super) fn is_head(&self) -> bool {
        self.is_head
    }

    /// The `Origin` of the current head, if it has been read; `held` are the bytes that did not
    /// pass.
    pub(super) fn origin<'a>(&'a self, held: &'a [u8]) -> Option<&'a [u8]> {
        let checked = self.head.as_ref().and_then(|head| head.origin.as_deref());
        checked.or_else(|| line::origin_in(held))
    }

    /// Checks the bytes that were read and have not passed yet, up to the end of one head.
    pub(super) fn read(&mut self, bytes: &[u8]) -> Result<Checked, BadHead> {
        let mut checked = Checked::default();
        let mut fields = None;
        while !checked.is_whole {
            let at = checked.dropped + checked.given;
            let rest = &bytes[at..];
            if self.head.is_none() {
                self.is_head = rest.starts_with(b"HEAD ");
            }
            let Some(line) = self.line(rest)? else {
                self.check_begun(rest)?;
                break;
            };
            let length = line.len() + LINE_END;
            match (&mut self.head, line) {
                (None, b"") => {
                    checked.dropped += length;
                    continue;
                }
                (None, line) => {
                    let head = Head::begin(line)?;
                    if head.is_followed_by(&self.passed, &rest[length..]) {
                        checked.given += self.passed.len();
                        checked.is_whole = true;
                    } else {
                        fields = Some(at + length);
                        self.head = Some(head);
                    }
                }
                (Some(head), b"") => {
                    head.end()?;
                    checked.is_whole = true;
                    fields = fields.filter(|_start| head.has_host);
                    self.head = None;
                }
                (Some(head), line) => head.field(line)?,
            }
            checked.given += length;
        }
        if let Some(start) = fields.filter(|_start| checked.is_whole) {
            self.remember(&bytes[start..checked.dropped + checked.given]);
        }
        Ok(checked)
    }

    fn remember(&mut self, fields: &[u8]) {
        if fields.len() <= PASSED_MAX {
            self.passed.clear();
            self.passed.extend_from_slice(fields);
        }
    }

    /// The first line without its end, or `None` if the end has not arrived.
    fn line<'a>(&mut self, bytes: &'a [u8]) -> Result<Option<&'a [u8]>, BadHead> {
        let rest = &bytes[self.scanned..];
        let end = memchr(b'\r', rest).unwrap_or(rest.len());
        if has_control(&rest[..end]) {
            return Err(BadHead::ControlCharacter);
        }
        self.scanned += end;
        match bytes[self.scanned..] {
            [b'\r', b'\n', ..] => {
                let line = &bytes[..self.scanned];
                self.scanned = 0;
                Ok(Some(line))
            }
            [] | [b'\r'] => Ok(None),
            _ => Err(BadHead::ControlCharacter),
        }
    }

    /// Refuses an unfinished line as soon as no rest of it could be valid.
    fn check_begun(&self, line: &[u8]) -> Result<(), BadHead> {
        match &self.head {
            Some(head) => head.check_begun(line),
            None => check_begun_request_line(line),
        }
    }
}

/// Looks at every byte, without returning early, so the compiler can vectorize the loop.
fn has_control(bytes: &[u8]) -> bool {
    let is_control = |byte: &u8| byte.is_ascii_control() && *byte != b'\t';
    bytes
        .iter()
        .fold(false, |found, byte| found | is_control(byte))
}

fn check_begun_request_line(line: &[u8]) -> Result<(), BadHead> {
    if line
        .first()
        .is_some_and(|&first| first != b'\r' && !line::is_token_byte(first))
    {
        return Err(BadHead::RequestLine);
    }
    let address = line
        .iter()
        .position(|&byte| byte == b' ')
        .unwrap_or(line.len());
    if URI_BYTES_MAX + AROUND_ADDRESS < line.len() - address {
        return Err(BadHead::AddressTooLong);
    }
    if HEAD_BYTES_MAX < line.len() {
        return Err(BadHead::TooLarge);
    }
    Ok(())
}

impl Head {
    fn begin(line: &[u8]) -> Result<Self, BadHead> {
        let version = line::check_request_line(line)?;
        let head = Self {
            needs_host: version == line::Version::Http11,
            bytes: line.len() + LINE_END,
            fields: 0,
            has_host: false,
            has_length: false,
            origin: None,
        };
        check_whole(head.bytes)?;
        Ok(head)
    }

    /// Whether these fields follow, which ended a head with a `Host`.
    fn is_followed_by(&self, fields: &[u8], rest: &[u8]) -> bool {
        let is_short = self.bytes + fields.len() <= HEAD_BYTES_MAX;
        is_short && !fields.is_empty() && rest.starts_with(fields)
    }

    fn field(&mut self, line: &[u8]) -> Result<(), BadHead> {
        self.bytes += line.len() + LINE_END;
        check_whole(self.bytes)?;
        if self.fields == HEADERS_MAX {
            return Err(BadHead::TooLarge);
        }
        self.fields += 1;
        let (name, value) = line::split_field(line)?;
        if name.eq_ignore_ascii_case(b"host") {
            if self.has_host || !line::is_host(value) {
                return Err(BadHead::Host);
            }
            self.has_host = true;
        } else if name.eq_ignore_ascii_case(b"content-length") {
            self.length(value)?;
        } else if name.eq_ignore_ascii_case(b"transfer-encoding") {
            return Err(BadHead::Body);
        } else if name.eq_ignore_ascii_case(line::ORIGIN) {
            self.origin = Some(value.into());
        }
        Ok(())
    }

    /// `Content-Length: 0` announces no body, and some clients send it.
    fn length(&mut self, value: &[u8]) -> Result<(), BadHead> {
        let is_number = !value.is_empty() && value.iter().all(u8::is_ascii_digit);
        if self.has_length || !is_number {
            return Err(BadHead::Length);
        }
        if value != b"0" {
            return Err(BadHead::Body);
        }
        self.has_length = true;
        Ok(())
    }

    fn end(&self) -> Result<(), BadHead> {
        if self.needs_host && !self.has_host {
            return Err(BadHead::Host);
        }
        Ok(())
    }

    /// The unfinished line may be the empty one that ends the head. Any other line needs its own
    /// end, and the empty line after it.
    fn check_begun(&self, line: &[u8]) -> Result<(), BadHead> {
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        let more = match line.len() {
            0 => 0,
            length => length + LINE_END,
        };
        check_whole(self.bytes + more)
    }
}

/// Checks that lines of so many bytes, with the empty line after them, fit into a head.
fn check_whole(lines: usize) -> Result<(), BadHead> {
    if HEAD_BYTES_MAX < lines + LINE_END {
        return Err(BadHead::TooLarge);
    }
    Ok(())
}

#[cfg(test)]
mod tests;
