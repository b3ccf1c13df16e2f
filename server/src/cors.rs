//! Whether browsers may let pages of other origins read responses: the server's side of CORS (the
//! Fetch standard).
//!
//! They may not, unless an operator names their origins. It knows no status and writes no header.
//! Scripts send keys, browsers never do on their own, so what the standard calls credentials is
//! never allowed.

mod origin;

use salvo::http::header::{
    ACCESS_CONTROL_REQUEST_HEADERS, ACCESS_CONTROL_REQUEST_METHOD, HeaderMap, HeaderValue, ORIGIN,
};
use salvo::http::{Method, Request};

pub use origin::{AllowedOrigin, Origin, OriginError};

/// The request headers that mean something here; a page may always send them.
const MEANT_FIELDS: &str = "Authorization, If-None-Match, Range, If-Range";
/// Headers that pages and their libraries send on their own, and that change nothing here; a page
/// that asks may send them. In lower case.
const HARMLESS_FIELDS: [&str; 7] = [
    "accept",
    "accept-language",
    "cache-control",
    "content-language",
    "content-type",
    "pragma",
    "x-requested-with",
];

/// Whose pages may read responses.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum AllowedOrigins {
    /// Only those of the server's own origin, which needs no header.
    #[default]
    Own,
    /// Every origin's.
    Any,
    /// Those of the listed origins.
    These(Vec<Origin>),
}

/// `*` together with single origins.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`*` stands for all origins, and there are others beside it")]
pub struct AnyAmongOthers;

impl AllowedOrigins {
    /// The origins that an operator named, if any.
    pub fn of(named: &[AllowedOrigin]) -> Result<Self, AnyAmongOthers> {
        let origin = |named: &AllowedOrigin| match named {
            AllowedOrigin::Any => None,
            AllowedOrigin::Exactly(origin) => Some(origin.clone()),
        };
        match named {
            [] => Ok(Self::Own),
            [AllowedOrigin::Any] => Ok(Self::Any),
            several => {
                let origins: Option<Vec<Origin>> = several.iter().map(origin).collect();
                origins.map(Self::These).ok_or(AnyAmongOthers)
            }
        }
    }

    /// Who may read the response to a request with these headers.
    pub(crate) fn decision(&self, headers: &HeaderMap) -> CorsDecision {
        match self {
            Self::Own => CorsDecision::Unsaid,
            others => others.decision_for(origin_of(headers)),
        }
    }

    /// Who may read the response to a page of this origin.
    pub(crate) fn decision_for(&self, origin: Option<&[u8]>) -> CorsDecision {
        match self {
            Self::Own => CorsDecision::Unsaid,
            Self::Any => CorsDecision::WithAll,
            Self::These(origins) => {
                let is_it = |allowed: &&Origin| origin.is_some_and(|origin| allowed.is(origin));
                match origins.iter().find(is_it) {
                    Some(origin) => CorsDecision::With(origin.header_value()),
                    None => CorsDecision::WithOthers,
                }
            }
        }
    }
}

/// What a response says about the origins that may read it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) enum CorsDecision {
    /// Nothing.
    #[default]
    Unsaid,
    /// Not this page, but the answer depends on the origin.
    WithOthers,
    /// This origin may.
    With(HeaderValue),
    /// All origins may.
    WithAll,
}

/// The origin of the page; none if there are several.
fn origin_of(headers: &HeaderMap) -> Option<&[u8]> {
    let mut origins = headers.get_all(ORIGIN).iter();
    let first = origins.next()?;
    origins.next().is_none().then_some(first.as_bytes())
}

/// The headers that a page may send, if the request is a preflight and the page may read the
/// response.
pub(crate) fn preflight(request: &Request, decision: &CorsDecision) -> Option<HeaderValue> {
    if !matches!(decision, CorsDecision::With(_) | CorsDecision::WithAll)
        || *request.method() != Method::OPTIONS
    {
        return None;
    }
    let headers = request.headers();
    let is_asked =
        headers.contains_key(ORIGIN) && headers.contains_key(ACCESS_CONTROL_REQUEST_METHOD);
    is_asked.then(|| fields_for(headers))
}

/// The headers that are always allowed, and the harmless ones among those asked for.
fn fields_for(headers: &HeaderMap) -> HeaderValue {
    let asked = headers.get_all(ACCESS_CONTROL_REQUEST_HEADERS).iter();
    let asked = asked.filter_map(|value| value.to_str().ok());
    let asked: Vec<&str> = asked
        .flat_map(|value| value.split(','))
        .map(str::trim)
        .collect();
    let is_asked = |field: &&str| asked.iter().any(|asked| asked.eq_ignore_ascii_case(field));
    let mut fields = MEANT_FIELDS.to_owned();
    for field in HARMLESS_FIELDS.iter().filter(|field| is_asked(field)) {
        fields.push_str(", ");
        fields.push_str(field);
    }
    let value = HeaderValue::from_maybe_shared(bytes::Bytes::from(fields));
    value.unwrap_or_else(|why| unreachable!("names of fields are not visible: {why}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn allowed(named: &[&str]) -> Result<AllowedOrigins, AnyAmongOthers> {
        let named: Vec<AllowedOrigin> = named.iter().map(|text| text.parse().unwrap()).collect();
        AllowedOrigins::of(&named)
    }

    #[test]
    fn a_star_stands_alone() {
        assert_eq!(allowed(&[]), Ok(AllowedOrigins::Own));
        assert_eq!(allowed(&["*"]), Ok(AllowedOrigins::Any));
        for named in [
            &["*", "https://a.example"][..],
            &["https://a.example", "*"],
            &["*", "*"],
        ] {
            assert_eq!(allowed(named), Err(AnyAmongOthers), "{named:?}");
        }
    }

    #[test]
    fn an_answer_is_shared_with_the_origin_that_asks_if_it_is_one_of_those_named() {
        let with = |origin| CorsDecision::With(HeaderValue::from_static(origin));
        let (a, b) = ("https://a.example", "https://b.example:8443");
        for (named, origin, decision) in [
            (&[][..], Some(a), CorsDecision::Unsaid),
            (&["*"], None, CorsDecision::WithAll),
            (&["*"], Some(a), CorsDecision::WithAll),
            (&[a], None, CorsDecision::WithOthers),
            (&[a, b], Some(a), with(a)),
            (&[a, b], Some(b), with(b)),
            (&[a], Some(b), CorsDecision::WithOthers),
            (&[a], Some("null"), CorsDecision::WithOthers),
            (&[a], Some("https://A.example"), CorsDecision::WithOthers),
            (
                &[a],
                Some("https://a.example:443"),
                CorsDecision::WithOthers,
            ),
            (
                &[a],
                Some("https://a.example.evil"),
                CorsDecision::WithOthers,
            ),
            (&[a], Some("http://a.example"), CorsDecision::WithOthers),
            (&[a], Some(""), CorsDecision::WithOthers),
        ] {
            let found = allowed(named)
                .unwrap()
                .decision_for(origin.map(str::as_bytes));
            assert_eq!(found, decision, "{named:?} {origin:?}");
        }
    }
}
