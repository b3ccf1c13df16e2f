//! `catalogue releases prune`: what stays and why, what goes, and how much that frees.

use std::fs;
use std::io::Write;
use std::time::Duration;

use cli::ExitStatus;
use serde_json::json;
use shared::data_dir::DataDir;
use shared::release::{InUse, ReleaseId, ReleaseStore};

use crate::edited::{Edited, active, check, document, import, release_ids};
use crate::harness::{Outcome, TestCli, assert_snapshot};

/// Six releases, a day apart, each activated in its turn but the third; the last is new.
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

/// Sizes hang on the version of the Parquet library.
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
fn what_nobody_needs_is_removed_and_everything_is_explained() {
    let (mut cli, ids) = six_releases();
    fs::create_dir(cli.path("catalogue-data/releases/.staging-killed")).unwrap();
    let left = cli.path("catalogue-data/.new-killed");
    fs::File::create(&left)
        .unwrap()
        .write_all(b"12345")
        .unwrap();
    let in_use = open(&cli, &ids[0]);
    let before = release_ids(&cli);
    let planned = cli.run(&["releases", "prune", "--dry-run"]);
    assert_eq!(release_ids(&cli), before);
    let removed = document(&cli.run(&["releases", "prune", "--json"]));
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
    let young = document(&cli.run(&["releases", "prune", "--json"]));
    assert_eq!(young["releases"][0]["kept"], "young");
    cli.advance(Duration::from_hours(24));
    let old = document(&cli.run(&["releases", "prune", "--json"]));
    assert_eq!(old["releases"][0]["removed"], true);
}

#[test]
fn pruning_waits_for_nobody_and_meets_an_empty_directory() {
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
fn the_help_text_is_short_and_exact() {
    let help = TestCli::new().run(&["releases", "prune", "--help"]);
    assert_snapshot("help_releases_prune", &help.to_string());
}
