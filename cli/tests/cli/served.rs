//! The sample export, served by the built binary over real sockets.

use std::collections::BTreeSet;
use std::fs;
use std::io::{Read, Write};
use std::net::TcpStream;

use serde_json::Value;

use crate::client::Client;
use crate::process::{
    SERVE, Server, catalogue, catalogue_error, catalogue_json, import_sample, issue_key,
    issue_key_with,
};
use crate::sample::{Sample, records};
use crate::wait::wait_until;

fn id(row: &str) -> String {
    serde_json::from_str::<Value>(row).unwrap()["id"]
        .as_str()
        .unwrap()
        .to_owned()
}

fn ids(rows: &[String]) -> Vec<String> {
    rows.iter().map(|row| id(row)).collect()
}

#[test]
fn paging_through_every_sort_and_order_returns_each_record_exactly_once() {
    let sample = Sample::start();
    for (list, sorts) in [
        (
            "/v1/boats",
            &["model", "year", "length", "manufacturer"][..],
        ),
        ("/v1/manufacturers", &["name", "updatedAt"]),
    ] {
        let all: BTreeSet<String> = ids(&sample.walk(list, 100)).into_iter().collect();
        for sort in sorts {
            let ascending = ids(&sample.walk(&format!("{list}?sort={sort}&order=asc"), 7));
            let mut descending = ids(&sample.walk(&format!("{list}?sort={sort}&order=desc"), 11));
            assert_eq!(ascending.len(), all.len());
            assert_eq!(
                ascending.iter().cloned().collect::<BTreeSet<_>>(),
                all,
                "{list} {sort}"
            );
            descending.reverse();
            assert_eq!(ascending, descending, "{list} {sort}");
        }
    }
}

#[test]
fn every_row_is_the_first_part_of_its_record_and_every_etag_gives_304() {
    let sample = Sample::start();
    for list in ["/v1/boats", "/v1/manufacturers"] {
        for row in sample.walk(list, 100) {
            let record: Value = serde_json::from_str(&row).unwrap();
            let [by_id, by_slug] = ["id", "slug"].map(|name| {
                let target = format!("{list}/{}", record[name].as_str().unwrap());
                sample.server.get(&target, &sample.key)
            });
            assert_eq!(by_id.status, 200, "{row}");
            assert_eq!(by_id.body, by_slug.body);
            let head = row.strip_suffix('}').unwrap();
            assert!(
                by_id.body.starts_with(&format!("{{\"data\":{head},")),
                "{row}"
            );
            let headers = format!(
                "Authorization: Bearer {}\r\nIf-None-Match: {}\r\n",
                sample.key,
                by_id.header("etag")
            );
            let target = format!("{list}/{}", record["id"].as_str().unwrap());
            assert_eq!(sample.server.get_with(&target, &headers).status, 304);
        }
    }
}

#[test]
fn nested_rows_equal_top_level_rows_and_boat_counts_equal_their_number() {
    let sample = Sample::start();
    let mut attributed = 0;
    for row in sample.walk("/v1/manufacturers", 100) {
        let maker: Value = serde_json::from_str(&row).unwrap();
        let slug = maker["slug"].as_str().unwrap();
        let nested = sample.walk(&format!("/v1/manufacturers/{slug}/boats?sort=year"), 3);
        let filtered = sample.walk(&format!("/v1/boats?manufacturer={slug}&sort=year"), 5);
        assert_eq!(nested, filtered, "{slug}");
        let full = sample
            .server
            .get(&format!("/v1/manufacturers/{slug}"), &sample.key)
            .json();
        assert_eq!(
            full["data"]["boatCount"].as_u64(),
            Some(nested.len() as u64),
            "{slug}"
        );
        attributed += nested.len();
    }
    assert_eq!(attributed, sample.walk("/v1/boats", 100).len());
}

#[test]
fn unpublished_records_are_nowhere() {
    let sample = Sample::start();
    let records = records();
    let taken = |record: &Value| {
        let same = |(other, is_published): &(Value, bool)| {
            *is_published && other["kind"] == record["kind"] && other["slug"] == record["slug"]
        };
        records.iter().any(same)
    };
    let mut hidden = 0;
    for (record, _) in records.iter().filter(|(_, is_published)| !is_published) {
        hidden += 1;
        let list = format!("/v1/{}s", record["kind"].as_str().unwrap());
        let found = |name: &str| {
            let target = format!("{list}/{}", record[name].as_str().unwrap());
            sample.server.get(&target, &sample.key)
        };
        assert_eq!(found("id").status, 404, "{record}");
        // A draft may share its slug with the published record that it will replace.
        let by_slug = found("slug");
        assert_eq!(
            by_slug.status,
            if taken(record) { 200 } else { 404 },
            "{record}"
        );
        assert!(
            !by_slug.body.contains(&format!("\"id\":{}", record["id"])),
            "{record}"
        );
        let listed = ids(&sample.walk(&list, 100));
        assert!(!listed.contains(&record["id"].as_str().unwrap().to_owned()));
    }
    assert!(0 < hidden, "the sample has unpublished records");
}

#[test]
fn every_boat_is_found_by_its_own_length_in_metres() {
    let sample = Sample::start();
    for row in sample.walk("/v1/boats", 100) {
        let metres =
            serde_json::from_str::<Value>(&row).unwrap()["lengthOverallMetres"].to_string();
        let found = sample.walk(
            &format!("/v1/boats?lengthMin={metres}&lengthMax={metres}"),
            100,
        );
        assert!(
            ids(&found).contains(&id(&row)),
            "{metres} m does not find {}",
            id(&row)
        );
    }
}

#[test]
fn a_release_is_followed_under_load_without_one_failed_request() {
    let sample = Sample::start();
    let before = sample.server.get("/v1", "").json()["data"]["catalogue"]["release"].clone();
    let path = format!(
        "{}/../fixtures/sample/makers.ndjson",
        env!("CARGO_MANIFEST_DIR")
    );
    let makers = fs::read_to_string(path).unwrap();
    // The sample is still a valid export without its counts and boats.
    let only_makers: Vec<&str> = makers
        .lines()
        .filter(|line| !line.contains(r#""kind":"catalogue""#))
        .collect();
    let export = sample.data.path().join("makers.ndjson");
    let mut file = fs::File::create(&export).unwrap();
    std::io::Write::write_all(&mut file, only_makers.join("\n").as_bytes()).unwrap();

    let import = ["import", "--max-removals=100", export.to_str().unwrap()];
    std::thread::scope(|scope| {
        scope.spawn(|| catalogue(sample.data.path(), &import));
        let mut client = Client::connect(sample.server.address);
        let key = format!("Authorization: Bearer {}\r\n", sample.key);
        wait_until("a server that follows the release", || {
            // A load without a pause.
            let mut totals = (0..100).map(|_| {
                let list = client.get_with("/v1/boats?limit=1", &key);
                assert_eq!(list.status, 200, "{}", list.body);
                list.json()["pagination"]["total"].clone()
            });
            totals.any(|total| total == 0)
        });
    });
    let after = sample.server.get("/v1", "").json()["data"]["catalogue"]["release"].clone();
    assert_ne!(before, after);
    catalogue(sample.data.path(), &["releases", "rollback"]);
    let mut client = Client::connect(sample.server.address);
    wait_until("the release before", || {
        client.get_with("/v1", "").json()["data"]["catalogue"]["release"] == before
    });
}

#[test]
fn bodies_that_take_more_than_their_memory_are_read_from_disk() {
    for (memory, status) in [("0", 500), ("1KiB", 500), ("64MiB", 200)] {
        let directory = tempfile::tempdir().unwrap();
        let data = directory.path();
        import_sample(data);
        let key = issue_key(data);
        let limit = ["--bodies-memory", memory];
        let server = Server::start_with(data, &[&SERVE[..], &limit].concat());
        let list = server.get("/v1/boats?limit=1", &key);
        let list: Value = serde_json::from_str(&list.body).unwrap();
        let target = format!("/v1/boats/{}", list["data"][0]["id"].as_str().unwrap());
        assert_eq!(server.get(&target, &key).status, 200, "{memory}");
        let release = fs::read_dir(data.join("releases")).unwrap().next().unwrap();
        let bodies = release.unwrap().path().join("boats.ndjson");
        let bodies = fs::File::options().write(true).open(bodies).unwrap();
        bodies.set_len(0).unwrap();
        assert_eq!(server.get(&target, &key).status, status, "{memory}");
    }
}

#[test]
fn a_second_server_of_the_same_environment_is_refused() {
    let sample = Sample::start();
    let error = catalogue_error(sample.data.path(), &SERVE);
    assert!(
        error.contains("a server of the environment live already runs on"),
        "{error}"
    );
    let other = Server::start_with(
        sample.data.path(),
        &[&SERVE[..], &["--env", "test"]].concat(),
    );
    assert_eq!(
        other.get("/v1/boats", &sample.key).code(),
        "WRONG_ENVIRONMENT"
    );
}

#[test]
fn each_200_is_charged_once_while_a_server_runs_and_once_it_has_stopped() {
    let sample = Sample::start();
    let used = || {
        let usage = ["usage", "--subscription", "tests"];
        catalogue_json(sample.data.path(), &usage)["usage"][0]["used"].clone()
    };
    for _ in 0..25 {
        assert_eq!(
            sample.server.get("/v1/boats?limit=1", &sample.key).status,
            200
        );
        assert_eq!(sample.server.get("/v1/boats/none", &sample.key).status, 404);
    }
    wait_until("what the server does not use to come back", || used() == 25);
    assert_eq!(
        sample.server.get("/v1/boats?limit=1", &sample.key).status,
        200
    );
    assert!(sample.server.stop().success());
    assert_eq!(used(), 26);
}

#[test]
fn a_server_sends_the_tables_that_export_writes_and_only_to_keys_that_may_have_them() {
    let sample = Sample::start();
    let folder = sample.data.path().with_extension("tables");
    let to = format!("{}/", folder.display());
    catalogue(
        sample.data.path(),
        &["export", "--to", &to, "--format", "parquet"],
    );
    let scopes = "boats.read,manufacturers.read,catalogue.export";
    let key = issue_key_with(sample.data.path(), &["--scope", scopes]);
    for file in ["boats.parquet", "manufacturers.parquet"] {
        let request = format!(
            "GET /v1/{file} HTTP/1.1\r\nHost: test\r\nConnection: close\r\n\
             Authorization: Bearer {key}\r\n\r\n"
        );
        let mut connection = TcpStream::connect(sample.server.address).unwrap();
        connection.write_all(request.as_bytes()).unwrap();
        let mut sent = Vec::new();
        connection.read_to_end(&mut sent).unwrap();
        let written = fs::read(folder.join(file)).unwrap();
        assert!(sent.ends_with(&[b"\r\n\r\n", &*written].concat()), "{file}");
        let refused = sample.server.get(&format!("/v1/{file}"), &sample.key);
        assert_eq!(refused.code(), "INSUFFICIENT_PERMISSIONS");
    }
    fs::remove_dir_all(folder).unwrap();
}
