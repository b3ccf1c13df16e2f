//! One kind of damage per case: what is said about it, and what to run.

use std::fs::{self, File, Permissions};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::time::Duration;

use shared::keys::key::KeyId;
use shared::keys::last_use::{KeyUse, LastUses};
use shared::keys::sqlite;

use super::ward::{Ward, check_cases};
use crate::edited::{self, import};
use crate::harness::{START, TestCli, Typed};
use crate::pipe::make_pipe;

#[test]
fn what_is_wrong_with_a_directory_is_reported_and_the_rest_is_looked_at_all_the_same() {
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
    let unmounted = Ward::new();
    fs::remove_dir_all(unmounted.path("")).unwrap();
    fs::create_dir(unmounted.path("")).unwrap();
    let mut cases = [
        ("no directory", missing),
        ("an empty directory", unmounted),
        ("a file in its place", file),
        ("others may enter", with_mode("", 0o755)),
        ("its owner may not write", with_mode("", 0o500)),
        ("others may read the keys", with_mode("keys.sqlite", 0o640)),
    ];
    check_cases("doctor_directory", &mut cases);
}

#[test]
fn a_pipe_in_the_place_of_a_file_is_reported_and_not_waited_for() {
    let files = ["current", "releases.lock", "keys.sqlite"];
    let mut cases = files.map(|name| (name, Ward::new()));
    for (name, ward) in &cases {
        replace_by_pipe(&ward.path(name));
    }
    check_cases("doctor_pipes", &mut cases);
    let mut cases = ["manifest.json", "words.parquet", "boats.ndjson"].map(|name| {
        let ward = Ward::new();
        replace_by_pipe(&ward.release_file(name));
        (name, ward)
    });
    check_cases("doctor_pipes_of_a_release", &mut cases);
}

fn replace_by_pipe(path: &Path) {
    fs::remove_file(path).unwrap();
    make_pipe(path);
}

#[test]
fn what_is_wrong_with_releases_is_reported_with_what_mends_it() {
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
    let mut alone = Ward::new();
    alone.cli.advance(Duration::from_mins(1));
    edited::Edited::sample()
        .with_boat("added")
        .write(&alone.cli, "export.ndjson");
    import(&mut alone.cli, "[dir]/export.ndjson", &["--no-activate"]);
    let first = &edited::release_ids(&alone.cli)[0];
    let bodies = alone.path(&format!("releases/{first}/boats.ndjson"));
    Ward::overwrite(&bodies, 50, b"\0");
    let mut empty = Ward {
        cli: TestCli::new(),
    };
    empty.run(&["subscriptions", "create", "Acme"]);
    empty.run("keys issue --subscription Acme --scope boats.read");
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
            damaged(&|ward| Ward::overwrite(&ward.release_file("boats.ndjson"), 50, b"\0")),
        ),
        (
            "a damaged manifest of the active release",
            damaged(&|ward| Ward::overwrite(&ward.release_file("manifest.json"), 0, b"x")),
        ),
        (
            "no active release",
            damaged(&|ward| fs::remove_dir_all(ward.release_file("")).unwrap()),
        ),
        (
            "a damaged active release, and one that was never active",
            alone,
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
fn what_is_wrong_with_the_key_store_is_reported_with_what_mends_it() {
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
    let unreserved = Ward::new();
    fs::remove_file(unreserved.path("keys.sqlite-journal")).unwrap();
    let mut cases = [
        ("none", Ward::without_keys()),
        ("cut", cut),
        ("overwritten", with(4096, &[0xff; 4096])),
        ("no database", with(0, &[b'x'; 100])),
        ("of a newer version", with(60, &[0, 0, 0, 99])),
        ("of an earlier version", with(60, &[0, 0, 0, 3])),
        ("of another program", with(68, b"CAKE")),
        ("without its journal", unreserved),
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
    let issue = "keys issue --subscription Acme --scope boats.read --expires";
    let [soon, sooner, late] = ["14d", "2d", "15d"].map(|days| format!("{issue} {days}"));
    let create = |name| ["subscriptions", "create", name];
    let mut rotated = with(&[]);
    let keys = rotated.cli.run(&["keys", "list", "--json"]).document();
    let id = KeyId::parse(keys["keys"][0]["id"].as_str().unwrap()).unwrap();
    rotated.run(&["keys", "rotate", id.as_str()]);
    let uses = sqlite::SqliteLastUses::new(rotated.path("keys.sqlite"));
    uses.record(&[KeyUse::free(id, START + 30)]).unwrap();
    let mut bare = Ward::without_keys();
    bare.run(&["store", "init"]);
    let mut cases = [
        ("no subscription", bare),
        (
            "subscriptions without keys",
            with(
                &["b", "c", "d", "e", "f", "it's"]
                    .map(create)
                    .each_ref()
                    .map(|args| &args[..]),
            ),
        ),
        (
            "an inactive subscription with keys",
            with(&[&["subscriptions", "update", "Acme", "--status", "inactive"]]),
        ),
        (
            "keys that expire soon",
            with(&[&soon.words(), &sooner.words(), &late.words()]),
        ),
        ("a rotated key that is still used", rotated),
    ];
    check_cases("doctor_keys", &mut cases);
}
