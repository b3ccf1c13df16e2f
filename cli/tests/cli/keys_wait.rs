//! `--wait`: a command that returns only when every running server acts on its change.

use cli::exit_status::ExitStatus;
use shared::data_dir::DataDir;
use shared::keys::environment::Environment;
use shared::keys::store::Revision;
use shared::servers::ServerLock;

use crate::client::Client;
use crate::harness::{TestCli, check};
use crate::process::{catalogue, catalogue_json, hold_spawning};
use crate::sample::Sample;

/// A subscription, a key and its id.
fn with_key() -> (TestCli, String) {
    let mut cli = TestCli::new();
    cli.run(&["subscriptions", "create", "Acme"]);
    let issued = cli.run(&[
        "keys",
        "issue",
        "--subscription",
        "Acme",
        "--scope",
        "boats.read",
        "--json",
    ]);
    let issued: serde_json::Value = serde_json::from_str(&issued.out).unwrap();
    (cli, issued["id"].as_str().unwrap().to_owned())
}

fn take(cli: &TestCli, environment: Environment) -> ServerLock {
    let data = DataDir::new(cli.path("catalogue-data"));
    ServerLock::take(&data, environment).unwrap()
}

#[test]
fn without_a_server_there_is_nothing_to_wait_for() {
    let (mut cli, id) = with_key();
    {
        // A process on its way would hold the lock for a moment longer.
        let _spawning = hold_spawning();
        drop(take(&cli, Environment::Live));
    }
    for change in [
        &["keys", "disable", &id, "--wait"][..],
        &["keys", "enable", &id, "--wait"],
        &["keys", "rotate", &id, "--wait"],
        &["keys", "revoke", &id, "--wait"],
        &["subscriptions", "update", "Acme", "--quota", "7", "--wait"],
    ] {
        let done = cli.run(change);
        assert_eq!(done.status, ExitStatus::Done, "{done}");
    }
    assert_eq!(cli.elapsed_seconds(), 0);
}

#[test]
fn a_server_that_does_not_confirm_is_named_and_the_change_is_made() {
    let (mut cli, id) = with_key();
    let lock = take(&cli, Environment::Test);
    lock.confirm(Revision(1)).unwrap();
    let waited = cli.run(&["keys", "revoke", &id, "--wait"]);
    assert_eq!(cli.elapsed_seconds(), 10);
    drop(lock);
    check(
        "keys_wait_unconfirmed",
        [&waited, &cli.run(&["keys", "show", &id])],
    );
}

/// Seconds that a revocation waits for a server that confirms `revision` in its hundredth pause.
fn waited(revision: i64) -> i64 {
    let (mut cli, id) = with_key();
    let lock = take(&cli, Environment::Live);
    let mut pauses = 0;
    cli.run_in(&["keys", "revoke", &id, "--wait"], |context| {
        let mut pause = std::mem::replace(&mut context.pause, Box::new(|_| {}));
        context.pause = Box::new(move |duration| {
            pauses += 1;
            if pauses == 100 {
                lock.confirm(Revision(revision)).unwrap();
            }
            pause(duration);
        });
    });
    cli.elapsed_seconds()
}

#[test]
fn a_server_is_waited_for_until_it_acts_on_the_change_in_this_very_store() {
    // The store began at 1; the subscription, the key and the revocation are one revision each.
    assert_eq!([3, 4, 5].map(waited), [10, 2, 10]);
}

#[test]
fn no_request_is_accepted_once_a_waiting_revocation_has_returned() {
    let sample = Sample::start();
    let data = sample.data.path();
    let mut client = Client::connect(sample.server.address);
    for _round in 0..10 {
        let issued = catalogue_json(
            data,
            &[
                "keys",
                "issue",
                "--subscription",
                "tests",
                "--scope",
                "boats.read",
            ],
        );
        let key = issued["key"].as_str().unwrap();
        sample.server.wait_for("/v1/boats", key, 200, 401);
        catalogue(
            data,
            &["keys", "revoke", issued["id"].as_str().unwrap(), "--wait"],
        );
        let bearer = format!("Authorization: Bearer {key}\r\n");
        let refused = client.get_once("/v1/boats", &bearer);
        assert_eq!(
            (refused.status, refused.code()),
            (401, "API_KEY_REVOKED".to_owned())
        );
    }
}
