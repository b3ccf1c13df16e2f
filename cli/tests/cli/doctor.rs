//! `catalogue doctor`: what it says about a data directory, the machine and servers.

mod damages;
mod ward;

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::time::Duration;

use cli::ExitStatus;
use cli::process::machine::Machine;
use cli::terminal::Terminal;
use shared::base::data_dir::DataDir;
use shared::keys::environment::Environment;
use shared::keys::ledger::QuotaLedger;
use shared::keys::quota::Period;
use shared::keys::sqlite::{self, SqliteLedger};
use shared::keys::store::Revision;
use shared::keys::subscription::SubscriptionId;
use shared::release::{ReleaseStore, Releases};
use shared::servers::ServerLock;

use self::ward::{Ward, check};
use crate::edited::{Edited, import, release_ids};
use crate::harness::START;

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
fn a_machine_that_gives_too_little_is_reported() {
    let mut ward = Ward::new();
    let poor = Machine {
        open_files_max: || Some(1024),
        memory_bytes: || None,
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
fn a_full_disk_is_pruned_only_where_that_frees_something() {
    let mut ward = Ward::new();
    let full = Machine {
        open_files_max: || Some(20_000),
        memory_bytes: || None,
        free_bytes: |_directory| Ok(99_999_999),
    };
    let of_disk = |ward: &mut Ward| {
        let outcome = ward
            .cli
            .run_in(&["doctor"], |context| context.machine = full);
        let (_, told) = outcome.out.split_once("problem  disk").unwrap();
        told.split_once("ok ").unwrap().0.trim().to_owned()
    };
    let needed = of_disk(&mut ward);
    Edited::sample()
        .with_boat("added")
        .write(&ward.cli, "export.ndjson");
    import(&mut ward.cli, "[dir]/export.ndjson", &["--no-activate"]);
    ward.cli.advance(Duration::from_hours(48));
    let unneeded = of_disk(&mut ward);
    crate::harness::assert_snapshot("doctor_disk", &[needed, unneeded].join("\n\n"));
}

#[test]
fn a_clock_that_was_put_back_is_a_problem() {
    let mut ward = Ward::new();
    let outcome = ward.examine(&[], -7200);
    assert_eq!(outcome.status, ExitStatus::Failure);
    assert!(
        outcome.out.contains("something here is dated in 2 hours"),
        "{outcome}"
    );
    assert_eq!(ward.examine(&[], -60).status, ExitStatus::Done);
}

#[test]
fn a_month_in_the_future_that_was_charged_is_a_warning() {
    let mut ward = Ward::new();
    let ledger = SqliteLedger::new(ward.path("keys.sqlite"));
    let period = Period::containing(START, START + 150 * 86_400);
    ledger.lease(SubscriptionId(1), period, 1).unwrap();
    let outcome = ward.examine(&[], 0);
    assert_eq!(outcome.status, ExitStatus::Done);
    let told = "requests were charged";
    assert!(outcome.out.contains(told), "{outcome}");
    ledger.give_back(SubscriptionId(1), period, 1).unwrap();
    let outcome = ward.examine(&[], 0);
    assert!(!outcome.out.contains(told), "{outcome}");
}

#[test]
fn a_user_who_is_not_the_owner_is_warned() {
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
        let named = "run: catalogue --data [dir]/catalogue-data";
        assert!(
            outcome
                .out
                .contains(&format!("{named} releases activate {id}\n")),
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
