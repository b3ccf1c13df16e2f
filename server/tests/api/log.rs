//! The log: one line for every request, one more for causes that the client does not see, and no
//! secrets.

use std::cell::RefCell;
use std::io::{self, Write};
use std::sync::Once;

use crate::answer::check_text;
use crate::app::{TestApp, Unusual};
use crate::errors::FaultyClock;

thread_local! {
    /// What was logged on this thread. A test and its requests run on one thread.
    static LOGGED: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
}

struct ToThisThread;

impl Write for ToThisThread {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        LOGGED.with_borrow_mut(|logged| logged.write(bytes))
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Captures the logs of the whole process, because `tracing` caches for all threads which lines no
/// subscriber wants: with a subscriber on only one thread, another thread could disable its lines.
pub(crate) fn start_logging() {
    static STARTED: Once = Once::new();
    STARTED.call_once(|| {
        let subscriber = tracing_subscriber::fmt()
            .with_writer(|| ToThisThread)
            .with_ansi(false)
            .without_time()
            .with_target(false)
            .finish();
        tracing::subscriber::set_global_default(subscriber).unwrap();
        tracing::callsite::rebuild_interest_cache();
    });
}

/// What was logged on this thread since the last call.
pub(crate) fn logged() -> String {
    String::from_utf8(LOGGED.take()).unwrap()
}

/// Checks that the log has one line for the failed request, and one line with the causes.
pub(crate) fn check_told_once(request_id: Option<&str>, causes: &[&str]) {
    let log = logged();
    let (told, requests): (Vec<_>, Vec<_>) = log
        .lines()
        .partition(|line| line.contains(" WARN ") || line.contains("ERROR "));
    assert_eq!((told.len(), requests.len()), (1, 1), "{log}");
    for line in [told[0], requests[0]] {
        assert!(line.contains(request_id.unwrap()), "{log}");
    }
    for cause in causes {
        assert!(told[0].contains(cause), "{cause} is not in:\n{log}");
        assert!(!requests[0].contains(cause), "{cause} is twice in:\n{log}");
    }
}

#[tokio::test]
async fn a_dependency_that_is_away_is_told_once_a_request_with_all_causes() {
    start_logging();
    let app = TestApp::new();
    app.ledger.break_down();
    logged();
    let answer = app.get("/v1/boats/b1").key("reader").send().await;
    let causes = [
        "could not count the request against its quota",
        "could not ask the quota ledger",
        "there is no key store at memory",
    ];
    check_told_once(answer.header("x-request-id"), &causes);
    app.lose_key_store();
    let answer = app.get("/v1/boats/b1").key("reader").send().await;
    let cause = "the key store was not confirmed within the last second";
    check_told_once(answer.header("x-request-id"), &[cause]);
}

#[tokio::test]
async fn a_request_is_one_line_and_secrets_are_in_none() {
    start_logging();
    let app = TestApp::new();
    let secret = app.keys.secret("reader");
    app.get("/v1/boats?search=confidential")
        .key("reader")
        .send()
        .await;
    // The headers of a list, without its rows.
    app.ask("HEAD", "/v1/boats").key("reader").send().await;
    app.get("/v1/boats/first-36").key("reader").send().await;
    app.get("/v1/boats/confidential%20")
        .key("reader")
        .send()
        .await;
    app.get("/v1/boats/missing-36").key("reader").send().await;
    app.get("/v1/manufacturers/m%2D99/boats?search=confidential")
        .key("reader")
        .send()
        .await;
    app.get(&format!("/v1/boats/{secret}"))
        .key("reader")
        .send()
        .await;
    app.get(&format!("/v1/boats/a-{}", secret.to_uppercase()))
        .key("reader")
        .send()
        .await;
    app.get(&format!("/v1/boats?search={secret}")).send().await;
    app.get("/v1/boats?type=confidential&confidential=1&offset=20")
        .key("revoked")
        .send()
        .await;
    app.get("/v1/manufacturers/m1")
        .key("boats_only")
        .send()
        .await;
    app.get("/confidential").send().await;
    app.ask("CONFIDENTIAL", "/v1").send().await;
    app.ledger.break_down();
    app.get("/v1/boats/b1").key("nearly_exhausted").send().await;

    // The log has no cause of this panic: the panic hook logs it, and only the command installs
    // that.
    let panicking = TestApp::with(Unusual {
        clock: Some(FaultyClock::that_shows(2)),
        ..Unusual::default()
    });
    assert_eq!(panicking.get("/health").send().await.status, 500);

    let text = logged();
    let secret_in_capitals = secret.to_uppercase();
    for forbidden in [
        "confidential",
        "CONFIDENTIAL",
        "Bearer",
        secret,
        &secret_in_capitals,
    ] {
        assert!(!text.contains(forbidden), "{forbidden} in:\n{text}");
    }
    check_text("log", "What the log says of a few requests.", &text);
}

#[tokio::test]
async fn a_head_sends_no_rows_and_no_bytes() {
    start_logging();
    let app = TestApp::new();
    for (method, target, sent) in [
        ("GET", "/v1/boats?limit=2", Some(2)),
        ("HEAD", "/v1/boats?limit=2", Some(0)),
        ("GET", "/v1/boats?offset=100", Some(0)),
        ("GET", "/v1/boats/b1", None),
        ("GET", "/v1/boats?limit=0", None),
    ] {
        logged();
        let answer = app.ask(method, target).key("reader").send().await;
        let log = logged();
        let bytes = if method == "HEAD" {
            0
        } else {
            answer.body.len()
        };
        assert!(log.contains(&format!(" bytes={bytes} ")), "{target}: {log}");
        match sent {
            Some(rows) => assert!(log.contains(&format!(" rows={rows} ")), "{target}: {log}"),
            None => assert!(!log.contains(" rows="), "{target}: {log}"),
        }
    }
}

#[tokio::test]
async fn a_refused_head_sends_no_bytes() {
    start_logging();
    let app = TestApp::new();
    for (method, is_sent) in [("GET", true), ("HEAD", false)] {
        logged();
        let announcing_a_body = app.ask(method, "/v1/boats").header("content-length", "1");
        assert_eq!(announcing_a_body.send().await.status, 413);
        let log = logged();
        assert_eq!(!log.contains(" bytes=0 "), is_sent, "{log}");
    }
}
