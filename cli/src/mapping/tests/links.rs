//! Links that are kept beside the records.

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
