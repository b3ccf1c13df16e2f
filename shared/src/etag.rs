//! Entity tags: the hash of an exact body, and whether a request's `If-None-Match` matches it.
//!
//! A tag depends on nothing but the body, so an import or a rollback that leaves a body unchanged
//! leaves its tag unchanged (RFC 9110 section 8.8.3, section 13.1.2).

use std::fmt;

use sha2::{Digest, Sha256};

/// Length of a tag in bytes.
const ETAG_LENGTH: usize = 16;

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

    /// The bytes, for storing.
    pub const fn as_bytes(&self) -> &[u8; Self::LENGTH] {
        &self.0
    }
}

/// The tag as a header shows it, quotes included.
impl fmt::Display for ETag {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("\"")?;
        for byte in self.0 {
            write!(f, "{byte:02x}")?;
        }
        f.write_str("\"")
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

    /// Whether the request already holds the body that `etag` names.
    pub fn matches(&self, etag: ETag) -> bool {
        match self {
            Self::Any => true,
            Self::Tags(tags) => {
                let quoted = etag.to_string();
                let opaque = quoted.trim_matches('"').as_bytes();
                tags.iter().any(|tag| tag == opaque)
            }
        }
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
mod tests {
    use super::*;

    fn matches(field: &str) -> Option<bool> {
        let etag = ETag::from_bytes([0xab; 16]);
        IfNoneMatch::parse([field.as_bytes()]).map(|parsed| parsed.matches(etag))
    }

    #[test]
    fn a_tag_is_the_hash_of_the_body() {
        assert_eq!(
            ETag::of(b"").to_string(),
            "\"e3b0c44298fc1c149afbf4c8996fb924\""
        );
        assert_ne!(ETag::of(b"a"), ETag::of(b"b"));
    }

    #[test]
    fn lists_weak_tags_and_the_star_match() {
        let tag = "\"abababababababababababababababab\"";
        for field in [
            "*",
            " * ",
            tag,
            &format!("W/{tag}"),
            &format!("\"x\", {tag}"),
            &format!("{tag},\"x\""),
            &format!(", ,{tag} , "),
            &format!("\"a,b\",{tag}"),
            &format!("\"\",W/\"x\",{tag}"),
        ] {
            assert_eq!(matches(field), Some(true), "{field}");
        }
        assert_eq!(matches("\"x\", W/\"y\""), Some(false));
    }

    #[test]
    fn malformed_fields_are_ignored() {
        for field in [
            "",
            ",",
            "abab",
            "\"ab",
            "\"a\" \"b\"",
            "w/\"a\"",
            "W/ \"a\"",
            "*, \"a\"",
            "\"a b\"",
        ] {
            assert_eq!(matches(field), None, "{field}");
        }
    }

    #[test]
    fn several_lines_are_one_list() {
        let parsed = IfNoneMatch::parse([&b"\"x\""[..], &b"\"y\""[..]]).unwrap();
        assert_eq!(
            parsed,
            IfNoneMatch::Tags(vec![b"x".to_vec(), b"y".to_vec()])
        );
    }
}
