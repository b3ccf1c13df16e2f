//! What the headers of answers mean, and which of them an operation shows with which status.

use schemars::{Schema, json_schema};
use serde_json::Value;
use shared::base::etag::Coding;

use super::objects::{Header, Members, OrReference};
use crate::base::request_id::RequestId;
use crate::contract::routes::{CatalogueOperation, Operation, ServiceOperation};
use crate::http::headers::Group;

/// A header: its group, its name, its meaning, its form, a value.
type Row = (Group, &'static str, &'static str, fn() -> Schema, Example);

/// A tag of a body that is not compressed.
pub(super) const ETAG_EXAMPLE: &str = "\"4e7e956141bc0310af3e8980cc89becc\"";

/// A value that a header may have.
#[derive(Clone, Copy)]
enum Example {
    Text(&'static str),
    Count(u64),
    RequestId,
}

impl Example {
    fn value(self) -> Value {
        match self {
            Self::Text(text) => text.into(),
            Self::Count(count) => count.into(),
            Self::RequestId => RequestId::EXAMPLE.to_string().into(),
        }
    }
}

const TABLE: [Row; 16] = [
    (
        Group::RequestId,
        "X-Request-Id",
        "Id of this answer, made by the server: a ULID. The same as `error.requestId`.",
        request_id,
        Example::RequestId,
    ),
    (
        Group::RateLimit,
        "X-RateLimit-Limit",
        "Requests that the key may make in any 60 seconds; the keys of its rotations share them.",
        count,
        Example::Count(120),
    ),
    (
        Group::RateLimit,
        "X-RateLimit-Remaining",
        "Requests that the key, and those of its rotations, may still make now.",
        count,
        Example::Count(117),
    ),
    (
        Group::RateLimit,
        "X-RateLimit-Reset",
        "When the oldest counted request leaves the 60 seconds: Unix time in whole seconds, rounded \
         up.",
        count,
        Example::Count(1_790_856_012),
    ),
    (
        Group::Quota,
        "X-Quota-Limit",
        "Requests with status 200 that the subscription may make in its month.",
        count,
        Example::Count(100_000),
    ),
    (
        Group::Quota,
        "X-Quota-Remaining",
        "Requests with status 200 that remain of the month; shared by all keys of the subscription.",
        count,
        Example::Count(99_416),
    ),
    (
        Group::Quota,
        "X-Quota-Reset",
        "When the quota renews: Unix time in whole seconds.",
        count,
        Example::Count(1_793_491_200),
    ),
    (
        Group::Coding,
        "Content-Encoding",
        "How the body is compressed; absent where it is not.",
        coding,
        Example::Text("br"),
    ),
    (
        Group::Caching,
        "ETag",
        "Strong tag of the exact body, for `If-None-Match`: a hash of the uncompressed body and, \
         behind it, the coding of a compressed one, as in `\"4e7e956141bc0310af3e8980cc89becc-br\"`.",
        etag,
        Example::Text(ETAG_EXAMPLE),
    ),
    (
        Group::Caching,
        "Cache-Control",
        "By whom the answer may be kept, and for how many seconds (`max-age`).",
        text,
        Example::Text("private, max-age=60"),
    ),
    (
        Group::Caching,
        "Vary",
        "Request headers on which the answer depends.",
        text,
        Example::Text("Authorization, Accept-Encoding"),
    ),
    (
        Group::Freshness,
        "X-Cache",
        "`HIT` when no query ran for this answer, else `MISS`.",
        hit_or_miss,
        Example::Text("HIT"),
    ),
    (
        Group::Freshness,
        "Age",
        "How long the body has been in the server's cache, in whole seconds; 0 with a `MISS`.",
        count,
        Example::Count(12),
    ),
    (
        Group::Link,
        "Link",
        "The next and the previous page (`rel` is `next` or `prev`), where there are such pages: relative references.",
        text,
        Example::Text("</v1/boats?limit=20&offset=20>; rel=\"next\""),
    ),
    (
        Group::RetryAfter,
        "Retry-After",
        "How long to wait before the next attempt, in whole seconds, rounded up; with a 503, 1 to 5.",
        seconds,
        Example::Count(12),
    ),
    (
        Group::WwwAuthenticate,
        "WWW-Authenticate",
        "How to authenticate: `Bearer`.",
        text,
        Example::Text("Bearer realm=\"boat catalogue\""),
    ),
];

/// Every header.
pub(super) fn all() -> Members<Header> {
    Members::of(TABLE.map(|(group, name, description, schema, example)| {
        let header = Header {
            description,
            // A list without a next and a previous page has no links.
            required: !matches!(group, Group::Link | Group::Coding),
            schema: schema(),
            example: example.value(),
        };
        (name, header)
    }))
}

/// The headers that an operation shows with a status.
pub(super) fn shown(operation: Operation, status: u16) -> Members<OrReference<Header>> {
    let shown = TABLE.iter().filter(|(group, name, ..)| {
        group.is_on(status) && (400 <= status || knows(operation, *group, name))
    });
    Members::of(shown.map(|&(_, name, ..)| {
        let reference = format!("#/components/headers/{name}");
        (name, OrReference::There { reference })
    }))
}

/// Whether an operation that is answered as asked knows what the header says.
fn knows(operation: Operation, group: Group, name: &str) -> bool {
    use CatalogueOperation::{GetBoat, GetManufacturer};
    match operation {
        Operation::Catalogue(GetBoat | GetManufacturer, _) => group != Group::Link,
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

fn text() -> Schema {
    json_schema!({ "type": "string" })
}

fn coding() -> Schema {
    let is_named = |coding: &Coding| *coding != Coding::Identity;
    let names: Vec<&str> = Coding::ALL
        .into_iter()
        .filter(is_named)
        .map(Coding::name)
        .collect();
    json_schema!({ "type": "string", "enum": names })
}

fn etag() -> Schema {
    json_schema!({ "type": "string", "pattern": "^\"[0-9a-f]{32}(-(gzip|br|zstd))?\"$" })
}

fn request_id() -> Schema {
    json_schema!({ "type": "string", "pattern": RequestId::PATTERN })
}

fn hit_or_miss() -> Schema {
    json_schema!({ "type": "string", "enum": ["HIT", "MISS"] })
}

fn count() -> Schema {
    json_schema!({ "type": "integer", "format": "int64", "minimum": 0 })
}

fn seconds() -> Schema {
    json_schema!({ "type": "integer", "format": "int64", "minimum": 1 })
}
