//! Several servers that count minute limits in one Redis, as processes.
//!
//! Each test has its own database there.

use std::io::{Read, Write};
use std::iter;
use std::net::TcpStream;
use std::path::Path;
use std::process::Command;

use crate::client::{Client, Response};
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

fn ask(server: &Server, key: &str) -> Response {
    server.get("/v1/boats?limit=1", key)
}

/// Asks one server after the other until a key has no request left in its minute. Each is counted
/// once for all servers: what remains falls with each answer, and not by one where Redis counted
/// a request whose answer came too late.
fn spend<'a>(limit: u64, key: &str, servers: impl Iterator<Item = &'a Server>) {
    let mut before = limit;
    let mut answers = servers.map(|server| ask(server, key));
    while 0 < before {
        let answer = answers.next().unwrap();
        if answer.code() == "RATE_LIMITED" {
            break;
        }
        assert_eq!(answer.status, 200, "{}", answer.body);
        let remaining = answer.header("x-ratelimit-remaining").parse().unwrap();
        assert!(remaining < before, "{remaining} after {before}");
        before = remaining;
    }
    assert!(before < limit, "no request was granted");
    assert_eq!(answers.next().unwrap().code(), "RATE_LIMITED");
}

/// Whether the service is unavailable to a key; sends one request.
fn is_refused(server: &Server, key: &str) -> bool {
    let header = format!("Authorization: Bearer {key}\r\n");
    let answer = Client::connect(server.address).get_once("/v1/boats", &header);
    answer.is_unavailable()
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
    let key = issue_key_with(&one, &["--rate-limit", "10", "--scope", "boats.read"]);
    copy(&one, &other);
    catalogue(&one, &["limits", "init", redis]);
    let said = catalogue(&one, &["limits", "init", redis]);
    assert!(said.ends_with("already; nothing was changed.\n"), "{said}");

    let servers = [serve(&one, redis), serve(&other, redis)];
    spend(10, &key, servers.iter().cycle());
    for server in &servers {
        assert_eq!(ask(server, &key).code(), "RATE_LIMITED");
    }
    let [first, _second] = servers;
    assert!(first.stop().success());
    assert_eq!(ask(&serve(&one, redis), &key).code(), "RATE_LIMITED");
}

#[test]
#[ignore = "needs Redis"]
fn servers_refuse_every_key_for_a_minute_where_counts_may_be_lost() {
    let database = Database::take(10);
    let redis = &database.address;
    let directory = tempfile::tempdir().unwrap();
    let data = directory.path().join("data");
    import_sample(&data);
    let key = issue_key_with(&data, &["--scope", "boats.read"]);
    let server = serve(&data, redis);
    assert!(is_refused(&server, &key));
    assert_eq!(
        server.get("/v1/boats", "").code(),
        "MALFORMED_AUTHORIZATION"
    );
    assert_eq!(server.get("/health", "").status, 200);
    let said = catalogue(&data, &["limits", "init", redis]);
    assert!(said.contains("take every window for full"), "{said}");
}

#[test]
fn a_server_without_its_redis_refuses_keys_and_shows_no_password() {
    let directory = tempfile::tempdir().unwrap();
    let data = directory.path().join("data");
    import_sample(&data);
    let key = issue_key_with(&data, &["--scope", "boats.read"]);
    let nowhere = "redis://ana:geheim@127.0.0.1:1";
    let server = serve(&data, nowhere);
    assert!(is_refused(&server, &key));
    drop(server);

    let refused = catalogue_error(&data, &["limits", "init", nowhere]);
    assert!(refused.contains("redis://127.0.0.1:1"), "{refused}");
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
    for shown in [refused, catalogue_error(&data, &wrong), settings] {
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
    let key = issue_key_with(&data, &["--rate-limit", "2", "--scope", "boats.read"]);
    // Of the master, a database that no other test uses.
    let address = format!("{}/5", sentinels.strip_suffix("/0").unwrap());
    let said = catalogue(&data, &["limits", "init", &address]);
    assert!(said.contains(&format!("in {address} at once")), "{said}");
    let server = serve(&data, &address);
    spend(2, &key, iter::repeat(&server));
    drop(server);
    let again = serve(&data, &address);
    assert_eq!(ask(&again, &key).code(), "RATE_LIMITED");
    let said = catalogue(&data, &["doctor", "--limits", &address]);
    let found = said.lines().find(|line| line.contains("minute limits"));
    let found = found.unwrap();
    assert!(
        found.starts_with("ok ") && found.contains("redis://127.0.0.1:"),
        "{found}"
    );
    // The server, not its sentinels, and by its name.
    assert!(
        found.contains("/5, Redis ") || found.contains("/5, Valkey "),
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
    for said in [
        doctor,
        catalogue_error(&data, &serving),
        catalogue_error(&data, &["limits", "init", &clustered]),
    ] {
        let said = said.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(
            said.contains(&format!("{clustered} is part of a Redis Cluster"))
                && said.contains("name one that is not part of a cluster"),
            "{said}"
        );
    }
}
