//! Tests that several threads make the same records as one, in the same order, and report the same
//! findings.

use std::fmt::Write as _;

use super::*;

/// Enough records for several threads. Some of them fail, lead to unpublished records, have an
/// image without a size, are merged although they differ, refer to each other, look like Markdown,
/// or are links from keys without a record.
fn records() -> String {
    let mut lines = String::new();
    for n in 0..1_500 {
        let (maker, twin, live) = (n % 7, (n * 37) % 1_500, n % 50 != 3);
        let site = n / 1_000;
        let text = if n % 211 == 9 {
            "- **a**\\n- [b](c)"
        } else {
            "a"
        };
        let length = if n % 97 == 5 { "\"?\"" } else { "10" };
        let record = format!(
            r#"{{"key":"{n}","type":"b","live":{live},"new":{},"maker":"M{maker}","site":"s{site}","twin":"{twin}","length":{length},"text":"{text}","extra":{n}}}"#,
            n % 60 == 7
        );
        writeln!(lines, "{record}").unwrap();
        let (link, from) = (n * 31 % 1_500, if n % 30 == 1 { "none" } else { "" });
        writeln!(
            lines,
            r#"{{"links":[["{from}{n}","f{}","{link}"]]}}"#,
            n % 3
        )
        .unwrap();
    }
    // Neither of these lines can be read.
    lines.push_str("{\"key\":\"1500\"\n{\"key\":\"1501\",\"key\":\"\"}\n");
    lines
}

const RULES: &str = r#"
published = ".live"
changed = ".new"
[joins.twins]
type = "b"
to = ".twin"
[joins.crew]
type = "b"
to = ".maker"
[links]
files = ["*.ndjson"]
reader = "ndjson"
each = "[(.links // [])[] | {from: .[0], field: .[1], to: .[2]}]"
[[emit]]
kind = "boat"
type = "b"
[emit.fields]
x_twins = '[(.key | joined("twins")[] | .key), links("f0")[]]'
description = ".text | plain"
model = '.twin | deref | .key'
lengthOverall = '.length | measure("m")'
image = '{url: .key}'
manufacturer = '.twin | pub'
[[emit]]
kind = "term"
type = "b"
each = '[["type", .site], ["category", .maker], ["category", .site]]'
distinct = true
[emit.fields]
vocabulary = ".[0]"
id = ".[1]"
slug = ".[1]"
name = ".[1]"
[[emit]]
kind = "manufacturer"
type = "b"
distinct = true
[emit.fields]
id = ".maker"
name = ".maker"
website = ".site"
"#;

#[test]
fn several_threads_make_and_tell_what_one_does() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("a.ndjson");
    std::fs::File::create(path)
        .and_then(|mut file| std::io::Write::write_all(&mut file, records().as_bytes()))
        .unwrap();
    let text = format!("{BEGINNING}{RULES}");
    let mapping = Mapping::parse("a.toml".to_owned(), text).unwrap();
    let [one, several] = [1, 3].map(|threads| {
        let (lines, report) = mapped_at_once(&mapping, directory.path(), threads);
        (lines, serde_json::to_string(&report.unwrap()).unwrap())
    });
    assert_eq!(one.0, several.0);
    assert_eq!(one.1, several.1);
    let lone = r#""loneLinks":[{"key":"links(\"f1\")","records":50,"#;
    assert!(one.1.contains(lone), "{}", one.1);
    let count = |what: &str| one.0.iter().filter(|line| line.contains(what)).count();
    let counts = [
        r#""kind":"boat""#,
        r#""kind":"manufacturer""#,
        "boat MAPPING_FAILED /lengthOverall",
        "unpublished boat",
        "25 published records, from here on, were changed",
        "10 references, from here on, lead to records that are not published",
        "an image without a width or a height is left out",
        "into 7 records",
        "have texts that look like Markdown",
        r#""kind":"term""#,
        "- INVALID_JSON",
        "- REPEATED_KEY",
    ]
    .map(count);
    assert_eq!(
        counts,
        [1_454, 7, 16, 30, 1, 1, 1_454, 1, 1, 11, 1, 1],
        "{:?}",
        one.0
            .iter()
            .filter(|line| !line.contains("\"kind\""))
            .collect::<Vec<_>>()
    );
}
