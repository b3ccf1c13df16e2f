//! Tests of joins: all published records that refer to one.

use super::*;

/// Boats with variants.
const BOATS: &str = r#"
published = '(has("live") | not) or .live'
changed = ".edited"
[joins.variants]
type = ["v", "w"]
to = ".of"
[[emit]]
kind = "boat"
type = "b"
fields.model = '.key | joined("variants") | map(.name) | join("+")'
"#;

#[test]
fn all_published_records_that_refer_to_one_are_found_in_the_order_of_the_export() {
    check(
        BOATS,
        r#"{"key":"3","type":"v","of":["1","1","2"],"name":"c"}
           {"key":"4","type":"v","of":1,"name":"b"}
           {"key":"5","type":"v","of":"1","name":"draft","live":false}
           {"key":"1","type":"b"}
           {"key":"2","type":"b"}
           {"key":"0","type":"b"}
           {"key":"6","type":"w","of":"1","name":"a"}
           {"key":"7","type":"x","of":"1","name":"of another type"}
           {"key":"8","type":"v","of":null,"name":"of nothing"}
           {"key":"9","type":"v","of":"1","name":"d"}"#,
        &[
            r#"4: {"kind":"boat","id":"1","model":"c+b+a+d"}"#,
            r#"5: {"kind":"boat","id":"2","model":"c"}"#,
            r#"6: {"kind":"boat","id":"0","model":""}"#,
        ],
    );
}

#[test]
fn a_number_is_the_same_key_with_and_without_a_decimal_point() {
    check(
        BOATS,
        r#"{"key":5,"type":"b"}
           {"key":"6","type":"b"}
           {"key":7.0,"type":"b"}
           {"key":"a","type":"v","of":5.0,"name":"number"}
           {"key":"b","type":"v","of":["5.00","5"],"name":"text"}
           {"key":"c","type":"v","of":"6.5","name":"another"}
           {"key":"d","type":"w","of":7,"name":"seventh"}"#,
        &[
            r#"1: {"kind":"boat","id":"5","model":"number+text"}"#,
            r#"2: {"kind":"boat","id":"6","model":""}"#,
            r#"3: {"kind":"boat","id":"7.0","model":"seventh"}"#,
        ],
    );
}

#[test]
fn what_changed_since_its_publication_counts_where_it_is_joined() {
    check(
        BOATS,
        r#"{"key":"1","type":"b"}
           {"key":"2","type":"v","of":"1","name":"a","edited":true}
           {"key":"3","type":"w","of":"x","name":"b","edited":true}"#,
        &[
            r#"1: {"kind":"boat","id":"1","model":"a"}"#,
            "2: CHANGED_SINCE_PUBLICATION 1 published record was changed after publication; the export has the changed contents",
        ],
    );
}

#[test]
fn one_record_may_stand_in_several_rows() {
    let mapping = r#"
        mapping = "boat-catalogue-mapping/1"
        [[sources]]
        files = ["*.csv"]
        reader = "csv"
        [[sources]]
        files = ["a.csv"]
        reader = "csv"
        [envelope]
        key = '.Handle + "/" + .Image'
        id = ".Handle"
        type = 'if .Title then "product" else "row" end'
        [joins.rows]
        type = ["product", "row"]
        to = ".Handle"
        [[emit]]
        kind = "boat"
        type = "product"
        distinct = true
        fields.model = '[.Title] + (.Handle | joined("rows") | map(.Image)) | join("+")'
        "#;
    let rows = "Handle,Title,Image\nfolkboat,Folkboat,1\nketch,Ketch,3\nfolkboat,,2\n";
    let expected = [
        r#"2: {"kind":"boat","id":"folkboat","model":"Folkboat+1+2"}"#,
        r#"3: {"kind":"boat","id":"ketch","model":"Ketch+3"}"#,
    ];
    let mut made = mapped(mapping, &[("a.csv", rows)]);
    made.retain(|line| !line.contains("TYPE_NOT_FOUND"));
    assert_eq!(made, expected);
}

#[test]
fn a_join_by_which_nothing_is_referred_to_is_told() {
    check(
        BOATS,
        r#"{"key":"1","type":"b"}
           {"key":"2","type":"v","off":"1"}
           {"key":"3","type":"v","of":"1","live":false}
           {"key":"4","type":"w","of":[]}"#,
        &[
            "12: JOIN_WITHOUT_RECORDS no published record refers to another one by [joins.variants], which asks for `.of`",
            r#"1: {"kind":"boat","id":"1","model":""}"#,
        ],
    );
}

#[test]
fn what_is_wrong_with_a_reference_is_told_of_its_record() {
    check(
        BOATS,
        r#"{"key":"1","type":"b"}
           {"key":"2","type":"v","of":{}}
           {"key":"3","type":"w","of":{},"live":false}"#,
        &[
            "2: - MAPPING_FAILED  [joins.variants]: the `to` of a record must be a text",
            "12: JOIN_WITHOUT_RECORDS no published record refers to another one by [joins.variants], which asks for `.of`",
            "12: TYPE_NOT_FOUND no record is of the type `v`",
            r#"1: {"kind":"boat","id":"1","model":""}"#,
        ],
    );
}

#[test]
fn a_join_that_is_asked_for_too_early_or_is_not_there_is_told() {
    let fields = r#"model = '"vari" + "ant" | . as $name | "1" | joined($name)'"#;
    let mapping = format!("id = '.at // (.key | joined(\"variants\"))'\n{BOATS}\n{fields}");
    let mapping = mapping.replace("fields.model =", "[emit.fields]\nversion =");
    check(
        &mapping,
        r#"{"key":"1","type":"b","at":"1"}
           {"key":"2","type":"v","at":"2","of":"1","name":"a"}
           {"key":"3","type":"w"}"#,
        &[
            "3: - MAPPING_FAILED  the `id` of a record could not be found: `joined` knows nothing until all is read: it has no place in [envelope], [[sources]], [links] and [joins]",
            "13: TYPE_NOT_FOUND no record is of the type `w`",
            "1: boat MAPPING_FAILED /model there is no join [joins.variant] (did you mean \"variants\"?)",
        ],
    );
}
