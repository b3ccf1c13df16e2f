//! Why a request to S3 failed, for callers and for people.

use std::time::Duration;

use object_store::Error;

use crate::base::shortened::shortened;

/// Why a request failed.
#[derive(Debug, thiserror::Error)]
pub enum S3Error {
    /// No answer in time.
    #[error("no answer within {} seconds", .0.as_secs())]
    TimedOut(Duration),
    /// This process ends.
    #[error("the request was cancelled")]
    Cancelled,
    /// There is no bucket, which is not the same as an empty one.
    #[error("there is no such bucket; make it, or name another one")]
    NoBucket,
    /// The keys to S3 are not these, or may not do this.
    #[error("{0}")]
    Denied(String),
    /// It has too many requests, however long apart they are tried again.
    #[error("it has too many requests ({0}); try again in a minute")]
    Overloaded(String),
    /// It lacks what releases rely on.
    #[error("{0}; use {SUITABLE}")]
    Unsuitable(Flaw),
    /// A variable of the environment has no usable value, which may have a password.
    #[error("{variable} must be {expected}")]
    Setting {
        /// The variable.
        variable: String,
        /// What its value has to be.
        expected: &'static str,
    },
    /// Any other failure, in the client's words.
    #[error("{0}")]
    Failed(String),
}

/// What has it.
const SUITABLE: &str = "a store that honours If-Match and If-None-Match when it writes, and shows \
                        at once what was written, such as Amazon S3, Cloudflare R2 or MinIO";

/// What a store lacks that releases rely on.
#[derive(Debug, thiserror::Error)]
pub enum Flaw {
    /// It makes an object over another.
    #[error("it ignores If-None-Match and writes over what is there")]
    CreatesOver,
    /// It replaces an object that changed since it was read.
    #[error("it ignores If-Match and writes over what has changed")]
    ReplacesStale,
    /// It does not write at all where there is a condition, though it holds.
    #[error("it refuses to write on a condition that holds ({0})")]
    RefusesConditions(String),
    /// It gives no ETag.
    #[error("it sends no ETag, so nothing can be replaced only as it was read")]
    NamesNoState,
    /// It reads what was there before.
    #[error("it does not read what was just written")]
    ReadsLate,
    /// It lists what was there before.
    #[error("it does not list what was just written")]
    ListsLate,
}

impl From<Error> for S3Error {
    fn from(error: Error) -> Self {
        let is_denied = matches!(
            error,
            Error::PermissionDenied { .. } | Error::Unauthenticated { .. }
        );
        match root_cause(&error) {
            cause if cause.ends_with(NO_BUCKET) => Self::NoBucket,
            cause if TOO_MANY.iter().any(|status| cause.starts_with(status)) => {
                Self::Overloaded(cause)
            }
            cause if is_denied => Self::Denied(cause),
            cause => Self::Failed(cause),
        }
    }
}

/// How the cause ends where there is no bucket.
const NO_BUCKET: &str = ", NoSuchBucket";

/// How the cause begins where there were too many requests.
const TOO_MANY: [&str; 2] = ["503 ", "429 "];

/// Whether there is no such object, in a bucket that is there.
pub(super) fn is_missing(error: &Error) -> bool {
    matches!(error, Error::NotFound { .. }) && !root_cause(error).ends_with(NO_BUCKET)
}

/// Whether a cause is the answer that S3 does not do what was asked, now or later.
pub(crate) fn is_refusal(cause: &str) -> bool {
    let status = cause.split_once(' ').map_or(cause, |(status, _)| status);
    let status = status.parse().unwrap_or(0);
    (400..500).contains(&status) && status != 408 || status == 501
}

/// What is said of a redirect.
const NOT_FOLLOWED: &str = ", a redirect, which is not followed; name the store's own address";

/// What the client puts before the status of an answer.
const STATUS_PREFIX: &str = "Server returned non-2xx status code: ";

/// The innermost cause on one line: what lies round it repeats addresses and settings of retries.
pub fn root_cause(error: &(dyn std::error::Error + 'static)) -> String {
    let innermost = std::iter::successors(Some(error), |error| error.source()).last();
    let text = innermost.map(ToString::to_string).unwrap_or_default();
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    shortened(refusal(&text).unwrap_or(text))
}

/// The status of an answer, and the code in its XML, of which people need no more.
fn refusal(text: &str) -> Option<String> {
    let (status, body) = text.strip_prefix(STATUS_PREFIX)?.split_once(':')?;
    if status.starts_with('3') {
        return Some(format!("{status}{NOT_FOLLOWED}"));
    }
    let code = body.split_once("<Code>").and_then(|(_, rest)| {
        let (code, _) = rest.split_once("</Code>")?;
        Some(format!(", {code}"))
    });
    Some(format!("{status}{}", code.unwrap_or_default()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::shortened::CHARS_MAX;

    #[test]
    fn a_refusal_is_reported_by_its_status_and_its_code() {
        for (text, reported) in [
            (
                "Server returned non-2xx status code: 403 Forbidden: <?xml?><Error>\
                 <Code>AccessDenied</Code></Error>",
                Some("403 Forbidden, AccessDenied"),
            ),
            (
                "Server returned non-2xx status code: 502 Bad Gateway: <html>",
                Some("502 Bad Gateway"),
            ),
            ("Connection refused (os error 111)", None),
        ] {
            assert_eq!(refusal(text).as_deref(), reported);
        }
    }

    #[test]
    fn an_answer_that_may_be_another_next_time_is_no_refusal() {
        let refusals = [
            "400 Bad Request, InvalidArgument",
            "403 Forbidden",
            "501 Not Implemented",
        ];
        let failures = [
            "408 Request Timeout",
            "500 Internal Server Error",
            "502 Bad Gateway",
            "Connection refused (os error 111)",
            "4",
            "",
        ];
        assert!(refusals.into_iter().all(is_refusal));
        assert!(!failures.into_iter().any(is_refusal));
    }

    #[test]
    fn a_long_cause_is_cut() {
        let error = std::io::Error::other("a ".repeat(1 << 20));
        assert_eq!(root_cause(&error).chars().count(), CHARS_MAX + 1);
    }
}
