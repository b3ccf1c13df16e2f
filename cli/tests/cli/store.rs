//! `catalogue store`: creating, copying and backing up a store.

use std::fs;
use std::os::unix::fs::PermissionsExt;

use cli::ExitStatus;
use shared::base::data_dir::DataDir;
use shared::keys::environment::Environment;
use shared::servers::ServerLock;

use crate::harness::{TestCli, check};
use crate::keys::{acme, issue};

#[test]
fn a_file_is_made_once_and_copied_into_an_empty_one() {
    let mut cli = TestCli::new();
    let outcomes = [cli.run(&["store", "init"]), cli.run(&["store", "init"])];
    check("store_init", &outcomes);
    let mut cli = acme();
    issue(&mut cli, &[]);
    let outcomes = [
        cli.run(&["store", "copy", "--to", "[dir]/copy.sqlite"]),
        cli.run(&["store", "copy", "--to", "[dir]/copy.sqlite"]),
        cli.run(&["store", "copy", "--to", "[dir]/other.sqlite", "--json"]),
    ];
    check("store_copy", &outcomes);
}

#[test]
fn a_store_that_a_server_uses_is_not_copied() {
    let mut cli = acme();
    let data = DataDir::new(cli.path("catalogue-data"));
    let lock = ServerLock::take(&data, Environment::Test).unwrap();
    let refused = cli.run(&["store", "copy", "--to", "[dir]/copy.sqlite"]);
    drop(lock);
    assert!(!cli.path("copy.sqlite").exists());
    check("store_copy_in_use", [&refused]);
}

#[test]
fn a_backup_is_a_new_private_file_that_a_new_data_directory_can_begin_with() {
    let mut cli = acme();
    let id = issue(&mut cli, &[]);
    // A server does not mind, and is not minded.
    let data = DataDir::new(cli.path("catalogue-data"));
    let _lock = ServerLock::take(&data, Environment::Live).unwrap();
    let outcomes = [
        cli.run(&["store", "backup", "[dir]/backup.sqlite"]),
        cli.run(&["store", "backup", "[dir]/backup.sqlite"]),
        cli.run(&["store", "backup", "[dir]/other.sqlite", "--json"]),
        cli.run(&["store", "backup", "[dir]/catalogue-data/backup.sqlite"]),
        cli.run(&["store", "backup", "[dir]/missing/backup.sqlite"]),
        cli.run(&["store", "backup", "backup.sqlite", "--store", NOWHERE]),
        cli.run("store backup [dir]/new.sqlite --data [dir]/none"),
    ];
    check("store_backup", &outcomes);
    let mode = cli.path("backup.sqlite").metadata().unwrap().permissions();
    assert_eq!(mode.mode() & 0o777, 0o600);
    let files = fs::read_dir(cli.path("")).unwrap();
    let mut names = files.map(|file| file.unwrap().file_name().into_string().unwrap());
    assert!(!names.any(|name| name.starts_with(".part-")));
    fs::create_dir(cli.path("restored")).unwrap();
    fs::copy(cli.path("backup.sqlite"), cli.path("restored/keys.sqlite")).unwrap();
    let restored = ["--data", "[dir]/restored"];
    let mut run = |args: &[&str]| cli.run(&[args, &restored[..]].concat());
    let keys = run(&["keys", "list"]);
    assert!(keys.out.contains("Acme"), "{keys}");
    assert_eq!(run(&["keys", "revoke", &id]).status, ExitStatus::Done);
    assert_eq!(
        run(&["store", "copy", "--to", "[dir]/copy.sqlite"]).status,
        ExitStatus::Done
    );
}

/// An address where nothing listens.
const NOWHERE: &str = "postgres://boats:s3cret@127.0.0.1:1/boats";

#[test]
fn no_password_of_an_address_is_shown() {
    let mut cli = TestCli::new();
    let outcomes = [
        cli.run(&["keys", "list", "--store", NOWHERE]),
        cli.run(&["store", "init", "--store", NOWHERE]),
        cli.run(&["demo", "--store", NOWHERE]),
        cli.run("keys list --store postgres://boats:s3cret@127.0.0.1"),
        cli.run("keys list --store mysql://boats:s3cret@127.0.0.1/boats"),
        cli.run("store copy --to postgres://boats:s3cret@h/db?sslmode=allow"),
    ];
    for outcome in &outcomes {
        assert!(!format!("{}{}", outcome.out, outcome.err).contains("s3cret"));
    }
    check("store_addresses", &outcomes);
}
