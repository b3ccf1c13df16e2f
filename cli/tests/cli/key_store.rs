//! A running server whose key store is missing: it accepts no key, and calls none unknown. One of
//! another program ends it.

use std::fs::{self, File};
use std::os::unix::fs::FileExt as _;
use std::path::{Path, PathBuf};

use crate::admin;
use crate::client::Client;
use crate::harness::assert_snapshot;
use crate::process::{SERVE, command, import_sample, issue_key};
use crate::sample::Sample;
use crate::wait::wait_until;

/// The path of the store, and the path to move it to.
pub(crate) fn places(data: &Path) -> (PathBuf, PathBuf) {
    (data.join("keys.sqlite"), data.join("keys.away"))
}

#[expect(
    clippy::disallowed_methods,
    reason = "nothing in a test has to be durable"
)]
pub(crate) fn shift(from: &Path, to: &Path) {
    fs::rename(from, to).unwrap();
}

#[test]
fn a_missing_key_store_is_503_until_it_is_back_and_service_endpoints_answer_all_along() {
    let sample = Sample::start();
    let (store, away) = places(sample.data.path());
    shift(&store, &away);
    let unavailable = sample.server.wait_for("/v1/boats", &sample.key, 503, 200);
    assert_eq!(unavailable.code(), "SERVICE_UNAVAILABLE");
    let seconds: u64 = unavailable.header("retry-after").parse().unwrap();
    assert!((1..=5).contains(&seconds));
    let mut client = Client::connect(sample.server.address);
    assert_eq!(client.get_once("/v1/boats", "").code(), "MISSING_API_KEY");
    assert_eq!(client.get_once("/v1", "").status, 200);
    assert_eq!(client.get_once("/health", "").status, 200);
    shift(&away, &store);
    sample.server.wait_for("/v1/boats", &sample.key, 200, 503);
}

#[test]
fn a_server_starts_without_a_key_store_makes_none_and_follows_the_one_that_comes() {
    let data = tempfile::tempdir().unwrap();
    import_sample(data.path());
    let key = issue_key(data.path());
    let (store, away) = places(data.path());
    shift(&store, &away);

    let log = data.path().join("log");
    let server = admin::serve(data.path(), "log", &["--admin", "127.0.0.1:0"]);
    let admin = admin::address(&log);
    let ready = || Client::connect(admin).get_with("/ready", "");
    let first = ready();
    assert_eq!(
        (first.status, &first.json()["keys"]),
        (503, &"stale".into())
    );
    let bearer = format!("Authorization: Bearer {key}\r\n");
    let refused = Client::connect(server.address).get_once("/v1/boats", &bearer);
    assert_eq!(
        (refused.status, refused.code()),
        (503, "SERVICE_UNAVAILABLE".to_owned())
    );
    assert!(!store.exists());

    shift(&away, &store);
    server.wait_for("/v1/boats", &key, 200, 503);
    wait_until("a server that is ready", || ready().status == 200);
    assert!(server.stop().success());
    let log = fs::read_to_string(log).unwrap();
    assert!(log.contains("starting without keys"), "{log}");
}

#[test]
fn a_key_store_of_another_program_ends_a_server_before_it_listens() {
    let [newer, former, foreign] = [(60, [0, 0, 0, 99]), (60, [0, 0, 0, 3]), (68, *b"CAKE")];
    let said = [newer, former, foreign].map(|(at, bytes)| {
        let folder = tempfile::tempdir().unwrap();
        let data = folder.path();
        import_sample(data);
        let store = File::options().write(true).open(places(data).0).unwrap();
        store.write_all_at(&bytes, at).unwrap();
        let ended = command(data, &SERVE).output().unwrap();
        let said = String::from_utf8(ended.stderr).unwrap();
        assert_eq!(ended.status.code(), Some(3), "{said}");
        assert_eq!(ended.stdout, b"", "{said}");
        said.replace(data.to_str().unwrap(), "[dir]")
    });
    assert_snapshot("serve_key_store_refused", &said.concat());
}
