//! A server whose standard error nobody reads, or cannot be written to, still responds to requests
//! and stops as usual.

use std::fs::{self, OpenOptions};
use std::io::{BufRead, BufReader, pipe};
use std::net::SocketAddr;
use std::path::Path;
use std::process::Stdio;

use serde_json::Value;

use crate::admin;
use crate::client::Client;
use crate::process::{Server, catalogue_json, command, import_sample, issue_key};
use crate::wait::wait_until;

const SERVE: [&str; 3] = ["serve", "--listen", "127.0.0.1:0"];

fn serve(data: &Path, args: &[&str], log: impl Into<Stdio>) -> Server {
    let mut serve = command(data, &[&SERVE, args].concat());
    serve.stderr(log);
    Server::run(serve)
}

fn ask(server: &Server, times: usize) {
    let mut client = Client::connect(server.address);
    for _ in 0..times {
        assert_eq!(client.get_once("/health", "").status, 200);
    }
}

/// A server whose log goes into a pipe, the lines in it that are not read yet, and its
/// administration address.
fn logging_into_a_pipe(data: &Path) -> (Server, impl Iterator<Item = String>, SocketAddr) {
    let (reader, writer) = pipe().unwrap();
    let server = serve(data, &["--admin", "127.0.0.1:0"], writer);
    let mut lines = BufReader::new(reader).lines().map(Result::unwrap);
    let listening = lines.find(|line| line.contains("admin.address")).unwrap();
    let listening: Value = serde_json::from_str(&listening).unwrap();
    let admin = listening["admin.address"].as_str().unwrap();
    (server, lines, admin.parse().unwrap())
}

/// How many lines a server could not write, as its metrics tell.
fn dropped(admin: SocketAddr) -> u64 {
    let metrics = Client::connect(admin).get_with("/metrics", "").body;
    let mut lines = metrics.lines();
    let told = lines.find_map(|line| line.strip_prefix("catalogue_log_lines_dropped_total "));
    told.unwrap().parse().unwrap()
}

#[test]
fn a_server_whose_log_is_on_a_full_disk_answers_and_stops() {
    let data = tempfile::tempdir().unwrap();
    import_sample(data.path());
    let full = OpenOptions::new().write(true).open("/dev/full").unwrap();
    let server = serve(data.path(), &["--admin", "off"], full);
    ask(&server, 2);
    assert!(server.stop().success());
}

#[test]
fn a_server_whose_log_nobody_can_read_any_more_answers_counts_what_it_drops_and_stops() {
    let data = tempfile::tempdir().unwrap();
    import_sample(data.path());
    let (server, lines, admin) = logging_into_a_pipe(data.path());
    assert_eq!(dropped(admin), 0);
    drop(lines);
    wait_until("three lines that were dropped", || {
        ask(&server, 3);
        3 <= dropped(admin)
    });
    assert!(server.stop().success());
}

#[test]
fn a_server_whose_log_is_not_read_answers_tells_later_what_it_dropped_and_stops() {
    let data = tempfile::tempdir().unwrap();
    import_sample(data.path());
    let key = issue_key(data.path());
    let (server, mut lines, admin) = logging_into_a_pipe(data.path());
    wait_until("a line for which there was no room", || {
        ask(&server, 1000);
        0 < dropped(admin)
    });
    let before = dropped(admin);
    for _ in 0..100 {
        assert_eq!(server.get("/v1/boats/oland-9-mk-ii", &key).status, 200);
    }
    let all = dropped(admin);
    assert!(before + 100 <= all, "{before} before, then {all}");
    let mut told = 0;
    while told < all {
        let line = lines.find(|line| line.contains("log lines were dropped"));
        let line: Value = serde_json::from_str(&line.unwrap()).unwrap();
        told += line["dropped"].as_u64().unwrap();
    }
    assert_eq!(told, dropped(admin));
    // More than the pipe holds, which nobody reads.
    ask(&server, 1000);
    assert!(server.stop().success());
    drop(lines);
    let usage = ["usage", "--subscription", "tests"];
    let usage = catalogue_json(data.path(), &usage);
    assert_eq!(usage["usage"][0]["used"], 100);
}

#[test]
fn the_last_lines_of_a_server_are_in_its_log_when_it_has_ended() {
    let directory = tempfile::tempdir().unwrap();
    let data = directory.path();
    import_sample(data);
    let server = admin::serve(data, "log", &["--admin", "off"]);
    ask(&server, 1000);
    assert!(server.stop().success());
    let log = fs::read_to_string(data.join("log")).unwrap();
    let events: Vec<Value> = log
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let answered = |event: &&Value| event["message"] == "answered";
    assert_eq!(events.iter().filter(answered).count(), 1000);
    let last = events.last().unwrap();
    let message = last["message"].as_str().unwrap();
    assert!(message.starts_with("stopping: "), "{last}");
}

#[test]
fn why_a_server_could_not_go_on_is_reported_after_what_it_logged() {
    let data = tempfile::tempdir().unwrap();
    import_sample(data.path());
    let mut serve = command(data.path(), &SERVE);
    let (reader, closed) = pipe().unwrap();
    drop(reader);
    let output = serve.args(["--log", "debug"]).stdout(closed).output();
    let output = output.unwrap();
    let told = String::from_utf8(output.stderr).unwrap();
    let last = told.lines().last().unwrap();
    assert_eq!(output.status.code(), Some(3));
    assert!(
        last.starts_with("error: could not print where the server listens"),
        "{told}"
    );
}
