//! Tests of validation: a minimal valid record with one change, and the findings about it.

use std::io::Write as _;

use serde_json::{Value, json};
use shared::base::field_path::FieldPath;
use shared::base::model::{BoatDetails, BoatSummary, ManufacturerDetails, ManufacturerSummary};
use shared::base::render::BodyTooLarge;

use super::*;
use crate::finding::Finding;

mod across_records;
mod boat;
mod boat_values;
mod every_value;
mod limits;
mod mapped;
mod memory;
mod others;
mod published;
mod text;
mod threads;

/// Keeps the records that are handed on, as the JSON that would be served.
#[derive(Default)]
struct Served {
    boats: Vec<Value>,
    manufacturers: Vec<Value>,
    /// The bodies of all of them.
    bodies: Vec<String>,
}

impl Served {
    /// Keeps a body and returns its record.
    fn keep(&mut self, body: Vec<u8>) -> anyhow::Result<Value> {
        let record = serde_json::from_slice::<Value>(&body)?["data"].take();
        self.bodies.push(String::from_utf8(body)?);
        Ok(record)
    }
}

impl Consumer for Served {
    type Boat = Vec<u8>;

    fn render(
        summary: &BoatSummary<'_>,
        details: &BoatDetails<'_>,
    ) -> Result<Vec<u8>, BodyTooLarge> {
        let mut body = Vec::new();
        shared::base::render::boat(summary, details, &mut body)?;
        Ok(body)
    }

    fn size(boat: &Vec<u8>) -> usize {
        boat.len()
    }

    fn boat(&mut self, boat: Vec<u8>) -> anyhow::Result<()> {
        let boat = self.keep(boat)?;
        self.boats.push(boat);
        Ok(())
    }

    fn manufacturer(
        &mut self,
        summary: &ManufacturerSummary<'_>,
        details: &ManufacturerDetails<'_>,
    ) -> anyhow::Result<()> {
        let mut body = Vec::new();
        shared::base::render::manufacturer(summary, details, &mut body)?;
        let manufacturer = self.keep(body)?;
        self.manufacturers.push(manufacturer);
        Ok(())
    }
}

/// What a run found and handed on.
struct Run {
    outcome: Outcome,
    served: Served,
    rejects: String,
}

impl Run {
    /// Validates lines.
    fn of(lines: &[String], skip_invalid: bool) -> Self {
        Self::of_bytes(format!("{}\n", lines.join("\n")).as_bytes(), skip_invalid)
    }

    /// Validates what a mapping makes of lines.
    fn mapped(lines: &[String], mapping: &Mapping) -> Self {
        let contents = format!("{}\n", lines.join("\n"));
        Self::of_file(contents.as_bytes(), Some(mapping), false)
    }

    /// Validates the contents of a file.
    fn of_bytes(contents: &[u8], skip_invalid: bool) -> Self {
        Self::of_file(contents, None, skip_invalid)
    }

    fn of_file(contents: &[u8], mapping: Option<&Mapping>, skip_invalid: bool) -> Self {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("export.ndjson");
        std::fs::File::create(&path)
            .unwrap()
            .write_all(contents)
            .unwrap();
        let mut rejects = Vec::new();
        let settings = Settings {
            exports: &[path.into()],
            mapping,
            skip_invalid,
            ..settings(directory.path())
        };
        let mut served = Served::default();
        let outcome = run(&settings, &mut std::io::empty(), &mut rejects, &mut served).unwrap();
        Self {
            outcome,
            served,
            rejects: String::from_utf8_lossy(&rejects).into_owned(),
        }
    }

    /// Code and pointer of each finding, except the warning about an export without boats.
    fn findings(&self) -> Vec<String> {
        let listed = self.outcome.findings.listed().into_iter();
        let relevant = listed.filter(|finding| finding.code.as_str() != "NO_PUBLISHED_BOATS");
        relevant.map(code_and_pointer).collect()
    }
}

/// Settings of a run that reads nothing yet.
fn settings(temp_dir: &std::path::Path) -> Settings<'_> {
    static NOW: std::sync::LazyLock<Timestamp> =
        std::sync::LazyLock::new(|| Timestamp::from_unix_seconds(1_790_000_000));
    Settings {
        exports: &[],
        mapping: None,
        is_mapping_checked: false,
        temp_dir,
        listed_max: 1000,
        skip_invalid: false,
        now: &NOW,
        measurer: None,
        progress: &(),
    }
}

/// Runs an export of that many boats, each after `edit`.
fn run_boats(
    boats: usize,
    edit: impl Fn(usize, Value) -> Value,
    consumer: &mut impl Consumer,
) -> anyhow::Result<Outcome> {
    let named = |n: usize| {
        let boat = with(boat(), "/id", json!(format!("boat-{n}")));
        edit(n, with(boat, "/slug", json!(format!("boat-{n}"))))
    };
    let mut records = vec![manufacturer(), term()];
    records.extend((0..boats).map(named));
    let directory = tempfile::tempdir().unwrap();
    let settings = Settings {
        exports: &[std::path::PathBuf::from("-").into()],
        ..settings(directory.path())
    };
    let mut input = std::io::Cursor::new(lines(&records).join("\n"));
    run(&settings, &mut input, &mut std::io::sink(), consumer)
}

fn code_and_pointer(finding: &Finding) -> String {
    let pointer = finding.path.as_ref().map(FieldPath::pointer);
    format!("{} {}", finding.code, pointer.as_deref().unwrap_or("-"))
}

fn manufacturer() -> Value {
    json!({
        "kind": "manufacturer", "id": "maker-1", "slug": "maker", "name": "Maker",
        "updatedAt": "2026-10-01T12:00:00Z",
    })
}

fn term() -> Value {
    json!({ "kind": "term", "vocabulary": "type", "id": "type-1", "slug": "monohull", "name": "Monohull" })
}

fn designer() -> Value {
    json!({ "kind": "designer", "id": "designer-1", "name": "Designer" })
}

fn boat() -> Value {
    json!({
        "kind": "boat", "id": "boat-1", "slug": "boat", "model": "Boat", "manufacturer": "maker-1",
        "type": "type-1", "production": { "firstYear": 1990 }, "unit": "metric",
        "lengthOverall": 9.1,
    })
}

/// `record` with the value at a JSON pointer replaced. Creates missing objects on the way.
fn with(mut record: Value, pointer: &str, value: Value) -> Value {
    let mut place = &mut record;
    for key in pointer.split('/').skip(1) {
        if place.is_null() {
            *place = json!({});
        }
        place = &mut place[key];
    }
    *place = value;
    record
}

/// `record` with the JSON text of a value replaced, for values that `Value` cannot express.
fn with_raw(record: &Value, pointer: &str, raw: &str) -> String {
    let marked = with(record.clone(), pointer, json!("%RAW%"));
    marked.to_string().replace("\"%RAW%\"", raw)
}

fn lines(records: &[Value]) -> Vec<String> {
    records.iter().map(Value::to_string).collect()
}

/// A boat with everything it refers to.
fn export_with(boat: String) -> Vec<String> {
    let mut export = lines(&[manufacturer(), term(), designer()]);
    export.push(boat);
    export
}

/// Checks the findings about a boat whose value at `pointer` is `raw`.
#[track_caller]
fn check_boat(pointer: &str, raw: &str, expected: &[&str]) {
    let run = Run::of(&export_with(with_raw(&boat(), pointer, raw)), false);
    assert_eq!(run.findings(), expected, "{pointer} {raw:.100}");
}
