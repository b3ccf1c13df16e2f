//! Tests of links that are stored separately from the records.

use super::*;

#[test]
fn links_beside_the_records_are_followed_in_order() {
    let mapping = r#"
        [links]
        files = ["links/*.ndjson"]
        reader = "ndjson"
        each = "[{from: .l, field: .f, to: .r, position: .n}]"
        [[emit]]
        kind = "boat"
        type = "b"
        [emit.fields]
        model = 'links("maker") | map(deref.name) | join("+")'
        "#;
    let files = [
        (
            "z.ndjson",
            "{\"key\":\"1\",\"type\":\"b\"}\n{\"key\":\"x\",\"type\":\"m\",\"name\":\"X\"}\n{\"key\":\"y\",\"type\":\"m\",\"name\":\"Y\"}\n",
        ),
        (
            "links/1.ndjson",
            "{\"l\":\"1\",\"f\":\"maker\",\"r\":\"y\",\"n\":2}\n{\"l\":\"1\",\"f\":\"maker\",\"r\":\"x\",\"n\":1}\n{\"l\":\"1\",\"f\":\"maker\"}\n",
        ),
    ];
    let expected = [
        "3: - MAPPING_FAILED  the `to` of a link must be a text",
        r#"1: {"kind":"boat","id":"1","model":"X+Y"}"#,
    ];
    assert_eq!(mapped(&format!("{BEGINNING}{mapping}"), &files), expected);
}

/// Boats with components as in Strapi, which have a key but are not records.
#[test]
fn links_of_a_part_of_a_record_are_found_by_its_key() {
    let mapping = r#"
        published = '(has("live") | not) or .live'
        [links]
        files = ["links/*.ndjson"]
        reader = "ndjson"
        each = "[{from: .l, field: .f, to: .r, position: .p}]"
        [[emit]]
        kind = "boat"
        type = "b"
        [emit.fields]
        model = '[links("hero:\(.hero)"; "photos")[] | deref | .url] | join("+")'
        version = '[.zone[] | links("\(.of):\(.id)"; "photos")[]] | tojson'
        slug = 'links("photos") + links("nothing"; "photos") + links("hero:1"; "x") | tojson'
        "#;
    let records = r#"{"key":"1","type":"b","hero":1,"zone":[{"of":"hero","id":2},{"of":"a","id":1}]}
        {"key":"p","type":"f","url":"p.jpg"}
        {"key":"q","type":"f","url":"q.jpg"}
        {"key":"draft","type":"f","live":false}"#;
    let links = r#"{"l":"hero:1","f":"photos","r":"q","p":2}
        {"l":"hero:1","f":"photos","r":"draft","p":3}
        {"l":"hero:1","f":"photos","r":"p","p":1}
        {"l":"hero:2","f":"photos","r":"p","p":1}"#;
    let files = [("a.ndjson", records), ("links/1.ndjson", links)];
    let expected = [
        r#"1: {"kind":"boat","id":"1","model":"p.jpg+q.jpg","version":"[\"p\"]","slug":"[]"}"#,
        "1: UNPUBLISHED_REFERENCE 1 reference leads to a record that is not published, and came to nothing; it is to `draft` (a.ndjson:4)",
    ];
    assert_eq!(mapped(&format!("{BEGINNING}{mapping}"), &files), expected);
}
