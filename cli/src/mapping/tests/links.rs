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
    let directory = tempfile::tempdir().unwrap();
    std::fs::create_dir(directory.path().join("links")).unwrap();
    let put = |name: &str, lines: &str| {
        let mut file = std::fs::File::create(directory.path().join(name)).unwrap();
        std::io::Write::write_all(&mut file, lines.as_bytes()).unwrap();
    };
    put(
        "z.ndjson",
        "{\"key\":\"1\",\"type\":\"b\"}\n{\"key\":\"x\",\"type\":\"m\",\"name\":\"X\"}\n{\"key\":\"y\",\"type\":\"m\",\"name\":\"Y\"}\n",
    );
    put(
        "links/1.ndjson",
        "{\"l\":\"1\",\"f\":\"maker\",\"r\":\"y\",\"n\":2}\n{\"l\":\"1\",\"f\":\"maker\",\"r\":\"x\",\"n\":1}\n{\"l\":\"1\",\"f\":\"maker\"}\n",
    );
    let mapping = format!("{BEGINNING}{mapping}");
    let mapping = Mapping::parse("a.toml".to_owned(), mapping).unwrap();
    let surroundings = Surroundings {
        temp_dir: directory.path(),
        on_bytes: &|_bytes| {},
    };
    let mut received = Received::default();
    let exports = [directory.path().to_owned()];
    read(
        &mapping,
        &exports,
        &mut io::empty(),
        surroundings,
        &Progress::new(false),
        &mut received,
    )
    .unwrap();
    let expected = [
        "3: - MAPPING_FAILED  the `to` of a link must be a text",
        r#"1: {"kind":"boat","id":"1","model":"X+Y"}"#,
    ];
    assert_eq!(received.0, expected);
}
