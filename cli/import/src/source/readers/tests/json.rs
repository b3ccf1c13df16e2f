//! Tests of JSON documents.

use super::*;

const DOCUMENT: &str = r#"{
  "version": 3, "skipped": [{"entries": [1]}],
  "entries": [ {"id": 1,
      "b": "x ] \" {"}, 2
    ,
    []
  ],
  "data": { "assets": {
    "one": {"u": 1}, "t\"wo":
      [] }, "none": null }
}
"#;

#[test]
fn records_are_found_where_they_are_said_to_be() {
    let entries = ["3 {\"id\": 1,\n      \"b\": \"x ] \\\" {\"}", "4 2", "6 []"];
    check(JSON, DOCUMENT, &["entries"], &entries);
    let assets = [
        r#"9 {"key":"one","value":{"u": 1}}"#,
        r#"9 {"key":"t\"wo","value":[]}"#,
    ];
    check(JSON, DOCUMENT, &["data.assets"], &assets);
    let both: Vec<&str> = entries.into_iter().chain(assets).collect();
    check(JSON, DOCUMENT, &["data.assets", "entries"], &both);
    check(JSON, DOCUMENT, &["data.none"], &[]);
}

#[test]
fn records_may_be_in_lists_and_objects_on_the_way() {
    let ghost = r#"{"db": [
 {"meta": 1, "data": {"posts": [1, 2]}}, {"data":
  {"posts": [3], "a.b": [4]}}, {"data": null}, {"data": {}} ]}"#;
    check(JSON, ghost, &["db[0].data.posts"], &["2 1", "2 2"]);
    check(JSON, ghost, &["db[].data.posts"], &["2 1", "2 2", "3 3"]);
    check(JSON, ghost, &[r#"db[1].data."a.b""#], &["3 4"]);
    check(JSON, ghost, &["db[1].data[]"], &["3 3", "3 4"]);
    let both = ["db[].data.posts", "db[1].data.posts"];
    check(JSON, ghost, &both, &["2 1", "2 2", "3 3"]);
    let tables = r#"[{"type":"header"}, {"name":"a","data":[1]}, {"name":"b","data":[2]}]"#;
    check(JSON, tables, &["[].data"], &["1 1", "1 2"]);
    check(JSON, tables, &["[2].data"], &["1 2"]);
    let others = r#"{"a": 1, "b": -1.5, "c": "d", "d": true, "e": {"items": [1]}}"#;
    check(JSON, others, &["[].items"], &["1 1"]);
    let (_, ended) = read(
        JSON,
        &mut Cursor::new(ghost),
        &["db[7].data.posts", "db.data"],
    );
    assert_eq!(ended.unwrap(), [0, 1]);
}

#[test]
fn places_that_the_document_has_not_are_told() {
    for (records, absent) in [
        (vec!["items", "entries"], vec![0]),
        (vec!["entries.id", "data.assets"], vec![0]),
        (
            vec!["version.x", "skipped[]", "skipped[0].entries[0].x"],
            vec![0, 2],
        ),
    ] {
        let (_, ended) = read(JSON, &mut Cursor::new(DOCUMENT), &records);
        assert_eq!(ended.unwrap(), absent, "{records:?}");
    }
}

#[test]
fn a_document_is_a_list_of_records_or_the_only_one() {
    check(JSON, "\u{feff}\n [1,\n \"é\"]\n", &[], &["2 1", "3 \"é\""]);
    check(JSON, "\n{\"a\": [1]}", &[], &["2 {\"a\": [1]}"]);
    check(JSON, "[]", &[], &[]);
}

#[test]
fn damage_is_told_with_its_line() {
    use Code::{FileCorrupt, FileTruncated};
    let cut = &DOCUMENT.as_bytes()[..DOCUMENT.find("[]").unwrap()];
    check_broken(
        JSON,
        cut,
        &["entries"],
        2,
        (FileTruncated, 6, "ends before it is complete"),
    );
    check_broken(
        JSON,
        b"",
        &[],
        0,
        (FileTruncated, 1, "ends before it is complete"),
    );
    check_broken(
        JSON,
        b"[1,\n2 3]",
        &[],
        2,
        (FileCorrupt, 2, "not valid JSON: expected"),
    );
    check_broken(
        JSON,
        b"[1]\n[2]",
        &[],
        1,
        (FileCorrupt, 2, "trailing characters"),
    );
    check_broken(
        JSON,
        b"[1,\n\"\xff\"]",
        &[],
        1,
        (FileCorrupt, 2, "it is not UTF-8"),
    );
    let number = (FileCorrupt, 1, "expected a list of records");
    check_broken(JSON, br#"{"entries": 5}"#, &["entries"], 0, number);
}

#[test]
fn records_of_a_list_are_counted_and_the_only_record_of_a_document_is_not() {
    let numbers = |file: &str, records: &[&str]| {
        let mut numbers = Vec::new();
        let ended = JSON(&mut Cursor::new(file), &paths(records), &mut |record| {
            let record = record.unwrap();
            numbers.push((record.list, record.is_counted));
            Ok(())
        });
        ended.unwrap();
        numbers
    };
    assert_eq!(numbers("[{}, {}]", &[]), [(None, true); 2]);
    assert_eq!(numbers("{}", &[]), [(None, false)]);
    let lists = r#"{"a": [{}], "b": [{}]}"#;
    assert_eq!(
        numbers(lists, &["a", "b"]),
        [(Some(0), true), (Some(1), true)]
    );
}
