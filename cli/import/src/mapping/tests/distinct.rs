//! Tests of rules that make one record of several.

use super::*;

/// Makers of boats: one for each id made from a name.
const MAKERS: &str = r#"
updatedAt = ".at"
published = '(has("live") | not) or .live'
[[emit]]
kind = "manufacturer"
type = "b"
distinct = true
[emit.fields]
id = ".maker | slugify"
name = ".maker"
website = ".site"
"#;

#[test]
fn makers_in_another_script_are_told_apart() {
    check(
        MAKERS,
        r#"{"key":"1","type":"b","maker":"Верфь 1"}
           {"key":"2","type":"b","maker":"Завод 1"}
           {"key":"3","type":"b","maker":"Завод 1"}
           {"key":"4","type":"b","maker":"⛵ ⚓"}"#,
        &[
            r#"1: {"kind":"manufacturer","id":"verf-1","name":"Верфь 1"}"#,
            r#"2: {"kind":"manufacturer","id":"zavod-1","name":"Завод 1"}"#,
            "4: manufacturer MAPPING_FAILED /id could not make a slug of \"⛵ ⚓\": it has no letter and no digit",
        ],
    );
}

#[test]
fn records_that_are_merged_although_they_differ_are_told_with_both_values() {
    check(
        MAKERS,
        r#"{"key":"0","type":"b","maker":"Acme","site":"https://draft.example","live":false}
           {"key":"1","type":"b","maker":"Acme","site":"https://one.example"}
           {"key":"2","type":"b","maker":"Bo"}
           {"key":"3","type":"b","maker":"Acme","site":"https://one.example"}
           {"key":"4","type":"b","maker":"Acme","site":"https://two.example"}
           {"key":"5","type":"b","maker":"ACME","site":"https://three.example"}
           {"key":"6","type":"b","maker":"Bo","site":"https://bo.example"}"#,
        &[
            r#"2: {"kind":"manufacturer","id":"acme","name":"Acme","website":"https://one.example"}"#,
            r#"3: {"kind":"manufacturer","id":"bo","name":"Bo"}"#,
            "5: MERGED_RECORDS_DIFFER `distinct` merged records that differ into 2 records, and kept the first of each: `website` is \"https://two.example\" here, and \"https://one.example\" at a.ndjson:2",
        ],
    );
}

#[test]
fn a_value_that_the_first_of_merged_records_has_not_is_told() {
    check(
        MAKERS,
        r#"{"key":"1","type":"b","maker":"Bo"}
           {"key":"2","type":"b","maker":"Bo","site":"https://bo.example"}"#,
        &[
            r#"1: {"kind":"manufacturer","id":"bo","name":"Bo"}"#,
            "2: MERGED_RECORDS_DIFFER `distinct` merged records that differ into 1 record, and kept the first: `website` is \"https://bo.example\" here, and null at a.ndjson:1",
        ],
    );
}

#[test]
fn records_that_are_merged_may_have_changed_at_different_times() {
    check(
        MAKERS,
        r#"{"key":"1","type":"b","maker":"Bo","at":"2026-01-01T00:00:00Z"}
           {"key":"2","type":"b","maker":"Bo","at":"2026-01-02T00:00:00Z"}"#,
        &[r#"1: {"kind":"manufacturer","id":"bo","name":"Bo","updatedAt":"2026-01-01T00:00:00Z"}"#],
    );
}

#[test]
fn merged_records_are_told_rule_by_rule() {
    check(
        r#"
        [[emit]]
        kind = "designer"
        type = "b"
        distinct = true
        [emit.fields]
        id = ".by | slugify"
        name = ".by"
        [[emit]]
        kind = "manufacturer"
        type = "b"
        distinct = true
        [emit.fields]
        id = ".maker | slugify"
        name = ".maker"
        "#,
        r#"{"key":"1","type":"b","by":"Ann","maker":"Öland"}
           {"key":"2","type":"b","by":"ann","maker":"Oland"}"#,
        &[
            r#"1: {"kind":"designer","id":"ann","name":"Ann"}"#,
            r#"1: {"kind":"manufacturer","id":"oland","name":"Öland"}"#,
            "2: MERGED_RECORDS_DIFFER `distinct` merged records that differ into 1 record, and kept the first: `name` is \"ann\" here, and \"Ann\" at a.ndjson:1",
            "2: MERGED_RECORDS_DIFFER `distinct` merged records that differ into 1 record, and kept the first: `name` is \"Oland\" here, and \"Öland\" at a.ndjson:1",
        ],
    );
}

#[test]
fn members_of_one_record_are_merged_like_records() {
    check(
        r#"
        published = '(has("live") | not) or .live'
        [[emit]]
        kind = "designer"
        type = "b"
        each = ".by"
        distinct = true
        [emit.fields]
        id = ".id"
        name = '.name | deref | .name'
        website = '$record.draft | deref'
        "#,
        r#"{"key":"1","type":"b","draft":"d","by":[{"id":"a","name":"x"},{"id":"b","name":"x"},{"id":"b","name":"y"}]}
           {"key":"x","type":"n","name":"X"}
           {"key":"y","type":"n","name":"Y"}
           {"key":"d","type":"n","live":false}"#,
        &[
            r#"1: {"kind":"designer","id":"a","name":"X"}"#,
            r#"1: {"kind":"designer","id":"b","name":"X"}"#,
            "1: UNPUBLISHED_REFERENCE 1 reference leads to a record that is not published, and came to nothing; it is to `d` (a.ndjson:4)",
            "1: MERGED_RECORDS_DIFFER `distinct` merged records that differ into 1 record, and kept the first: `name` is \"Y\" here, and \"X\" at a.ndjson:1",
        ],
    );
}

#[test]
fn terms_of_two_vocabularies_are_not_merged() {
    check(
        r#"
        [[emit]]
        kind = "term"
        type = "b"
        each = "to_entries | map(select(.value == \"Trimaran\"))"
        distinct = true
        [emit.fields]
        vocabulary = ".key"
        id = ".value | slugify"
        "#,
        r#"{"key":"1","type":"b","hullType":"Trimaran","category":"Trimaran"}
           {"key":"2","type":"b","hullType":"Trimaran"}"#,
        &[
            r#"1: {"kind":"term","vocabulary":"hullType","id":"trimaran"}"#,
            r#"1: {"kind":"term","vocabulary":"category","id":"trimaran"}"#,
        ],
    );
}
