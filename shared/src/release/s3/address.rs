//! The address of a bucket and of a folder in it, as it is typed: `s3://bucket/prefix`.

use std::fmt;
use std::str::FromStr;

use crate::base::hash::sha256_hex;

/// The scheme of an address.
const SCHEME: &str = "s3://";
/// Most characters of an address; the keys of objects have room below it.
const LENGTH_MAX: usize = 512;
/// Digits of the hash that names the cache.
const CACHE_DIGITS: usize = 16;

/// Where in S3 releases are published.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct S3Address {
    bucket: String,
    /// Empty for the whole bucket, or ends with `/`.
    prefix: String,
}

/// Not an address.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "must be s3://BUCKET or s3://BUCKET/PREFIX, of letters, digits, `.`, `-`, and in the prefix \
     `_` and `/`"
)]
pub struct NotAnAddress;

impl S3Address {
    /// The bucket.
    pub fn bucket(&self) -> &str {
        &self.bucket
    }

    /// The key of an object below the prefix.
    pub(super) fn key(&self, name: &str) -> String {
        format!("{}{name}", self.prefix)
    }

    /// Names the place in a data directory where copies of what is there lie.
    pub(super) fn cache_name(&self) -> String {
        let hash = sha256_hex(self.to_string().as_bytes());
        format!("s3-{}", &hash[..CACHE_DIGITS])
    }
}

impl FromStr for S3Address {
    type Err = NotAnAddress;

    fn from_str(text: &str) -> Result<Self, NotAnAddress> {
        let rest = text.strip_prefix(SCHEME).ok_or(NotAnAddress)?;
        let (bucket, prefix) = rest.split_once('/').unwrap_or((rest, ""));
        let prefix = prefix.strip_suffix('/').unwrap_or(prefix);
        let are_segments = prefix.is_empty() || prefix.split('/').all(is_segment);
        if LENGTH_MAX < text.len() || !is_bucket(bucket) || !are_segments {
            return Err(NotAnAddress);
        }
        let prefix = match prefix {
            "" => String::new(),
            prefix => format!("{prefix}/"),
        };
        Ok(Self {
            bucket: bucket.to_owned(),
            prefix,
        })
    }
}

impl fmt::Display for S3Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let prefix = self.prefix.strip_suffix('/');
        write!(f, "{SCHEME}{}", self.bucket)?;
        prefix.map_or(Ok(()), |prefix| write!(f, "/{prefix}"))
    }
}

/// The names that S3 itself allows.
fn is_bucket(text: &str) -> bool {
    let is_plain = |byte: u8| matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b'.' | b'-');
    (3..=63).contains(&text.len())
        && text.bytes().all(is_plain)
        && text.starts_with(|c: char| c.is_ascii_alphanumeric())
        && text.ends_with(|c: char| c.is_ascii_alphanumeric())
}

/// What needs no encoding in a URL, and leads nowhere else.
fn is_segment(text: &str) -> bool {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'-' | b'_');
    !matches!(text, "" | "." | "..") && text.bytes().all(is_plain)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_shown_as_it_was_typed_and_says_where_objects_are() {
        for (typed, shown, key) in [
            ("s3://boats", "s3://boats", "current"),
            ("s3://boats/", "s3://boats", "current"),
            ("s3://boats/live", "s3://boats/live", "live/current"),
            ("s3://b-1.x/a/b_c/", "s3://b-1.x/a/b_c", "a/b_c/current"),
        ] {
            let address: S3Address = typed.parse().unwrap();
            assert_eq!(
                (address.to_string(), address.key("current")),
                (shown.to_owned(), key.to_owned())
            );
        }
    }

    #[test]
    fn copies_of_two_places_never_lie_together() {
        let name = |text: &str| text.parse::<S3Address>().unwrap().cache_name();
        assert_eq!(name("s3://boats/live/"), name("s3://boats/live"));
        assert_ne!(name("s3://boats/live"), name("s3://boats"));
    }

    #[test]
    fn nothing_else_is_an_address() {
        let long = format!("s3://boats/{}", "a".repeat(LENGTH_MAX));
        for text in [
            "",
            "boats",
            "s3://",
            "s3://ab",
            "s3://Boats",
            "s3://-boats",
            "s3://boats/a//b",
            "s3://boats/../b",
            "s3://boats/a b",
            "s3://boats/a?b",
            "s3://key:secret@boats/a",
            "S3://boats",
            "https://boats",
            &long,
        ] {
            assert_eq!(text.parse::<S3Address>(), Err(NotAnAddress), "{text}");
        }
    }
}
