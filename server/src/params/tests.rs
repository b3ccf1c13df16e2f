//! What is accepted, what is refused with which message, and what must hold for any text.

use proptest::prelude::*;

use super::*;

mod properties;
mod queries;

/// A key of our form that was never issued.
const KEY: &str = "boat_test_789ABCDEFGHIJKLMNOPQRSTUVWXYZabc2uHPRw";

fn boats(raw: &str) -> Result<ListQuery, Vec<ParamIssue>> {
    ListQuery::parse(&QueryString::parse(Some(raw)), &BOATS)
}

fn nested(raw: &str) -> Result<ListQuery, Vec<ParamIssue>> {
    ListQuery::parse(&QueryString::parse(Some(raw)), &BOATS_OF_MANUFACTURER)
}

fn manufacturers(raw: &str) -> Result<ListQuery, Vec<ParamIssue>> {
    ListQuery::parse(&QueryString::parse(Some(raw)), &MANUFACTURERS)
}

fn none(raw: &str) -> Result<(), Vec<ParamIssue>> {
    NoParams::parse(&QueryString::parse(Some(raw)))
}

#[test]
fn no_query_string_and_an_empty_one_ask_for_the_defaults() {
    let absent = ListQuery::parse(&QueryString::parse(None), &BOATS).unwrap();
    assert_eq!(absent, boats("").unwrap());
    assert_eq!(absent.given().count(), 0);
    assert_eq!(
        absent.page(),
        Page {
            limit: 20,
            offset: 0
        }
    );
    assert_eq!((absent.sort().name, absent.order()), ("model", Order::Asc));
    assert_eq!(none("&&"), Ok(()));
}

#[test]
fn typed_values_are_those_of_the_text() {
    let query = boats("yearFrom=1971&lengthMin=12&lengthMax=40&lengthUnit=ft&search=b+A&sort=year");
    let query = query.unwrap();
    let ranges = query.length_ranges().unwrap();
    assert_eq!(ranges.exact, 12 * 3_048_000..=40 * 3_048_000);
    let given: Vec<_> = query
        .given()
        .map(|(one, value)| (one.name, value.clone()))
        .collect();
    assert_eq!(given[0], ("yearFrom", Value::Integer(1971)));
    let search = SearchWords::parse("a b").unwrap();
    assert_eq!(given[4], ("search", Value::Search(search)));
    assert_eq!(query.sort().name, "year");
}

#[test]
fn a_credential_is_found_by_name_or_by_form() {
    let hidden = KEY.replace('_', "%5F");
    let present = [
        "api_key=1",
        "apikey=",
        "API-KEY=1",
        "Key=1",
        "token",
        "access_token=1",
        "auth=1",
        "AUTHORIZATION=1",
        "bearer=1",
        "sEcReT=1",
        "limit=5&%6Bey=1",
        "key=%zz",
        "k%65y=%FF",
        &format!("q={KEY}"),
        &format!("%zz={KEY}"),
        &format!("limit=1&&x={hidden}"),
        KEY,
        &format!("type=a&type={KEY}"),
        &format!("{hidden}=%"),
    ];
    for raw in present {
        assert!(QueryString::parse(Some(raw)).has_credential(), "{raw}");
    }
    let damaged = KEY.replace("789", "798");
    for raw in [
        "",
        "keys=1",
        "q=key",
        "limit=5",
        "type=token",
        &format!("q={damaged}"),
    ] {
        assert!(!QueryString::parse(Some(raw)).has_credential(), "{raw}");
    }
    assert!(!QueryString::parse(None).has_credential());
}

#[test]
fn no_message_or_debug_output_repeats_a_value() {
    let raw = format!("key={KEY}&limit={KEY}&type={KEY}.&search=%zz{KEY}&sort={KEY}&yearTo={KEY}");
    let issues = boats(&raw).unwrap_err();
    assert_eq!(issues.len(), 6);
    let shown = format!("{issues:?} {:?}", QueryString::parse(Some(&raw)));
    assert!(!shown.contains("boat_test"), "{shown}");
}

#[test]
fn links_lead_to_pages_that_have_rows_and_keep_the_other_parameters() {
    let table = [
        ("", 0, ""),
        ("", 20, "first offset=0, last offset=0"),
        ("", 21, "next offset=20, first offset=0, last offset=20"),
        (
            "limit=5&offset=3",
            14,
            "next limit=5&offset=8, prev limit=5&offset=0, first limit=5&offset=0, \
             last limit=5&offset=13",
        ),
        (
            "offset=20&&search=%26%C3%A9+x&limit=20",
            40,
            "prev offset=0&search=%26%C3%A9%20x&limit=20, \
             first offset=0&search=%26%C3%A9%20x&limit=20, \
             last offset=20&search=%26%C3%A9%20x&limit=20",
        ),
        (
            "limit=10&offset=30",
            21,
            "prev limit=10&offset=20, first limit=10&offset=0, last limit=10&offset=20",
        ),
        (
            "limit=10&offset=30",
            20,
            "first limit=10&offset=0, last limit=10&offset=10",
        ),
        (
            "limit=5&offset=3",
            2,
            "prev limit=5&offset=0, first limit=5&offset=0, last limit=5&offset=0",
        ),
        (
            "offset=9007199254740991",
            5,
            "first offset=0, last offset=0",
        ),
    ];
    for (raw, total, links) in table {
        let page = boats(raw).unwrap().page();
        let found = page_links("/v1/boats", &QueryString::parse(Some(raw)), page, total);
        let link = |link: &str| {
            let (rel, query) = link.split_once(' ').unwrap();
            format!("</v1/boats?{query}>; rel=\"{rel}\"")
        };
        let links: Option<Vec<String>> =
            (!links.is_empty()).then(|| links.split(", ").map(link).collect());
        let links = links.map(|links| links.join(", "));
        assert_eq!(found, links, "{raw} of {total}");
    }
}
