//! `catalogue releases prune`: what is kept and why, what is removed, and how much space that
//! frees.

use std::fs;
use std::io::Write;
use std::os::unix::fs::symlink;
use std::time::Duration;

use cli::ExitStatus;
use cli::process::output_file::{Kind, OutputFile, Permit};
use serde_json::json;
use shared::base::data_dir::DataDir;
use shared::release::{InUse, ReleaseId, ReleaseStore, Releases};

use crate::edited::{Edited, active, check, import, release_ids};
use crate::harness::{Outcome, TestCli, assert_snapshot};

/// Six releases, a day apart, each activated in turn except the third; the last one is new.
fn six_releases() -> (TestCli, Vec<String>) {
    let mut cli = TestCli::new();
    let mut export = Edited::sample();
    for place in 0..6 {
        if place != 0 {
            cli.advance(Duration::from_hours(24));
        }
        export = export.with_boat(&format!("added-{place}"));
        export.write(&cli, "export.ndjson");
        let args = if place == 2 {
            &["--no-activate"][..]
        } else {
            &[]
        };
        import(&mut cli, "[dir]/export.ndjson", args);
    }
    let ids = release_ids(&cli);
    (cli, ids)
}

/// Keeps a release open, as a server does.
fn open(cli: &TestCli, id: &str) -> InUse {
    let store = ReleaseStore::new(DataDir::new(cli.path("catalogue-data")));
    store.open(&ReleaseId::parse(id).unwrap()).unwrap().in_use()
}

/// Removes sizes, which depend on the version of the Parquet library.
fn without_sizes(mut outcome: Outcome) -> Outcome {
    let words = outcome.out.split(' ').map(|word| {
        let is_number = !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_digit());
        if is_number && 2 < word.len() {
            "[n]"
        } else {
            word
        }
    });
    outcome.out = words.collect::<Vec<_>>().join(" ");
    outcome
}

#[test]
fn what_is_not_needed_is_removed_and_everything_is_explained() {
    let (mut cli, ids) = six_releases();
    let pruned = format!("catalogue-data/releases/.pruned-{}", "0".repeat(33));
    fs::create_dir(cli.path(pruned)).unwrap();
    let left = cli.path("catalogue-data/.new-killed");
    fs::File::create(&left)
        .unwrap()
        .write_all(b"12345")
        .unwrap();
    let in_use = open(&cli, &ids[0]);
    let before = release_ids(&cli);
    let planned = cli.run(&["releases", "prune", "--dry-run"]);
    assert_eq!(release_ids(&cli), before);
    let removed = cli.run(&["releases", "prune", "--json"]).document();
    let outcomes: Vec<_> = removed["releases"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| (one["removed"] == true, one["kept"].clone()))
        .collect();
    assert_eq!(
        outcomes,
        [
            (false, json!("active")),
            (false, json!("previous")),
            (false, json!("previous")),
            (true, json!(null)),
            (true, json!(null)),
            (false, json!("inUse")),
        ]
    );
    assert_eq!(removed["leftovers"].as_array().unwrap().len(), 2);
    assert!(5 < removed["freedBytes"].as_u64().unwrap());
    assert_eq!(active(&mut cli), ids[5]);
    assert!(!left.exists());
    let shown = [3, 4, 5, 0].map(|place| ids[place].clone());
    drop(in_use);
    let rest = cli.run(&["releases", "prune"]);
    let nothing = cli.run(&["releases", "prune"]);
    assert_eq!(release_ids(&cli), shown[..3]);
    let mut text = [planned, rest, nothing]
        .map(without_sizes)
        .map(|outcome| outcome.to_string())
        .join("\n");
    for (place, id) in ids.iter().enumerate() {
        text = text.replace(id, &format!("[release {}]", place + 1));
    }
    assert_snapshot("releases_prune", &text);
}

#[test]
fn after_pruning_one_can_still_roll_back() {
    let (mut cli, ids) = six_releases();
    cli.run(&["releases", "prune"]);
    let back = cli.run(&["releases", "rollback"]);
    assert_eq!(back.status, ExitStatus::Done, "{back}");
    assert_eq!(active(&mut cli), ids[4]);
}

#[test]
fn young_releases_are_kept() {
    let (mut cli, ids) = six_releases();
    cli.run(&["releases", "activate", &ids[0]]);
    cli.run(&["releases", "activate", &ids[1]]);
    cli.run(&["releases", "activate", &ids[3]]);
    let young = cli.run(&["releases", "prune", "--json"]).document();
    assert_eq!(young["releases"][0]["kept"], "young");
    cli.advance(Duration::from_hours(24));
    let old = cli.run(&["releases", "prune", "--json"]).document();
    assert_eq!(old["releases"][0]["removed"], true);
}

#[test]
fn pruning_waits_for_no_other_command_and_meets_an_empty_directory() {
    let mut cli = TestCli::new();
    let nothing = cli.run(&["releases", "prune"]);
    assert_eq!(nothing.status, ExitStatus::Done, "{nothing}");
    Edited::sample().write(&cli, "export.ndjson");
    import(&mut cli, "[dir]/export.ndjson", &[]);
    let store = ReleaseStore::new(DataDir::new(cli.path("catalogue-data")));
    let lock = store.lock().unwrap();
    let busy = cli.run(&["releases", "prune"]);
    drop(lock);
    assert_eq!(busy.status, ExitStatus::Failure, "{busy}");
    check(&cli, "releases_prune_refused", &[nothing, busy]);
}

#[test]
fn what_cannot_be_removed_is_reported_after_everything_else_was_done() {
    let (mut cli, ids) = six_releases();
    let manifest = format!("catalogue-data/releases/{}/manifest.json", ids[1]);
    fs::remove_file(cli.path(&manifest)).unwrap();
    symlink("manifest.json", cli.path(&manifest)).unwrap();
    cli.advance(Duration::from_hours(24 * 365 * 70));
    let outcome = cli.run(&["releases", "prune"]);
    assert_eq!(outcome.status, ExitStatus::Failure, "{outcome}");
    let mut rows = outcome.out.lines();
    let row = rows.find(|row| row.starts_with(&ids[1])).unwrap();
    assert!(row.contains("kept: could not be removed"), "{outcome}");
    assert!(outcome.err.contains(&manifest), "{outcome}");
    assert_eq!(
        release_ids(&cli),
        [1, 3, 4, 5].map(|place| ids[place].clone())
    );
    let json = cli.run(&["releases", "prune", "--json"]);
    assert_eq!(json.status, ExitStatus::Failure, "{json}");
    assert_eq!(json.document()["failures"].as_array().unwrap().len(), 1);
}

#[test]
fn files_that_other_commands_are_writing_are_left_alone() {
    let (mut cli, _) = six_releases();
    let report = cli.path("catalogue-data/report.json");
    // A file can be written there only if the permit has another data directory.
    let permit = Permit::outside(&cli.path("elsewhere"));
    let mut file = OutputFile::create(&report, Kind::Report, &permit).unwrap();
    cli.run(&["releases", "prune"]);
    file.write_all(b"{}").unwrap();
    file.publish().unwrap();
    assert_eq!(fs::read(&report).unwrap(), b"{}");
}

#[test]
fn a_release_has_the_same_size_wherever_it_is_shown() {
    let (mut cli, _) = six_releases();
    let [listed, pruned] = [&["list"][..], &["prune", "--dry-run"]].map(|args| {
        let args = [&["releases"], args, &["--json"]].concat();
        let releases = cli.run(&args).document()["releases"].clone();
        let bytes = releases
            .as_array()
            .unwrap()
            .iter()
            .map(|one| one["bytes"].clone());
        bytes.collect::<Vec<_>>()
    });
    assert_eq!(listed, pruned);
    let shown = cli.run(&["releases", "show", "--json"]).document();
    assert_eq!(shown["bytes"], listed[0]);
}

#[test]
fn contents_that_are_imported_again_are_not_removed_at_once() {
    let (mut cli, ids) = six_releases();
    let first = Edited::sample().with_boat("added-0");
    first.write(&cli, "first.ndjson");
    assert_eq!(
        import(&mut cli, "[dir]/first.ndjson", &["--no-activate"]),
        ids[0]
    );
    let pruned = cli.run(&["releases", "prune", "--json"]).document();
    assert_eq!(pruned["releases"][5]["kept"], "young");
    let activated = cli.run(&["releases", "activate", &ids[0]]);
    assert_eq!(activated.status, ExitStatus::Done, "{activated}");
}
