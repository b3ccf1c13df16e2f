//! `catalogue store`: creating, migrating and copying a store.

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

/// An address where nothing listens.
const NOWHERE: &str = "postgres://boats:s3cret@127.0.0.1:1/boats";

#[test]
fn no_password_of_an_address_is_shown() {
    let mut cli = TestCli::new();
    let outcomes = [
        cli.run(&["keys", "list", "--store", NOWHERE]),
        cli.run(&["store", "init", "--store", NOWHERE]),
        cli.run(&["demo", "--store", NOWHERE]),
        cli.run(&[
            "keys",
            "list",
            "--store",
            "postgres://boats:s3cret@127.0.0.1",
        ]),
        cli.run(&[
            "keys",
            "list",
            "--store",
            "mysql://boats:s3cret@127.0.0.1/boats",
        ]),
        cli.run(&[
            "store",
            "copy",
            "--to",
            "postgres://boats:s3cret@h/db?sslmode=allow",
        ]),
    ];
    for outcome in &outcomes {
        assert!(!format!("{}{}", outcome.out, outcome.err).contains("s3cret"));
    }
    check("store_addresses", &outcomes);
}
