//! What `GET /v1/changes` takes: the release to compare with, and which page of the changes.

use super::lists::OFFSET;
use super::parameter::{A_RELEASE, Parameter, Role, Value};
use super::query::Page;
use super::query_string::QueryString;
use super::reader::{ParamIssue, Reader};

/// Most changes on a page, and how many there are unless the caller says otherwise.
pub const CHANGES_LIMIT_MAX: u64 = 1000;

/// The parameters.
pub static CHANGES: [Parameter; 3] = [
    Parameter {
        name: "since",
        role: Role::Release,
        description: "Id of the release to compare the active one with, whole, as `X-Release` and \
                      `GET /v1` have it. It may be any that is kept, also a newer one.",
        example: "20260901T000000Z-0000000000000000",
    },
    Parameter {
        name: "limit",
        role: Role::Limit {
            default: CHANGES_LIMIT_MAX,
            max: CHANGES_LIMIT_MAX,
        },
        description: "Most changes on the page.",
        example: "50",
    },
    OFFSET,
];

/// A checked query.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChangesQuery {
    /// The release to compare with, as an id that is well-formed, though there may be no such time.
    pub since: String,
    /// The requested changes.
    pub page: Page,
}

impl ChangesQuery {
    /// Reads the query, or every issue it has, in request order.
    pub fn parse(query: &QueryString) -> Result<Self, Vec<ParamIssue>> {
        let mut reader = Reader::new(query, &CHANGES, None);
        let values = CHANGES.each_ref().map(|parameter| {
            let values = parameter.role.values();
            let given = reader.take(parameter.name, |text| values.parse(text));
            given.or_else(|| values.default_value())
        });
        reader.require(CHANGES[0].name, &format!("is required: {A_RELEASE}"));
        match values {
            [
                Some(Value::Release(since)),
                Some(Value::Integer(limit)),
                Some(Value::Integer(offset)),
            ] => reader.finish(Self {
                since,
                page: Page { limit, offset },
            }),
            _ => Err(reader.finish(()).err().unwrap_or_default()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const RELEASE: &str = "20261121T101500Z-3f2a9c1b4d5e6f70";

    fn parsed(raw: &str) -> Result<ChangesQuery, Vec<ParamIssue>> {
        ChangesQuery::parse(&QueryString::parse(Some(raw)))
    }

    #[test]
    fn a_release_alone_asks_for_the_first_thousand_changes() {
        for (rest, limit, offset) in [("", 1000, 0), ("&offset=7&limit=1", 1, 7)] {
            let page = Page { limit, offset };
            let since = RELEASE.to_owned();
            let expected = ChangesQuery { since, page };
            assert_eq!(parsed(&format!("since={RELEASE}{rest}")), Ok(expected));
        }
    }

    #[test]
    fn every_problem_is_told_in_request_order_and_a_missing_release_last() {
        let table: [(String, &[&str]); 9] = [
            (String::new(), &["since"]),
            ("since=".to_owned(), &["since"]),
            ("since=20261121".to_owned(), &["since"]),
            (format!("since={RELEASE}0"), &["since"]),
            (format!("since={}", RELEASE.to_lowercase()), &["since"]),
            (format!("since={RELEASE}&since={RELEASE}"), &["since"]),
            (
                "limit=0&offset=-1".to_owned(),
                &["limit", "offset", "since"],
            ),
            (format!("limit=1001&since={RELEASE}"), &["limit"]),
            (
                format!("kind=boat&since={RELEASE}&sort=id"),
                &["kind", "sort"],
            ),
        ];
        for (raw, fields) in table {
            let issues = parsed(&raw).unwrap_err();
            let found: Vec<&str> = issues.iter().map(|issue| &*issue.field).collect();
            assert_eq!(found, fields, "{raw}");
        }
    }
}
