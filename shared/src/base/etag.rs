//! Entity tags: the hash of an exact body, and whether a request's `If-None-Match` matches it.
//!
//! A tag depends on nothing but the body, so an import or a rollback that leaves a body unchanged
//! leaves its tag unchanged (RFC 9110 section 8.8.3, section 13.1.2). A compressed body is another
//! sequence of bytes, so its tag has the name of the coding after the hash of the uncompressed one.

use std::fmt;

use sha2::{Digest, Sha256};

/// Length of a tag in bytes.
const ETAG_LENGTH: usize = 16;

const DIGITS: &[u8; 16] = b"0123456789abcdef";

/// A strong entity tag: the first 16 bytes of the SHA-256 of the uncompressed body.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct ETag([u8; ETAG_LENGTH]);

impl ETag {
    /// Length of a tag in bytes.
    pub const LENGTH: usize = ETAG_LENGTH;

    /// The tag of `body`.
    pub fn of(body: &[u8]) -> Self {
        let digest = Sha256::digest(body);
        let mut tag = [0; Self::LENGTH];
        tag.copy_from_slice(&digest[..Self::LENGTH]);
        Self(tag)
    }

    /// The tag made of these bytes, as a release stores them.
    pub const fn from_bytes(bytes: [u8; Self::LENGTH]) -> Self {
        Self(bytes)
    }

    /// The tag of the body that has this SHA-256, in hexadecimal; `None` if that is no hash.
    pub fn of_sha256(hex: &str) -> Option<Self> {
        let mut tag = [0; Self::LENGTH];
        for (byte, digits) in tag.iter_mut().zip(hex.as_bytes().chunks_exact(2)) {
            *byte = u8::from_str_radix(str::from_utf8(digits).ok()?, 16).ok()?;
        }
        (hex.len() == 64).then_some(Self(tag))
    }

    /// The bytes, for storing.
    pub const fn as_bytes(&self) -> &[u8; Self::LENGTH] {
        &self.0
    }

    /// The hash in hexadecimal. Every response shows it, and formatting it byte by byte would cost
    /// more than all other work on tags.
    fn digits(self) -> [u8; 2 * ETAG_LENGTH] {
        let mut digits = [0; 2 * ETAG_LENGTH];
        for (pair, byte) in digits.chunks_exact_mut(2).zip(self.0) {
            pair[0] = DIGITS[usize::from(byte >> 4)];
            pair[1] = DIGITS[usize::from(byte & 0x0f)];
        }
        digits
    }

    /// The tag of the same body in that coding.
    pub const fn in_coding(self, coding: Coding) -> CodedETag {
        CodedETag { etag: self, coding }
    }
}

/// How a body is encoded on the wire (RFC 9110 section 8.4.1).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Coding {
    /// Not at all.
    Identity,
    /// RFC 1952.
    Gzip,
    /// RFC 7932.
    Brotli,
    /// RFC 8878.
    Zstd,
}

impl Coding {
    /// Every coding.
    pub const ALL: [Self; 4] = [Self::Identity, Self::Gzip, Self::Brotli, Self::Zstd];

    /// Its registered name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Identity => "identity",
            Self::Gzip => "gzip",
            Self::Brotli => "br",
            Self::Zstd => "zstd",
        }
    }

    /// The coding whose tags end like this, behind the hash.
    fn of_suffix(suffix: &[u8]) -> Option<Self> {
        if suffix.is_empty() {
            return Some(Self::Identity);
        }
        let name = suffix.strip_prefix(b"-")?;
        let is_it = |coding: &Self| *coding != Self::Identity && coding.name().as_bytes() == name;
        Self::ALL.into_iter().find(is_it)
    }
}

/// The strong tag of a body in a coding.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct CodedETag {
    /// The tag of the uncompressed body.
    pub etag: ETag,
    /// The coding.
    pub coding: Coding,
}

impl CodedETag {
    /// The tag as a header shows it: the hash, and the encoding if there is one, within quotes.
    pub fn text(self) -> String {
        let digits = self.etag.digits();
        let digits = str::from_utf8(&digits).unwrap_or_else(|why| unreachable!("{why}"));
        match self.coding {
            Coding::Identity => ["\"", digits, "\""].concat(),
            coding => ["\"", digits, "-", coding.name(), "\""].concat(),
        }
    }
}

impl fmt::Display for CodedETag {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text())
    }
}

/// The tag of the uncompressed body as a header shows it, quotes included.
impl fmt::Display for ETag {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.in_coding(Coding::Identity).fmt(f)
    }
}

impl fmt::Debug for ETag {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ETag({self})")
    }
}

/// A parsed `If-None-Match` field.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum IfNoneMatch {
    /// `*`: any current body matches.
    Any,
    /// The opaque tags of the list, without quotes and weakness marks: comparison is weak.
    Tags(Vec<Vec<u8>>),
}

impl IfNoneMatch {
    /// Reads the field values of a request, several lines being one list. `None` when the field
    /// is malformed, which is treated as if it were absent.
    pub fn parse<'a>(lines: impl IntoIterator<Item = &'a [u8]>) -> Option<Self> {
        let field = lines.into_iter().collect::<Vec<_>>().join(&b","[..]);
        if field.trim_ascii() == b"*" {
            return Some(Self::Any);
        }
        let mut tags = Vec::new();
        let mut rest = skip_separators(&field);
        while !rest.is_empty() {
            let (tag, after) = split_tag(rest)?;
            tags.push(tag.to_vec());
            let after = after.trim_ascii_start();
            if !after.is_empty() && !after.starts_with(b",") {
                return None;
            }
            rest = skip_separators(after);
        }
        (!tags.is_empty()).then_some(Self::Tags(tags))
    }

    /// The encoding in which the client already holds the body that `etag` names, if it does.
    ///
    /// Every encoding counts, whatever the request accepts now. If several tags match, `chosen`
    /// wins, the encoding of the response that would be sent, and then the first: so a cache finds
    /// the response that it may pass on. `*` is a match in that coding too.
    pub fn matching(&self, etag: ETag, chosen: Coding) -> Option<Coding> {
        let tags = match self {
            Self::Any => return Some(chosen),
            Self::Tags(tags) => tags,
        };
        let hash = etag.digits();
        let held = || {
            let suffixes = tags.iter().filter_map(|tag| tag.strip_prefix(&hash));
            suffixes.filter_map(Coding::of_suffix)
        };
        held()
            .find(|coding| *coding == chosen)
            .or_else(|| held().next())
    }
}

/// RFC 9110 section 5.6.1 lets lists contain empty elements.
fn skip_separators(mut field: &[u8]) -> &[u8] {
    while let Some((b',' | b' ' | b'\t', rest)) = field.split_first() {
        field = rest;
    }
    field
}

fn split_tag(field: &[u8]) -> Option<(&[u8], &[u8])> {
    let field = field.strip_prefix(b"W/").unwrap_or(field);
    let inner = field.strip_prefix(b"\"")?;
    let end = inner.iter().position(|&byte| byte == b'"')?;
    let is_opaque = |&byte: &u8| byte == 0x21 || (0x23..=0x7e).contains(&byte) || 0x80 <= byte;
    inner[..end]
        .iter()
        .all(is_opaque)
        .then_some((&inner[..end], &inner[end + 1..]))
}

#[cfg(test)]
mod tests;
