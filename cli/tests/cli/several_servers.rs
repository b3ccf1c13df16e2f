//! Several servers that count minute limits in one Redis, as processes.
//!
//! Each test has its own database there.

use std::io::{Read, Write};
use std::iter;
use std::net::TcpStream;
use std::path::Path;
use std::process::Command;

use crate::client::Response;
use crate::process::{
    SERVE, Server, catalogue, catalogue_error, command, import_sample, issue_key_with,
};
use crate::services;

/// The database of a test, empty before and after.
struct Database {
    /// Host and port.
    server: String,
    number: u8,
    address: String,
}

impl Database {
    /// The database with that number.
    fn take(number: u8) -> Self {
        let address = services::address("CATALOGUE_TEST_REDIS");
        let server = address.strip_prefix("redis://").unwrap();
        let (server, _) = server.split_once('/').unwrap();
        let database = Self {
            server: server.to_owned(),
            number,
            address: format!("redis://{server}/{number}"),
        };
        database.empty();
        database
    }

    fn empty(&self) {
        let mut stream = TcpStream::connect(&self.server).unwrap();
        let commands = format!("SELECT {}\r\nFLUSHDB\r\nQUIT\r\n", self.number);
        stream.write_all(commands.as_bytes()).unwrap();
        let mut replies = String::new();
        stream.read_to_string(&mut replies).unwrap();
        assert_eq!(replies, "+OK\r\n".repeat(3));
    }
}

impl Drop for Database {
    fn drop(&mut self) {
        self.empty();
    }
}

fn serve(data: &Path, redis: &str) -> Server {
    Server::start_with(data, &[&SERVE[..], &["--limits", redis]].concat())
}

/// A request that is counted and then refused for its parameter. Once counted, it can be neither
/// unavailable nor asked again, as one that reads a list on a busy machine may.
fn ask(server: &Server, key: &str) -> Response {
    server.get("/v1/boats?limit=none", key)
}

/// How many requests of a key, sent to one server after the other, are counted before each of the
/// servers has refused one.
fn granted<'a>(key: &str, servers: impl Iterator<Item = &'a Server> + Clone) -> usize {
    let count = servers.clone().count();
    let (mut granted, mut refused) = (0, 0);
    let mut servers = servers.cycle();
    while refused < count {
        let answer = ask(servers.next().unwrap(), key);
        if answer.code() == "RATE_LIMITED" {
            refused += 1;
        } else {
            assert_eq!(answer.status, 400, "{}", answer.body);
            (granted, refused) = (granted + 1, 0);
        }
    }
    granted
}

/// Keys with ten requests a minute. On a busy machine a server may count alone for a moment, and so
/// grant more than its share: then another key is tried.
fn keys(data: &Path) -> Vec<String> {
    let issue = || issue_key_with(data, &["--rate-limit", "10", "--scope", "boats.read"]);
    iter::repeat_with(issue).take(8).collect()
}

/// Copies the catalogue and keys for another server.
fn copy(from: &Path, to: &Path) {
    let copied = Command::new("cp").arg("-r").arg(from).arg(to).status();
    assert!(copied.unwrap().success());
}

#[test]
#[ignore = "needs Redis"]
fn two_servers_grant_a_key_its_limit_once_and_count_on_after_a_restart() {
    let database = Database::take(9);
    let redis = &database.address;
    let directory = tempfile::tempdir().unwrap();
    let [one, other] = ["one", "other"].map(|name| directory.path().join(name));
    import_sample(&one);
    let keys = keys(&one);
    copy(&one, &other);

    let servers = [serve(&one, redis), serve(&other, redis)];
    let of_each: Vec<_> = keys
        .iter()
        .map(|key| granted(key, servers.iter()))
        .collect();
    assert!(
        of_each.iter().all(|of_one| (10..=20).contains(of_one)),
        "{of_each:?}"
    );
    assert!(of_each.contains(&10), "{of_each:?}");
    let [first, _second] = servers;
    assert!(first.stop().success());
    let again = serve(&one, redis);
    let is_refused = |key: &String| ask(&again, key).code() == "RATE_LIMITED";
    assert!(keys.iter().any(is_refused));
}

#[test]
fn a_server_without_its_redis_counts_alone_and_shows_no_password() {
    let directory = tempfile::tempdir().unwrap();
    let data = directory.path().join("data");
    import_sample(&data);
    let key = issue_key_with(&data, &["--rate-limit", "2", "--scope", "boats.read"]);
    let nowhere = "redis://ana:geheim@127.0.0.1:1";
    let server = serve(&data, nowhere);
    assert_eq!(granted(&key, iter::once(&server)), 2);
    drop(server);

    let doctor = command(&data, &["doctor", "--limits", nowhere]).output();
    let doctor = String::from_utf8(doctor.unwrap().stdout).unwrap();
    assert!(doctor.contains("redis://127.0.0.1:1"), "{doctor}");
    let wrong = [
        &SERVE[..],
        &["--limits", "redis://ana:geheim@127.0.0.1:1/x"],
    ]
    .concat();
    let settings = command(&data, &["settings"])
        .env("CATALOGUE_LIMITS", nowhere)
        .output()
        .unwrap();
    let settings = String::from_utf8(settings.stdout).unwrap();
    assert!(settings.contains("redis://127.0.0.1:1"), "{settings}");
    for shown in [doctor, catalogue_error(&data, &wrong), settings] {
        assert!(
            !shown.contains("geheim") && !shown.contains("ana@"),
            "{shown}"
        );
    }
}

#[test]
#[ignore = "needs sentinels"]
fn a_server_counts_in_the_redis_that_sentinels_name() {
    let sentinels = services::address("CATALOGUE_TEST_SENTINELS");
    let directory = tempfile::tempdir().unwrap();
    let data = directory.path().join("data");
    import_sample(&data);
    let keys = keys(&data);
    // Of the master, a database that no other test uses.
    let address = format!("{}/5", sentinels.strip_suffix("/0").unwrap());
    let server = serve(&data, &address);
    for key in &keys {
        assert_eq!(granted(key, iter::once(&server)), 10);
    }
    drop(server);
    let again = serve(&data, &address);
    let is_refused = |key: &String| ask(&again, key).code() == "RATE_LIMITED";
    assert!(keys.iter().any(is_refused));
    let said = catalogue(&data, &["doctor", "--limits", &address]);
    let found = said.lines().find(|line| line.contains("minute limits"));
    let found = found.unwrap();
    // The server, not its sentinels, and by its name.
    assert!(
        found.starts_with("ok ") && found.contains(" 127.0.0.1:"),
        "{found}"
    );
    assert!(
        found.contains(", Redis ") || found.contains(", Valkey "),
        "{found}"
    );
}

#[test]
#[ignore = "needs a Redis Cluster"]
fn a_redis_of_a_cluster_is_refused_by_each_command_that_is_given_one() {
    let clustered = services::address("CATALOGUE_TEST_CLUSTERED");
    let directory = tempfile::tempdir().unwrap();
    let data = directory.path().join("data");
    import_sample(&data);
    let serving = [&SERVE[..], &["--limits", &clustered]].concat();
    let doctor = command(&data, &["doctor", "--limits", &clustered]).output();
    let doctor = String::from_utf8(doctor.unwrap().stdout).unwrap();
    for said in [doctor, catalogue_error(&data, &serving)] {
        let said = said.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(
            said.contains(&format!("{clustered} is part of a Redis Cluster"))
                && said.contains("name one that is not part of a cluster"),
            "{said}"
        );
    }
}
