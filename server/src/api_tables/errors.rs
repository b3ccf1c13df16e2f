//! The table of errors: every way in which a request is refused, with its status, its code, what a
//! client reads and when that happens.
//!
//! The responses, the OpenAPI document, the documentation and the counters are made from it, and a
//! test compares the table in `guides/api.md` with it. The code that refuses fills in the details
//! of a request.

use std::collections::BTreeMap;
use std::fmt::Display;

/// A row of the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ErrorKind {
    /// The number that the client receives.
    pub(crate) status: u16,
    /// The machine-readable name, `error.code`: part of the contract.
    pub(crate) code: &'static str,
    /// The message for people: what is wrong, and what to do next. [`ErrorKind::message`] fills in
    /// words in braces.
    sentence: &'static str,
    /// When a client receives the error, and what to do then; empty if the first row of the same
    /// code says it.
    pub(crate) when: &'static str,
}

impl ErrorKind {
    /// The sentence, with these values in place of the words in braces.
    pub(crate) fn message(self, values: &[(&str, &dyn Display)]) -> String {
        let words = self.sentence.matches('{').count();
        debug_assert_eq!(words, values.len(), "values of {}", self.code);
        let sentence = self.sentence.to_owned();
        values.iter().fold(sentence, |sentence, (name, value)| {
            sentence.replace(&format!("{{{name}}}"), &value.to_string())
        })
    }
}

macro_rules! errors {
    ($($name:ident = $status:literal $code:literal $sentence:literal, $when:literal;)*) => {
        $(
            pub(crate) const $name: ErrorKind = ErrorKind {
                status: $status,
                code: $code,
                sentence: $sentence,
                when: $when,
            };
        )*

        /// Every row, in the order of the statuses. Rows of one code follow each other.
        pub(crate) const ERRORS: &[ErrorKind] = &[$($name),*];
    };
}

errors! {
    VALIDATION = 400 "VALIDATION_ERROR"
        "{problems}",
        "A parameter is unknown, repeated, empty, malformed, out of range or in conflict with \
         another; or the head is malformed, which is said of the field `request` or `address`. \
         Do not retry unchanged.";
    MISSING_KEY = 401 "MISSING_API_KEY"
        "send an API key in the header `Authorization: Bearer <API_KEY>`",
        "There is no `Authorization` header.";
    MALFORMED_AUTHORIZATION = 401 "MALFORMED_AUTHORIZATION"
        "send exactly one header `Authorization: Bearer <API_KEY>` with a complete key",
        "There is not exactly one `Authorization: Bearer` header with a complete key.";
    MISTYPED_KEY = 401 "MALFORMED_AUTHORIZATION"
        "this key is not complete or has a typing error; copy all of it again",
        "";
    CREDENTIAL_IN_QUERY = 401 "CREDENTIAL_IN_QUERY"
        "a credential in the address may end up in logs; replace this key and send the new one in \
         the header `Authorization: Bearer <API_KEY>`",
        "There is a credential in the address, whatever the header says. Replace that key.";
    UNKNOWN_KEY = 401 "INVALID_API_KEY"
        "this key is unknown; check that it was copied completely",
        "This key was never issued.";
    WRONG_ENVIRONMENT = 401 "WRONG_ENVIRONMENT"
        "this key is for the other environment; test keys and live keys do not mix",
        "The key is for the other environment, test or live.";
    REVOKED_KEY = 401 "API_KEY_REVOKED"
        "this key was revoked; use another key",
        "The key was revoked, which is final.";
    EXPIRED_KEY = 401 "API_KEY_EXPIRED"
        "this key has expired; use a newer key",
        "The key has expired, or the time after its rotation is over.";
    DISABLED_KEY = 401 "API_KEY_DISABLED"
        "this key or its subscription is not active; have it enabled or use another key",
        "The key or its subscription is not active at the moment.";
    MISSING_SCOPES = 403 "INSUFFICIENT_PERMISSIONS"
        "this key lacks the {scopes}; use a key that was issued with it",
        "The key lacks a scope, which the message names. Retrying does not help.";
    NO_RECORD = 404 "NOT_FOUND"
        "there is no published {kind} with that id or slug",
        "There is no published record with that id or slug.";
    UNKNOWN_PATH = 404 "NOT_FOUND"
        "there is no such path; GET /v1 lists the endpoints, and /docs describes them",
        "There is no such path.";
    METHOD_NOT_ALLOWED = 405 "METHOD_NOT_ALLOWED"
        "the catalogue is read-only; use GET or HEAD",
        "The method is neither `GET` nor `HEAD`.";
    REQUEST_TIMEOUT = 408 "REQUEST_TIMEOUT"
        "the request was not complete within {seconds} seconds; send it again, faster",
        "The request did not arrive in time.";
    RELEASE_GONE = 410 "RELEASE_GONE"
        "that release is not kept; copy everything again",
        "The release to compare with is not kept any more, or never was. Copy everything again, \
         and go on from the release that the copy is of.";
    BODY_NOT_ALLOWED = 413 "BODY_NOT_ALLOWED"
        "a request may not have a body; put parameters in the query",
        "The request has a body.";
    URI_TOO_LONG = 414 "URI_TOO_LONG"
        "the address is longer than {bytes} bytes; use fewer parameters",
        "The address is too long.";
    NO_SUCH_RANGE = 416 "RANGE_NOT_SATISFIABLE"
        "the file has {bytes} bytes and no such range; ask for one within them, or for the whole",
        "The range begins behind the end of the file, whose length is in `Content-Range`.";
    RATE_LIMITED = 429 "RATE_LIMITED"
        "this key has made {limit} requests in 60 seconds; wait {seconds} s before the next",
        "The key has made all the requests that it may in 60 seconds. Wait `Retry-After`; add \
         jitter where several workers share the key.";
    QUOTA_EXCEEDED = 429 "QUOTA_EXCEEDED"
        "the subscription's {limit} requests of this month are used up; the quota renews on {day}, \
         00:00 UTC",
        "The subscription's requests of the month are used up. They renew by themselves at \
         `X-Quota-Reset`; retrying before does not help.";
    HEADERS_TOO_LARGE = 431 "HEADERS_TOO_LARGE"
        "the request has over {fields} header fields or over {bytes} bytes of them; send fewer",
        "The header fields are too many or too long.";
    INTERNAL = 500 "INTERNAL_ERROR"
        "an unexpected failure; retry later and report the requestId if it persists",
        "An unexpected failure. Retry with backoff; report the `requestId` if it persists.";
    UNAVAILABLE = 503 "SERVICE_UNAVAILABLE"
        "the request cannot be answered at the moment; retry after Retry-After seconds",
        "Something that the answer depends on cannot be asked, such as the keys or the store of \
         a limit; or there are too many connections, too many lists wait, or one takes too \
         long. Nothing is served on a guess; retry after `Retry-After`.";
    TOO_MANY_CONNECTIONS = 503 "SERVICE_UNAVAILABLE"
        "there are too many connections; close some, and retry after Retry-After seconds",
        "";
}

/// The first row of every code, in the order of the statuses.
pub(crate) fn by_code() -> impl Iterator<Item = ErrorKind> {
    ERRORS
        .chunk_by(|one, next| one.code == next.code)
        .map(|rows| rows[0])
}

/// Every value of `error.code`, in the order of the statuses.
pub(crate) fn codes() -> Vec<&'static str> {
    by_code().map(|kind| kind.code).collect()
}

/// When a client receives which value of `error.code`.
pub(crate) fn conditions() -> BTreeMap<&'static str, String> {
    let of_code = |rows: &[ErrorKind]| {
        let whens = rows.iter().map(|row| row.when);
        let whens: Vec<&str> = whens.filter(|when| !when.is_empty()).collect();
        (rows[0].code, whens.join(" "))
    };
    let codes = ERRORS.chunk_by(|one, next| one.code == next.code);
    codes.map(of_code).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_in_the_order_of_the_statuses_and_rows_of_one_code_follow_each_other() {
        assert!(ERRORS.is_sorted_by_key(|row| row.status));
        assert_eq!(conditions().len(), codes().len());
    }

    #[test]
    fn the_page_of_the_api_lists_every_code_with_its_status() {
        let page = include_str!("../../guides/api.md");
        let (_, table) = page.split_once("| Status | `error.code` |").unwrap();
        let lines = table.lines().skip(2).take_while(|line| !line.is_empty());
        let mut listed = Vec::new();
        for line in lines {
            let mut cells = line.trim_matches('|').split('|');
            let (statuses, codes) = (cells.next().unwrap(), cells.next().unwrap());
            let statuses = statuses.split(',').map(|status| status.trim().parse());
            let statuses: Vec<u16> = statuses.map(Result::unwrap).collect();
            let quoted = codes.split('`').skip(1).step_by(2);
            let is_code = |name: &&str| name.bytes().all(|b| b.is_ascii_uppercase() || b == b'_');
            for (place, code) in quoted.filter(is_code).enumerate() {
                listed.push((statuses[place.min(statuses.len() - 1)], code));
            }
        }
        let mut table: Vec<_> = by_code().map(|row| (row.status, row.code)).collect();
        table.sort_unstable();
        listed.sort_unstable();
        assert_eq!(listed, table);
    }
}
