//! A command that changes keys or subscriptions returns when every running server acts on it.

use std::fs;
use std::io::{self, Write};

use cli::exit_status::ExitStatus;
use cli::process::context::Context;
use cli::process::output::Output;
use shared::base::data_dir::DataDir;
use shared::base::operator::Operator;
use shared::keys::environment::Environment;
use shared::keys::key_store::KeyStore;
use shared::keys::sqlite::SqliteKeySource;
use shared::keys::store::{KeySource, Revision};
use shared::servers::ServerLock;

use crate::client::Client;
use crate::harness::{Outcome, TestCli, check};
use crate::keys::ISSUE;
use crate::keys::{acme, issue};
use crate::process::catalogue;
use crate::sample::{Sample, prefix};

/// A subscription, a key and its id.
fn with_key() -> (TestCli, String) {
    let mut cli = acme();
    let id = issue(&mut cli, &[]);
    (cli, id)
}

fn take(cli: &TestCli, environment: Environment) -> ServerLock {
    let data = DataDir::new(cli.path("catalogue-data"));
    ServerLock::take(&data, environment).unwrap()
}

#[test]
fn without_a_server_there_is_nothing_to_wait_for() {
    let (mut cli, id) = with_key();
    drop(take(&cli, Environment::Live));
    for change in [
        &["keys", "disable", &id][..],
        &["keys", "enable", &id, "--wait"],
        &["keys", "update", &id, "--name", "app", "--wait"],
        &["keys", "rotate", &id],
        &["keys", "revoke", &id, "--wait"],
        &["subscriptions", "update", "Acme", "--quota", "7"],
        &["subscriptions", "create", "Other"],
        &ISSUE,
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
    lock.confirm(&Revision("1-ab".to_owned())).unwrap();
    let waited = cli.run(&["keys", "revoke", &id, "--wait"]);
    assert_eq!(cli.elapsed_seconds(), 10);
    drop(lock);
    check(
        "keys_wait_unconfirmed",
        [&waited, &cli.run(&["keys", "show", &id])],
    );
}

#[test]
fn every_change_waits_unless_that_is_declined() {
    let (mut cli, id) = with_key();
    let lock = take(&cli, Environment::Live);
    lock.confirm(&Revision("1-ab".to_owned())).unwrap();
    let mut expected = 0;
    for (name, change) in [
        &["subscriptions", "update", "Acme", "--quota", "7"][..],
        &["subscriptions", "create"],
        &ISSUE,
        &["keys", "disable", &id],
        &["keys", "enable", &id],
        &["keys", "update", &id, "--name", "app"],
        &["keys", "rotate", &id],
        &["keys", "revoke", &id],
    ]
    .into_iter()
    .enumerate()
    {
        let name = name.to_string();
        let is_create = change.contains(&"create");
        let more: &[&str] = if is_create { &[&name] } else { &[] };
        let waited = cli.run(&[change, more].concat());
        expected += 10;
        assert_eq!(waited.status, ExitStatus::Failure, "{waited}");
        assert!(!waited.out.is_empty(), "{waited}");
        assert!(waited.err.contains("the server for live keys"), "{waited}");
        assert_eq!(cli.elapsed_seconds(), expected, "{waited}");
    }
    for change in [
        &["subscriptions", "create", "At once"][..],
        &["subscriptions", "update", "Acme", "--quota", "8"],
        &ISSUE,
    ] {
        let done = cli.run(&[change, &["--no-wait"]].concat());
        assert_eq!(done.status, ExitStatus::Done, "{done}");
    }
    assert_eq!(cli.elapsed_seconds(), expected);
}

#[test]
fn what_is_done_to_a_key_holds_once_the_command_returns() {
    let sample = Sample::start();
    let data = sample.data.path();
    let mut client = Client::connect(sample.server.address);
    // Several times, for a server that is only mostly fast enough.
    for _round in 0..5 {
        let issue = "keys issue --subscription tests --scope boats.read";
        let issued = catalogue(data, &issue.split(' ').collect::<Vec<_>>());
        let key = issued.trim_end();
        let bearer = format!("Authorization: Bearer {key}\r\n");
        let mut answer = || client.get_with("/v1/boats", &bearer);
        assert_eq!(answer().status, 200);
        for (change, code) in [
            ("disable", "API_KEY_DISABLED"),
            ("enable", ""),
            ("revoke", "API_KEY_REVOKED"),
        ] {
            catalogue(data, &["keys", change, prefix(key)]);
            let answer = answer();
            let status = if code.is_empty() { 200 } else { 401 };
            assert_eq!((answer.status, &*answer.code()), (status, code), "{change}");
        }
    }
}

#[test]
fn a_server_answers_by_what_was_updated_once_the_command_returns() {
    let sample = Sample::start();
    let data = sample.data.path();
    let mut client = Client::connect(sample.server.address);
    let issue = "keys issue --subscription tests --scope boats.read";
    let issued = catalogue(data, &issue.split(' ').collect::<Vec<_>>());
    let key = issued.trim_end();
    let prefix = prefix(key);
    let bearer = format!("Authorization: Bearer {key}\r\n");
    for (scope, boats, manufacturers) in [
        ("manufacturers.read", 403, 200),
        ("boats.read", 200, 403),
        ("boats.read,manufacturers.read", 200, 200),
    ] {
        catalogue(data, &["keys", "update", prefix, "--scope", scope]);
        let mut status = |path| client.get_with(path, &bearer).status;
        let statuses = (status("/v1/boats"), status("/v1/manufacturers"));
        assert_eq!(statuses, (boats, manufacturers), "{scope}");
    }
    catalogue(data, &["keys", "update", prefix, "--rate-limit", "1"]);
    assert_eq!(client.get_with("/v1/boats", &bearer).status, 429);
    catalogue(data, &["keys", "update", prefix, "--rate-limit", "1k"]);
    assert_eq!(client.get_with("/v1/boats", &bearer).status, 200);
}

fn revision(cli: &TestCli) -> Revision {
    let data = DataDir::new(cli.path("catalogue-data"));
    let operator = Operator {
        uid: 0,
        user: None,
        sudo_user: None,
    };
    let store = KeyStore::open(&data.keys_database(), operator);
    store.unwrap().revision().unwrap()
}

/// Runs a revocation that waits, and calls `meanwhile` in its hundredth pause, after two seconds.
fn revoke_in(
    cli: &mut TestCli,
    id: &str,
    mut meanwhile: impl FnMut() + Send + 'static,
    change: impl FnOnce(&mut Context),
) -> Outcome {
    let mut pauses = 0;
    cli.run_in(&["keys", "revoke", id, "--wait"], |context| {
        let mut pause = std::mem::replace(&mut context.pause, Box::new(|_| {}));
        context.pause = Box::new(move |duration| {
            pauses += 1;
            if pauses == 100 {
                meanwhile();
            }
            pause(duration);
        });
        change(context);
    })
}

#[test]
fn a_server_is_waited_for_until_it_acts_on_the_change() {
    let (mut cli, id) = with_key();
    let lock = take(&cli, Environment::Live);
    lock.confirm(&revision(&cli)).unwrap();
    let path = cli.path("catalogue-data");
    let meanwhile = move || {
        let store = SqliteKeySource::new(DataDir::new(&path).keys_database());
        lock.confirm(&polled(store)).unwrap();
    };
    let done = revoke_in(&mut cli, &id, meanwhile, |_| {});
    assert_eq!((done.status, cli.elapsed_seconds()), (ExitStatus::Done, 2));
}

fn polled(mut source: SqliteKeySource) -> Revision {
    source.poll().unwrap();
    source.revision().unwrap()
}

#[test]
fn what_a_server_knows_of_a_store_that_was_restored_since_is_no_confirmation() {
    let (mut cli, id) = with_key();
    let lock = take(&cli, Environment::Live);
    let (store, backup) = (cli.path("catalogue-data/keys.sqlite"), cli.path("backup"));
    fs::copy(&store, &backup).unwrap();
    // One change here, and one after the store is restored: the same number of changes but another
    // state.
    cli.run(&["subscriptions", "create", "Other", "--no-wait"]);
    lock.confirm(&revision(&cli)).unwrap();
    fs::copy(&backup, &store).unwrap();
    let waited = cli.run(&["keys", "revoke", &id, "--wait"]);
    assert_eq!(
        (waited.status, cli.elapsed_seconds()),
        (ExitStatus::Failure, 10)
    );
}

#[test]
fn a_change_is_waited_for_whether_or_not_it_is_seen() {
    let (mut cli, id) = with_key();
    let _lock = take(&cli, Environment::Live);
    let closed = |context: &mut Context| context.out = Output::new(ClosedPipe);
    let waited = revoke_in(&mut cli, &id, || {}, closed);
    assert_eq!(
        (waited.status, cli.elapsed_seconds()),
        (ExitStatus::Failure, 10)
    );
}

/// A pipe that nobody reads any more.
struct ClosedPipe;

impl Write for ClosedPipe {
    fn write(&mut self, _: &[u8]) -> io::Result<usize> {
        Err(io::ErrorKind::BrokenPipe.into())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
