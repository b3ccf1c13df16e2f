//! A data directory to examine, with checks that examining it changes nothing.

use std::fs::{self, File};
use std::io::{Read, Seek, SeekFrom, Write};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use cli::ExitStatus;
use serde_json::Value;
use shared::base::clock::ManualClock;

use crate::edited::{self, import, release_ids};
use crate::harness::{Outcome, SAMPLE, START, TestCli, Typed};

/// Characters of the id of a release.
const ID_LENGTH: usize = "20261121T101500Z-3f2a9c1b4d5e6f70".len();

/// A data directory without problems.
pub(super) struct Ward {
    pub(super) cli: TestCli,
}

/// The state of a file, down to the moment of its last change.
type Entry = (PathBuf, u32, i64, i64, Vec<u8>);

impl Ward {
    pub(super) fn new() -> Self {
        let mut ward = Self::without_keys();
        ward.run(&["subscriptions", "create", "Acme"]);
        ward.run("keys issue --subscription Acme --scope boats.read");
        ward
    }

    pub(super) fn without_keys() -> Self {
        let mut cli = TestCli::new();
        import(&mut cli, SAMPLE, &[]);
        Self { cli }
    }

    pub(super) fn run(&mut self, args: &(impl Typed + ?Sized)) {
        let outcome = self.cli.run(args);
        assert_eq!(outcome.status, ExitStatus::Done, "{outcome}");
    }

    pub(super) fn path(&self, name: &str) -> PathBuf {
        self.cli.path(format!("catalogue-data/{name}"))
    }

    /// The path of a file of the active release.
    pub(super) fn release_file(&self, name: &str) -> PathBuf {
        let ids = release_ids(&self.cli);
        self.path(&format!("releases/{}/{name}", ids[ids.len() - 1]))
    }

    pub(super) fn overwrite(path: &Path, at: u64, bytes: &[u8]) {
        let mut file = File::options().write(true).open(path).unwrap();
        file.seek(SeekFrom::Start(at)).unwrap();
        file.write_all(bytes).unwrap();
    }

    /// Runs `doctor` as the owner of the directory, `seconds` after [`START`].
    pub(super) fn examine(&mut self, args: &[&str], seconds: i64) -> Outcome {
        let root = self.cli.path("");
        let uid = fs::metadata(&root).unwrap().uid();
        let before = entries(&root);
        let args = [&["doctor"], args].concat();
        let outcome = self.cli.run_in(&args, |context| {
            context.operator.uid = uid;
            context.clock = Arc::new(ManualClock::at(START + seconds));
        });
        assert_eq!(entries(&root), before, "{outcome}");
        redacted(outcome)
    }

    /// The checks that are not ok: subject, result, and what to run.
    pub(super) fn complaints(&mut self) -> Vec<String> {
        let outcome = self.examine(&["--json"], 0);
        let told = outcome.document();
        let checks = told["checks"].as_array().unwrap().iter();
        let text = |value: &Value| value.as_str().unwrap_or("nothing").to_owned();
        let complaints: Vec<String> = checks
            .filter(|check| check["outcome"] != "ok")
            .map(|check| {
                let [about, outcome, message, fix] =
                    ["check", "outcome", "message", "fix"].map(|name| text(&check[name]));
                format!("{outcome}: {about}: {message}\n  run: {fix}")
            })
            .collect();
        let is_problem = told["problems"] != 0;
        let expected = if is_problem {
            ExitStatus::Failure
        } else {
            ExitStatus::Done
        };
        assert_eq!(outcome.status, expected, "{outcome}");
        complaints
    }
}

fn entries(directory: &Path) -> Vec<Entry> {
    let mut all = Vec::new();
    for entry in fs::read_dir(directory).unwrap() {
        let path = entry.unwrap().path();
        let metadata = fs::symlink_metadata(&path).unwrap();
        let mut contents = Vec::new();
        if metadata.is_dir() {
            all.extend(entries(&path));
        } else if metadata.is_file() && !path.ends_with("keys.sqlite") {
            // The store is not read: closing it outside of SQLite would drop the locks on it.
            File::open(&path)
                .unwrap()
                .read_to_end(&mut contents)
                .unwrap();
        }
        all.push((
            path,
            metadata.mode(),
            metadata.mtime(),
            metadata.mtime_nsec(),
            contents,
        ));
    }
    all.sort();
    all
}

/// Redacts sizes of releases, which depend on the version of the Parquet library.
fn redacted(mut outcome: Outcome) -> Outcome {
    for unit in [" B", " kB"] {
        let parts: Vec<&str> = outcome.out.split(unit).collect();
        let last = parts.len() - 1;
        let parts = parts.iter().enumerate().map(|(place, part)| {
            if place == last {
                return (*part).to_owned();
            }
            let number = |c: char| c.is_ascii_digit() || c == '.';
            format!("{}[n]", part.trim_end_matches(number))
        });
        outcome.out = parts.collect::<Vec<_>>().join(unit);
    }
    outcome
}

pub(super) fn check(ward: &Ward, name: &str, outcomes: &[Outcome]) {
    edited::check(&ward.cli, name, outcomes);
}

/// Compares the complaints of each case with a snapshot.
pub(super) fn check_cases(name: &str, cases: &mut [(&str, Ward)]) {
    let mut text = String::new();
    for (what, ward) in cases {
        let mut told = ward.complaints().join("\n");
        assert!(!told.is_empty(), "{what}");
        // The output may name a release that is gone.
        while let Some(at) = told.find("20261001T") {
            told.replace_range(at..at + ID_LENGTH, "[release]");
        }
        text = format!("{text}# {what}\n{told}\n\n");
    }
    crate::harness::assert_snapshot(name, text.trim_end());
}
