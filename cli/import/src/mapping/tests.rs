//! Tests of what a mapping makes of records, rule by rule.

mod bad_records;
mod distinct;
mod images;
mod joins;
mod language;
mod links;
mod markdown;
mod mistakes;
mod numbers;
mod reads;
mod references;
mod rich_text;
mod sections;
mod threads;
mod unread;
mod whereabouts;

use std::num::NonZero;

use shared::base::timestamp::Timestamp;

use super::*;
use crate::finding::{Code, Kind};
use crate::image::ImageMeasurer;
use crate::source::{self, FailedRecord, Incoming, ReadContext};

/// The beginning of every mapping here: records are lines with `key` and `type`.
const BEGINNING: &str = r#"
mapping = "boat-catalogue-mapping/1"
[[sources]]
files = ["*.ndjson"]
reader = "ndjson"
[envelope]
key = ".key"
type = ".type"
"#;

/// Everything received, one line each.
#[derive(Default)]
struct Received(Vec<String>);

impl Received {
    fn take(&mut self, incoming: Incoming<'_>) {
        match incoming {
            Incoming::Mapped(line) => {
                let text = std::str::from_utf8(line.raw).unwrap();
                self.0.push(format!("{}: {text}", line.start.line));
            }
            Incoming::Oversized(piece) => self.0.push(format!("oversized: {}", piece.len())),
            Incoming::Finding(finding) => {
                let line = finding.place.and_then(|place| place.line());
                let line = line.map_or_else(|| "-".to_owned(), |line| line.to_string());
                let (code, message) = (finding.code, finding.message);
                let value = finding.path.zip(finding.value);
                let value = value.map(|(path, value)| format!(" {} {value}", path.pointer()));
                let value = value.unwrap_or_default();
                let hint = finding
                    .hint
                    .filter(|_| code == Code::RecordsUnidentified)
                    .map_or_else(String::new, |hint| format!(" [{hint}]"));
                self.0
                    .push(format!("{line}: {code} {message}{value}{hint}"));
            }
            Incoming::Failed(failed) => self.failed(failed),
            Incoming::Unpublished { kind, id, name } => {
                let name = name.map_or_else(String::new, |name| format!(" ({name})"));
                self.0
                    .push(format!("unpublished {} {id}{name}", kind.as_str()));
            }
            Incoming::Originals(_) | Incoming::Header(..) => {}
            Incoming::Record(_) | Incoming::Head(..) => panic!("not mapped: {incoming:?}"),
        }
    }

    fn failed(&mut self, failed: FailedRecord) {
        let kind = failed.kind.map_or("-", Kind::as_str);
        for finding in failed.findings {
            let place = finding.place.and_then(|place| place.line()).unwrap();
            let (code, message) = (finding.code, finding.message);
            let pointer = finding.path.unwrap_or_default().pointer();
            self.0
                .push(format!("{place}: {kind} {code} {pointer} {message}"));
        }
    }
}

/// A directory with these files.
fn directory_of(files: &[(&str, &str)]) -> tempfile::TempDir {
    let directory = tempfile::tempdir().unwrap();
    for (name, lines) in files {
        let path = directory.path().join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::File::create(path)
            .and_then(|mut file| std::io::Write::write_all(&mut file, lines.as_bytes()))
            .unwrap();
    }
    directory
}

/// What a mapping makes of files.
fn mapped(mapping: &str, files: &[(&str, &str)]) -> Vec<String> {
    let directory = directory_of(files);
    let mapping = Mapping::parse("a.toml".to_owned(), mapping.to_owned()).unwrap();
    let lines = mapped_at_once(&mapping, directory.path(), 2).0.into_iter();
    // The directory has a different name in every run.
    let directory = format!("{}/", directory.path().display());
    lines.map(|line| line.replace(&directory, "")).collect()
}

/// What a mapping makes of, and reports about, the files of a directory with this many threads.
fn mapped_at_once(
    mapping: &Mapping,
    directory: &Path,
    threads: usize,
) -> (Vec<String>, Option<CheckReport>) {
    let (lines, mapped) = mapped_measured(mapping, directory, threads, None);
    (lines, mapped.report)
}

/// The same with the images measured.
fn mapped_measured(
    mapping: &Mapping,
    directory: &Path,
    threads: usize,
    measurer: Option<&dyn ImageMeasurer>,
) -> (Vec<String>, Mapped) {
    let context = ReadContext {
        temp_dir: directory,
        progress: &(),
    };
    let mut received = Received::default();
    let take = &mut |incoming: Incoming<'_>| {
        received.take(incoming);
        Ok(())
    };
    let processors = NonZero::new(threads).unwrap();
    let now = Timestamp::from_unix_seconds(1_790_000_000);
    let mut pipeline = Pipeline::start(mapping, processors, context, false, &now, take).unwrap();
    let exports = [directory.to_owned().into()];
    let files = source::read(
        &exports,
        &mut io::empty(),
        context,
        mapping.plan(),
        &mut |of| pipeline.take(of),
    );
    let mapped = pipeline.finish(&files.unwrap(), true, measurer).unwrap();
    (received.0, mapped)
}

#[track_caller]
fn check(mapping: &str, lines: &str, expected: &[&str]) {
    let mapping = format!("{BEGINNING}{mapping}");
    assert_eq!(mapped(&mapping, &[("a.ndjson", lines)]), expected);
}

#[test]
fn a_field_is_an_expression_a_default_or_a_word_of_a_table() {
    check(
        r#"
        [tables.keels]
        f = "Fin"
        [[emit]]
        kind = "boat"
        type = "b"
        [emit.fields]
        model = ".name"
        version = { from = ".variant", default = "Standard" }
        hull.keelType = { from = ".keel", table = "keels", default = "Other" }
        hull.unsinkable = ".safe"
        rig.spars = ".spars"
        "#,
        r#"{"key":"1","type":"b","name":"A","keel":"f","safe":false}
           {"key":"2","type":"b","name":"B","variant":"Sport","safe":null}
           {"key":"3","type":"other"}
           {"key":"4","type":"b","keel":"g"}"#,
        &[
            r#"1: {"kind":"boat","id":"1","model":"A","version":"Standard","hull":{"keelType":"Fin","unsinkable":false}}"#,
            r#"2: {"kind":"boat","id":"2","model":"B","version":"Sport","hull":{"keelType":"Other"}}"#,
            r#"4: boat MAPPING_FAILED /hull/keelType [tables.keels] does not have "g": add `"g" = …` to it (a.toml:10)"#,
        ],
    );
}

#[test]
fn a_word_that_a_table_does_not_have_and_no_word_stand_for_what_the_mapping_says() {
    check(
        r#"
        [tables.keels]
        f = "Fin"
        2 = "Twin"
        [[emit]]
        kind = "boat"
        type = "b"
        [emit.fields]
        hull.keelType = { from = ".keel", table = "keels", default = "Unknown", unlisted = "Other" }
        categories = { each = ".tags", table = "keels", unlisted = "other" }
        version = { from = ".v", table = "keels", unlisted = 7 }
        "#,
        r#"{"key":"1","type":"b","keel":"f","tags":["f","x",2,3,null],"v":"x"}
           {"key":"2","type":"b","keel":"g"}
           {"key":"3","type":"b","keel":null}
           {"key":"4","type":"b","keel":""}
           {"key":"5","type":"b","keel":["f"]}"#,
        &[
            r#"1: {"kind":"boat","id":"1","hull":{"keelType":"Fin"},"categories":["Fin","other","Twin","other"],"version":7}"#,
            r#"2: {"kind":"boat","id":"2","hull":{"keelType":"Other"}}"#,
            r#"3: {"kind":"boat","id":"3","hull":{"keelType":"Unknown"}}"#,
            r#"4: {"kind":"boat","id":"4","hull":{"keelType":"Unknown"}}"#,
            r#"5: boat MAPPING_FAILED /hull/keelType [tables.keels] translates texts, and this is ["f"]"#,
        ],
    );
}

#[test]
fn lists_are_made_member_by_member() {
    check(
        r#"
        [[emit]]
        kind = "boat"
        type = "b"
        [emit.fields]
        categories = { each = ".tags", value = "ascii_downcase" }
        activities = { each = ".acts" }
        engines = { each = ".motors", fields = { maker = ".make", power = { from = ".hp", default = "?" } } }
        "#,
        r#"{"key":"1","type":"b","tags":["A",null,"B"],"motors":[{"make":"X","hp":"9"},{}]}
           {"key":"2","type":"b","tags":"A","motors":[1]}"#,
        &[
            r#"1: {"kind":"boat","id":"1","categories":["a","b"],"engines":[{"maker":"X","power":"9"},{"power":"?"}]}"#,
            r#"2: boat MAPPING_FAILED /categories `each` must give a list, not "A""#,
            r#"2: boat MAPPING_FAILED /engines/0/maker cannot index 1 with "make""#,
            r#"2: boat MAPPING_FAILED /engines/0/power cannot index 1 with "hp""#,
        ],
    );
}

#[test]
fn a_rule_may_make_several_records_of_one_or_one_of_several() {
    check(
        r#"
        [[emit]]
        kind = "designer"
        type = "b"
        each = ".by"
        where = ".by != null"
        distinct = true
        [emit.fields]
        id = "slugify"
        name = "."
        website = "$record.key"
        "#,
        r#"{"key":"1","type":"b","by":["Ann B","Cy"]}
           {"key":"2","type":"b"}
           {"key":"3","type":"b","by":["Cy"]}"#,
        &[
            r#"1: {"kind":"designer","id":"ann-b","name":"Ann B","website":"1"}"#,
            r#"1: {"kind":"designer","id":"cy","name":"Cy","website":"1"}"#,
            "3: MERGED_RECORDS_DIFFER `distinct` merged records that differ into 1 record, and kept the first: `website` is \"3\" here, and \"1\" at a.ndjson:1",
        ],
    );
}

#[test]
fn records_that_are_not_published_are_told_apart_after_all_others() {
    let envelope = r#"
        id = '.key | ltrimstr("drafts.")'
        published = '.key | startswith("drafts.") | not'
        updatedAt = ".at"
        [[emit]]
        kind = "manufacturer"
        type = "m"
        [emit.fields]
        name = ".name"
        logo.alt = '.twin // null | if . then pub else null end'
        "#;
    check(
        envelope,
        r#"{"key":"drafts.a","type":"m","name":"half-wri"}
           {"key":"a","type":"m","name":"A","at":"2026-01-01T00:00:00Z","twin":"drafts.b"}
           {"key":"drafts.b","type":"m"}"#,
        &[
            r#"2: {"kind":"manufacturer","id":"a","name":"A","updatedAt":"2026-01-01T00:00:00Z"}"#,
            "2: UNPUBLISHED_REFERENCE 1 reference leads to a record that is not published, and came to nothing; it is to `drafts.b` (a.ndjson:3)",
            "unpublished manufacturer b",
        ],
    );
}

#[test]
fn every_kind_that_has_a_time_of_change_takes_it_from_the_envelope_unless_a_rule_says_it() {
    let rules: String = ["boat", "manufacturer", "term", "designer"]
        .map(|kind| {
            format!(
                "[[emit]]\nkind = \"{kind}\"\ntype = \"x\"\neach = \"[1]\"\nfields.id = \".\"\n"
            )
        })
        .concat();
    let own = "[[emit]]\nkind = \"boat\"\ntype = \"x\"\nfields.updatedAt = \".own\"\n";
    check(
        &format!("updatedAt = \".at\"\n{rules}{own}"),
        r#"{"key":"a","type":"x","at":"2026-01-01","own":"2025-01-01"}"#,
        &[
            r#"1: {"kind":"boat","id":1,"updatedAt":"2026-01-01"}"#,
            r#"1: {"kind":"manufacturer","id":1,"updatedAt":"2026-01-01"}"#,
            r#"1: {"kind":"term","id":1}"#,
            r#"1: {"kind":"designer","id":1}"#,
            r#"1: {"kind":"boat","id":"a","updatedAt":"2025-01-01"}"#,
        ],
    );
}

#[test]
fn records_in_the_mapping_itself_come_last() {
    check(
        r#"
        [[emit]]
        kind = "boat"
        type = "b"
        fields = {}
        [[records]]
        kind = "term"
        id = "t"
        "#,
        r#"{"key":"1","type":"b"}"#,
        &[
            r#"1: {"kind":"boat","id":"1"}"#,
            r#"14: {"id":"t","kind":"term"}"#,
        ],
    );
}

#[test]
fn a_mapping_that_is_not_utf8_is_told_how_to_be_saved() {
    for (bytes, expected) in [
        (&b"\xff\xfem\0"[..], "it is UTF-16: save the file as UTF-8"),
        (b"# na\xefve", "it is not UTF-8: save the file as UTF-8"),
    ] {
        let mut file = tempfile::NamedTempFile::new().unwrap();
        std::io::Write::write_all(&mut file, bytes).unwrap();
        let error = Mapping::read(file.path()).unwrap_err();
        assert_eq!(error.root_cause().to_string(), expected);
    }
}
