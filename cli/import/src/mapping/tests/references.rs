//! Tests of references: they lead to published records, and what they lead to is reported.

use super::*;

/// Boats with a maker, some of them also with links.
const BOATS: &str = r#"
published = '(has("live") | not) or .live'
changed = ".edited"
id = ".id"
[[emit]]
kind = "boat"
type = "b"
[emit.fields]
model = '.maker | deref | .name'
slug = ".maker | pub"
"#;

#[test]
fn nothing_of_a_record_that_is_not_published_is_reached_by_a_reference() {
    check(
        BOATS,
        r#"{"key":"1","type":"b","maker":"x"}
           {"key":"2","type":"b","maker":"y"}
           {"key":"3","type":"b","maker":"x"}
           {"key":"x","id":"secret","type":"m","name":"Secret","live":false}
           {"key":"y","id":"open","type":"m","name":"Open"}"#,
        &[
            r#"1: {"kind":"boat","id":"1"}"#,
            r#"2: {"kind":"boat","id":"2","model":"Open","slug":"open"}"#,
            r#"3: {"kind":"boat","id":"3"}"#,
            "1: UNPUBLISHED_REFERENCE 2 references, from here on, lead to records that are not published, and came to nothing; the first is to `x` (a.ndjson:4)",
        ],
    );
}

#[test]
fn a_reference_to_a_number_leads_there_with_and_without_a_decimal_point() {
    check(
        BOATS,
        r#"{"key":"1","type":"b","maker":5.0}
           {"key":"2","type":"b","maker":"6"}
           {"key":"3","type":"b","maker":"7.0"}
           {"key":5,"id":"five","type":"m","name":"Five"}
           {"key":6.0,"id":"six","type":"m","name":"Six"}
           {"key":"7.0","id":"seven-0","type":"m","name":"Seven point nought"}
           {"key":"7","id":"seven","type":"m","name":"Seven"}"#,
        &[
            r#"1: {"kind":"boat","id":"1","model":"Five","slug":"five"}"#,
            r#"2: {"kind":"boat","id":"2","model":"Six","slug":"six"}"#,
            r#"3: {"kind":"boat","id":"3","model":"Seven point nought","slug":"seven-0"}"#,
        ],
    );
}

#[test]
fn a_record_that_is_reached_over_another_is_published_as_well() {
    check(
        r#"
        published = '(has("live") | not) or .live'
        [[emit]]
        kind = "boat"
        type = "b"
        where = '.maker | deref | .group | deref == null'
        [emit.fields]
        model = '[.maker | deref | .group | deref | .name] | tojson'
        "#,
        r#"{"key":"1","type":"b","maker":"x"}
           {"key":"x","type":"m","group":"g"}
           {"key":"g","type":"g","name":"Secret","live":false}"#,
        &[
            r#"1: {"kind":"boat","id":"1","model":"[null]"}"#,
            "1: UNPUBLISHED_REFERENCE 1 reference leads to a record that is not published, and came to nothing; it is to `g` (a.ndjson:3)",
        ],
    );
}

#[test]
fn links_beside_the_records_lead_to_published_ones() {
    let mapping = r#"
        published = '(has("live") | not) or .live'
        [links]
        files = ["links/*.ndjson"]
        reader = "ndjson"
        each = "[{from: .l, field: \"makers\", to: .r}]"
        [[emit]]
        kind = "boat"
        type = "b"
        fields.model = 'links("makers") | join("+")'
        "#;
    let files = [
        (
            "a.ndjson",
            "{\"key\":\"1\",\"type\":\"b\"}\n{\"key\":\"x\",\"type\":\"m\",\"live\":false}\n{\"key\":\"y\",\"type\":\"m\"}\n",
        ),
        (
            "links/1.ndjson",
            "{\"l\":\"1\",\"r\":\"x\"}\n{\"l\":\"1\",\"r\":\"y\"}\n",
        ),
    ];
    let expected = [
        r#"1: {"kind":"boat","id":"1","model":"y"}"#,
        "1: UNPUBLISHED_REFERENCE 1 reference leads to a record that is not published, and came to nothing; it is to `x` (a.ndjson:2)",
    ];
    assert_eq!(mapped(&format!("{BEGINNING}{mapping}"), &files), expected);
}

#[test]
fn of_several_records_with_a_key_a_published_one_is_meant() {
    check(
        BOATS,
        r#"{"key":"1","type":"b","maker":"x"}
           {"key":"x","id":"x","type":"m","name":"Draft","live":false}
           {"key":"x","id":"x","type":"m","name":"Later draft","live":false}
           {"key":"x","id":"x","type":"m","name":"Published"}
           {"key":"x","id":"x","type":"m","name":"Second"}"#,
        &[
            "3: DUPLICATE_KEY the record at a.ndjson:2 has the same key `x`; neither is published, and references lead to neither",
            "4: DUPLICATE_KEY the record at a.ndjson:2 has the same key `x` and is not published; references lead to this one",
            "5: DUPLICATE_KEY the record at a.ndjson:4 has the same key `x`; references lead to that one",
            r#"1: {"kind":"boat","id":"1","model":"Published","slug":"x"}"#,
        ],
    );
}

#[test]
fn a_value_of_a_changed_record_counts_like_the_record() {
    check(
        BOATS,
        r#"{"key":"1","type":"b","maker":"x"}
           {"key":"2","type":"b","maker":"x","edited":true}
           {"key":"3","type":"b","edited":true,"live":false}
           {"key":"unread","type":"m","edited":true}
           {"key":"x","id":"x","type":"m","name":"X","edited":true}"#,
        &[
            r#"1: {"kind":"boat","id":"1","model":"X","slug":"x"}"#,
            r#"2: {"kind":"boat","id":"2","model":"X","slug":"x"}"#,
            "2: CHANGED_SINCE_PUBLICATION 2 published records, from here on, were changed after publication; the export has the changed contents",
            "unpublished boat 3",
        ],
    );
}

#[test]
fn an_id_says_nothing_of_the_contents_of_a_changed_record() {
    let mapping = BOATS.replace("model = '.maker | deref | .name'", "");
    check(
        &mapping,
        r#"{"key":"1","type":"b","maker":"x"}
           {"key":"x","id":"x","type":"m","edited":true}"#,
        &[r#"1: {"kind":"boat","id":"1","slug":"x"}"#],
    );
}
