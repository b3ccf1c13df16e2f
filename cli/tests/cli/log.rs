//! A server whose standard error nobody reads, or cannot be written to, still responds to requests
//! and stops as usual.

use std::fs::{self, OpenOptions};
use std::io::{BufRead, BufReader, PipeReader, pipe};
use std::path::Path;
use std::process::Stdio;

use serde_json::Value;

use crate::admin;
use crate::client::Client;
use crate::process::{Server, command, import_sample};
use crate::wait::wait_until;

const SERVE: [&str; 3] = ["serve", "--listen", "127.0.0.1:0"];
const WITHOUT_ADMIN: [&str; 2] = ["--admin", "off"];
/// Enough lines to fill a pipe and the queue in front of it.
const REQUESTS: usize = 20_000;

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

/// A server whose log nobody reads, after so many requests that there is no room for more lines.
fn unread(data: &Path, args: &[&str]) -> (Server, PipeReader) {
    let (reader, writer) = pipe().unwrap();
    let server = serve(data, args, writer);
    ask(&server, REQUESTS);
    (server, reader)
}

#[test]
fn a_server_whose_log_cannot_be_written_answers_and_stops() {
    let data = tempfile::tempdir().unwrap();
    import_sample(data.path());
    let full = OpenOptions::new().write(true).open("/dev/full").unwrap();
    let (reader, gone) = pipe().unwrap();
    drop(reader);
    for log in [Stdio::from(full), gone.into()] {
        let server = serve(data.path(), &WITHOUT_ADMIN, log);
        ask(&server, 2);
        assert!(server.stop().success());
    }
}

#[test]
fn a_server_whose_log_is_not_read_answers_and_stops() {
    let data = tempfile::tempdir().unwrap();
    import_sample(data.path());
    let (server, _unread) = unread(data.path(), &WITHOUT_ADMIN);
    assert!(server.stop().success());
}

#[test]
fn lines_for_which_there_was_no_room_are_reported_once_the_log_is_read() {
    let data = tempfile::tempdir().unwrap();
    import_sample(data.path());
    let (server, reader) = unread(data.path(), &WITHOUT_ADMIN);
    let mut lines = BufReader::new(reader).lines().map(Result::unwrap);
    let told = lines.find(|line| line.contains("log lines were dropped"));
    let told: Value = serde_json::from_str(&told.unwrap()).unwrap();
    assert!(0 < told["dropped"].as_u64().unwrap(), "{told}");
    assert!(server.stop().success());
}

#[test]
fn metrics_tell_how_many_lines_could_not_be_written() {
    let directory = tempfile::tempdir().unwrap();
    let data = directory.path();
    import_sample(data);
    let told = |server: &Server, admin| {
        ask(server, 3);
        let metrics = Client::connect(admin).get_with("/metrics", "").body;
        let mut lines = metrics.lines();
        let told = lines.find_map(|line| line.strip_prefix("catalogue_log_lines_dropped_total "));
        told.unwrap().parse::<u64>().unwrap()
    };
    let (reader, writer) = pipe().unwrap();
    let server = serve(data, &["--admin", "127.0.0.1:0"], writer);
    let mut lines = BufReader::new(reader).lines().map(Result::unwrap);
    let listening = lines.find(|line| line.contains("admin.address")).unwrap();
    let listening: Value = serde_json::from_str(&listening).unwrap();
    let admin = listening["admin.address"].as_str().unwrap();
    let admin = admin.parse().unwrap();
    assert_eq!(told(&server, admin), 0);
    // From now on nobody can read the log.
    drop(lines);
    wait_until("three lines that were dropped", || {
        3 <= told(&server, admin)
    });
    assert!(server.stop().success());
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
