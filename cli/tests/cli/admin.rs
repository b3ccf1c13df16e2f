//! The administration address of the built binary: where it is, and what happens if it cannot be
//! bound.

use std::fs::{self, File};
use std::net::{SocketAddr, TcpListener};
use std::path::Path;

use serde_json::Value;

use crate::client::Client;
use crate::process::{Server, command, import_sample, issue_key};
use crate::wait::{wait_for, wait_until};

/// Starts a server with these arguments, with its log in the data directory.
pub(crate) fn serve(data: &Path, log: &str, arguments: &[&str]) -> Server {
    let listen = ["serve", "--listen", "127.0.0.1:0"];
    let mut serve = command(data, &[&listen, arguments].concat());
    serve.env("RUST_BACKTRACE", "full");
    serve.stderr(File::create(data.join(log)).unwrap());
    Server::run(serve)
}

/// The events that were logged so far.
fn events(log: &Path) -> Vec<Value> {
    let log = fs::read_to_string(log).unwrap();
    let events = log.lines().map(|line| serde_json::from_str(line).unwrap());
    events.collect()
}

/// The administration address according to the log. It is logged before the public one.
pub(crate) fn address(log: &Path) -> SocketAddr {
    let events = events(log);
    let mut told = events
        .iter()
        .filter_map(|event| event["admin.address"].as_str());
    told.next().unwrap().parse().unwrap()
}

#[test]
fn readiness_and_metrics_are_where_the_log_says_and_nowhere_else() {
    let directory = tempfile::tempdir().unwrap();
    let data = directory.path();
    import_sample(data);
    let key = issue_key(data);
    let server = serve(data, "log", &["--admin", "127.0.0.1:0"]);
    let admin = address(&data.join("log"));
    assert!(admin.ip().is_loopback());
    assert_eq!(
        server.printed, "",
        "standard output has the public address only"
    );

    server.wait_for("/v1/boats?limit=1", &key, 200, 503);
    let ready = || Client::connect(admin).get_with("/ready", "");
    // If the machine stalls, the keys become outdated for a moment.
    wait_until("a server that is ready", || ready().status == 200);
    let metrics = Client::connect(admin).get_with("/metrics", "");
    let counted = "catalogue_http_requests_total{code=\"\",route=\"/v1/boats\",status=\"200\"} 1\n";
    assert!(metrics.body.contains(counted), "{}", metrics.body);
    for target in ["/ready", "/metrics"] {
        assert_eq!(server.get(target, &key).status, 404, "{target}");
    }
    assert!(server.stop().success());
}

#[test]
fn an_address_that_was_asked_for_and_is_taken_is_an_error() {
    let directory = tempfile::tempdir().unwrap();
    let data = directory.path();
    import_sample(data);
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = taken.local_addr().unwrap().to_string();
    let serve = ["serve", "--listen", "127.0.0.1:0", "--admin", &address];
    let output = command(data, &serve).output().unwrap();
    assert_eq!(output.status.code(), Some(3));
    assert_eq!(output.stdout, b"");
    let told = String::from_utf8(output.stderr).unwrap();
    let expected = format!(
        "error: could not take the administration address {address}: Address already in use"
    );
    assert!(told.starts_with(&expected), "{told}");
}

#[test]
fn where_the_usual_address_is_taken_one_warning_says_what_to_do_and_the_server_serves() {
    let directory = tempfile::tempdir().unwrap();
    let data = directory.path();
    import_sample(data);
    let warnings = wait_for("a server that finds the usual address taken", || {
        // Taken by this test, or by another process, which may give it up at any moment.
        let taken = TcpListener::bind("127.0.0.1:9090");
        let server = serve(data, "log", &[]);
        assert_eq!(server.get_with("/health", "").status, 200);
        assert!(server.stop().success());
        let mut events = events(&data.join("log"));
        events.retain(|event| event["level"] == "WARN" && event.to_string().contains(":9090"));
        (taken.is_ok() || !events.is_empty()).then_some(events)
    });
    let warnings: Vec<_> = warnings.iter().map(|event| &event["message"]).collect();
    assert_eq!(
        warnings,
        [
            "no metrics and no readiness: could not take 127.0.0.1:9090, the usual \
             administration address: Address already in use (os error 98); name another with \
             --admin ADDRESS, or none with --admin off"
        ]
    );
}

#[test]
fn a_server_may_have_none_and_its_log_may_be_for_people_elsewhere_than_on_a_terminal() {
    let directory = tempfile::tempdir().unwrap();
    let data = directory.path();
    import_sample(data);
    let server = serve(data, "log", &["--admin", "off", "--log-format", "text"]);
    assert_eq!(server.get_with("/health", "").status, 200);
    assert!(server.stop().success());
    let log = fs::read_to_string(data.join("log")).unwrap();
    assert!(
        !log.contains("/metrics") && !log.contains('\u{1b}'),
        "{log}"
    );
    let request = log.lines().find(|line| line.contains("/health"));
    let words: Vec<_> = request.unwrap().split_whitespace().collect();
    assert_eq!((words[1], words[2]), ("INFO", "answered"), "{log}");
    assert!(
        words.contains(&"route=/health") && words.contains(&"status=200"),
        "{log}"
    );
}
