//! Origins as an operator names them: exactly as browsers send them, so that comparing bytes is
//! enough.

use std::fmt;
use std::str::FromStr;

use salvo::http::HeaderValue;
use url::Url;

/// The word for all origins.
const ANY: &str = "*";

/// One setting: an origin, or all of them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AllowedOrigin {
    /// `*`: every origin.
    Any,
    /// This one.
    Exactly(Origin),
}

/// A scheme, a host and perhaps a port: where a page is from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Origin(HeaderValue);

/// Why a text is not an origin.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum OriginError {
    /// Not an origin.
    #[error("not an origin; write it like https://boats.example or http://localhost:3000")]
    NotOne,
    /// A URL, or an origin spelled differently than browsers do.
    #[error("browsers send this origin as {as_sent}; write it so")]
    SentOtherwise {
        /// What browsers send.
        as_sent: String,
    },
    /// A pattern.
    #[error("`*` stands for all origins, and not for a part of one; name each origin")]
    Pattern,
}

impl Origin {
    pub(super) fn is(&self, sent: &[u8]) -> bool {
        self.0.as_bytes() == sent
    }

    pub(super) fn header_value(&self) -> HeaderValue {
        self.0.clone()
    }
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0.to_str().unwrap_or_default())
    }
}

impl FromStr for Origin {
    type Err = OriginError;

    /// Browsers send the serialisation of the URL standard: in lower case, without a default port,
    /// and with nothing after it.
    fn from_str(text: &str) -> Result<Self, OriginError> {
        if text.contains(ANY) {
            return Err(OriginError::Pattern);
        }
        let url = Url::parse(text).map_err(|_why| OriginError::NotOne)?;
        if !matches!(url.scheme(), "http" | "https") {
            return Err(OriginError::NotOne);
        }
        let as_sent = url.origin().ascii_serialization();
        if as_sent != text {
            return Err(OriginError::SentOtherwise { as_sent });
        }
        let value = HeaderValue::from_str(text).map_err(|_why| OriginError::NotOne)?;
        Ok(Self(value))
    }
}

impl FromStr for AllowedOrigin {
    type Err = OriginError;

    fn from_str(text: &str) -> Result<Self, OriginError> {
        match text {
            ANY => Ok(Self::Any),
            other => other.parse().map(Self::Exactly),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_origin_is_written_as_browsers_send_it() {
        for text in [
            "https://boats.example",
            "http://localhost:3000",
            "https://boats.example:8443",
            "http://192.0.2.1",
            "http://[::1]:8080",
            "https://xn--bte-ila.example",
        ] {
            let origin: Origin = text.parse().unwrap();
            assert!(origin.is(text.as_bytes()));
            assert_eq!(origin.to_string(), text);
        }
    }

    #[test]
    fn what_browsers_send_otherwise_is_refused_with_what_they_send() {
        for (text, as_sent) in [
            ("https://boats.example/", "https://boats.example"),
            ("https://boats.example/a?b#c", "https://boats.example"),
            ("https://Boats.Example", "https://boats.example"),
            ("HTTPS://boats.example", "https://boats.example"),
            ("https://boats.example:443", "https://boats.example"),
            ("http://localhost:080", "http://localhost"),
            ("https://user@boats.example", "https://boats.example"),
            ("https://bâte.example", "https://xn--bte-ila.example"),
            (" https://boats.example", "https://boats.example"),
            ("http:localhost", "http://localhost"),
        ] {
            let error = text.parse::<Origin>().unwrap_err();
            assert_eq!(
                error.to_string(),
                format!("browsers send this origin as {as_sent}; write it so"),
                "{text}"
            );
        }
    }

    #[test]
    fn what_no_browser_sends_is_refused() {
        for text in [
            "",
            "null",
            "boats.example",
            "boats.example:443",
            "localhost:3000",
            "//boats.example",
            "https://",
            "https://boats.example:99999",
            "file:///index.html",
            "ftp://boats.example",
        ] {
            let error = text.parse::<AllowedOrigin>().unwrap_err();
            assert_eq!(error, OriginError::NotOne, "{text}");
        }
    }

    #[test]
    fn a_star_is_every_origin_and_no_part_of_one() {
        assert_eq!("*".parse(), Ok(AllowedOrigin::Any));
        for text in ["**", "https://*", "https://*.boats.example"] {
            let error = text.parse::<AllowedOrigin>().unwrap_err();
            assert_eq!(error, OriginError::Pattern, "{text}");
        }
    }
}
