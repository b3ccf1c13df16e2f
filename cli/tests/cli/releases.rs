//! `catalogue releases`: which releases exist, which is served, and which are damaged.

use std::fs;
use std::io::Write;
use std::time::Duration;

use crate::edited::{Edited, import};
use crate::harness::{Outcome, SAMPLE, TestCli, assert_snapshot};

const MAKERS: &str = fixture!("sample/makers.ndjson");

/// The sample, and a minute later only its manufacturers; the second release is active.
fn two_releases() -> (TestCli, [String; 2]) {
    let mut cli = TestCli::new();
    let release = |outcome: Outcome| {
        let document = outcome.document();
        document["release"].as_str().unwrap().to_owned()
    };
    let first = release(cli.run(&["import", "--json", SAMPLE]));
    cli.advance(Duration::from_mins(1));
    let second = release(cli.run(&["import", "--json", "--max-removals", "100", MAKERS]));
    (cli, [first, second])
}

/// Compares outcomes with a snapshot. Sizes and hashes depend on the version of the Parquet
/// library, so positions are shown instead of ids, and only the names of files.
fn check(name: &str, ids: &[String], outcomes: &[Outcome]) {
    let mut text = outcomes
        .iter()
        .map(ToString::to_string)
        .collect::<Vec<_>>()
        .join("\n");
    for (place, id) in ids.iter().enumerate() {
        text = text.replace(id, &format!("[release {}]", place + 1));
    }
    assert_snapshot(name, &text);
}

#[test]
fn without_releases_the_next_step_is_named() {
    let mut cli = TestCli::new();
    let outcomes = [
        &["releases", "list"][..],
        &["releases", "show"],
        &["releases", "rollback"],
        &["releases", "verify"],
    ]
    .map(|args| cli.run(args));
    check("releases_none", &[], &outcomes);
}

#[test]
fn the_active_release_is_marked_and_changes_with_activate_and_rollback() {
    let (mut cli, ids) = two_releases();
    let active = |cli: &mut TestCli| {
        let listed = cli.run(&["releases", "list", "--json"]).out;
        let document: serde_json::Value = serde_json::from_str(&listed).unwrap();
        let releases = document["releases"].as_array().unwrap().clone();
        let active = releases.iter().filter(|release| release["active"] == true);
        active
            .map(|release| release["id"].as_str().unwrap().to_owned())
            .collect::<Vec<_>>()
    };
    assert_eq!(active(&mut cli), [ids[1].clone()]);
    let rolled_back = cli.run(&["releases", "rollback"]);
    assert_eq!(active(&mut cli), [ids[0].clone()]);
    let activated = cli.run(&["releases", "activate", &ids[1]]);
    assert_eq!(active(&mut cli), [ids[1].clone()]);
    let as_json = cli.run(&["releases", "activate", &ids[0], "--json"]);
    check("releases_change", &ids, &[rolled_back, activated, as_json]);
}

#[test]
fn every_rollback_goes_further_back_and_latest_does_not_bring_back_what_was_left() {
    let (mut cli, [first, second]) = two_releases();
    cli.advance(Duration::from_mins(1));
    Edited::sample()
        .without_boats(1)
        .write(&cli, "third.ndjson");
    let third = import(&mut cli, "[dir]/third.ndjson", &[]);
    let outcomes = [
        &["releases", "rollback"][..],
        &["releases", "rollback"],
        &["releases", "rollback"],
        &["releases", "activate", "latest"],
        &["releases", "activate", &third],
        &["releases", "activate", "latest"],
    ]
    .map(|args| cli.run(args));
    check(
        "releases_rollback_twice",
        &[first, second, third],
        &outcomes,
    );
}

#[test]
fn a_rollback_offers_only_releases_that_are_there() {
    let remove = |cli: &TestCli, id: &str| {
        let release = cli.path(format!("catalogue-data/releases/{id}"));
        fs::remove_dir_all(release).unwrap();
    };
    let (mut cli, [first, second]) = two_releases();
    remove(&cli, &second);
    let no_way_forward = cli.run(&["releases", "rollback"]);
    cli.advance(Duration::from_mins(1));
    Edited::sample()
        .without_boats(1)
        .write(&cli, "third.ndjson");
    let third = import(&mut cli, "[dir]/third.ndjson", &[]);
    cli.advance(Duration::from_mins(1));
    Edited::sample()
        .without_boats(2)
        .write(&cli, "fourth.ndjson");
    let fourth = import(&mut cli, "[dir]/fourth.ndjson", &[]);
    remove(&cli, &first);
    let no_way_back = cli.run(&["releases", "rollback"]);
    check(
        "releases_rollback_gone",
        &[first, second, third, fourth],
        &[no_way_forward, no_way_back],
    );
}

#[test]
fn refused_imports_are_listed_until_one_succeeds_or_a_release_is_activated() {
    let (mut cli, [first, _second]) = two_releases();
    Edited::sample().only_boats(1).write(&cli, "few.ndjson");
    cli.write("broken.ndjson", "{");
    cli.run(&["releases", "activate", &first]);
    let import = |cli: &mut TestCli, export| {
        cli.advance(Duration::from_mins(1));
        cli.run(&["import", export]).status
    };
    // What stands below the table, which has sizes that depend on the version of the Parquet library.
    let listed = |cli: &mut TestCli| {
        let listed = cli.run(&["releases", "list"]).out;
        let (_table, below) = listed.split_once("\n\n").unwrap_or_default();
        below.to_owned()
    };
    let refused = cli::ExitStatus::Refused;
    assert_eq!(import(&mut cli, "[dir]/few.ndjson"), refused);
    let invalid = cli::ExitStatus::InvalidData;
    assert_eq!(import(&mut cli, "[dir]/broken.ndjson"), invalid);
    let as_json = cli.run(&["releases", "list", "--json"]).document();
    let as_json = format!("{:#}\n", as_json["refusedImports"]);
    let mut shown = vec![listed(&mut cli), as_json];
    cli.run(&["releases", "activate", "latest"]);
    assert_eq!(listed(&mut cli), "");
    for _night in 0..6 {
        import(&mut cli, "[dir]/broken.ndjson");
    }
    shown.push(listed(&mut cli));
    import(&mut cli, "[dir]/few.ndjson");
    assert_eq!(listed(&mut cli), "");
    assert_snapshot("releases_list_refused", &shown.join("\n"));
}

#[test]
fn latest_is_refused_where_two_releases_are_of_the_same_second() {
    let mut cli = TestCli::new();
    cli.run(&["import", SAMPLE]);
    cli.run(&["import", "--no-activate", MAKERS]);
    let refused = cli.run(&["releases", "show", "latest"]);
    assert_eq!(refused.status, cli::ExitStatus::WrongUsage);
    let said = "could not show the release: 2 releases were published last, in one second: 2026";
    assert!(refused.err.contains(said), "{refused}");
}

#[test]
fn a_release_is_named_by_a_word_or_by_the_beginning_of_its_id() {
    let (mut cli, [first, second]) = two_releases();
    let shown = |cli: &mut TestCli, name: &str| {
        let shown = cli.run(&["releases", "show", name, "--json"]);
        let document = shown.document();
        document["id"].as_str().unwrap().to_owned()
    };
    let whole_minute = "20261001T1200";
    for (name, id) in [
        (whole_minute, &first),
        (&first[..first.len() - 1], &first),
        ("20261001T1201", &second),
        ("current", &second),
        ("previous", &first),
        ("latest", &second),
    ] {
        assert_eq!(shown(&mut cli, name), *id, "{name}");
    }
    cli.run(&["releases", "activate", "previous"]);
    for (name, id) in [
        ("current", &first),
        ("previous", &second),
        ("latest", &second),
    ] {
        assert_eq!(shown(&mut cli, name), *id, "{name}");
    }
    let outcomes = [
        &["releases", "activate", "2026"][..],
        &["releases", "activate", "2027"],
        &["releases", "activate", "202"],
        &["releases", "verify", whole_minute],
        &["explain", "--release", "2026", "/v1/boats"],
    ]
    .map(|args| cli.run(args));
    check(
        "releases_named",
        &[first.clone(), second.clone()],
        &outcomes,
    );
    assert_eq!(shown(&mut cli, "current"), first);
    let diff = cli.run(&["diff", "latest", "--json"]).out;
    let whole = cli.run(&["diff", &first, &second, "--json"]).out;
    assert_eq!(diff, whole);
    let explain = |cli: &mut TestCli, name| {
        let explain = ["explain", "--release", name, "--json", "/v1/boats"];
        cli.run(&explain).out
    };
    assert_eq!(explain(&mut cli, "previous"), explain(&mut cli, &second));
    assert_ne!(explain(&mut cli, "previous"), explain(&mut cli, &first));
    let none = [
        &["releases", "show", "current"][..],
        &["releases", "activate", "previous"],
        &["releases", "verify", "latest"],
        &["diff", "2026"],
    ];
    let none = none.map(|args| TestCli::new().run(args));
    check("releases_named_none", &[], &none);
}

#[test]
fn a_release_is_shown_with_its_files() {
    let (mut cli, ids) = two_releases();
    let shown = cli.run(&["releases", "show", &ids[0]]);
    for name in [
        "boats.ndjson",
        "boats.parquet",
        "words.parquet",
        "not active",
        "41",
        "14",
    ] {
        assert!(shown.out.contains(name), "{shown}");
    }
    let current = cli.run(&["releases", "show", "--json"]).out;
    let document: serde_json::Value = serde_json::from_str(&current).unwrap();
    assert_eq!(document["id"], ids[1].as_str());
    assert_eq!(document["active"], true);
    assert_eq!(document["files"].as_array().unwrap().len(), 17);
}

#[test]
fn every_damaged_release_is_named_and_none_is_activated() {
    let (mut cli, ids) = two_releases();
    let whole = cli.run(&["releases", "verify"]);
    let words = cli.path(format!("catalogue-data/releases/{}/words.parquet", ids[0]));
    fs::File::create(words).unwrap().write_all(b"x").unwrap();
    let outcomes = [
        whole,
        cli.run(&["releases", "verify"]),
        cli.run(&["releases", "verify", &ids[1]]),
        cli.run(&["releases", "activate", &ids[0]]),
        cli.run(&["releases", "rollback"]),
        cli.run(&["releases", "activate", "20200101T000000Z-0000000000000000"]),
        cli.run(&["releases", "activate", "../../etc"]),
    ];
    let outcomes: Vec<Outcome> = outcomes.into_iter().map(without_sizes).collect();
    check("releases_damaged", &ids, &outcomes);
}

#[test]
fn a_damaged_release_is_listed_beside_the_others() {
    let (mut cli, ids) = two_releases();
    let manifest = cli.path(format!("catalogue-data/releases/{}/manifest.json", ids[0]));
    fs::File::create(manifest).unwrap().write_all(b"x").unwrap();
    let active = cli.path(format!("catalogue-data/releases/{}/manifest.json", ids[1]));
    let listed = cli.run(&["releases", "list"]);
    let mut rows = listed.out.lines().skip(1).map(str::split_whitespace);
    let [newest, oldest] = [(); 2].map(|()| rows.next().unwrap().collect::<Vec<_>>());
    assert_eq!(newest[..3], [ids[1].as_str(), "0", "14"]);
    assert_eq!(newest.last(), Some(&"active"));
    assert_eq!(oldest[..3], [ids[0].as_str(), "-", "-"]);
    assert_eq!(oldest.last(), Some(&"damaged"));
    assert!(listed.out.lines().all(|line| line.len() <= 80), "{listed}");

    let json = cli.run(&["releases", "list", "--json"]);
    let document = json.document();
    let [newest, oldest] = [0, 1].map(|place| &document["releases"][place]);
    assert_eq!(newest["damage"], serde_json::Value::Null);
    assert_eq!(oldest["boats"], serde_json::Value::Null);
    let damage = oldest["damage"].as_str().unwrap();
    assert!(damage.contains("it is not the manifest"), "{damage}");

    fs::remove_file(active).unwrap();
    let listed = cli.run(&["releases", "list"]);
    assert!(listed.out.contains("active, damaged"), "{listed}");
}

fn without_sizes(mut outcome: Outcome) -> Outcome {
    let about = "it has 1 bytes, not the ";
    for text in [&mut outcome.out, &mut outcome.err] {
        while let Some(start) = text.find(about) {
            let end = start + text[start..].find(" of its manifest").unwrap();
            text.replace_range(start..end, "it has 1 bytes, not those");
        }
    }
    outcome
}

#[test]
fn serving_without_a_release_says_what_to_do() {
    let mut cli = TestCli::new();
    let outcome = cli.run(&["serve", "--listen", "127.0.0.1:0"]);
    check("serve_without_release", &[], &[outcome]);
}

#[test]
fn what_to_log_is_read_before_anything_is_done() {
    let mut cli = TestCli::new();
    let outcome = cli.run(&["serve", "--log", "server=loud"]);
    assert_eq!(outcome.status, cli::ExitStatus::WrongUsage);
    check("serve_with_a_bad_log", &[], &[outcome]);
}
