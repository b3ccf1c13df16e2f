//! What is said of a head that the HTTP library is never given.
//!
//! Nothing of such a head is quoted: it may hold a key.

use super::ApiError;
use crate::params::ParamIssue;
use crate::wire::BadHead;

impl From<BadHead> for ApiError {
    fn from(bad: BadHead) -> Self {
        match bad {
            BadHead::Address => malformed(
                "address",
                "characters that an address may not contain must be percent-encoded",
            ),
            BadHead::AddressTooLong => Self::UriTooLong,
            BadHead::TooLarge => Self::HeadersTooLarge,
            BadHead::Body => Self::BodyNotAllowed,
            other => malformed("request", other.message()),
        }
    }
}

/// Neither is a parameter, and neither has a more exact name.
fn malformed(field: &str, message: &str) -> ApiError {
    ApiError::Validation(vec![ParamIssue {
        field: field.to_owned(),
        message: message.to_owned(),
    }])
}
