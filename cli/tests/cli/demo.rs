//! `catalogue demo`: serves a sample from nothing, and never replaces another catalogue.

use std::fs;
use std::path::Path;

use cli::ExitStatus;

use crate::harness::{TestCli, assert_snapshot};
use crate::process::{Server, catalogue_json};

const MAKERS: &str = fixture!("sample/makers.ndjson");

fn start(data: &Path) -> Server {
    Server::start_with(data, &["demo", "--listen", "127.0.0.1:0"])
}

/// The key that a demo printed.
fn key(demo: &Server) -> String {
    let (_, after) = demo.printed.split_once("one time:\n").unwrap();
    after.lines().next().unwrap().trim().to_owned()
}

/// The ids of all releases, and of the active ones.
fn releases(cli: &mut TestCli) -> [Vec<String>; 2] {
    let listed = cli.run(&["releases", "list", "--json"]).out;
    let document: serde_json::Value = serde_json::from_str(&listed).unwrap();
    let releases = document["releases"].as_array().unwrap();
    let id = |release: &serde_json::Value| release["id"].as_str().unwrap().to_owned();
    let active = releases.iter().filter(|release| release["active"] == true);
    [releases.iter().map(id).collect(), active.map(id).collect()]
}

#[test]
fn a_demo_starts_from_nothing_and_again_where_it_was() {
    let directory = tempfile::tempdir().unwrap();
    let data = directory.path().join("new").join("data");
    let first = start(&data);
    let first_key = key(&first);
    let address = format!("'http://{}/v1/boats?limit=2'", first.address);
    assert!(first.printed.contains(&address), "{}", first.printed);
    let boats = first.get("/v1/boats?limit=2", &first_key);
    assert_eq!(
        (boats.status, &boats.json()["pagination"]["total"]),
        (200, &serde_json::json!(41))
    );
    assert!(first.stop().success());

    let second = start(&data);
    let second_key = key(&second);
    assert_ne!(first_key, second_key);
    for key in [first_key, second_key] {
        for list in ["/v1/boats", "/v1/manufacturers"] {
            assert_eq!(second.get(list, &key).status, 200, "{list}");
        }
    }
    let listed = catalogue_json(&data, &["releases", "list"]);
    assert_eq!(listed["releases"].as_array().unwrap().len(), 1);
}

#[test]
fn a_demo_leaves_another_catalogue_as_it_is() {
    let mut cli = TestCli::new();
    cli.run(&["import", MAKERS]);
    let [_, active] = releases(&mut cli);
    let refused = cli.run(&["demo", "--listen", "127.0.0.1:0"]);
    assert_eq!(refused.status, ExitStatus::Refused, "{refused}");
    assert_eq!(releases(&mut cli)[1], active);
    assert!(!cli.path("catalogue-data/keys.sqlite").exists());
    let shown = refused.to_string().replace(&active[0], "[release]");
    assert_snapshot("demo_refused", &shown);
}

#[test]
fn a_demo_beside_a_server_changes_nothing() {
    let mut cli = TestCli::new();
    cli.run(&["import", MAKERS]);
    let before = releases(&mut cli);
    let server = fs::File::create(cli.path("catalogue-data/server-live.lock")).unwrap();
    server.lock().unwrap();
    let refused = cli.run(&["demo", "--listen", "127.0.0.1:0"]);
    assert_eq!(refused.status, ExitStatus::Failure, "{refused}");
    assert_eq!(releases(&mut cli), before);
    assert!(!cli.path("catalogue-data/keys.sqlite").exists());
    assert_snapshot("demo_beside_a_server", &refused.to_string());
}
