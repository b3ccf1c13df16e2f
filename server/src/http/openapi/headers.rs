//! What the headers of responses mean, and which of them an operation sends with which status.

use schemars::{Schema, json_schema};
use serde_json::Value;
use shared::base::etag::Coding;

use super::object::{Object, object, reference};
use crate::base::request_id::RequestId;
use crate::contract::routes::{CatalogueOperation, Operation, ServiceOperation};
use crate::http::headers::Group;

/// A header: its group, its name, its meaning, its form.
type Row = (Group, &'static str, &'static str, Form);

/// A tag of a body that is not compressed.
pub(super) const ETAG_EXAMPLE: &str = "\"4e7e956141bc0310af3e8980cc89becc\"";

/// What a header may be, with a value that it may have.
enum Form {
    Text(&'static str),
    /// An integer that may be 0.
    Count(u64),
    /// An integer above 0.
    Seconds(u64),
    RequestId,
    Coding,
    ETag,
    HitOrMiss,
}

impl Form {
    fn schema(&self) -> Schema {
        let integer =
            |least: u64| json_schema!({ "type": "integer", "format": "int64", "minimum": least });
        let pattern = |pattern: &str| json_schema!({ "type": "string", "pattern": pattern });
        match self {
            Self::Text(_) => json_schema!({ "type": "string" }),
            Self::Count(_) => integer(0),
            Self::Seconds(_) => integer(1),
            Self::RequestId => pattern(RequestId::PATTERN),
            Self::ETag => pattern("^\"[0-9a-f]{32}(-(gzip|br|zstd))?\"$"),
            Self::HitOrMiss => json_schema!({ "type": "string", "enum": ["HIT", "MISS"] }),
            Self::Coding => {
                let is_named = |coding: &Coding| *coding != Coding::Identity;
                let named = Coding::ALL.into_iter().filter(is_named);
                let values: Vec<&str> = named.map(Coding::name).collect();
                json_schema!({ "type": "string", "enum": values })
            }
        }
    }

    fn example(&self) -> Value {
        match *self {
            Self::Text(text) => text.into(),
            Self::Count(count) | Self::Seconds(count) => count.into(),
            Self::RequestId => RequestId::EXAMPLE.to_string().into(),
            Self::Coding => "br".into(),
            Self::ETag => ETAG_EXAMPLE.into(),
            Self::HitOrMiss => "HIT".into(),
        }
    }
}

const TABLE: [Row; 18] = [
    (
        Group::RequestId,
        "X-Request-Id",
        "Id of this answer, made by the server: a ULID. The same as `error.requestId`.",
        Form::RequestId,
    ),
    (
        Group::RateLimit,
        "X-RateLimit-Limit",
        "Requests that the key may make in any 60 seconds; the keys of its rotations share them.",
        Form::Count(120),
    ),
    (
        Group::RateLimit,
        "X-RateLimit-Remaining",
        "Requests that the key, and those of its rotations, may still make now.",
        Form::Count(117),
    ),
    (
        Group::RateLimit,
        "X-RateLimit-Reset",
        "When the key gets a request back: Unix time in whole seconds, rounded up. The 60 seconds \
         slide, so each request comes back 60 seconds after it was made, and this is when the \
         oldest one does; not when all of them are back.",
        Form::Count(1_790_856_012),
    ),
    (
        Group::Quota,
        "X-Quota-Limit",
        "Requests with status 200 that the subscription may make in its month.",
        Form::Count(100_000),
    ),
    (
        Group::Quota,
        "X-Quota-Remaining",
        "Requests with status 200 that remain of the month; shared by all keys of the subscription.",
        Form::Count(99_416),
    ),
    (
        Group::Quota,
        "X-Quota-Reset",
        "When the whole quota renews: Unix time in whole seconds, always of 00:00 UTC.",
        Form::Count(1_793_491_200),
    ),
    (
        Group::RateLimitDraft,
        "RateLimit-Policy",
        "The limits of the key (`minute`) and of the subscription (`month`) in the form of \
         draft-ietf-httpapi-ratelimit-headers: `q` is the limit, `w` its window in seconds. Only \
         where the operator of the server has switched it on.",
        Form::Text("\"minute\";q=120;w=60, \"month\";q=100000"),
    ),
    (
        Group::RateLimitDraft,
        "RateLimit",
        "What is left of these limits (`r`), and in how many seconds more is (`t`). Only together \
         with `RateLimit-Policy`.",
        Form::Text("\"minute\";r=117;t=12, \"month\";r=99416;t=2635188"),
    ),
    (
        Group::Coding,
        "Content-Encoding",
        "How the body is compressed; absent where it is not.",
        Form::Coding,
    ),
    (
        Group::Caching,
        "ETag",
        "Strong tag of the exact body, for `If-None-Match`: a hash of the uncompressed body and, \
         behind it, the coding of a compressed one, as in `\"4e7e956141bc0310af3e8980cc89becc-br\"`.",
        Form::ETag,
    ),
    (
        Group::Caching,
        "Cache-Control",
        "By whom the answer may be kept, and for how many seconds (`max-age`).",
        Form::Text("private, max-age=60"),
    ),
    (
        Group::Caching,
        "Vary",
        "Request headers on which the answer depends.",
        Form::Text("Authorization, Accept-Encoding"),
    ),
    (
        Group::Freshness,
        "X-Cache",
        "`HIT` when no query ran for this answer, else `MISS`.",
        Form::HitOrMiss,
    ),
    (
        Group::Freshness,
        "Age",
        "How long the body has been in the server's cache, in whole seconds; 0 with a `MISS`.",
        Form::Count(12),
    ),
    (
        Group::Link,
        "Link",
        "Other pages of the list, where it has rows: `next` and `prev`, if there are such pages, then \
         `first` and `last`. Relative references that keep the other parameters.",
        Form::Text(
            "</v1/boats?limit=20&offset=20>; rel=\"next\", \
             </v1/boats?limit=20&offset=0>; rel=\"first\", \
             </v1/boats?limit=20&offset=60>; rel=\"last\"",
        ),
    ),
    (
        Group::RetryAfter,
        "Retry-After",
        "How long to wait before the next attempt, in whole seconds, rounded up; with a 503, 1 to 5.",
        Form::Seconds(12),
    ),
    (
        Group::WwwAuthenticate,
        "WWW-Authenticate",
        "How to authenticate: `Bearer`.",
        Form::Text("Bearer realm=\"boat catalogue\""),
    ),
];

/// The name and the meaning of every header.
pub(crate) fn meanings() -> impl Iterator<Item = (&'static str, &'static str)> {
    TABLE
        .iter()
        .map(|&(_, name, description, _)| (name, description))
}

/// Every header.
pub(super) fn all() -> Object {
    Object::of(TABLE.iter().map(|(group, name, description, form)| {
        let header = object! {
            "description": description,
            // A list without rows has no links, an uncompressed body has no encoding, and the draft
            // is a setting.
            "required": !matches!(group, Group::Link | Group::Coding | Group::RateLimitDraft),
            "schema": form.schema(),
            "example": form.example(),
        };
        (*name, header)
    }))
}

/// The headers that an operation sends with a status.
pub(super) fn shown(operation: Operation, status: u16) -> Object {
    let shown = TABLE.iter().filter(|(group, name, ..)| {
        group.is_on(status) && (400 <= status || knows(operation, *group, name))
    });
    Object::of(shown.map(|&(_, name, ..)| (name, reference("headers", name))))
}

/// Whether an operation that succeeds knows the header's value.
fn knows(operation: Operation, group: Group, name: &str) -> bool {
    use CatalogueOperation::{GetBoat, GetManufacturer, GetTerms};
    match operation {
        Operation::Catalogue(GetBoat | GetManufacturer | GetTerms, _) => group != Group::Link,
        Operation::Catalogue(..) => true,
        Operation::Service(service) => match group {
            Group::RequestId => true,
            Group::Coding => matches!(service, ServiceOperation::DescribeApi),
            Group::Caching => match service {
                ServiceOperation::DescribeApi => true,
                ServiceOperation::CheckHealth | ServiceOperation::DescribeVersion => {
                    name == "Cache-Control"
                }
            },
            _ => false,
        },
    }
}
