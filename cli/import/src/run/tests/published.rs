//! The round trip: published bodies become native records again, and publishing those gives the
//! same bodies, byte for byte.

use std::path::{Path, PathBuf};

use shared::base::render::{self, BODY_MAX};

use super::{Run, boat, export_with, with};
use crate::published::NativeRecords;
use crate::source::LINE_MAX;

#[path = "../../../../examples/generate_export/export.rs"]
mod generated;

/// The record in a body.
fn record(body: &str) -> &str {
    std::str::from_utf8(render::record(body.as_bytes())).unwrap()
}

/// The native records of the published bodies.
fn native(run: &Run) -> Vec<String> {
    let mut records = NativeRecords::new();
    let (boats, manufacturers) = run.served.bodies.split_at(run.served.boats.len());
    let counts = [boats, manufacturers].map(|bodies| bodies.len() as u64);
    let mut native = vec![NativeRecords::catalogue(
        "2026-10-01T12:00:00Z",
        counts[0],
        counts[1],
    )];
    for body in manufacturers {
        native.push(records.manufacturer(record(body)).unwrap());
    }
    for body in boats {
        native.extend(records.boat(record(body)).unwrap());
    }
    native.into_iter().map(|record| record.line).collect()
}

/// Checks that publishing the bodies again gives the same bodies without errors, and returns the
/// native records.
#[track_caller]
pub(super) fn check(run: &Run) -> Vec<String> {
    let native = native(run);
    let again = Run::of(&native, false);
    assert_eq!(again.outcome.findings.errors(), 0, "{native:#?}");
    assert_eq!(again.served.bodies, run.served.bodies);
    native
}

fn files(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            files(&path, found);
        } else {
            found.push(path);
        }
    }
}

#[test]
fn every_fixture_is_published_as_before() {
    let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures");
    let mut found = Vec::new();
    files(&fixtures, &mut found);
    found.retain(|path| path.extension().is_some_and(|ending| ending == "ndjson"));
    let mut boats = 0;
    for path in found {
        let run = Run::of_bytes(&std::fs::read(&path).unwrap(), true);
        boats += run.served.boats.len();
        check(&run);
    }
    assert!(40 < boats, "{boats}");
}

#[test]
fn a_thousand_generated_catalogues_are_published_as_before() {
    let mut boats = 0;
    for seed in 0..1000 {
        let mut export = Vec::new();
        generated::write_export(seed % 7, seed, &mut export).unwrap();
        let run = Run::of_bytes(&export, false);
        boats += run.served.boats.len();
        check(&run);
    }
    assert!(2000 < boats, "{boats}");
}

#[test]
fn numbers_and_texts_of_every_form_are_published_as_before() {
    let numbers = [
        "1e21",
        "0.1",
        "123456789.125",
        "1E-7",
        "-0.0",
        "1e300",
        "1e-300",
        "0.0000123",
    ];
    for number in numbers {
        let boat = super::with_raw(&boat(), "/referencePrice/amount", number);
        let boat = boat.replace(
            r#""amount""#,
            r#""currency":{"code":"EUR","symbol":"€"},"amount""#,
        );
        let run = Run::of(&export_with(boat), false);
        assert_eq!(run.served.boats.len(), 1, "{number}");
        check(&run);
    }
    proptest::proptest!(|(text in "\\PC{1,40}", length in 1_u32..=1_000_000)| {
        let boat = with(boat(), "/description", text.clone().into());
        let boat = with(boat, "/hull/appendages", serde_json::json!([{ "name": text, "value": text }]));
        let boat = with(boat, "/lengthOverall", (f64::from(length) / 1000.0).into());
        check(&Run::of(&export_with(boat.to_string()), true));
    });
}

#[test]
fn members_without_a_value_keep_their_place_in_lists() {
    let boat = with(
        boat(),
        "/engines",
        serde_json::json!([{}, { "maker": "A" }, {}]),
    );
    let run = Run::of(&export_with(boat.to_string()), false);
    assert_eq!(run.served.boats.len(), 1);
    let native = check(&run);
    assert!(
        native[3].contains(r#""engines":[{},{"maker":"A"},{}]"#),
        "{native:?}"
    );
}

#[test]
fn what_no_record_looks_like_is_an_error() {
    let mut records = NativeRecords::new();
    for published in ["", "[]", "1", r#"{"hull":[1]}"#] {
        let error = records.boat(published).unwrap_err().to_string();
        assert_eq!(error, "a line of the release is not a boat", "{published}");
    }
    let error = records
        .manufacturer(r#"{"id":"a","colour":1}"#)
        .unwrap_err();
    let expected =
        "the native format has no field `colour` of a manufacturer, which the release has";
    assert_eq!(error.to_string(), expected);
}

#[test]
fn a_record_that_no_import_would_read_is_an_error() {
    let mut records = NativeRecords::new();
    let published =
        |length: usize| format!(r#"{{"id":"a","description":"{}"}}"#, "x".repeat(length));
    let around = records.boat(&published(1)).unwrap()[0].line.len() - 1;
    let longest = records.boat(&published(LINE_MAX - around)).unwrap();
    assert_eq!(longest[0].line.len(), LINE_MAX);
    let error = records.boat(&published(LINE_MAX - around + 1)).unwrap_err();
    let expected = "the boat a takes more than 1 MiB as a line, which no import reads";
    assert_eq!(error.to_string(), expected);
}

#[test]
fn a_record_with_more_values_than_a_line_has_is_read() {
    let mut records = NativeRecords::new();
    let term = r#"{"id":"a","name":"A","slug":"a"}"#;
    let terms = vec![term; 100_000].join(",");
    let published = format!(r#"{{"id":"b","categories":[{terms}]}}"#);
    assert!(published.len() < BODY_MAX);
    let made = records.boat(&published).unwrap();
    let kinds: Vec<&str> = made.iter().map(|record| record.kind.as_str()).collect();
    assert_eq!(kinds, ["term", "boat"]);
}
