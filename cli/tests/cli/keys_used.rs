//! When keys were last used: what servers record, and what `catalogue keys` shows.

use std::time::Duration;

use shared::keys::key::KeyId;
use shared::keys::last_use::{KeyUse, LastUses};
use shared::keys::sqlite::SqliteLastUses;

use crate::harness::{START, TestCli, check};
use crate::process::{Server, catalogue_json, import_sample, issue_key};

fn issue(cli: &mut TestCli) -> KeyId {
    let typed = "keys issue --subscription Acme --scope boats.read --json";
    let outcome = cli.run(&typed.split(' ').collect::<Vec<_>>());
    let document = outcome.document();
    KeyId::parse(document["id"].as_str().unwrap()).unwrap()
}

#[test]
fn the_list_shows_when_keys_were_used_and_which_rotated_one_still_is() {
    let mut cli = TestCli::new();
    cli.run(&["subscriptions", "create", "Acme"]);
    let [_never, plain, left, kept, gone] = [(); 5].map(|()| issue(&mut cli));
    for rotated in [&left, &kept] {
        cli.run(&["keys", "rotate", rotated.as_str()]);
    }
    cli.run(&["keys", "rotate", gone.as_str(), "--grace", "1m"]);
    let uses = SqliteLastUses::new(cli.path("catalogue-data/keys.sqlite"));
    let at = [
        (plain, START + 60),
        (left.clone(), START - 60),
        (kept.clone(), START + 30),
        (gone, START + 30),
    ];
    let at = at.map(|(key, at)| KeyUse::free(key, at));
    uses.record(&at).unwrap();
    cli.advance(Duration::from_secs(200));
    let outcomes = [
        cli.run(&["keys", "list"]),
        cli.run(&["keys", "show", kept.as_str()]),
        cli.run(&["keys", "show", kept.as_str(), "--json"]),
        cli.run(&["keys", "show", left.as_str(), "--json"]),
    ];
    check("keys_last_used", &outcomes);
}

#[test]
fn a_server_that_stops_has_written_down_every_use() {
    let data = tempfile::tempdir().unwrap();
    import_sample(data.path());
    let key = issue_key(data.path());
    let last_used = || {
        let list = catalogue_json(data.path(), &["keys", "list"]);
        list["keys"][0]["lastUsedAt"].clone()
    };
    let used_by_key = || {
        let usage = catalogue_json(data.path(), &["usage", "--by", "key"]);
        usage["usage"][0]["used"].clone()
    };
    let server = Server::start(data.path());
    assert!(last_used().is_null());
    assert_eq!(used_by_key(), 0);
    for (path, status) in [("/v1/boats", 200), ("/v1/boats/none", 404)] {
        assert_eq!(server.get(path, &key).status, status);
    }
    assert!(server.stop().success());
    assert!(last_used().is_string());
    assert_eq!(used_by_key(), 1, "only a 200 is charged");
}
