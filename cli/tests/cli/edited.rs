//! The sample export, edited: what a content system would export a day later.

use std::fs;

use serde_json::{Value, json};

use crate::harness::{Outcome, TestCli, assert_snapshot};

/// The records of an export.
pub(crate) struct Edited {
    records: Vec<Value>,
}

impl Edited {
    /// The sample, without the line that counts its records.
    pub(crate) fn sample() -> Self {
        let folder = fixture!("sample");
        let texts = ["makers.ndjson", "boats.ndjson"]
            .map(|file| fs::read_to_string(format!("{folder}/{file}")).unwrap());
        let lines = texts.iter().flat_map(|text| text.lines());
        let mut records: Vec<Value> = lines
            .map(|line| serde_json::from_str(line).unwrap())
            .collect();
        records.retain(|record| record["kind"] != "catalogue");
        Self { records }
    }

    /// Edits every record of a kind.
    pub(crate) fn every(mut self, kind: &str, edit: impl Fn(&mut Value)) -> Self {
        let of_kind = |record: &&mut Value| record["kind"] == kind;
        self.records.iter_mut().filter(of_kind).for_each(edit);
        self
    }

    /// Edits the published boat at index `place`.
    pub(crate) fn boat(mut self, place: usize, edit: impl FnOnce(&mut Value)) -> Self {
        edit(self.boats().nth(place).unwrap());
        self
    }

    /// Adds a boat that differs from the first only in its names.
    pub(crate) fn with_boat(mut self, name: &str) -> Self {
        let mut boat = self.boats().next().unwrap().clone();
        (boat["id"], boat["slug"]) = (json!(name), json!(name));
        self.records.push(boat);
        self
    }

    /// Removes the first `count` published boats.
    pub(crate) fn without_boats(mut self, mut count: usize) -> Self {
        self.records.retain(|record| {
            let goes = count != 0 && is_boat(record);
            count -= usize::from(goes);
            !goes
        });
        self
    }

    /// Keeps only the first `count` published boats and their manufacturers.
    pub(crate) fn only_boats(mut self, count: usize) -> Self {
        let makers = self
            .boats()
            .take(count)
            .map(|boat| boat["manufacturer"].clone());
        let makers: Vec<Value> = makers.collect();
        let after = self.boats().skip(count).map(|boat| boat["id"].clone());
        let after: Vec<Value> = after.collect();
        self.records.retain(|record| match record["kind"].as_str() {
            Some("boat") => !after.contains(&record["id"]),
            Some("manufacturer") => makers.contains(&record["id"]),
            _ => true,
        });
        self
    }

    /// Removes the boat with this id.
    pub(crate) fn without_boat(mut self, id: &str) -> Self {
        self.records
            .retain(|record| !is_boat(record) || record["id"] != id);
        self
    }

    /// Writes the export to `[dir]/NAME`.
    pub(crate) fn write(&self, cli: &TestCli, name: &str) {
        let lines = self.records.iter().map(|record| format!("{record}\n"));
        cli.write(name, lines.collect::<String>());
    }

    fn boats(&mut self) -> impl Iterator<Item = &mut Value> {
        self.records.iter_mut().filter(|record| is_boat(record))
    }
}

fn is_boat(record: &Value) -> bool {
    record["kind"] == "boat" && record["published"] != false
}

/// The release that an import with `--json` made.
pub(crate) fn import(cli: &mut TestCli, export: &str, args: &[&str]) -> String {
    let args = [&["import", "--json", export], args].concat();
    let made = cli.run(&args).document();
    made["release"].as_str().unwrap().to_owned()
}

/// An import without the shares of records that have each field, which `import_sample` shows, and
/// `import_skipping` where none has most.
pub(crate) fn without_coverage(mut imported: Outcome) -> Outcome {
    let (before, rest) = imported.out.split_once("\nFields of boats: ").unwrap();
    let (coverage, after) = rest.split_once("\n\n").unwrap();
    assert!(
        coverage.contains("\nFields of manufacturers: "),
        "{coverage}"
    );
    imported.out = format!("{before}\n{after}");
    imported
}

/// The id of the active release.
pub(crate) fn active(cli: &mut TestCli) -> String {
    let shown = cli.run(&["releases", "show", "--json"]).document();
    shown["id"].as_str().unwrap().to_owned()
}

/// Compares outcomes with a snapshot. The ids of releases depend on every byte of them, so their
/// position in time is shown instead.
pub(crate) fn check(cli: &TestCli, name: &str, outcomes: &[Outcome]) {
    let texts: Vec<String> = outcomes.iter().map(ToString::to_string).collect();
    let mut text = texts.join("\n");
    for (place, id) in release_ids(cli).iter().enumerate() {
        text = text.replace(id, &format!("[release {}]", place + 1));
    }
    assert_snapshot(name, &text);
}

/// The ids of all releases, the oldest first.
pub(crate) fn release_ids(cli: &TestCli) -> Vec<String> {
    let Ok(entries) = fs::read_dir(cli.path("catalogue-data/releases")) else {
        return Vec::new();
    };
    let mut ids: Vec<String> = entries
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    ids.sort();
    ids
}
