//! `catalogue doctor`: one damage a case, and that looking changes nothing.

use std::fs::{self, File, Permissions};
use std::io::{Read, Seek, SeekFrom, Write};
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use cli::ExitStatus;
use cli::context::Terminal;
use cli::machine::Machine;
use serde_json::Value;
use shared::clock::ManualClock;
use shared::data_dir::DataDir;
use shared::keys::environment::Environment;
use shared::keys::key::KeyId;
use shared::keys::last_use::LastUses;
use shared::keys::sqlite;
use shared::keys::store::Revision;
use shared::release::ReleaseStore;
use shared::servers::ServerLock;

use crate::edited::{self, document, import, release_ids};
use crate::harness::{Outcome, START, TestCli};

const SAMPLE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../fixtures/sample");

/// Characters of the id of a release.
const ID_LENGTH: usize = "20261121T101500Z-3f2a9c1b4d5e6f70".len();

/// A data directory with which nothing is wrong.
struct Ward {
    cli: TestCli,
}

/// What a file is, down to the moment of its last change.
type Entry = (PathBuf, u32, i64, i64, Vec<u8>);

impl Ward {
    fn new() -> Self {
        let mut ward = Self::without_keys();
        ward.run(&["subscriptions", "create", "Acme"]);
        ward.run(&[
            "keys",
            "issue",
            "--subscription",
            "Acme",
            "--scope",
            "boats.read",
        ]);
        ward
    }

    fn without_keys() -> Self {
        let mut cli = TestCli::new();
        import(&mut cli, SAMPLE, &[]);
        Self { cli }
    }

    fn run(&mut self, args: &[&str]) {
        let outcome = self.cli.run(args);
        assert_eq!(outcome.status, ExitStatus::Done, "{outcome}");
    }

    fn path(&self, name: &str) -> PathBuf {
        self.cli.path(format!("catalogue-data/{name}"))
    }

    /// Of the active release.
    fn release_file(&self, name: &str) -> PathBuf {
        let ids = release_ids(&self.cli);
        self.path(&format!("releases/{}/{name}", ids[ids.len() - 1]))
    }

    fn overwrite(path: &Path, at: u64, bytes: &[u8]) {
        let mut file = File::options().write(true).open(path).unwrap();
        file.seek(SeekFrom::Start(at)).unwrap();
        file.write_all(bytes).unwrap();
    }

    /// Looks, by whoever owns the directory, at [`START`] or so many seconds from it.
    fn examine(&mut self, args: &[&str], seconds: i64) -> Outcome {
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

    /// The checks that are not as they should be: about what, how, and what to run.
    fn complaints(&mut self) -> Vec<String> {
        let outcome = self.examine(&["--json"], 0);
        let told = document(&outcome);
        let checks = told["checks"].as_array().unwrap().iter();
        let text = |value: &Value| value.as_str().unwrap_or("nothing").to_owned();
        let complaints: Vec<String> = checks
            .filter(|check| check["outcome"] != "ok")
            .map(|check| {
                let [about, outcome, said, remedy] =
                    ["about", "outcome", "said", "remedy"].map(|name| text(&check[name]));
                format!("{outcome}: {about}: {said}\n  run: {remedy}")
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
        } else if !path.ends_with("keys.sqlite") {
            // Closing the store without SQLite would drop locks on it.
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

/// Sizes of releases hang on the version of the Parquet library.
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

fn check(ward: &Ward, name: &str, outcomes: &[Outcome]) {
    edited::check(&ward.cli, name, outcomes);
}

/// Compares what is complained about in each case with a snapshot.
fn check_cases(name: &str, cases: &mut [(&str, Ward)]) {
    let mut text = String::new();
    for (what, ward) in cases {
        let mut told = ward.complaints().join("\n");
        assert!(!told.is_empty(), "{what}");
        // A release may be named that is gone.
        while let Some(at) = told.find("20261001T") {
            told.replace_range(at..at + ID_LENGTH, "[release]");
        }
        text = format!("{text}# {what}\n{told}\n\n");
    }
    crate::harness::assert_snapshot(name, text.trim_end());
}

#[test]
fn nothing_is_complained_about_where_nothing_is_wrong() {
    let mut ward = Ward::new();
    let outcomes = [ward.examine(&[], 0), ward.examine(&["--json"], 0)];
    assert!(
        outcomes
            .iter()
            .all(|outcome| outcome.status == ExitStatus::Done)
    );
    check(&ward, "doctor", &outcomes);
}

#[test]
fn what_is_wrong_with_a_directory_is_told_and_the_rest_is_looked_at_all_the_same() {
    let with_mode = |name: &str, mode| {
        let ward = Ward::new();
        fs::set_permissions(ward.path(name), Permissions::from_mode(mode)).unwrap();
        ward
    };
    let missing = Ward::new();
    fs::remove_dir_all(missing.path("")).unwrap();
    let file = Ward::new();
    fs::remove_dir_all(file.path("")).unwrap();
    file.cli.write("catalogue-data", b"");
    let mut cases = [
        ("no directory", missing),
        ("a file in its place", file),
        ("others may enter", with_mode("", 0o755)),
        ("its owner may not write", with_mode("", 0o500)),
        ("others may read the keys", with_mode("keys.sqlite", 0o640)),
    ];
    check_cases("doctor_directory", &mut cases);
}

#[test]
fn what_is_wrong_with_releases_is_told_with_what_mends_it() {
    let damaged = |damage: &dyn Fn(&Ward)| {
        let ward = Ward::new();
        damage(&ward);
        ward
    };
    let mut other = Ward::new();
    Ward::overwrite(&other.release_file("words.parquet"), 50, b"damage");
    other.cli.advance(Duration::from_mins(1));
    edited::Edited::sample()
        .with_boat("added")
        .write(&other.cli, "export.ndjson");
    import(
        &mut other.cli,
        "[dir]/export.ndjson",
        &["--allow", "uncompared"],
    );
    let mut empty = Ward {
        cli: TestCli::new(),
    };
    empty.run(&["subscriptions", "create", "Acme"]);
    empty.run(&[
        "keys",
        "issue",
        "--subscription",
        "Acme",
        "--scope",
        "boats.read",
    ]);
    let mut cases = [
        (
            "a damaged pointer",
            damaged(&|ward| Ward::overwrite(&ward.path("current"), 3, b"x")),
        ),
        (
            "no pointer",
            damaged(&|ward| fs::remove_file(ward.path("current")).unwrap()),
        ),
        ("no release", empty),
        (
            "a damaged file of the active release",
            damaged(&|ward| Ward::overwrite(&ward.release_file("boats.bodies"), 50, b"\0")),
        ),
        (
            "a damaged manifest of the active release",
            damaged(&|ward| Ward::overwrite(&ward.release_file("manifest.json"), 0, b"x")),
        ),
        (
            "no active release",
            damaged(&|ward| fs::remove_dir_all(ward.release_file("")).unwrap()),
        ),
        ("a damaged file of another release", other),
        (
            "what a killed import left",
            damaged(&|ward| fs::create_dir(ward.path("releases/.staging-x")).unwrap()),
        ),
    ];
    check_cases("doctor_releases", &mut cases);
}

#[test]
fn what_is_wrong_with_the_key_store_is_told_with_what_mends_it() {
    let with = |at: u64, bytes: &[u8]| {
        let ward = Ward::new();
        Ward::overwrite(&ward.path("keys.sqlite"), at, bytes);
        ward
    };
    let cut = Ward::new();
    let store = File::options()
        .write(true)
        .open(cut.path("keys.sqlite"))
        .unwrap();
    store.set_len(8192).unwrap();
    let mut cases = [
        ("none", Ward::without_keys()),
        ("cut", cut),
        ("overwritten", with(4096, &[0xff; 4096])),
        ("no database", with(0, &[b'x'; 100])),
        ("of a newer version", with(60, &[0, 0, 0, 99])),
        ("of an earlier version", with(60, &[0, 0, 0, 2])),
        ("of another program", with(68, b"CAKE")),
        ("with a write-ahead log", with(18, &[2, 2])),
    ];
    check_cases("doctor_key_store", &mut cases);
}

#[test]
fn keys_and_subscriptions_that_want_looking_after_are_named() {
    let with = |commands: &[&[&str]]| {
        let mut ward = Ward::new();
        for args in commands {
            ward.run(args);
        }
        ward
    };
    let issue = [
        "keys",
        "issue",
        "--subscription",
        "Acme",
        "--scope",
        "boats.read",
    ];
    let expiring = |days: &'static str| [&issue[..], &["--expires", days]].concat();
    let (soon, sooner, late) = (expiring("14d"), expiring("2d"), expiring("15d"));
    let create = |name| ["subscriptions", "create", name];
    let mut rotated = with(&[]);
    let keys = document(&rotated.cli.run(&["keys", "list", "--json"]));
    let id = KeyId::parse(keys["keys"][0]["id"].as_str().unwrap()).unwrap();
    rotated.run(&["keys", "rotate", id.as_str()]);
    let uses = sqlite::SqliteLastUses::new(rotated.path("keys.sqlite"));
    uses.record(&[(id, START + 30)]).unwrap();
    let mut cases = [
        (
            "subscriptions without keys",
            with(&[&create("b"), &create("c"), &create("d"), &create("it's")]),
        ),
        (
            "an inactive subscription with keys",
            with(&[&["subscriptions", "update", "Acme", "--status", "inactive"]]),
        ),
        ("keys that expire soon", with(&[&soon, &sooner, &late])),
        ("a rotated key that is still used", rotated),
    ];
    check_cases("doctor_keys", &mut cases);
}

#[test]
fn a_running_server_is_asked_whether_it_acts_on_the_keys_as_they_are() {
    let mut ward = Ward::new();
    let data = DataDir::new(ward.path(""));
    let complaint = "server, live";
    let lock = ServerLock::take(&data, Environment::Live).unwrap();
    let silent = ward.complaints();
    assert!(silent[0].contains(complaint), "{silent:?}");
    lock.confirm(&Revision("1-old".to_owned())).unwrap();
    assert_eq!(ward.complaints(), silent);
    let current = sqlite::revision(&data.keys_database()).unwrap();
    lock.confirm(&current).unwrap();
    assert_eq!(ward.complaints(), [""; 0]);
    drop(lock);
    assert_eq!(ward.complaints(), [""; 0]);
    crate::harness::assert_snapshot("doctor_server", &silent.join("\n"));
}

#[test]
fn while_releases_are_changed_only_the_active_one_is_looked_at() {
    let mut ward = Ward::new();
    let store = ReleaseStore::new(DataDir::new(ward.path("")));
    let lock = store.lock().unwrap();
    let busy = ward.examine(&[], 0);
    assert!(
        busy.out
            .contains("an import, activation or prune is running"),
        "{busy}"
    );
    assert_eq!(busy.status, ExitStatus::Done, "{busy}");
    drop(lock);
    assert!(!ward.examine(&[], 0).out.contains("is running"));
}

#[test]
fn a_machine_that_gives_too_little_is_told() {
    let mut ward = Ward::new();
    let poor = Machine {
        open_files_max: || Some(1024),
        free_bytes: |_directory| Ok(99_999_999),
    };
    let outcome = ward
        .cli
        .run_in(&["doctor"], |context| context.machine = poor);
    assert_eq!(outcome.status, ExitStatus::Failure);
    for told in [
        "problem  disk            99 MB are free: soon nothing can be imported",
        "warning  open files      a server that is started from here may have 768 connections",
    ] {
        assert!(outcome.out.contains(told), "{outcome}");
    }
}

#[test]
fn a_clock_that_was_put_back_is_a_problem() {
    let mut ward = Ward::new();
    let outcome = ward.examine(&[], -7200);
    assert_eq!(outcome.status, ExitStatus::Failure);
    assert!(
        outcome.out.contains("something here was done in 2 hours"),
        "{outcome}"
    );
    assert_eq!(ward.examine(&[], -60).status, ExitStatus::Done);
}

#[test]
fn whoever_is_not_the_owner_is_warned() {
    let mut ward = Ward::new();
    let uid = fs::metadata(ward.path("")).unwrap().uid();
    let outcome = ward
        .cli
        .run_in(&["doctor"], |context| context.operator.uid = uid + 1);
    assert_eq!(outcome.status, ExitStatus::Done, "{outcome}");
    assert!(outcome.out.contains("sudo -u"), "{outcome}");
}

#[test]
fn a_key_is_no_part_of_what_is_said() {
    let mut ward = Ward::new();
    let told = ward.examine(&["--json"], 0).out;
    assert!(
        !told.contains("boat_live_") && !told.contains("hash"),
        "{told}"
    );
}

#[test]
fn lines_fit_the_terminal_and_commands_are_not_broken() {
    let mut ward = Ward::new();
    Ward::overwrite(&ward.path("current"), 3, b"x");
    for columns in [60, 80, 120] {
        let terminal = Terminal {
            out: true,
            out_colour: true,
            columns: Some(columns),
            ..Terminal::default()
        };
        let outcome = ward
            .cli
            .run_in(&["doctor"], |context| context.terminal = terminal);
        assert!(
            outcome.out.contains("\u{1b}[31mproblem\u{1b}[0m"),
            "{outcome}"
        );
        let id = &release_ids(&ward.cli)[0];
        assert!(
            outcome
                .out
                .contains(&format!("run: catalogue releases activate {id}\n")),
            "{outcome}"
        );
        let plain = outcome
            .out
            .replace("\u{1b}[31m", "")
            .replace("\u{1b}[32m", "");
        let plain = plain
            .replace("\u{1b}[33m", "")
            .replace("\u{1b}[0m", "")
            .replace("[dir]", "");
        for line in plain
            .lines()
            .filter(|line| !line.contains("run:") && !line.contains("/catalogue-data"))
        {
            assert!(line.chars().count() <= columns, "{columns}: {line}");
        }
    }
}
