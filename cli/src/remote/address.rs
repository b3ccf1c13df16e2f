//! An export as typed: a path, or an address with one of five schemes.
//!
//! An address may hold a password or a signature, so it is shown without user and query, and an
//! invalid one is never repeated.

use std::ffi::OsStr;
use std::fmt;
use std::path::{Path, PathBuf};

use import::address::{has_user, redacted};
use percent_encoding::percent_decode_str;
use shared::base::hash::sha256_hex;
use url::Url;

/// Longest address, signatures included, in characters.
const LENGTH_MAX: usize = 8192;
/// Longest file name, in bytes, on common file systems.
const NAME_MAX: usize = 255;

/// An export, as typed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Source {
    /// A file, folder or archive here, or `-` for standard input.
    Path(PathBuf),
    /// An address to fetch.
    Address(Address),
}

/// Where an export is.
#[derive(Clone, PartialEq, Eq)]
pub struct Address {
    url: Box<Url>,
    scheme: Scheme,
}

/// The scheme of an address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Scheme {
    Http,
    Https,
    S3,
    Gs,
    Az,
}

/// Why a text is neither a path nor an address.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NotASource {
    /// Another scheme.
    #[error("must be a path, or an address that begins with https, http, s3, gs or az and ://")]
    Scheme,
    /// It has no host, or cannot be read.
    #[error("is not a complete address, such as https://cms.example/boats.ndjson.gz")]
    Form,
    /// It does not name a file in a bucket.
    #[error("must be BUCKET and the name of one file in it, such as s3://exports/boats.ndjson.gz")]
    NoFile,
    /// It is too long.
    #[error("is longer than {LENGTH_MAX} characters")]
    TooLong,
}

impl Scheme {
    fn parse(text: &str) -> Option<Self> {
        Some(match text {
            "http" => Self::Http,
            "https" => Self::Https,
            "s3" => Self::S3,
            "gs" => Self::Gs,
            "az" => Self::Az,
            _ => return None,
        })
    }
}

impl Scheme {
    const fn is_web(self) -> bool {
        matches!(self, Self::Http | Self::Https)
    }
}

impl Source {
    /// Parses what was typed.
    pub fn parse(text: &OsStr) -> Result<Self, NotASource> {
        match text.to_str() {
            Some(address) if has_scheme(address) => Address::parse(address).map(Self::Address),
            _ => Ok(Self::Path(text.into())),
        }
    }

    /// The path, if it is one.
    pub fn path(&self) -> Option<&Path> {
        match self {
            Self::Path(path) => Some(path),
            Self::Address(_) => None,
        }
    }
}

/// Whether a text begins with any scheme.
fn has_scheme(text: &str) -> bool {
    let Some((scheme, _)) = text.split_once("://") else {
        return false;
    };
    scheme.starts_with(|c: char| c.is_ascii_alphabetic())
        && scheme
            .chars()
            .all(|c| c.is_ascii_alphanumeric() || "+-.".contains(c))
}

impl Address {
    fn parse(text: &str) -> Result<Self, NotASource> {
        if LENGTH_MAX < text.len() {
            return Err(NotASource::TooLong);
        }
        let typed = text.split_once("://").map_or("", |(scheme, _)| scheme);
        let scheme = Scheme::parse(&typed.to_ascii_lowercase()).ok_or(NotASource::Scheme)?;
        let mut url = Url::parse(text).map_err(|_malformed| NotASource::Form)?;
        if !url.has_host() {
            return Err(NotASource::Form);
        }
        if scheme.is_web() {
            url.set_fragment(None);
            let url = Box::new(url);
            return Ok(Self { url, scheme });
        }
        let is_plain = !has_user(&url)
            && url.port().is_none()
            && url.query().is_none()
            && url.fragment().is_none();
        let is_file = 1 < url.path().len() && !url.path().ends_with('/');
        if !is_plain || !is_file {
            return Err(NotASource::NoFile);
        }
        let url = Box::new(url);
        Ok(Self { url, scheme })
    }

    /// Whether it is a plain HTTP URL.
    pub(super) const fn is_web(&self) -> bool {
        self.scheme.is_web()
    }

    pub(super) const fn scheme(&self) -> Scheme {
        self.scheme
    }

    /// The whole address, with its secrets.
    pub(super) fn url(&self) -> &Url {
        &self.url
    }

    /// The SHA-256 of the whole address if some of it is not shown: addresses that look alike may
    /// lead to other files. A password is not in it, since it might be guessed from it.
    pub fn hidden_sha256(&self) -> Option<String> {
        let mut url = self.url.clone();
        // Only a URL without a host has no place for it.
        _ = url.set_password(None);
        let is_shown = redacted(&url) == url.as_str();
        (!is_shown).then(|| sha256_hex(url.as_str().as_bytes()))
    }

    /// The file name in the address.
    pub(super) fn file_name(&self) -> String {
        let last = self.url.path().rsplit('/').next().unwrap_or_default();
        let name = percent_decode_str(last).decode_utf8_lossy();
        let mut name: String = name
            .chars()
            .filter(|c| !c.is_control() && *c != '/')
            .collect();
        while NAME_MAX < name.len() {
            name.remove(0);
        }
        name
    }
}

/// Without its secrets.
impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&redacted(&self.url))
    }
}

/// Without its secrets.
impl fmt::Debug for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Address({self})")
    }
}

/// As typed, without secrets.
impl fmt::Display for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Path(path) => path.display().fmt(f),
            Self::Address(address) => address.fmt(f),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Result<Source, NotASource> {
        Source::parse(OsStr::new(text))
    }

    #[test]
    fn an_address_is_shown_without_what_may_be_secret() {
        for (typed, shown, file) in [
            (
                "https://ana:s3cret@cms.example/a/boats.ndjson.gz?sig=s3cret#s3cret",
                "https://…@cms.example/a/boats.ndjson.gz?…",
                "boats.ndjson.gz",
            ),
            (
                "HTTP://127.0.0.1:8000/my%20boats.csv",
                "http://127.0.0.1:8000/my%20boats.csv",
                "my boats.csv",
            ),
            ("https://cms.example", "https://cms.example/", ""),
            ("s3://exports/a/b.zst", "s3://exports/a/b.zst", "b.zst"),
            ("gs://exports/b", "gs://exports/b", "b"),
            ("az://exports/b", "az://exports/b", "b"),
        ] {
            let Ok(Source::Address(address)) = parse(typed) else {
                panic!("{typed} is no address");
            };
            assert_eq!(address.to_string(), shown);
            assert_eq!(address.file_name(), file);
            assert!(!format!("{address:?}").contains("s3cret"));
        }
    }

    #[test]
    fn what_is_not_shown_of_an_address_tells_it_from_others_but_for_a_password() {
        let hidden = |typed: &str| {
            let Ok(Source::Address(address)) = parse(typed) else {
                panic!("{typed} is no address");
            };
            address.hidden_sha256()
        };
        for shown in [
            "https://cms.example/a",
            "https://cms.example/a#b",
            "s3://exports/a",
        ] {
            assert_eq!(hidden(shown), None, "{shown}");
        }
        let live = hidden("https://ana:s3cret@cms.example/a?feed=live");
        assert_eq!(live.as_ref().map(String::len), Some(64));
        for (typed, is_same) in [
            ("https://ana:other@cms.example/a?feed=live", true),
            ("https://ana@cms.example/a?feed=live", true),
            ("https://bo:s3cret@cms.example/a?feed=live", false),
            ("https://ana:s3cret@cms.example/a?feed=staging", false),
        ] {
            assert_eq!(hidden(typed) == live, is_same, "{typed}");
        }
    }

    #[test]
    fn what_has_no_scheme_is_a_path() {
        for typed in ["-", "boats.csv", "./https:/x", "a b://c", "://x", "/a://b"] {
            assert_eq!(parse(typed), Ok(Source::Path(typed.into())), "{typed}");
        }
    }

    #[test]
    fn what_cannot_be_fetched_is_refused() {
        let long = format!("https://cms.example/{}", "a".repeat(LENGTH_MAX));
        for (typed, refused) in [
            ("ftp://cms.example/boats.csv", NotASource::Scheme),
            ("file:///etc/passwd", NotASource::Scheme),
            ("https://", NotASource::Form),
            ("https://a b/c", NotASource::Form),
            ("s3://exports", NotASource::NoFile),
            ("s3://exports/", NotASource::NoFile),
            ("s3://exports/folder/", NotASource::NoFile),
            ("s3://ana:s3cret@exports/a", NotASource::NoFile),
            ("gs://exports/a?generation=1", NotASource::NoFile),
            (&long, NotASource::TooLong),
        ] {
            assert_eq!(parse(typed), Err(refused), "{typed}");
        }
    }
}
