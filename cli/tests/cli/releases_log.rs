//! `catalogue releases log`: every change of what is served, and every import that changed
//! nothing, with its reason.

use std::fs;
use std::io::Write;
use std::os::unix::fs::symlink;
use std::time::Duration;

use cli::ExitStatus;
use serde_json::{Value, json};
use shared::base::hash::sha256_hex;

use crate::edited::{Edited, check, import, release_ids};
use crate::harness::{Outcome, TestCli};

const LOG: [&str; 2] = ["releases", "log"];

/// Runs a command a minute after the previous one.
fn later(cli: &mut TestCli, args: &[&str], status: ExitStatus) -> Outcome {
    cli.advance(Duration::from_mins(1));
    let outcome = cli.run(args);
    assert_eq!(outcome.status, status, "{outcome}");
    outcome
}

/// A directory in which every possible change was made to releases.
fn changed() -> TestCli {
    let mut cli = TestCli::new();
    Edited::sample().write(&cli, "whole.ndjson");
    Edited::sample().without_boats(9).write(&cli, "few.ndjson");
    Edited::sample().with_boat("new").write(&cli, "more.ndjson");
    cli.write("broken.ndjson", "{");
    let import = |cli: &mut TestCli, export, args: &[&str], status| {
        later(cli, &[&["import", export], args].concat(), status);
    };
    import(&mut cli, "[dir]/whole.ndjson", &[], ExitStatus::Done);
    import(&mut cli, "[dir]/whole.ndjson", &[], ExitStatus::Done);
    import(
        &mut cli,
        "[dir]/broken.ndjson",
        &[],
        ExitStatus::InvalidData,
    );
    import(
        &mut cli,
        "[dir]/few.ndjson",
        &["--no-activate"],
        ExitStatus::Done,
    );
    import(&mut cli, "[dir]/few.ndjson", &[], ExitStatus::Refused);
    let allowed = ["--max-removals", "40"];
    import(&mut cli, "[dir]/few.ndjson", &allowed, ExitStatus::Done);
    later(&mut cli, &["releases", "rollback"], ExitStatus::Done);
    import(&mut cli, "[dir]/more.ndjson", &[], ExitStatus::Done);
    later(
        &mut cli,
        &["releases", "activate", "previous"],
        ExitStatus::Done,
    );
    cli
}

/// The same after a dry run and a prune, which removes what a rollback left and what was never
/// served.
fn pruned() -> TestCli {
    let mut cli = changed();
    Edited::sample()
        .with_boat("other")
        .write(&cli, "other.ndjson");
    import(&mut cli, "[dir]/other.ndjson", &["--no-activate"]);
    cli.advance(Duration::from_hours(25));
    later(
        &mut cli,
        &["releases", "prune", "--dry-run"],
        ExitStatus::Done,
    );
    later(&mut cli, &["releases", "prune"], ExitStatus::Done);
    cli
}

fn entries(cli: &mut TestCli, args: &[&str]) -> Vec<Value> {
    let shown = cli.run(&[&LOG, args, &["--json"]].concat()).document();
    shown["entries"].as_array().unwrap().clone()
}

#[test]
fn the_log_shows_who_changed_what_from_which_files_and_why_nothing_changed() {
    let mut cli = changed();
    let outcomes = [cli.run(&LOG), cli.run(&["releases", "log", "--last", "1"])];
    check(&cli, "releases_log", &outcomes);
    let nothing = TestCli::new().run(&LOG);
    assert_eq!(nothing.out, "No changes are logged.\n");
}

#[test]
fn json_has_the_whole_hash_of_each_file_and_of_the_mapping() {
    let mut cli = TestCli::new();
    let mapping = "mapping = \"boat-catalogue-mapping/1\"\n[[sources]]\nfiles = [\"*.ndjson\"]\n\
                   reader = \"ndjson\"\n[envelope]\nkey = \".key\"\ntype = \".type\"\n\
                   [[emit]]\nkind = \"boat\"\ntype = \"b\"\n[emit.fields]\nmodel = \".a\"\n";
    cli.write("map.toml", mapping);
    cli.write("export.ndjson", "{\"key\":1}\n");
    let import = [
        "import",
        "--mapping",
        "[dir]/map.toml",
        "[dir]/export.ndjson",
    ];
    later(&mut cli, &import, ExitStatus::InvalidData);
    let entry = entries(&mut cli, &[]).remove(0);
    let path = |name| cli.path(name).display().to_string();
    assert_eq!(
        entry["source"],
        json!({
            "files": {
                "count": 1,
                "bytes": 10,
                "first": [{
                    "name": path("export.ndjson").replace(&path(""), "[dir]/"),
                    "bytes": 10,
                    "sha256": sha256_hex(b"{\"key\":1}\n"),
                }],
            },
            "mapping": {
                "name": path("map.toml").replace(&path(""), "[dir]/"),
                "bytes": mapping.len(),
                "sha256": sha256_hex(mapping.as_bytes()),
            },
            "leftOut": 0,
        })
    );
    assert_eq!(
        (&entry["user"], &entry["uid"]),
        (&json!("alice"), &json!(1000))
    );
}

#[test]
fn a_prune_is_logged_and_what_it_removed_is_found_by_its_id() {
    let mut cli = pruned();
    let removed = entries(&mut cli, &["--last", "1"]).remove(0);
    assert_eq!(removed["command"], "releases prune", "{removed}");
    assert_eq!(
        (&removed["outcome"], &removed["count"]),
        (&json!("removed"), &json!(2))
    );
    let id = removed["first"][0].as_str().unwrap().to_owned();
    assert!(!release_ids(&cli).contains(&id));
    for named in [&id, &id[..20]] {
        let about = entries(&mut cli, &["--release", named]);
        let outcomes: Vec<_> = about.iter().map(|entry| &entry["outcome"]).collect();
        assert_eq!(outcomes, ["removed", "made"], "{about:?}");
    }
    // A prune with nothing to remove changes nothing.
    let before = entries(&mut cli, &[]).len();
    later(&mut cli, &["releases", "prune"], ExitStatus::Done);
    assert_eq!(entries(&mut cli, &[]).len(), before);
}

#[test]
fn what_a_power_cut_left_of_a_line_is_named_and_the_others_are_shown() {
    let mut cli = changed();
    let path = cli.path("catalogue-data/releases.log");
    let text = fs::read(&path).unwrap();
    let mut file = fs::File::create(&path).unwrap();
    file.write_all(&text[..text.len() - 9]).unwrap();
    let torn = [
        cli.run(&["releases", "log", "--last", "1"]),
        later(
            &mut cli,
            &["releases", "activate", "previous"],
            ExitStatus::Done,
        ),
        cli.run(&["releases", "log", "--last", "1"]),
    ];
    check(&cli, "releases_log_torn", &torn);
    let doctor = cli.run(&["doctor", "--json"]).document();
    let checks = doctor["checks"].as_array().unwrap();
    let of_log = checks.iter().find(|one| one["check"] == "release log");
    assert_eq!(of_log.unwrap()["outcome"], "warning", "{doctor}");
}

/// As if a command was killed between the entry and the pointer, or the pointer was restored.
#[test]
fn a_release_that_is_active_without_an_entry_is_reported() {
    let mut cli = changed();
    let ids = release_ids(&cli);
    let current = cli.path("catalogue-data/current");
    let before = fs::read(&current).unwrap();
    later(
        &mut cli,
        &["releases", "activate", "latest"],
        ExitStatus::Done,
    );
    fs::File::create(&current)
        .unwrap()
        .write_all(&before)
        .unwrap();
    let shown = cli.run(&["releases", "log", "--last", "1"]);
    assert!(shown.err.starts_with("warning: release "), "{shown}");
    assert!(ids.iter().any(|id| shown.err.contains(id)), "{shown}");
    later(
        &mut cli,
        &["releases", "activate", "latest"],
        ExitStatus::Done,
    );
    let after_gap = entries(&mut cli, &["--last", "2"]);
    let gaps: Vec<_> = after_gap.iter().map(|entry| &entry["afterGap"]).collect();
    assert_eq!(gaps, [true, false]);
    assert_eq!(cli.run(&LOG).err, "");
}

/// Whoever owns the data directory could let root change any file.
#[test]
fn a_command_follows_no_link_to_a_file_that_it_changes() {
    for name in ["releases.log", "releases.lock", "keys.sqlite"] {
        let mut cli = changed();
        cli.run(&["subscriptions", "create", "Acme"]);
        let link = cli.path("catalogue-data").join(name);
        let target = cli.path("of-others");
        fs::copy(&link, &target).unwrap();
        fs::remove_file(&link).unwrap();
        symlink(&target, &link).unwrap();
        let before = fs::read(&target).unwrap();
        for args in [
            &["releases", "rollback"][..],
            &["subscriptions", "create", "Other"],
        ] {
            let is_of_keys = args[0] == "subscriptions";
            if is_of_keys == (name == "keys.sqlite") {
                let failed = later(&mut cli, args, ExitStatus::Failure);
                let why = "it is a link, which is not followed";
                assert!(failed.err.contains(why), "{failed}");
            }
        }
        assert_eq!(fs::read(&target).unwrap(), before, "{name}");
    }
}

#[test]
fn without_an_entry_nothing_is_changed() {
    let mut cli = changed();
    let log = cli.path("catalogue-data/releases.log");
    fs::remove_file(&log).unwrap();
    symlink("/dev/full", &log).unwrap();
    let current = fs::read(cli.path("catalogue-data/current")).unwrap();
    Edited::sample()
        .with_boat("third")
        .write(&cli, "third.ndjson");
    for args in [
        &["releases", "activate", "latest"][..],
        &["releases", "rollback"],
        &["import", "[dir]/third.ndjson"],
        &["import", "[dir]/third.ndjson", "--no-activate"],
        &["import", "[dir]/broken.ndjson"],
    ] {
        let failed = later(&mut cli, args, ExitStatus::Failure);
        assert!(failed.err.contains("releases.log"), "{failed}");
        assert_eq!(
            fs::read(cli.path("catalogue-data/current")).unwrap(),
            current
        );
    }
    cli.advance(Duration::from_hours(25));
    let releases = release_ids(&cli);
    later(&mut cli, &["releases", "prune"], ExitStatus::Failure);
    assert_eq!(release_ids(&cli), releases);
}

#[test]
fn what_is_refused_says_what_to_do_next() {
    let mut cli = changed();
    let outcomes = [
        cli.run(&["releases", "log", "--last", "0"]),
        cli.run(&["releases", "log", "--release", "newest"]),
        cli.run(&["releases", "log", "--release", "20010101"]),
    ];
    check(&cli, "releases_log_refused", &outcomes);
}

/// The name of a file may be meant to deceive the reader of the log.
#[test]
fn names_of_files_cannot_move_the_cursor() {
    let mut cli = TestCli::new();
    let name = "\u{1b}[2J\u{202e}\n.ndjson";
    Edited::sample().write(&cli, name);
    later(
        &mut cli,
        &["import", &format!("[dir]/{name}")],
        ExitStatus::Done,
    );
    let shown = cli.run(&LOG);
    assert!(
        shown.out.contains(r"\u{1b}[2J\u{202e}\u{a}.ndjson"),
        "{shown}"
    );
    assert!(!shown.out.contains(['\u{1b}', '\u{202e}']));
}

#[test]
fn records_that_were_left_out_are_counted() {
    let mut cli = TestCli::new();
    let edited = Edited::sample().boat(0, |boat| boat["model"] = json!(7));
    edited.write(&cli, "export.ndjson");
    let import = ["import", "--skip-invalid", "[dir]/export.ndjson"];
    later(&mut cli, &import, ExitStatus::Done);
    assert_eq!(entries(&mut cli, &[])[0]["source"]["leftOut"], 1);
    assert!(cli.run(&LOG).out.ends_with("left out: 1 invalid record\n"));
}

#[test]
fn an_import_that_finds_nothing_new_is_logged_twice_a_day_and_after_a_refusal() {
    let mut cli = TestCli::new();
    let minutes = |cli: &TestCli, minutes| cli.advance(Duration::from_mins(minutes));
    Edited::sample().write(&cli, "export.ndjson");
    let unchanged = ["import", "--if-changed", "[dir]/export.ndjson"];
    for pause in [0, 1, 717, 1, 719] {
        minutes(&cli, pause);
        later(&mut cli, &unchanged, ExitStatus::Done);
    }
    cli.write("broken.ndjson", "{");
    let broken = ["import", "[dir]/broken.ndjson"];
    later(&mut cli, &broken, ExitStatus::InvalidData);
    later(&mut cli, &unchanged, ExitStatus::Done);
    let log = cli.run(&LOG);
    check(&cli, "releases_log_unchanged", &[log]);
}
